"""Which stores a clone may take the place of, and that nothing of any other is lost."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_sandbox.containers.engine import ContainerSummary
from pi_sandbox.errors import UsageError
from pi_sandbox.launch import store_clone
from pi_sandbox.launch.home import init_home
from pi_sandbox.launch.leftovers import Session
from pi_sandbox.launch.untouched import is_untouched
from pi_sandbox.session.ownership import Verdict
from pi_sandbox.session.plan import DOMAIN_LABEL
from pi_sandbox.settings.folders import Folders
from pi_sandbox.settings.load import load_settings
from tests.fakes.hostile_folders import as_another_user, hostile_folder, nest
from tests.needs import Host

STORES = ("core", "work")


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    settings = load_settings({}, tmp_path, lambda path: None)
    init_home(settings)
    return Folders(settings.home)


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(("git", *arguments), cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize("store", STORES)
def test_a_store_is_untouched_as_init_made_it(folders: Folders, store: str) -> None:
    assert is_untouched(folders.store(store), store)
    (folders.store(store) / ".DS_Store").write_bytes(b"\0")
    git(folders.store(store), "status")
    assert is_untouched(folders.store(store), store)


CHANGES: dict[str, Callable[[Path], object]] = {
    "a note": lambda place: (place / "notes/a.md").write_text("x"),
    "a level": lambda place: (
        (place / "git.example.org/notes").mkdir(parents=True) or (place / "git.example.org/notes/a.md").write_text("x")
    ),
    "a line more": lambda place: (place / "log.md").write_bytes((place / "log.md").read_bytes() + b"2026-01-31 x\n"),
    "a file less": lambda place: (place / "index.md").unlink(),
    "a link": lambda place: (place / "notes/link").symlink_to("/nowhere"),
    "a linked folder": lambda place: (place / "linked").symlink_to("/tmp"),
    "an object": lambda place: git(place, "add", "."),
    "a ref": lambda place: (place / ".git/refs/heads/other").write_text("0" * 40 + "\n"),
    "no repository": lambda place: (place / ".git/HEAD").unlink(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_store_with_anything_of_the_owners_is_touched(folders: Folders, change: Callable[[Path], object]) -> None:
    change(folders.store("work"))
    assert not is_untouched(folders.store("work"), "work")


@pytest.mark.parametrize(
    "folders_of_the_note", [["notes", "closed"], ["x"] * 1_200], ids=["in a closed folder", "in a very deep one"]
)
@pytest.mark.needs(Host.ROOT)
def test_a_note_where_nobody_can_look_keeps_its_store(folders_of_the_note: list[str]) -> None:
    with hostile_folder() as home:
        settings = load_settings({"PI_SANDBOX_HOME": str(home / "pi")}, home, lambda path: None)
        init_home(settings)
        place = Folders(settings.home).store("work")
        nest(place, folders_of_the_note)
        note = place.joinpath(*folders_of_the_note, "note.md")
        with as_another_user(home):
            assert is_untouched(place, "work"), "folders alone are nothing that git would keep"
            note.write_text("x")
            if note.parent.name == "closed":
                note.parent.chmod(0)
            assert not is_untouched(place, "work")


def test_the_template_of_another_store_is_touched(folders: Folders) -> None:
    assert not is_untouched(folders.store("core"), "work")


def test_a_clone_takes_the_place_of_an_untouched_store_and_leaves_nothing_beside_it(folders: Folders) -> None:
    beside = folders.brain / ".new"
    beside.mkdir()
    (beside / "from-the-remote").write_text("x")
    store_clone._put_in_place(beside, folders.store("work"), "work")
    assert [path.name for path in folders.store("work").iterdir()] == ["from-the-remote"]
    assert {path.name for path in folders.brain.iterdir()} == {
        f"pi-memory-{name}" for name in ("core", "private", "work")
    }


def test_a_note_that_was_written_meanwhile_stays(folders: Folders) -> None:
    beside = folders.brain / ".new"
    beside.mkdir()
    (folders.store("work") / "notes/mine.md").write_text("x")
    with pytest.raises(UsageError, match="something was written into it"):
        store_clone._put_in_place(beside, folders.store("work"), "work")
    assert (folders.store("work") / "notes/mine.md").read_text() == "x"


@pytest.mark.parametrize(
    ("domain", "state", "store", "refused"),
    [
        ("work", "running", "work", True),
        ("private", "running", "core", True),
        ("private", "running", "work", False),
        ("work", "exited", "work", False),
        (None, "running", "core", False),
    ],
)
def test_a_store_that_a_session_writes_to_is_not_replaced(
    domain: str | None, state: str, store: str, refused: bool
) -> None:
    labels = {} if domain is None else {DOMAIN_LABEL: domain}
    session = Session(ContainerSummary("id", "name", state, labels), "abc", "/home/ada/pi/ws/x", Verdict.ALIVE)
    if not refused:
        store_clone._refuse_writers((session,), store)
        return
    with pytest.raises(UsageError, match="the session abc of /home/ada/pi/ws/x uses the store"):
        store_clone._refuse_writers((session,), store)

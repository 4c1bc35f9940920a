import errno
import fcntl
import os
import signal
import stat
import sys
import time
from pathlib import Path

import pytest

from pi_sandbox.errors import FilesError
from pi_sandbox.git_access.runner import GitMissingError, make_repository
from pi_sandbox.launch import home as home_module
from pi_sandbox.launch.home import init_home, make_home, read_home_templates
from pi_sandbox.launch.home_plan import domain_pieces, home_pieces
from pi_sandbox.memory_check.check import check_store
from pi_sandbox.memory_check.format_rules import StoreKind
from pi_sandbox.memory_check.memory_file import MemoryFile
from pi_sandbox.settings.env_file import parse_env_file
from pi_sandbox.settings.load import load_settings
from tests.fakes.hostile_folders import as_another_user, hostile_folder
from tests.needs import Host

DOMAINS = ("private", "work")
TEMPLATES = read_home_templates()
PIECES = home_pieces(DOMAINS, TEMPLATES)
FEW_PIECES = home_pieces((), TEMPLATES)


def small_repository(folder):
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")


def tree(folder):
    """Everything below the folder: kind, permissions and content."""
    return {
        str(path.relative_to(folder)): (
            stat.S_IFMT(path.lstat().st_mode),
            stat.S_IMODE(path.lstat().st_mode),
            path.read_bytes() if path.is_file() else None,
        )
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def whole(tmp_path):
    """What a home looks like that was made without any interruption."""
    make_home(tmp_path / "model", PIECES, small_repository)
    return tree(tmp_path / "model")


def test_the_real_thing_is_made_whole(tmp_path):
    settings = load_settings({"PI_SANDBOX_DOMAINS": "my-club"}, tmp_path, lambda path: None)
    report = init_home(settings)
    home = tmp_path / "pi"

    assert report.made
    assert all(outcome.made for outcome in report.outcomes)
    for store in ("core", "my-club"):
        folder = home / "brain" / f"pi-memory-{store}"
        assert (folder / ".git" / "HEAD").read_text() == "ref: refs/heads/main\n"
        assert {entry.name for entry in folder.iterdir()} == {
            *(".git", ".gitattributes", ".gitignore", "README.md", "briefing.md", "index.md", "log.md", "notes")
        }
    assert (home / "ws" / "my-club").is_dir()
    assert (home / "state" / "my-club" / "auth.json").read_text() == "{}\n"
    assert (home / "pi-config" / "agent" / "AGENTS.md").is_file()
    assert (home / "pi-config" / "agent" / "prompts" / "memory-seed.md").is_file()
    assert parse_env_file((home / ".env").read_bytes(), home / ".env") == {}


def test_nobody_else_can_look_into_a_home_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        make_home(tmp_path / "pi", PIECES, small_repository)
    finally:
        os.umask(before)

    made = {"": tmp_path / "pi", **{str(piece.path): tmp_path / "pi" / piece.path for piece in PIECES}}
    modes = {name: stat.S_IMODE(path.stat().st_mode) for name, path in made.items()}
    assert {mode for name, mode in modes.items() if made[name].is_dir()} == {0o700}
    assert modes[".env"] == modes["state/work/auth.json"] == 0o600


def test_a_second_run_keeps_everything(tmp_path, whole):
    home = tmp_path / "model"
    report = make_home(home, PIECES, small_repository)

    assert not report.made
    assert not any(outcome.made or outcome.remark for outcome in report.outcomes)
    assert tree(home) == whole


def test_only_what_is_missing_is_made(tmp_path, whole):
    home = tmp_path / "model"
    (home / ".env").unlink()
    (home / "state" / "work" / "auth.json").write_text("changed")
    (home / "brain" / "pi-memory-core" / "briefing.md").unlink()
    report = make_home(home, PIECES, small_repository)

    assert [str(outcome.path) for outcome in report.outcomes if outcome.made] == [".env"]
    assert (home / "state" / "work" / "auth.json").read_text() == "changed"
    assert not (home / "brain" / "pi-memory-core" / "briefing.md").exists()


def test_a_folder_that_was_there_is_filled(tmp_path, whole):
    home = tmp_path / "pi"
    home.mkdir()
    (home / "mine.txt").write_text("mine")
    report = make_home(home, PIECES, small_repository)

    assert not report.made
    assert all(outcome.made for outcome in report.outcomes)
    (home / "mine.txt").unlink()
    assert tree(home) == whole


def test_a_home_behind_a_link_is_filled(tmp_path, whole):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "pi").symlink_to(tmp_path / "elsewhere")
    make_home(tmp_path / "pi", PIECES, small_repository)

    assert (tmp_path / "pi").is_symlink()
    assert tree(tmp_path / "elsewhere") == whole


def test_a_store_that_is_no_repository_is_named_and_left_alone(tmp_path):
    home = tmp_path / "pi"
    store = home / "brain" / "pi-memory-work"
    store.mkdir(parents=True)
    (store / "note.md").write_text("mine")
    report = make_home(home, PIECES, small_repository)
    remarks = {str(outcome.path): outcome.remark for outcome in report.outcomes if outcome.remark}

    assert remarks == {"brain/pi-memory-work": "is not a git repository; left as it is"}
    assert {path.name for path in store.rglob("*")} == {"note.md"}


def test_an_empty_folder_in_the_place_of_a_store_is_named_and_left_alone(tmp_path):
    store = tmp_path / "pi" / "brain" / "pi-memory-work"
    store.mkdir(parents=True)
    make_home(tmp_path / "pi", PIECES, small_repository)

    assert list(store.iterdir()) == []


def test_links_in_the_place_of_pieces_are_neither_followed_nor_replaced(tmp_path):
    home = tmp_path / "pi"
    home.mkdir()
    for name in (".env", "ws"):
        (home / name).symlink_to(tmp_path / "nowhere" / name)
    with pytest.raises(FilesError):
        make_home(home, PIECES, small_repository)

    assert (home / ".env").is_symlink()
    assert not (tmp_path / "nowhere").exists()


def test_one_domain_can_be_added_later(tmp_path, whole):
    home = tmp_path / "model"
    report = make_home(home, domain_pieces("my-club", TEMPLATES), small_repository)

    assert [str(outcome.path) for outcome in report.outcomes] == [
        "brain/pi-memory-my-club",
        "ws/my-club",
        "state/my-club",
        "state/my-club/auth.json",
        "state/my-club/sessions",
        "state/my-club/project-memory",
    ]
    assert {path: found for path, found in tree(home).items() if "my-club" not in path} == whole


def in_child(work):
    """Runs `work` in a child process and gives its number; the child's exit code is what `work` gives, or 99."""
    child = os.fork()
    if child == 0:
        code = 99
        try:
            code = work()
        finally:
            os._exit(code)
    return child


def exit_code(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killed_at(step, home):
    """Makes the home in a child that is killed at its `step`-th change of the disk; gives whether it was."""
    changes = 0

    def kill_in_time(event, arguments):
        nonlocal changes
        changing = event in ("os.mkdir", "os.rename", "os.link", "os.chmod", "os.remove")
        if changing or (event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR)):
            changes += 1
            if changes == step:
                os.kill(os.getpid(), signal.SIGKILL)

    def make():
        sys.addaudithook(kill_in_time)
        make_home(home, FEW_PIECES, small_repository)
        return 0

    code = exit_code(in_child(make))
    assert code in (0, -signal.SIGKILL)
    return code != 0


def every_step(make_place):
    step = 1
    while killed_at(step, make_place(step)):
        yield make_place(step)
        step += 1
    assert step > len(FEW_PIECES)


def test_a_kill_at_any_moment_leaves_no_home_and_the_next_run_makes_it(tmp_path):
    def missing_home(step):
        (tmp_path / str(step)).mkdir(exist_ok=True)
        return tmp_path / str(step) / "pi"

    make_home(tmp_path / "model", FEW_PIECES, small_repository)
    for home in every_step(missing_home):
        assert not home.exists()
        assert make_home(home, FEW_PIECES, small_repository).made
        assert tree(home) == tree(tmp_path / "model")
        assert [entry.name for entry in home.parent.iterdir()] == ["pi"]


def test_a_kill_at_any_moment_leaves_every_piece_of_a_home_whole_or_absent(tmp_path):
    def existing_home(step):
        (tmp_path / str(step)).mkdir(exist_ok=True)
        return tmp_path / str(step)

    make_home(tmp_path / "model", FEW_PIECES, small_repository)
    for home in every_step(existing_home):
        visible = {name: found for name, found in tree(home).items() if not unfinished(name)}
        assert visible.items() <= tree(tmp_path / "model").items()
        make_home(home, FEW_PIECES, small_repository)
        assert tree(home) == tree(tmp_path / "model")


def unfinished(name):
    return any(part.endswith(".new") for part in Path(name).parts)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_a_failure_on_the_way_leaves_nothing(tmp_path, monkeypatch, number):
    def full(path, data, *, mode):
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(home_module, "create_file", full)
    with pytest.raises(FilesError) as failed:
        make_home(tmp_path / "pi", PIECES, small_repository)

    assert os.strerror(number) in failed.value.message
    assert failed.value.hint
    assert list(tmp_path.iterdir()) == []


def test_a_machine_without_git_is_told_so_and_gets_no_half_home(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with pytest.raises(GitMissingError, match="git was not found"):
        make_home(tmp_path / "pi", PIECES, make_repository)

    assert list(tmp_path.iterdir()) == []


def test_a_missing_parent_folder_is_named(tmp_path):
    with pytest.raises(FilesError, match="No such file or directory") as failed:
        make_home(tmp_path / "a" / "pi", PIECES, small_repository)

    assert "make the folder above it first" in failed.value.hint


def test_a_file_in_the_place_of_the_home_is_left_alone(tmp_path):
    (tmp_path / "pi").write_text("mine")
    with pytest.raises(FilesError, match="is not a folder"):
        make_home(tmp_path / "pi", PIECES, small_repository)

    assert (tmp_path / "pi").read_text() == "mine"


@pytest.mark.parametrize("name", ["brain", "state", "ws", "pi-config"])
def test_a_file_in_the_place_of_a_folder_is_the_one_that_is_named(tmp_path, name):
    home = tmp_path / "pi"
    home.mkdir()
    (home / name).write_text("mine")
    with pytest.raises(FilesError) as failed:
        make_home(home, PIECES, small_repository)

    assert failed.value.message == f'the home "{home}" could not be completed: "{home / name}" is not a folder'
    assert failed.value.hint == "move it away, then run the command again"
    (home / name).unlink()
    make_home(home, PIECES, small_repository)


@pytest.mark.needs(Host.ROOT)
def test_a_folder_that_may_not_be_written_is_named_with_its_owner_and_mode():
    with hostile_folder() as place:
        home = place / "pi"
        home.mkdir()
        with as_another_user(place):
            home.chmod(0o500)
            with pytest.raises(FilesError) as failed:
                make_home(home, PIECES, small_repository)

    assert f'"{home}" is yours and has the mode dr-x------' in failed.value.message
    assert failed.value.hint == f"open it: chmod u+rwx -- {home}, or set PI_SANDBOX_HOME to another place"


def test_a_disk_that_keeps_no_permissions_is_refused(tmp_path, monkeypatch):
    def open_to_all(path, *, mode):
        path.mkdir()
        path.chmod(0o777)
        return True

    monkeypatch.setattr(home_module, "create_folder", open_to_all)
    with pytest.raises(FilesError, match="keeps no permissions"):
        make_home(tmp_path / "pi", PIECES, small_repository)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.needs(Host.ROOT)
def test_a_folder_that_somebody_else_put_beside_is_not_used(tmp_path):
    foreign = tmp_path / ".pi.pi-sandbox-init"
    foreign.mkdir()
    os.chown(foreign, 12345, 12345)
    with pytest.raises(FilesError, match="in the way"):
        make_home(tmp_path / "pi", PIECES, small_repository)

    assert not (tmp_path / "pi").exists()


def test_a_link_that_somebody_put_beside_is_not_followed(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".pi.pi-sandbox-init").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FilesError, match="in the way"):
        make_home(tmp_path / "pi", PIECES, small_repository)

    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_many_runs_at_a_time_make_one_home(tmp_path, whole):
    def make():
        return 10 if make_home(tmp_path / "pi", PIECES, small_repository).made else 0

    children = [in_child(make) for _ in range(8)]

    assert sorted(exit_code(child) for child in children) == [0] * 7 + [10]
    assert tree(tmp_path / "pi") == whole
    assert {entry.name for entry in tmp_path.iterdir()} == {"pi", "model"}


def test_a_finished_run_leaves_the_folder_alone_that_the_next_one_has_begun(tmp_path, monkeypatch):
    beside = tmp_path / ".pi.pi-sandbox-init"
    rename = Path.rename

    def rename_and_begin_again(path, target):
        rename(path, target)
        if path == beside:
            beside.mkdir()

    monkeypatch.setattr(Path, "rename", rename_and_begin_again)
    assert make_home(tmp_path / "pi", FEW_PIECES, small_repository).made

    assert beside.is_dir()


def test_a_run_waits_for_the_one_that_fills_the_home(tmp_path):
    home = tmp_path / "pi"
    home.mkdir()
    held = os.open(home, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)

    def make():
        os.close(held)
        make_home(home, PIECES, small_repository)
        return 0

    child = in_child(make)
    time.sleep(0.3)
    assert list(home.iterdir()) == []
    os.close(held)

    assert exit_code(child) == 0
    assert (home / ".env").exists()


@pytest.mark.parametrize(("store", "kind"), [("core", StoreKind.CORE), ("work", StoreKind.DOMAIN)])
def test_the_memory_check_finds_nothing_in_a_new_store(tmp_path, whole, store, kind):
    folder = tmp_path / "model" / "brain" / f"pi-memory-{store}"
    paths = [path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts]
    files = [MemoryFile(str(path.relative_to(folder)), path.read_bytes()) for path in paths]
    result = check_store(files, store=store, store_kind=kind)

    assert result.files == 6
    assert result.findings == ()


def test_the_rules_name_every_category_that_is_never_stored():
    rules = " ".join(TEMPLATES["agent/AGENTS.md"].decode().split()).lower()
    categories = (
        *("personal data from customer projects", "end users", "databases, logs, screenshots", "art. 9"),
        *("applicants", "assessments of people", "business contact details", "passwords, tokens, keys"),
    )

    assert [category for category in categories if category not in rules] == []
    assert "memory: added notes/<slug>.md (<scope>)" in rules
    assert "narrowest level" in rules

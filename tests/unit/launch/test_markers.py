"""The marker, and the comparison of what the container sees with what was planned and is held."""

import fcntl
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest

from pi_sandbox.errors import EngineError, FilesError
from pi_sandbox.launch.markers import (
    Held,
    Marker,
    compare,
    held,
    look_message,
    marker_for,
    remove_lost_markers,
    unfiltered,
)
from pi_sandbox.session.container_spec import Mount, MountKind
from pi_sandbox.session.control_messages import Seen
from pi_sandbox.settings.folders import Folders
from pi_sandbox.system.sight import empty_content, look_at
from tests.fakes.container_specs import STANDING
from tests.needs import Host

MARKER = Marker("word", "1:1")
OTHER_KERNEL = "9:9"


@pytest.fixture
def mount(tmp_path: Path) -> Mount:
    store = tmp_path.resolve() / "store"
    store.mkdir()
    (store / "note.md").write_text("x")
    return Mount(PurePosixPath("/brain/core"), MountKind.BIND, store, False, "")


@pytest.fixture
def item(mount: Mount) -> Held:
    with held((mount,)) as items:
        return items[0]


def seen(path: Path | None, word: str | None = MARKER.word, marker_identity: str | None = MARKER.identity) -> Seen:
    assert path is not None
    sight = look_at(path)
    return Seen((sight.content,), (sight.writable,), (sight.identity,), word, marker_identity, ())


def test_the_planned_folder_and_the_right_word_are_no_difference(item: Held) -> None:
    assert compare((item,), MARKER, seen(item.mount.source)).error is None


@pytest.mark.parametrize("word", [None, "", "other"])
def test_a_wrong_word_is_an_engine_that_sees_other_files(item: Held, word: str | None) -> None:
    error = compare((item,), MARKER, seen(item.mount.source, word)).error
    assert error is not None
    assert "marker" in error.message


def test_another_folder_with_the_same_names_is_refused_at_once(item: Held, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "note.md").write_text("x")
    verdict = compare((item,), MARKER, seen(copy))
    assert verdict.error is not None
    assert verdict.final
    assert str(item.mount.source) in verdict.error.message


def test_names_that_changed_meanwhile_are_no_difference_where_the_folder_is_the_same(item: Held) -> None:
    before = seen(item.mount.source)
    assert item.mount.source is not None
    (item.mount.source / "new.md").write_text("x")
    assert compare((item,), MARKER, before).error is None


def test_an_empty_folder_where_notes_are_is_refused_by_name(item: Held, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for kernel in (MARKER.identity, OTHER_KERNEL):
        error = compare((item,), MARKER, seen(empty, marker_identity=kernel)).error
        assert error is not None
        assert str(item.mount.source) in error.message


def test_an_engine_that_numbers_files_its_own_way_is_judged_by_names_and_asked_again(item: Held) -> None:
    elsewhere = replace(seen(item.mount.source, marker_identity=OTHER_KERNEL), identities=("7:7",))
    assert compare((item,), MARKER, elsewhere).error is None
    verdict = compare((item,), MARKER, replace(elsewhere, contents=("other",)))
    assert verdict.error is not None
    assert not verdict.final


ELSEWHERE = "outside of containers"
ANOTHER_SESSION = "another session may be at work there"
VIRTUAL_MACHINE = "virtual machine"


@pytest.mark.parametrize("kernel", [MARKER.identity, OTHER_KERNEL], ids=["one kernel", "another kernel"])
@pytest.mark.parametrize("there", ["empty", "other", "nothing"])
def test_an_engine_that_sees_other_files_is_not_told_as_another_session(
    item: Held, tmp_path: Path, kernel: str, there: str
) -> None:
    for name in ("empty", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "other" / "file").write_text("x")
    error = compare((item,), MARKER, seen(tmp_path / there, marker_identity=kernel)).error
    assert error is not None
    assert ANOTHER_SESSION not in error.hint
    assert (VIRTUAL_MACHINE in error.hint) is (kernel == OTHER_KERNEL or there == "nothing")
    assert (ELSEWHERE in error.hint) is not (VIRTUAL_MACHINE in error.hint)
    assert ("an empty folder in place of" in error.message) is (there == "empty")


def test_a_folder_that_was_swapped_while_the_session_started_is_told_as_such(item: Held, tmp_path: Path) -> None:
    assert item.mount.source is not None
    item.mount.source.rename(tmp_path / "away")
    item.mount.source.mkdir()
    error = compare((item,), MARKER, seen(item.mount.source)).error
    assert error is not None
    assert "took the place of" in error.message
    assert ANOTHER_SESSION in error.hint
    item.mount.source.rmdir()
    (tmp_path / "away").rename(item.mount.source)
    assert compare((item,), MARKER, seen(item.mount.source)).error is None, "the control"


def test_a_source_that_is_gone_is_not_called_a_link(mount: Mount, tmp_path: Path) -> None:
    (tmp_path / "store").rename(tmp_path / "away")
    with pytest.raises(EngineError, match="is gone since it was planned"), held((mount,)):
        pytest.fail("a folder that is gone was held")


def test_a_source_that_became_a_link_is_refused_before_anything_is_made(mount: Mount, tmp_path: Path) -> None:
    source = tmp_path / "store"
    source.rename(tmp_path / "away")
    source.symlink_to(tmp_path / "away")
    with pytest.raises(EngineError, match="became a link"), held((mount,)):
        pytest.fail("a link was taken for the folder")


def test_a_link_further_up_is_refused_too(mount: Mount, tmp_path: Path) -> None:
    (tmp_path / "outer").mkdir()
    (tmp_path / "outer/inner").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "outer")
    with pytest.raises(EngineError), held((replace(mount, source=tmp_path / "link/inner"),)):
        pytest.fail("a link on the way was followed")
    with held((replace(mount, source=tmp_path.resolve() / "outer/inner"),)) as items:
        assert items[0].identity is not None


def test_a_link_of_the_owner_to_their_own_settings_is_followed(mount: Mount, tmp_path: Path) -> None:
    (tmp_path / "config").symlink_to(tmp_path / "store")
    own = replace(mount, source=tmp_path / "config", target=PurePosixPath("/run/pi-config"))
    with held((own,)) as items:
        assert compare(items, MARKER, seen(tmp_path / "store")).error is None


def test_a_folder_that_only_the_container_may_not_read_or_write_is_named_as_such(item: Held) -> None:
    whole = seen(item.mount.source)
    denied = compare((item,), MARKER, replace(whole, contents=(None,), writable=(False,))).error
    locked = compare((item,), MARKER, replace(whole, writable=(False,))).error
    assert denied is not None
    assert isinstance(denied, EngineError)
    assert "the container may not read" in denied.message
    assert isinstance(locked, EngineError)
    assert "the container may not write" in locked.message


@pytest.mark.needs(Host.ROOT)
def test_a_folder_of_another_user_is_not_told_as_the_engines_fault(item: Held) -> None:
    assert item.mount.source is not None
    os.chown(item.mount.source, 54_321, 54_321)
    whole = seen(item.mount.source)
    for changed in (replace(whole, contents=(None,), writable=(False,)), replace(whole, writable=(False,))):
        error = compare((item,), MARKER, changed).error
        assert isinstance(error, FilesError)
        assert "belongs to uid 54321" in error.message
        assert "chown" in error.hint
    assert compare((item,), MARKER, whole).error is None, "the control: it is theirs, and the session can use it"


def test_a_read_only_mount_need_not_be_writable(item: Held) -> None:
    read_only = replace(item, mount=replace(item.mount, read_only=True))
    assert compare((read_only,), MARKER, replace(seen(item.mount.source), writable=(False,))).error is None


def test_an_answer_for_other_mounts_is_refused(item: Held) -> None:
    assert compare((item, item), MARKER, seen(item.mount.source)).final


def test_a_mask_must_be_empty(tmp_path: Path) -> None:
    mask = Held(Mount(PurePosixPath("/brain/core/.git"), MountKind.MASK, None, True, ""), None)
    empty = Seen((empty_content(),), (False,), ("3:3",), MARKER.word, MARKER.identity, ())
    assert compare((mask,), MARKER, empty).error is None
    for content in ("x", "nothing", None):
        verdict = compare((mask,), MARKER, replace(empty, contents=(content,)))
        assert verdict.error is not None
        assert verdict.final


def test_every_mount_and_mask_is_asked_about(item: Held) -> None:
    mask = Held(Mount(PurePosixPath("/brain/core/.git"), MountKind.MASK, None, True, ""), None)
    assert look_message((item, mask)).targets == ("/brain/core", "/brain/core/.git")


def test_the_marker_lies_there_for_the_time_of_the_block_only(tmp_path: Path) -> None:
    folders = Folders(tmp_path)
    folders.markers.mkdir(parents=True)
    with marker_for(folders, "abc") as marker:
        assert (folders.markers / "abc").read_text() == marker.word
        assert marker.identity == look_at(folders.markers / "abc").identity
    assert list(folders.markers.iterdir()) == []


@pytest.mark.parametrize("mode", [0o000, 0o300, 0o400, 0o500])
def test_a_folder_that_its_owner_closed_looks_the_same_to_root_and_to_root_without_capabilities(
    item: Held, mode: int
) -> None:
    source = item.mount.source
    assert source is not None
    source.chmod(mode)
    sight = look_at(source)
    assert (sight.content is None, sight.writable) == (mode != 0o500, mode == 0o300)
    closed = Seen((None if mode != 0o500 else sight.content,), (False,), (sight.identity,), "word", MARKER.identity, ())
    verdict = compare((item,), MARKER, closed)
    assert (verdict.error is None) == (mode != 0o300)


@pytest.mark.parametrize("reached", [("AF_VSOCK",), ("adjtimex",), ("AF_VSOCK", "adjtimex")])
def test_a_container_that_makes_refused_system_calls_is_named(reached: tuple[str, ...]) -> None:
    seen = Seen((), (), (), MARKER.word, MARKER.identity, reached)
    error = unfiltered(STANDING, seen)
    assert error is not None
    assert reached[-1] in error.message
    assert unfiltered(STANDING, replace(seen, reached=())) is None
    assert unfiltered(replace(STANDING, seccomp=None), seen) is None


def test_a_marker_that_cannot_be_finished_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = Folders(tmp_path)
    folders.markers.mkdir(parents=True)

    def interrupted(*_: object) -> None:
        assert list(folders.markers.iterdir())
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fchmod", interrupted)
    with pytest.raises(KeyboardInterrupt), marker_for(folders, "abc"):
        pytest.fail("it was made all the same")
    assert list(folders.markers.iterdir()) == []


KILLED = """
import os, sys
from pathlib import Path
from pi_sandbox.launch.markers import marker_for
from pi_sandbox.settings.folders import Folders
with marker_for(Folders(Path(sys.argv[1])), "abc"):
    os.kill(os.getpid(), 9)
"""


def test_the_marker_of_a_killed_wrapper_goes_at_the_next_start_and_that_of_a_living_one_stays(tmp_path: Path) -> None:
    folders = Folders(tmp_path)
    folders.markers.mkdir(parents=True)
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], cwd=Path(__file__).parents[3], check=False)
    assert [file.name for file in folders.markers.iterdir()] == ["abc"]
    with marker_for(folders, "def"):
        remove_lost_markers(folders)
        assert [file.name for file in folders.markers.iterdir()] == ["def"]
    remove_lost_markers(Folders(tmp_path / "nowhere"))


def test_a_marker_that_is_just_being_made_is_not_taken_for_a_lost_one(tmp_path: Path) -> None:
    folders = Folders(tmp_path)
    folders.markers.mkdir(parents=True)
    (folders.markers / "abc").touch()
    maker = os.open(folders.markers, os.O_RDONLY)
    fcntl.flock(maker, fcntl.LOCK_SH)
    remove_lost_markers(folders)
    assert list(folders.markers.iterdir()) != []
    os.close(maker)
    remove_lost_markers(folders)
    assert list(folders.markers.iterdir()) == []

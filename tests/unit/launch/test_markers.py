"""The marker, and the comparison of what both sides see."""

from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest

from pi_sandbox.launch.markers import Marker, look_message, marker_for, unseen_mount, watched
from pi_sandbox.session.container_spec import Mount, MountKind
from pi_sandbox.session.control_messages import Seen
from pi_sandbox.settings.folders import Folders
from pi_sandbox.system.sight import look_at

MARKER = Marker("session", "word")


@pytest.fixture
def mount(tmp_path: Path) -> Mount:
    (tmp_path / "note.md").write_text("x")
    return Mount(PurePosixPath("/brain/core"), MountKind.BIND, tmp_path, False, "")


def seen(mount: Mount, word: str | None = MARKER.word) -> Seen:
    assert mount.source is not None
    sight = look_at(mount.source)
    return Seen((sight.content,), (sight.writable,), word)


def test_the_same_sight_and_the_right_word_are_no_difference(mount: Mount) -> None:
    assert unseen_mount((mount,), MARKER, seen(mount)) is None


@pytest.mark.parametrize("word", [None, "", "other"])
def test_a_wrong_word_is_an_engine_that_sees_other_files(mount: Mount, word: str | None) -> None:
    error = unseen_mount((mount,), MARKER, seen(mount, word))
    assert error is not None
    assert "marker" in error.message


def test_an_empty_folder_where_notes_are_is_refused_by_name(mount: Mount, tmp_path: Path) -> None:
    empty = tmp_path / "note.md.d"
    empty.mkdir()
    error = unseen_mount((mount,), MARKER, Seen((look_at(empty).content,), (True,), MARKER.word))
    assert error is not None
    assert str(tmp_path) in error.message


def test_a_folder_that_only_the_container_may_not_read_or_write_is_named_as_such(mount: Mount) -> None:
    denied = unseen_mount((mount,), MARKER, Seen((None,), (False,), MARKER.word))
    locked = unseen_mount((mount,), MARKER, replace(seen(mount), writable=(False,)))
    assert denied is not None
    assert "may not read" in denied.message
    assert "SELinux" in denied.hint
    assert locked is not None
    assert "may not write" in locked.message


def test_a_read_only_mount_need_not_be_writable(mount: Mount) -> None:
    assert unseen_mount((replace(mount, read_only=True),), MARKER, replace(seen(mount), writable=(False,))) is None


def test_an_answer_for_other_mounts_is_refused(mount: Mount) -> None:
    assert unseen_mount((mount, mount), MARKER, seen(mount)) is not None


def test_a_folder_within_a_sessions_reach_that_became_a_link_is_refused(mount: Mount, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path, target_is_directory=True)
    for target in (PurePosixPath("/brain/private/level"), PurePosixPath(link)):
        moved = replace(mount, target=target, source=link)
        error = unseen_mount((moved,), MARKER, seen(moved))
        assert error is not None
        assert "became a link" in error.message
        assert str(link) in error.message


def test_a_link_that_only_the_owner_can_make_is_followed(mount: Mount, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path, target_is_directory=True)
    state = replace(mount, target=PurePosixPath("/run/pi-config"), source=link)
    assert unseen_mount((state,), MARKER, seen(state)) is None


def test_masks_are_not_looked_at(mount: Mount) -> None:
    mask = Mount(PurePosixPath("/brain/core/.git"), MountKind.MASK, None, True, "")
    assert watched((mount, mask)) == (mount,)
    assert look_message(watched((mount, mask)), MARKER).targets == ("/brain/core",)


def test_the_marker_lies_there_for_the_time_of_the_block_only(tmp_path: Path) -> None:
    folders = Folders(tmp_path)
    folders.markers.mkdir(parents=True)
    with marker_for(folders, "abc") as marker:
        assert (folders.markers / "abc").read_text() == marker.word
    assert list(folders.markers.iterdir()) == []

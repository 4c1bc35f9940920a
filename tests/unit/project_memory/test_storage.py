"""Each project has a folder of its own, and everybody who uses one memory shares what belongs to it."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pi_sandbox.errors import FilesError
from pi_sandbox.project_memory.storage import locate, reserve

A_PAIR_WITH_ONE_PLAIN_NAME = (Path("/home/u/a-b/c"), Path("/home/u/a/b-c"))


def test_the_layout_is_the_one_of_the_spec(tmp_path):
    storage = reserve(tmp_path, Path("/srv/site"))

    folder = tmp_path / "project-memory" / "projects" / "-srv-site"
    shared = tmp_path / "project-memory" / "memory-roots" / storage.memory_root_id
    assert (folder / ".project-root").read_bytes() == b"/srv/site"
    assert storage.memory == folder / "memory"
    assert storage.legacy_state == folder / "state.json"
    assert storage.store_state == folder / "stores" / storage.memory_root_id / "state.json"
    assert storage.shared_state == shared / "state.json"
    assert storage.locks == shared / "locks"
    assert storage.memory.is_dir()
    assert storage.locks.is_dir()
    assert len(storage.memory_root_id) == 24
    assert set(storage.memory_root_id) <= set("0123456789abcdef")


def test_only_the_owner_can_look_into_a_project(tmp_path):
    storage = reserve(tmp_path, Path("/srv/site"))

    folders = [tmp_path / "project-memory", *(tmp_path / "project-memory").rglob("*/")]
    assert {storage.project_folder, storage.memory, storage.root_folder, storage.locks} < set(folders)
    for folder in folders:
        if folder.is_dir():
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((storage.project_folder / ".project-root").stat().st_mode) == 0o600


def test_to_locate_makes_nothing(tmp_path):
    locate(tmp_path, Path("/srv/site"))

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("first", [0, 1])
def test_two_projects_with_one_plain_name_get_two_folders(tmp_path, first):
    one, other = A_PAIR_WITH_ONE_PLAIN_NAME[first], A_PAIR_WITH_ONE_PLAIN_NAME[1 - first]

    mine, theirs = reserve(tmp_path, one), reserve(tmp_path, other)

    assert mine.project_id == "-home-u-a-b-c"
    assert theirs.project_id.startswith("-home-u-a-b-c-")
    assert len(theirs.project_id) == len("-home-u-a-b-c-") + 24
    assert (theirs.project_folder / ".project-root").read_bytes() == os.fsencode(other)
    assert mine.memory_root_id != theirs.memory_root_id
    assert reserve(tmp_path, one) == mine == locate(tmp_path, one)
    assert reserve(tmp_path, other) == theirs == locate(tmp_path, other)


def test_paths_that_differ_in_bytes_that_are_no_utf_8_are_two_projects(tmp_path):
    one, other = (reserve(tmp_path, Path(os.fsdecode(b"/srv/" + byte))) for byte in (b"\xff", b"\xfe"))

    assert one.project_folder != other.project_folder


def test_a_link_to_a_memory_shares_its_locks_and_interval(tmp_path):
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "alias").symlink_to("real")

    straight = reserve(tmp_path / "agent", Path("/srv/one"), real)
    through = reserve(tmp_path / "agent", Path("/srv/two"), tmp_path / "alias")
    other = reserve(tmp_path / "agent", Path("/srv/two"), tmp_path / "third")

    assert straight.root_folder == through.root_folder != other.root_folder
    assert straight.store_state != through.store_state, "what a project alone knows is not shared"


def test_a_memory_folder_that_is_a_link_to_itself_is_an_error(tmp_path):
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(FilesError, match="leads to itself"):
        reserve(tmp_path / "agent", tmp_path / "project", loop)


def test_the_default_folder_named_in_the_configuration_is_the_default_folder(tmp_path):
    default = reserve(tmp_path, Path("/srv/one"))

    assert reserve(tmp_path, Path("/srv/one"), default.memory).root_folder == default.root_folder


def test_a_marker_that_is_no_file_is_an_error_and_not_waited_for(tmp_path):
    folder = tmp_path / "project-memory" / "projects" / "-srv-site"
    folder.mkdir(parents=True)
    os.mkfifo(folder / ".project-root")

    with pytest.raises(FilesError, match="project-root"):
        reserve(tmp_path, Path("/srv/site"))


@pytest.mark.parametrize("blank", [b"", b" ", b"\n", b" \t\r\n"])
def test_an_empty_marker_is_nobodys_and_the_first_project_gets_the_folder_with_its_memory(tmp_path, blank):
    one, other = A_PAIR_WITH_ONE_PLAIN_NAME
    marker = tmp_path / "project-memory" / "projects" / "-home-u-a-b-c" / ".project-root"
    (marker.parent / "memory").mkdir(parents=True)
    marker.write_bytes(blank)

    located = locate(tmp_path, one)
    assert marker.read_bytes() == blank
    assert reserve(tmp_path, one) == located
    assert located.project_folder == marker.parent
    assert marker.read_bytes() == os.fsencode(one)
    assert [each.name for each in marker.parent.glob(".*")] == [".project-root"]
    assert reserve(tmp_path, other).name_was_taken


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_line_end_after_the_own_path_changes_nothing(tmp_path, end):
    storage = reserve(tmp_path, Path("/srv/site"))
    marker = storage.project_folder / ".project-root"
    marker.write_bytes(b"/srv/site" + end)

    assert reserve(tmp_path, Path("/srv/site")) == locate(tmp_path, Path("/srv/site")) == storage
    assert marker.read_bytes() == b"/srv/site" + end


@pytest.mark.parametrize("theirs", [b"/srv/sit", b"/srv/site ", b"/srv/site\n\n", b"\n/srv/site"])
def test_any_other_marker_is_of_another_project_and_that_is_said(tmp_path, theirs):
    marker = reserve(tmp_path, Path("/srv/site")).project_folder / ".project-root"
    marker.write_bytes(theirs)

    storage = reserve(tmp_path, Path("/srv/site"))
    assert storage.name_was_taken
    assert storage == locate(tmp_path, Path("/srv/site"))
    assert storage.project_id.startswith("-srv-site-")
    assert marker.read_bytes() == theirs


def test_a_project_with_its_plain_name_says_that_the_name_is_its_own(tmp_path):
    assert not reserve(tmp_path, Path("/srv/site")).name_was_taken


def test_a_project_that_has_the_name_with_the_digest_keeps_it_when_the_other_marker_is_emptied(tmp_path):
    one, other = A_PAIR_WITH_ONE_PLAIN_NAME
    first, second = reserve(tmp_path, one), reserve(tmp_path, other)
    (first.project_folder / ".project-root").write_bytes(b"")

    assert reserve(tmp_path, other) == locate(tmp_path, other) == second
    assert reserve(tmp_path, one) == first


def test_the_marker_is_on_the_disk_before_its_folder_is_used(tmp_path, monkeypatch):
    synced = []
    fsync = os.fsync

    def noted(descriptor):
        synced.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    folder = reserve(tmp_path, Path("/srv/site")).project_folder

    assert synced[0].startswith(f"{folder}/..project-root.")
    assert synced[1] == str(folder)


def test_a_wrong_marker_in_the_folder_with_the_digest_is_an_error(tmp_path):
    one, other = A_PAIR_WITH_ONE_PLAIN_NAME
    reserve(tmp_path, one)
    theirs = reserve(tmp_path, other)
    (theirs.project_folder / ".project-root").write_text("/srv/third")

    with pytest.raises(FilesError, match="another project"):
        reserve(tmp_path, other)


def test_a_place_that_cannot_be_written_is_an_error(tmp_path):
    (tmp_path / "project-memory").write_text("in the way")

    with pytest.raises(FilesError, match="could not be made"):
        reserve(tmp_path, Path("/srv/site"))


def test_eight_processes_that_come_at_once_agree(tmp_path):
    program = (
        "import sys, json; from pathlib import Path; from pi_sandbox.project_memory.storage import reserve\n"
        "sys.stdin.read(1)\n"
        "print(json.dumps([str(reserve(Path(sys.argv[1]), Path(root)).project_folder) for root in sys.argv[2:]]))"
    )
    roots = [str(path) for path in A_PAIR_WITH_ONE_PLAIN_NAME]
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path), *(roots if number % 2 else reversed(roots))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(8)
    ]
    answers = []
    for number, process in enumerate(running):
        said, _ = process.communicate("x")
        folders = json.loads(said)
        answers.append(tuple(folders if number % 2 else reversed(folders)))

    assert len(set(answers)) == 1
    assert len(set(answers[0])) == 2

import errno
import os
import stat

import pytest

from pi_sandbox.errors import FilesError
from pi_sandbox.system.files import (
    atomic_write,
    create_file,
    create_folder,
    make_private_folders,
    name_beside,
    read_regular_file,
    remove_unfinished,
)


def test_a_file_is_read_with_its_mode_and_owner(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"content")
    file.chmod(0o640)
    found = read_regular_file(file, limit=7)

    assert (found.data, found.mode, found.owner) == (b"content", 0o640, os.geteuid())


def test_a_missing_file_is_no_error(tmp_path):
    assert read_regular_file(tmp_path / "file", limit=7) is None


def test_more_than_the_limit_is_refused(tmp_path):
    (tmp_path / "file").write_bytes(b"content")
    with pytest.raises(FilesError, match="larger than 6 bytes"):
        read_regular_file(tmp_path / "file", limit=6)


def make_link(path):
    path.symlink_to(path.with_name("target"))


@pytest.mark.parametrize(
    ("make", "says"),
    [(make_link, "is a link"), (os.mkfifo, "not a regular file"), (os.mkdir, "not a regular file")],
)
def test_what_is_no_file_is_refused_at_once_and_leaves_nothing_open(tmp_path, make, says):
    (tmp_path / "target").write_bytes(b"content")
    make(tmp_path / "file")
    before = len(os.listdir("/dev/fd"))
    with pytest.raises(FilesError, match=says):
        read_regular_file(tmp_path / "file", limit=7)

    assert len(os.listdir("/dev/fd")) == before


def test_a_new_file_is_made_with_its_mode_whatever_the_umask(tmp_path):
    before = os.umask(0o077)
    try:
        assert create_file(tmp_path / "file", b"content", mode=0o644)
    finally:
        os.umask(before)

    assert (tmp_path / "file").read_bytes() == b"content"
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o644
    assert os.listdir(tmp_path) == ["file"]


def test_what_has_the_name_of_a_new_file_is_left_alone(tmp_path):
    (tmp_path / "file").symlink_to(tmp_path / "nowhere")

    assert not create_file(tmp_path / "file", b"content", mode=0o600)
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP])
def test_a_disk_without_hard_links_gets_the_same_file(tmp_path, monkeypatch, number):
    def no_links(source, target):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "link", no_links)

    assert create_file(tmp_path / "file", b"content", mode=0o600)
    assert not create_file(tmp_path / "file", b"other", mode=0o600)
    assert (tmp_path / "file").read_bytes() == b"content"
    assert os.listdir(tmp_path) == ["file"]


def test_a_failed_write_leaves_nothing(tmp_path, monkeypatch):
    def full(descriptor, mode):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fchmod", full)
    for write in (lambda path: create_file(path, b"content", mode=0o600), lambda path: atomic_write(path, b"content")):
        with pytest.raises(OSError, match="No space left") as failed:
            write(tmp_path / "file")
        assert failed.value.filename == str(tmp_path / "file"), "what was wanted, not the name beside it"

    assert os.listdir(tmp_path) == []


def test_an_atomic_write_replaces_what_was_there(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"old")
    with file.open("rb") as reader:
        atomic_write(file, b"new")

        assert reader.read() == b"old"
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["file"]


def test_an_atomic_write_replaces_a_link_and_not_what_it_leads_to(tmp_path):
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "file").symlink_to(tmp_path / "target")
    atomic_write(tmp_path / "file", b"new")

    assert (tmp_path / "target").read_bytes() == b"old"
    assert not (tmp_path / "file").is_symlink()


@pytest.mark.parametrize(
    ("write", "lasts"),
    [
        (lambda path: atomic_write(path, b"x"), True),
        (lambda path: create_file(path, b"x", mode=0o600, lasting=True), True),
        (lambda path: create_file(path, b"x", mode=0o600), False),
    ],
)
def test_what_must_outlast_a_loss_of_power_is_on_the_disk_before_its_name_and_the_name_after_it(
    tmp_path, monkeypatch, write, lasts
):
    synced = []
    monkeypatch.setattr(
        os,
        "fsync",
        lambda descriptor: synced.append((stat.S_ISDIR(os.fstat(descriptor).st_mode), (tmp_path / "file").exists())),
    )
    write(tmp_path / "file")

    assert synced == ([(False, False), (True, True)] if lasts else [])


def test_missing_folders_are_made_for_their_owner_alone_and_others_stay_as_they_are(tmp_path):
    (tmp_path / "there").mkdir(mode=0o755)
    make_private_folders(tmp_path / "there" / "new" / "deep")
    make_private_folders(tmp_path / "there" / "new" / "deep")

    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("there", "there/new", "there/new/deep")]
    assert modes == [0o755, 0o700, 0o700]


def test_a_folder_is_made_once(tmp_path):
    assert create_folder(tmp_path / "folder", mode=0o750)
    assert not create_folder(tmp_path / "folder", mode=0o700)
    assert stat.S_IMODE((tmp_path / "folder").stat().st_mode) == 0o750


def test_what_an_interrupted_run_left_is_removed_and_nothing_else(tmp_path):
    for name in ("file", ".file.new", "file.abc.new", ".other.abc.new"):
        (tmp_path / name).write_bytes(b"")
    name_beside(tmp_path / "file").write_bytes(b"half")
    folder = name_beside(tmp_path / "file")
    (folder / "below").mkdir(parents=True)
    remove_unfinished(tmp_path / "file")

    assert set(os.listdir(tmp_path)) == {"file", ".file.new", "file.abc.new", ".other.abc.new"}

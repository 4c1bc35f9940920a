"""Locks, leases and names that change places, where the system has them and where it has not."""

import errno
import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_sandbox.system import file_guards
from pi_sandbox.system.file_guards import exchange_names, kernel_lock_within, watched_for_writers

WRITER = "import sys; open(sys.argv[1], 'a').write('theirs'); print('done')"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "one").write_text("1")
    (tmp_path / "other").write_text("2")
    descriptor = os.open(tmp_path, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def test_two_names_change_places(tmp_path: Path, folder: int) -> None:
    assert exchange_names("one", "other", folder)
    assert ((tmp_path / "one").read_text(), (tmp_path / "other").read_text()) == ("2", "1")


def test_a_name_that_is_missing_is_an_error_and_changes_nothing(tmp_path: Path, folder: int) -> None:
    with pytest.raises(FileNotFoundError):
        exchange_names("one", "missing", folder)
    assert (tmp_path / "one").read_text() == "1"


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP])
def test_a_disk_that_cannot_is_told_from_one_that_fails(
    folder: int, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setattr(file_guards, "_renaming", lambda: lambda *_: -1)
    monkeypatch.setattr(file_guards.ctypes, "get_errno", lambda: number)
    assert not exchange_names("one", "other", folder)
    monkeypatch.setattr(file_guards.ctypes, "get_errno", lambda: errno.EROFS)
    with pytest.raises(OSError, match="Read-only"):
        exchange_names("one", "other", folder)


def test_a_system_without_the_call_cannot(folder: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_guards, "_NAMES", ("no_such_function",))
    assert not exchange_names("one", "other", folder)


def test_whoever_has_a_file_open_for_writing_is_seen_and_a_reader_is_not(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("x")
    with path.open("rb") as file:
        with path.open("rb"), watched_for_writers(file.fileno()) as is_being_written:
            assert not is_being_written()
        with path.open("ab"), watched_for_writers(file.fileno()) as is_being_written:
            assert is_being_written()
        with watched_for_writers(file.fileno()) as is_being_written:
            assert not is_being_written()


def test_a_program_that_wants_to_write_waits_for_the_end_of_the_block_and_kills_nobody(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("ours ")
    with path.open("rb") as file:
        with watched_for_writers(file.fileno()) as is_being_written:
            writer = subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE)
            deadline = time.monotonic() + 30
            while not is_being_written() and time.monotonic() < deadline:
                time.sleep(0.01)
            assert is_being_written()
            assert path.read_text() == "ours "
        assert writer.communicate(timeout=30)[0] == b"done\n"
    assert path.read_text() == "ours theirs"


def test_without_a_file_or_leases_nobody_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with watched_for_writers(None) as is_being_written:
        assert not is_being_written()
    path = tmp_path / "file"
    path.write_text("x")

    def refuse(*_: object) -> int:
        raise OSError(errno.EACCES, "not the owner")

    with path.open("rb") as file, path.open("ab"):
        with monkeypatch.context() as broken:
            broken.setattr(fcntl, "fcntl", refuse)
            with watched_for_writers(file.fileno()) as is_being_written:
                assert not is_being_written()
        monkeypatch.delattr(fcntl, "F_SETLEASE")
        with watched_for_writers(file.fileno()) as is_being_written:
            assert not is_being_written()


def test_a_kernel_lock_is_had_by_one_descriptor_at_a_time(tmp_path: Path) -> None:
    one, other = (os.open(tmp_path, os.O_RDONLY) for _ in range(2))
    assert kernel_lock_within(one, 0)
    assert kernel_lock_within(one, 0)
    assert not kernel_lock_within(other, 0.01)
    os.close(one)
    assert kernel_lock_within(other, 0)
    os.close(other)


def test_a_disk_without_kernel_locks_says_so_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(*_: object) -> None:
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(fcntl, "flock", flock)
    began = time.monotonic()
    assert not kernel_lock_within(0, 60)
    assert time.monotonic() - began < 30

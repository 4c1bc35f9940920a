"""Locks, publishing and journal on disks that are full or read-only."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_sandbox.errors import FilesError
from pi_sandbox.project_memory.holder import SystemWitness
from pi_sandbox.project_memory.journal import Journal
from pi_sandbox.project_memory.lease import Terms
from pi_sandbox.project_memory.lock_files import DiskLockFolder, LocksUnusableError
from pi_sandbox.project_memory.locks import Busy, HeldLock, LockPlace, acquire
from pi_sandbox.project_memory.path_queue import PathQueue
from pi_sandbox.project_memory.publish import MemoryWriter
from pi_sandbox.project_memory.undo import log
from tests.needs import Host
from tests.unit.project_memory.memory_parts import delete, tree, write

pytestmark = pytest.mark.needs(Host.ROOT)


class Disk:
    """A small disk of memory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        subprocess.run(("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)), check=True)

    def fill(self) -> None:
        with (self.folder / "filler").open("wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(b"x" * 4096)
            except OSError:
                pass

    def make_read_only(self) -> None:
        subprocess.run(("mount", "-o", "remount,ro", str(self.folder)), check=True)

    def remove(self) -> None:
        subprocess.run(("umount", "--lazy", str(self.folder)), check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    disk = Disk(tmp_path / "disk")
    yield disk
    disk.remove()


def spoil(disk: Disk, how: str) -> None:
    if how == "full":
        disk.fill()
    else:
        disk.make_read_only()


def writer_on(memory: Path, journal: Path) -> MemoryWriter:
    memory.mkdir()
    return MemoryWriter(memory, Journal(journal), SystemWitness(), PathQueue())


@pytest.mark.parametrize("how", ["full", "read-only"])
def test_a_memory_on_such_a_disk_keeps_its_old_file_whole(disk: Disk, tmp_path: Path, how: str) -> None:
    writer = writer_on(disk.folder / "memory", tmp_path / "journal")
    write(writer, writer.memory / "topic.md", b"old" * 1000)
    spoil(disk, how)
    before = tree(writer.memory)
    for name in ("topic.md", "new.md", "deep/new.md"):
        with pytest.raises(FilesError) as caught:
            write(writer, writer.memory / name, b"new" * 20_000)
        assert "No space left" in caught.value.message or "Read-only" in caught.value.message
    after = tree(writer.memory)
    after.pop("deep", None)
    assert after == before
    assert [each.entry.change.path for each in log(writer)] == ["topic.md"]


def test_a_file_on_a_full_disk_can_still_be_deleted(disk: Disk, tmp_path: Path) -> None:
    writer = writer_on(disk.folder / "memory", tmp_path / "journal")
    write(writer, writer.memory / "topic.md", b"old")
    disk.fill()
    delete(writer, writer.memory / "topic.md")
    assert tree(writer.memory) == {}


@pytest.mark.parametrize("how", ["full", "read-only"])
def test_without_room_for_the_journal_nothing_is_changed(disk: Disk, tmp_path: Path, how: str) -> None:
    writer = writer_on(tmp_path / "memory", disk.folder / "journal")
    write(writer, writer.memory / "topic.md", b"old")
    spoil(disk, how)
    with pytest.raises(FilesError, match="journal"):
        write(writer, writer.memory / "topic.md", b"new")
    with pytest.raises(FilesError, match="journal"):
        delete(writer, writer.memory / "topic.md")
    assert tree(writer.memory) == {"topic.md": b"old"}
    assert [each.entry.change.path for each in log(writer)] == ["topic.md"]


def lock_on(disk: Disk) -> LockPlace:
    return LockPlace(DiskLockFolder(disk.folder), "extract.lock", Terms(60), SystemWitness())


@pytest.mark.parametrize("how", ["full", "read-only"])
def test_no_lock_can_be_taken_on_such_a_disk_and_nothing_is_left_of_the_attempt(disk: Disk, how: str) -> None:
    spoil(disk, how)
    before = tree(disk.folder).keys()
    with pytest.raises(LocksUnusableError):
        acquire(lock_on(disk))
    assert tree(disk.folder).keys() == before


def test_a_lock_is_kept_and_given_back_on_a_disk_that_filled_up(disk: Disk) -> None:
    lock = acquire(lock_on(disk))
    assert isinstance(lock, HeldLock)
    disk.fill()
    assert lock.beat()
    assert isinstance(acquire(lock_on(disk)), Busy)
    lock.release()
    (disk.folder / "filler").unlink()
    again = acquire(lock_on(disk))
    assert isinstance(again, HeldLock)
    again.release()

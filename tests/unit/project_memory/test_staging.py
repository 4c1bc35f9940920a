"""What killed processes leave in a memory directory."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pi_sandbox.project_memory import left_behind
from pi_sandbox.project_memory.file_states import FileState, LinkState
from pi_sandbox.project_memory.holder import SystemWitness
from pi_sandbox.project_memory.journal import Journal
from pi_sandbox.project_memory.lease import Identity
from pi_sandbox.project_memory.left_behind import sweep, sweep_all
from pi_sandbox.project_memory.path_queue import PathQueue
from pi_sandbox.project_memory.publish import MemoryWriter
from pi_sandbox.project_memory.staging import private_name, stage
from tests.unit.project_memory.memory_parts import make_writer, tree, write

ME = SystemWitness().me
DEAD = Identity(ME.pid, ME.pid_namespace, "1", ME.boot_id)
ELSEWHERE = Identity(1, "pid:[1]", "1", ME.boot_id)
NOBODY = Identity(1, "", "", "")


@pytest.fixture
def writer(tmp_path: Path) -> MemoryWriter:
    return make_writer(tmp_path)


def leave(folder: Path, owner: Identity, *, age: float = 0) -> Path:
    """Stage a file as another process did, and leave it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        name = private_name(owner, "none")
        stage(FileState(b"half a tho"), descriptor, name)
    finally:
        os.close(descriptor)
    left = folder / name
    now = left.stat().st_mtime
    os.utime(left, (now - age, now - age))
    return left


@pytest.mark.parametrize("owner", [ME, DEAD, ELSEWHERE, NOBODY])
def test_a_staged_file_never_counts_as_a_topic(writer: MemoryWriter, owner: Identity) -> None:
    left = leave(writer.memory, owner)
    assert left.name.startswith(".")
    assert not left.name.endswith(".md")


def test_what_a_killed_process_staged_is_gone_after_the_next_write(writer: MemoryWriter) -> None:
    leave(writer.memory, DEAD)
    write(writer, writer.memory / "topic.md", b"next")
    assert tree(writer.memory) == {"topic.md": b"next"}


def test_what_a_living_process_staged_stays_however_old(writer: MemoryWriter) -> None:
    left = leave(writer.memory, ME, age=10_000)
    write(writer, writer.memory / "topic.md", b"next")
    assert left.exists()


@pytest.mark.parametrize("owner", [ELSEWHERE, NOBODY])
@pytest.mark.parametrize(("age", "stays"), [(0, True), (50, True), (61, False), (-61, False)])
def test_what_a_process_out_of_sight_staged_goes_when_it_is_old_or_from_the_future(
    writer: MemoryWriter, owner: Identity, age: float, stays: bool
) -> None:
    left = leave(writer.memory, owner, age=age)
    write(writer, writer.memory / "topic.md", b"next")
    assert left.exists() is stays


@pytest.mark.parametrize("name", [".pi-memory.tmp", ".pi-memory.none.x.y.z.tmp", ".pi-memory..tmp", ".pi-memory.a.tmp"])
def test_a_name_that_says_nothing_goes_when_it_is_old(writer: MemoryWriter, name: str) -> None:
    left = writer.memory / name
    left.write_bytes(b"")
    write(writer, writer.memory / "topic.md", b"first")
    assert left.exists()
    os.utime(left, (1, 1))
    write(writer, writer.memory / "topic.md", b"next")
    assert not left.exists()


@pytest.mark.parametrize("name", ["pi-memory.a.tmp", ".pi-memory.md", ".pi-memory.tmp.md", ".other.tmp", "old.tmp"])
def test_files_of_others_stay(writer: MemoryWriter, name: str) -> None:
    (writer.memory / name).write_bytes(b"")
    os.utime(writer.memory / name, (1, 1))
    write(writer, writer.memory / "topic.md", b"next")
    assert (writer.memory / name).exists()


def test_the_whole_memory_is_swept_without_following_links_or_entering_version_control(writer: MemoryWriter) -> None:
    memory, outside = writer.memory, writer.memory.parent / "outside"
    for folder in (memory / "deep" / "er", memory / ".git", outside):
        folder.mkdir(parents=True)
        leave(folder, DEAD)
    (memory / "out").symlink_to(outside)
    sweep_all(memory, writer.journal, SystemWitness())
    assert len(tree(memory / "deep" / "er")) == 0
    assert len(tree(memory / ".git")) == 1
    assert len(tree(outside)) == 1


def test_the_sweep_of_the_whole_memory_ends_where_the_scan_does(
    writer: MemoryWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(left_behind, "SCAN_DEPTH", 2)
    folders = [writer.memory / "/".join("abc"[:depth]) for depth in range(4)]
    folders[-1].mkdir(parents=True)
    for folder in folders:
        leave(folder, DEAD)
    sweep_all(writer.memory, writer.journal, SystemWitness())
    assert [len(list(folder.glob(".pi*"))) for folder in folders] == [0, 0, 0, 1]

    leave(folders[1], DEAD)
    before = os.listdir("/proc/self/fd")
    monkeypatch.setattr(left_behind, "SCAN_ENTRIES", 1)
    sweep_all(writer.memory, writer.journal, SystemWitness())
    assert len(list(folders[1].glob(".pi*"))) == 1
    assert os.listdir("/proc/self/fd") == before
    monkeypatch.setattr(left_behind, "SCAN_ENTRIES", 3)
    sweep_all(writer.memory, writer.journal, SystemWitness())
    assert list(folders[1].glob(".pi*")) == []


def test_a_folder_that_cannot_be_swept_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def listdir(_: int) -> list[str]:
        raise PermissionError

    monkeypatch.setattr(os, "listdir", listdir)
    journal = Journal(tmp_path / "journal")
    sweep(0, journal, SystemWitness())
    sweep_all(tmp_path / "missing", journal, SystemWitness())


def test_a_link_is_staged_as_a_link(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path, os.O_RDONLY)
    name = private_name(ME, "none")
    stage(LinkState("topic.md"), descriptor, name)
    os.close(descriptor)
    assert tree(tmp_path) == {name: "topic.md"}


KILLED_WHILE_STAGING = """
import os, signal, sys
from pathlib import Path
from pi_sandbox.project_memory import replacing, staging
from tests.unit.project_memory.memory_parts import make_writer, write
def die(*_, **__): os.kill(os.getpid(), signal.SIGKILL)
folder, step = Path(sys.argv[1]), sys.argv[2]
writer = make_writer(folder)
(writer.memory / "topic.md").write_bytes(b"old")
setattr(replacing if step == "exchange_names" else staging.os, step, die)
write(writer, writer.memory / ("topic.md" if step != "link" else "new.md"), b"new")
"""


@pytest.mark.parametrize("step", ["write", "fsync", "exchange_names", "link"])
def test_a_kill_during_publishing_leaves_no_topic_and_the_next_pass_succeeds(tmp_path: Path, step: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED_WHILE_STAGING, str(tmp_path), step],
        cwd=Path(__file__).parents[3],
        check=False,
        timeout=60,
    )
    assert done.returncode == -9
    memory = tmp_path / "memory"
    assert [path.name for path in memory.glob("**/*.md")] == ["topic.md"]
    assert (memory / "topic.md").read_bytes() == b"old"
    writer = MemoryWriter(memory, Journal(tmp_path / "journal"), SystemWitness(), PathQueue())
    write(writer, memory / "topic.md", b"next")
    assert tree(memory) == {"topic.md": b"next"}

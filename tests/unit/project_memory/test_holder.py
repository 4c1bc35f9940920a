"""What a process knows of itself and of others."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pi_sandbox.project_memory import holder
from pi_sandbox.project_memory.holder import SystemWitness
from pi_sandbox.project_memory.lease import Life, LockRecord, life


def test_a_process_knows_itself_and_lives_in_its_own_eyes() -> None:
    witness = SystemWitness()
    assert witness.me.pid == os.getpid()
    assert life(LockRecord("t", 1, witness.me), witness.look(os.getpid())) is Life.LIVES


def test_a_process_that_ended_is_gone() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        witness = SystemWitness()
        start = witness.look(other.pid).process_start
        assert start is not None
        record = LockRecord("t", 1, type(witness.me)(other.pid, witness.me.pid_namespace, start, witness.me.boot_id))
        assert life(record, witness.look(other.pid)) is Life.LIVES
        other.kill()
    assert life(record, witness.look(other.pid)) is Life.GONE


def test_the_start_of_a_process_is_told_on_the_clock_of_the_day() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        started_at = SystemWitness().look(other.pid).started_at
        assert started_at is not None
        assert abs(started_at - time.time() * 1000) < 2_000
        other.kill()


def test_the_start_of_an_old_process_is_told_from_the_start_of_the_machine() -> None:
    look = SystemWitness().look(1)
    assert look.process_start is not None
    assert look.started_at is not None
    boot = next(
        int(line.split()[1]) for line in Path("/proc/stat").read_text().splitlines() if line.startswith("btime")
    )
    expected = boot * 1000 + int(look.process_start) * 1000 / os.sysconf("SC_CLK_TCK")
    assert abs(look.started_at - expected) < 3_000


def test_a_process_after_a_fork_is_another_one() -> None:
    witness = SystemWitness()
    before = witness.me
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, b"%d" % witness.me.pid)
        os._exit(0)
    os.waitpid(child, 0)
    assert int(os.read(reading, 20)) == child
    assert witness.me == before
    os.close(reading)
    os.close(writing)


def test_a_proc_of_another_namespace_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "readlink", lambda _: Path("4711"))
    witness = SystemWitness()
    assert (witness.me.pid_namespace, witness.me.process_start, witness.me.boot_id) == ("", "", "")
    assert witness.look(os.getpid()).process_start is None


def test_a_system_without_proc_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: Path) -> Path:
        raise FileNotFoundError

    monkeypatch.setattr(Path, "readlink", missing)
    assert SystemWitness().me.process_start == ""


def test_a_system_without_a_boot_id_tells_no_boot(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> str:
        raise FileNotFoundError

    monkeypatch.setattr(holder, "boot_identity", missing)
    witness = SystemWitness()
    assert witness.me.boot_id == ""
    assert life(LockRecord("t", 1, witness.me), witness.look(os.getpid())) is Life.UNKNOWN


@pytest.mark.parametrize("start", ["", "Mon Nov 30 14:00:00 2026"])
def test_a_start_in_another_form_has_no_time(monkeypatch: pytest.MonkeyPatch, start: str) -> None:
    monkeypatch.setattr(holder, "process_start", lambda _: start)
    assert SystemWitness().look(1).started_at is None

"""The locks between real processes."""

import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_sandbox.project_memory.holder import SystemWitness
from pi_sandbox.project_memory.lease import TERMS, LockName
from pi_sandbox.project_memory.lock_files import DiskLockFolder
from pi_sandbox.project_memory.locks import Busy, HeldLock, LockPlace, acquire
from tests.unit.project_memory.contenders import Contender, go, kill_running, pass_time


@pytest.fixture
def locks(tmp_path: Path) -> Path:
    (tmp_path / "locks").mkdir()
    return tmp_path / "locks"


@pytest.fixture
def started() -> Iterator[list[Contender]]:
    contenders: list[Contender] = []
    yield contenders
    kill_running(contenders)


def start(started: list[Contender], locks: Path, count: int, name: str = "dream.lock") -> list[Contender]:
    new = [Contender(locks, name) for _ in range(count)]
    started.extend(new)
    return new


def place_of(locks: Path, name: LockName) -> LockPlace:
    return LockPlace(DiskLockFolder(locks), name, TERMS[name], SystemWitness())


def test_of_eight_contenders_one_gets_a_free_lock(locks: Path, started: list[Contender]) -> None:
    contenders = start(started, locks, 8)
    go(locks)
    assert sorted(each.says() for each in contenders) == ["busy"] * 7 + ["held"]
    assert [path.name for path in locks.iterdir()] == ["dream.lock"]


def test_after_a_kill_and_an_hour_one_of_eight_contenders_takes_over(locks: Path, started: list[Contender]) -> None:
    (holder,) = start(started, locks, 1)
    go(locks)
    assert holder.says() == "held"
    (locks.parent / "go").unlink()
    holder.kill()
    contenders = start(started, locks, 8)
    pass_time(locks / "dream.lock", 3601)
    go(locks)
    assert sorted(each.says() for each in contenders) == ["busy"] * 7 + ["held"]
    assert sum(each.holds() for each in contenders) == 1
    assert [path.name for path in locks.iterdir()] == ["dream.lock"]


def test_a_killed_holder_keeps_others_out_until_its_lease_is_over(locks: Path, started: list[Contender]) -> None:
    (holder,) = start(started, locks, 1)
    go(locks)
    assert holder.says() == "held"
    holder.kill()
    assert isinstance(acquire(place_of(locks, LockName.DREAM)), Busy)
    pass_time(locks / "dream.lock", 3000)
    assert isinstance(acquire(place_of(locks, LockName.DREAM)), Busy)
    pass_time(locks / "dream.lock", 601)
    outcome = acquire(place_of(locks, LockName.DREAM))
    assert isinstance(outcome, HeldLock)
    outcome.release()


def test_a_living_holder_keeps_its_lock_through_an_hour_without_a_sign(locks: Path, started: list[Contender]) -> None:
    (holder,) = start(started, locks, 1)
    go(locks)
    assert holder.says() == "held"
    os.kill(holder.process.pid, signal.SIGSTOP)
    pass_time(locks / "dream.lock", 36_000)
    assert isinstance(acquire(place_of(locks, LockName.DREAM)), Busy)
    os.kill(holder.process.pid, signal.SIGCONT)
    assert holder.holds()
    holder.end()
    assert list(locks.iterdir()) == []


def test_a_kill_at_a_random_moment_of_taking_leaves_a_lock_that_can_be_had(
    locks: Path, started: list[Contender]
) -> None:
    dice = random.Random(7)
    for _ in range(8):
        (victim,) = start(started, locks, 1, "extract.lock")
        go(locks)
        time.sleep(dice.random() * 0.004)
        victim.kill()
        (locks.parent / "go").unlink()
        if (locks / "extract.lock").exists():
            pass_time(locks / "extract.lock", 901)
        outcome = acquire(place_of(locks, LockName.EXTRACT))
        assert isinstance(outcome, HeldLock)
        outcome.release()
        assert not (locks / "extract.lock").exists()

"""The locks between PID namespaces, where one pid is many processes."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_sandbox.project_memory.holder import SystemWitness
from pi_sandbox.project_memory.lease import TERMS, LockName, parse
from pi_sandbox.project_memory.lock_files import DiskLockFolder
from pi_sandbox.project_memory.locks import Busy, HeldLock, LockPlace, acquire
from tests.needs import Host
from tests.unit.project_memory.contenders import Contender, go, kill_running, pass_time

APART = ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child")
APART_WITH_OUR_PROC = ("unshare", "--pid", "--fork", "--kill-child")


pytestmark = pytest.mark.needs(Host.PID_NAMESPACES)


@pytest.fixture
def locks(tmp_path: Path) -> Path:
    (tmp_path / "locks").mkdir()
    return tmp_path / "locks"


@pytest.fixture
def started() -> Iterator[list[Contender]]:
    contenders: list[Contender] = []
    yield contenders
    kill_running(contenders)


def start(started: list[Contender], locks: Path, *commands: tuple[str, ...]) -> list[Contender]:
    new = [Contender(locks, "dream.lock", command) for command in commands]
    started.extend(new)
    return new


def hold_apart(started: list[Contender], locks: Path, command: tuple[str, ...] = APART) -> Contender:
    (holder,) = start(started, locks, command)
    go(locks)
    assert holder.says() == "held"
    (locks.parent / "go").unlink()
    return holder


def take_here(locks: Path) -> HeldLock | Busy:
    name = LockName.DREAM
    return acquire(LockPlace(DiskLockFolder(locks), name, TERMS[name], SystemWitness()))


def test_a_holder_apart_says_its_own_pid_and_namespace(locks: Path, started: list[Contender]) -> None:
    hold_apart(started, locks)
    record = parse((locks / "dream.lock").read_bytes())
    assert record is not None
    assert record.holder.pid == 1
    assert record.holder.pid_namespace not in ("", os.readlink("/proc/self/ns/pid"))
    assert record.holder.boot_id == SystemWitness().me.boot_id


@pytest.mark.parametrize("command", [APART, APART_WITH_OUR_PROC])
def test_a_killed_holder_is_recovered_although_its_pid_lives_in_this_namespace(
    locks: Path, started: list[Contender], command: tuple[str, ...]
) -> None:
    hold_apart(started, locks, command).kill()
    assert Path("/proc/1").exists()
    pass_time(locks / "dream.lock", 3000)
    assert isinstance(take_here(locks), Busy)
    pass_time(locks / "dream.lock", 601)
    outcome = take_here(locks)
    assert isinstance(outcome, HeldLock)
    outcome.release()
    assert list(locks.iterdir()) == []


def test_of_eight_contenders_that_are_all_process_1_one_takes_over(locks: Path, started: list[Contender]) -> None:
    hold_apart(started, locks).kill()
    contenders = start(started, locks, *[APART] * 8)
    pass_time(locks / "dream.lock", 3601)
    go(locks)
    assert sorted(each.says() for each in contenders) == ["busy"] * 7 + ["held"]
    assert sum(each.holds() for each in contenders) == 1


def test_contenders_of_both_sides_share_one_lock(locks: Path, started: list[Contender]) -> None:
    contenders = start(started, locks, APART, (), APART, (), APART_WITH_OUR_PROC)
    go(locks)
    assert sorted(each.says() for each in contenders) == ["busy"] * 4 + ["held"]


def test_a_living_holder_apart_keeps_its_lock_while_it_gives_signs_and_knows_when_it_lost_it(
    locks: Path, started: list[Contender]
) -> None:
    holder = hold_apart(started, locks)
    assert isinstance(take_here(locks), Busy)
    assert holder.holds()
    pass_time(locks / "dream.lock", 3601)
    outcome = take_here(locks)
    assert isinstance(outcome, HeldLock)
    assert not holder.holds()
    holder.end()
    assert outcome.still_held()
    outcome.release()
    assert list(locks.iterdir()) == []

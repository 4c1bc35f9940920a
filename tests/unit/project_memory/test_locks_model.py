"""What always holds of the locks, in whatever order processes step, stop, die and the clock jumps."""

import contextlib
from collections.abc import Iterator
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from pi_sandbox.project_memory import locks
from pi_sandbox.project_memory.lease import RECOVER_SUFFIX
from tests.unit.project_memory.lock_world import (
    LOCK,
    Inode,
    Process,
    World,
    contend,
    forget,
    populate,
    run_to_its_end,
    take_once,
)

COUNT = 4
_WHO = st.integers(0, COUNT - 1)
_STEPS = st.tuples(st.just("steps"), _WHO, st.integers(1, 12))
_KILL = st.tuples(st.just("kill"), _WHO, st.just(0))
_FAIL = st.tuples(st.just("fail"), _WHO, st.just(0))
_PASS = st.tuples(st.just("pass"), _WHO, st.sampled_from([1_000, 11_000, 61_000]))
_JUMP = st.tuples(st.just("jump"), _WHO, st.sampled_from([-86_400_000, -61_000, 86_400_000]))
_ANY_ORDER = st.lists(st.one_of(_STEPS, _STEPS, _STEPS, _KILL, _FAIL, _PASS, _JUMP), min_size=5, max_size=60)
_LEFT = st.sampled_from([None, b"", b'{"pid": 1, "tok', b'{"pid": 99, "token": "x", "acquiredAt": 1}', b"\xff" * 40])


def act(world: World, processes: list[Process], order: list[tuple[str, int, int]]) -> None:
    for what, who, value in order:
        process = processes[who]
        if what == "steps":
            for _ in range(value):
                process.step()
        elif what == "kill":
            process.kill()
        elif what == "fail":
            process.disk_broken = True
        else:
            world.clock += value


@contextlib.contextmanager
def contenders(world: World, **places: Any) -> Iterator[list[Process]]:
    kernels = places.get("kernels", [0] * COUNT)
    namespaces = places.get("namespaces", ["a", "a", "b", "c"])
    processes = [
        Process(world, f"p{n}", namespace=namespaces[n], kernel=kernels[n], pid=7 + n % 2) for n in range(COUNT)
    ]
    populate(world, processes)
    try:
        for process in processes:
            process.start(contend)
        yield processes
    finally:
        forget(world)


def taken_in_the_end(world: World) -> bool:
    """Whether, with everybody dead and time passing, one process that tries now and then gets the lock."""
    for _ in range(6):
        world.clock += 61_000
        late = Process(world, f"late{world.clock}", namespace="late")
        populate(world, [late])
        if run_to_its_end(late, take_once) is not None:
            forget(world)
            return True
        forget(world)
    return False


@given(order=_ANY_ORDER, lock=_LEFT, recover=_LEFT, age=st.sampled_from([0, 61_000, -(10**9)]))
@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
def test_no_lock_is_taken_from_a_living_holder_and_none_stays_for_ever(
    order: list[tuple[str, int, int]], lock: bytes | None, recover: bytes | None, age: int
) -> None:
    world = World()
    for name, data in ((LOCK, lock), (LOCK + RECOVER_SUFFIX, recover)):
        if data is not None:
            world.names[name] = Inode(data, world.clock - age, None)
    with contenders(world) as processes:
        act(world, processes, order)
    assert world.wrongs == []
    assert taken_in_the_end(world)


@given(order=st.lists(st.one_of(_STEPS, st.tuples(st.just("pass"), _WHO, st.just(1_000))), max_size=60))
@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
def test_processes_that_share_no_kernel_lock_do_not_take_each_others_lock_while_none_is_stopped_for_long(
    order: list[tuple[str, int, int]],
) -> None:
    world = World()
    with contenders(world, kernels=[0, 1, 2, 3], namespaces=["a", "b", "c", "d"]) as processes:
        for action in order:
            act(world, processes, [action])
            if action[0] == "pass":
                act(world, processes, [("steps", who, 3) for who in range(COUNT)])
    assert world.wrongs == []
    assert taken_in_the_end(world)


_KILLS_AT = st.lists(st.tuples(_WHO, st.integers(1, 30)), min_size=1, max_size=8)


@given(kills=_KILLS_AT, order=st.permutations(list(range(COUNT)) * 20))
@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
def test_a_process_killed_at_any_step_leaves_nothing_that_keeps_the_others_out(
    kills: list[tuple[int, int]], order: list[int]
) -> None:
    world = World()
    with contenders(world) as processes:
        for who, after in kills:
            act(world, processes, [("steps", who, after), ("kill", who, 0), ("pass", 0, 61_000)])
        act(world, processes, [("steps", who, 1) for who in order])
    assert world.wrongs == []
    assert taken_in_the_end(world)


def test_each_contender_gets_the_lock_in_turn() -> None:
    world = World()
    with contenders(world) as processes:
        act(world, processes, [("steps", who, 20) for _ in range(40) for who in range(COUNT)])
    assert set(world.acquired) == {"p0", "p1", "p2", "p3"}
    assert world.wrongs == []


def test_a_lock_taken_over_is_young_from_its_first_moment_however_slow_its_taker() -> None:
    slow = 1_000
    world = World()
    world.names[LOCK] = Inode(b"", world.clock - 61_000, None)
    with contenders(world) as processes:
        while world.names[LOCK].owner is not processes[0]:
            world.clock += slow
            processes[0].step()
        assert world.clock - world.names[LOCK].sign <= slow
    assert world.wrongs == []


def test_a_lock_that_was_given_back_while_the_right_was_taken_is_simply_taken() -> None:
    world = World()
    world.names[LOCK] = Inode(b"", world.clock - 61_000, None)
    with contenders(world) as processes:
        while LOCK + RECOVER_SUFFIX not in world.names:
            processes[0].step()
        del world.names[LOCK]
        act(world, processes, [("steps", 0, 6)])
        assert world.names[LOCK].owner is processes[0]
    assert world.wrongs == []


@pytest.mark.parametrize("old", [None, -61_000])
def test_a_process_stopped_for_a_lease_at_any_step_takes_nothing_from_who_took_over_meanwhile(old: int | None) -> None:
    taken = 0
    for stop in range(60):
        world = World()
        if old is not None:
            world.names[LOCK] = Inode(b"", world.clock + old, None)
        slow, other = Process(world, "slow", namespace="a"), Process(world, "other", namespace="b")
        populate(world, [slow, other])
        slow.start(contend)
        for _ in range(stop):
            slow.step()
        world.clock += 61_000
        if run_to_its_end(other, take_once) is not None:
            taken += 1
            theirs = world.names[LOCK]
            for _ in range(60):
                slow.step()
            assert world.names[LOCK] is theirs
        forget(world)
        assert world.wrongs == []
    assert taken > 20


def test_a_lock_that_is_lost_before_its_first_sign_of_life_was_never_taken() -> None:
    for old in (None, Inode(b"", World().clock - 61_000, None)):
        world = World()
        if old is not None:
            world.names[LOCK] = old
        with contenders(world) as processes:
            while LOCK not in world.names or world.names[LOCK].owner is not processes[0]:
                processes[0].step()
            world.names[LOCK] = Inode(b"", world.clock, None)
            act(world, processes, [("steps", 0, 20)])
            assert world.acquired == []
        assert world.wrongs == []


def test_who_lost_the_right_takes_nothing_over_and_removes_nothing() -> None:
    for what in (contend, take_once):
        world = World()
        theirs = Inode(b"", world.clock - 61_000, None)
        world.names[LOCK] = theirs
        process = Process(world, "p0", namespace="a")
        populate(world, [process])
        process.start(what)
        while LOCK + RECOVER_SUFFIX not in world.names:
            process.step()
        world.names[LOCK + RECOVER_SUFFIX] = other = Inode(b"", world.clock, None)
        for _ in range(6):
            process.step()
        assert (world.names[LOCK], world.names[LOCK + RECOVER_SUFFIX]) == (theirs, other)
        forget(world)


def test_a_right_left_behind_is_not_mistaken_for_the_one_that_came_after_it() -> None:
    met = 0
    for stop in range(30):
        world = World()
        world.names[LOCK] = Inode(b"", world.clock - 61_000, None)
        world.names[LOCK + RECOVER_SUFFIX] = Inode(b"", world.clock - 11_000, None)
        with contenders(world) as processes:
            act(world, processes, [("steps", 0, stop)])
            for _ in range(40):
                processes[2].step()
                right = world.names.get(LOCK + RECOVER_SUFFIX)
                if right is not None and right.owner is processes[2]:
                    met += 1
                    act(world, processes, [("steps", 0, 8)])
                    assert world.names.get(LOCK + RECOVER_SUFFIX) is right
                    break
        assert world.wrongs == []
    assert met > 5


def test_who_lost_the_right_while_giving_back_removes_nothing() -> None:
    world = World()
    process = Process(world, "p0", namespace="a")
    populate(world, [process])
    process.start(contend)
    while LOCK + RECOVER_SUFFIX not in world.names:
        process.step()
    mine, other = world.names[LOCK], Inode(b"", world.clock, None)
    world.names[LOCK + RECOVER_SUFFIX] = other
    for _ in range(5):
        process.step()
    assert (world.names[LOCK], world.names[LOCK + RECOVER_SUFFIX]) == (mine, other)
    forget(world)


def test_a_disk_that_fails_once_at_any_step_keeps_nobody_out_in_the_end() -> None:
    for step in range(1, 40):
        world = World()
        world.names[LOCK] = Inode(b"", world.clock - 61_000, None)
        with contenders(world) as processes:
            act(world, processes, [("steps", 0, step), ("fail", 0, 0), ("steps", 0, 30), ("steps", 2, 60)])
        assert world.wrongs == []
        assert taken_in_the_end(world)


def test_the_model_sees_it_when_a_takeover_needs_no_right(monkeypatch: pytest.MonkeyPatch) -> None:
    class Everybody:
        def lasts(self) -> bool:
            return True

    monkeypatch.setattr(locks, "arbitration", lambda *_: contextlib.nullcontext(Everybody()))
    assert wrongs_of_a_race() != []


def test_the_model_sees_nothing_wrong_in_the_same_race_with_the_right() -> None:
    assert wrongs_of_a_race() == []


def wrongs_of_a_race() -> list[str]:
    """Two look at a lock that is over; one is stopped there, the other takes it over, and the first goes on."""
    found: list[str] = []
    for stop in range(1, 12):
        world = World()
        world.names[LOCK] = Inode(b"", world.clock - 61_000, None)
        with contenders(world) as processes:
            act(world, processes, [("steps", 2, stop), ("steps", 3, 12), ("steps", 2, 12)])
        found += world.wrongs
    return found

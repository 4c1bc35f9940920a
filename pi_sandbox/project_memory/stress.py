"""The stress run: writers in several PID namespaces share one memory and are killed at random, again and again.

What is counted comes from looking: at the ledger against what the writers acknowledged (`lost`), at every file against
its checksum, while the run goes on and after it (`torn`; not at a ledger that a main session writes in place), at
whether anybody still gets the lock (`stuck`), at what the kernel knows of who is inside (`overlaps`), and at the
journal (`unexplained`).

Writers of the second namespace have one each (`unshare`), in which they are process 1. Where that is not allowed, all
run in this one, and the result says so.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.project_memory.journal_entry import Outcome
from pi_sandbox.project_memory.lease import Terms
from pi_sandbox.project_memory.locks import HeldLock, acquire_within
from pi_sandbox.project_memory.stress_checks import (
    Span,
    StressPlan,
    StressResult,
    lost_lines,
    overwritten_lines,
    unsealed,
)
from pi_sandbox.project_memory.stress_writer import LEDGER, Places
from pi_sandbox.project_memory.undo import log
from pi_sandbox.system.own_sessions import kill, start
from pi_sandbox.system.processes import ProcessError, run

_WRITER = "pi_sandbox.project_memory.stress_writer"
_MAIN_SESSION = -1
_APART = ("--pid", "--fork", "--mount-proc", "--kill-child")
_PROBE_SECONDS = 10
_LOOK_SECONDS = 0.01
_PATIENCE = 4
"""How many leases and arbitrations may pass without a change before the run counts as stuck once."""


def run_stress(folder: Path, plan: StressPlan) -> StressResult:
    """Run in a new folder and give what came of it; raises `FilesError`."""
    places = Places(folder)
    try:
        for each in (places.memory, folder / "locks"):
            each.mkdir(parents=True)
        places.alive.touch()
    except OSError as error:
        raise FilesError(f"{quoted(folder)} cannot be used: {error.strerror}", "give a folder that is new") from error
    apart = _apart() if plan.namespaces > 1 else None
    began = time.monotonic()
    with _Looker(places, plan) as looker, _Writers(places, plan, apart) as writers:
        _kill_at_random(writers, plan)
        while not looker.stuck and len(_lines(places.acknowledged)) < plan.lines:
            time.sleep(_LOOK_SECONDS)
    return _judge(places, plan, looker, namespaces=1 if apart is None else 2, seconds=time.monotonic() - began)


class _Writers:
    """The running writers, each of them started anew when it is killed."""

    def __init__(self, places: Places, plan: StressPlan, apart: Sequence[str] | None) -> None:
        self._places, self._plan, self._apart = places, plan, apart
        self._pids: dict[int, int] = {}
        self._starts = 0

    def __enter__(self) -> _Writers:
        for number in range(self._plan.writers):
            self._start(number)
        if self._plan.independent:
            self._start(_MAIN_SESSION)
        return self

    def __exit__(self, *_: object) -> None:
        with self._places.main_turn():
            for pid in self._pids.values():
                kill(pid)

    def replace(self, number: int) -> None:
        """Kill a writer and start another in its place."""
        kill(self._pids.pop(number))
        self._start(number)

    def _start(self, number: int) -> None:
        self._starts += 1
        plan = self._plan
        asked = {
            "folder": str(self._places.folder),
            "name": f"main.{self._starts}" if number == _MAIN_SESSION else f"{number}.{self._starts}",
            "main_session": number == _MAIN_SESSION,
            "independent": plan.independent,
            "lease": plan.lease,
            "arbitration": plan.arbitration,
            "with_lock": plan.with_lock,
            "seed": plan.seed * 1_000_003 + self._starts,
        }
        prefix = tuple(self._apart or ()) if number % 2 and number != _MAIN_SESSION else ()
        command = (*prefix, sys.executable, "-m", _WRITER, json.dumps(asked))
        self._pids[number] = start(command, environment=_environment(), output=self._places.folder / "messages")


class _Looker:
    """Reads every file of the memory again and again, and watches whether the ledger goes on."""

    def __init__(self, places: Places, plan: StressPlan) -> None:
        self._places = places
        self._in_place = {LEDGER} if plan.independent else set()
        self._patience = _PATIENCE * (plan.lease + plan.arbitration)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="looker", daemon=True)
        self.looks = self.torn = self.stuck = 0

    def __enter__(self) -> _Looker:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self.look()

    def look(self) -> None:
        """Read each file once."""
        for path in self._places.memory.glob("**/*.md"):
            if path.name in self._in_place:
                continue
            with contextlib.suppress(FileNotFoundError):
                whole = unsealed(path.read_bytes()) is not None
                self.looks += 1
                self.torn += not whole

    def _run(self) -> None:
        size, since = -1, time.monotonic()
        while not self._over.wait(_LOOK_SECONDS):
            self._places.alive.touch()
            self.look()
            now = _size(self._places.acknowledged)
            if now != size:
                size, since = now, time.monotonic()
            elif time.monotonic() - since > self._patience:
                self.stuck, since = self.stuck + 1, time.monotonic()


def _kill_at_random(writers: _Writers, plan: StressPlan) -> None:
    dice = random.Random(plan.seed)  # noqa: S311
    for _ in range(plan.kills):
        time.sleep(dice.random() * 2 * plan.pause)
        writers.replace(dice.randrange(plan.writers))


def _judge(places: Places, plan: StressPlan, looker: _Looker, *, namespaces: int, seconds: float) -> StressResult:
    acknowledged = _lines(places.acknowledged)
    lost = lost_lines(acknowledged, _bytes(places.memory / LEDGER))
    published = {line: Span(int(begin), int(end)) for line, begin, end in map(str.split, _lines(places.published))}
    main_writes = [Span(int(begin), int(end)) for begin, end in map(str.split, _lines(places.main_writes))]
    overwritten = overwritten_lines(lost, published, main_writes)
    return StressResult(
        independent=plan.independent,
        writers=plan.writers,
        kills=plan.kills,
        namespaces=namespaces,
        seconds=seconds,
        acknowledged=len(acknowledged),
        looks=looker.looks,
        lost=len(lost) - len(overwritten),
        overwritten=len(overwritten),
        torn=looker.torn,
        stuck=looker.stuck + (plan.with_lock and not _lock_can_be_had(places, plan)),
        overlaps=len(_lines(places.overlaps)),
        unexplained=sum(each.outcome is Outcome.UNKNOWN for each in log(places.writer())),
    )


def _lock_can_be_had(places: Places, plan: StressPlan) -> bool:
    """Whether, with everybody killed, the lock is free within one lease and one arbitration, and a little."""
    place = places.lock(Terms(plan.lease, plan.arbitration))
    outcome = acquire_within(place, seconds=plan.lease + plan.arbitration + 1)
    if isinstance(outcome, HeldLock):
        outcome.release()
    return isinstance(outcome, HeldLock)


def _apart() -> tuple[str, ...] | None:
    """Give the command that runs a program in a PID namespace of its own, `None` where that is not allowed."""
    program = shutil.which("unshare")
    for more in ((), ("--user", "--map-root-user")):
        if program is not None and _works((program, *more, *_APART)):
            return (program, *more, *_APART)
    return None


def _works(command: tuple[str, ...]) -> bool:
    try:
        return run((*command, "true"), environment=_environment(), seconds=_PROBE_SECONDS).code == 0
    except ProcessError:
        return False


def _environment() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", os.defpath), "PYTHONPATH": str(Path(__file__).parents[2])}


def _lines(path: Path) -> list[str]:
    return _bytes(path).decode().splitlines()


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0

"""One writer of the stress run, in a process of its own that is killed at any moment: `python -m … <JSON>`.

Or its main session, which is not killed and writes as pi's own tools do: the file is read, emptied and filled.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pi_sandbox.project_memory.baseline import Baselines, judge_write
from pi_sandbox.project_memory.heartbeat import Heartbeat
from pi_sandbox.project_memory.holder import SystemWitness
from pi_sandbox.project_memory.journal import Journal
from pi_sandbox.project_memory.journal_entry import Task
from pi_sandbox.project_memory.lease import LockName, Terms
from pi_sandbox.project_memory.lock_files import DiskLockFolder
from pi_sandbox.project_memory.locks import HeldLock, LockPlace, acquire_within
from pi_sandbox.project_memory.memory_files import SeenFile, read_for_baseline
from pi_sandbox.project_memory.path_queue import PathQueue
from pi_sandbox.project_memory.publish import AppearedError, MemoryWriter, TaskOverError
from pi_sandbox.project_memory.replacing import ChangedMeanwhileError
from pi_sandbox.project_memory.stress_checks import seal, with_line
from pi_sandbox.project_memory.write_paths import WriteRefusedError

LEDGER = "ledger.md"
_TRY_SECONDS = 0.3
_WIDEN_SECONDS = 0.003
_TOPIC_BYTES = 50_000
_TOPIC_SHARE = 0.3
_MAIN_PAUSE_SECONDS = 0.5
_ALONE_SECONDS = 20


class ConflictError(WriteRefusedError):
    """The ledger is not what was read."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where a run has what."""

    folder: Path

    @property
    def memory(self) -> Path:
        """The memory directory."""
        return self.folder / "memory"

    @property
    def acknowledged(self) -> Path:
        """The lines that writers have published, in their eyes."""
        return self.folder / "acknowledged"

    @property
    def overlaps(self) -> Path:
        """A line for each time that a writer met another one inside."""
        return self.folder / "overlaps"

    @property
    def alive(self) -> Path:
        """What the run touches all the time while it goes on."""
        return self.folder / "alive"

    @property
    def published(self) -> Path:
        """The acknowledged lines of writers with locks of their own, each with its time from before it to after."""
        return self.folder / "published"

    @property
    def main_writes(self) -> Path:
        """The times from before the main session read the ledger until it had written it."""
        return self.folder / "main writes"

    @contextlib.contextmanager
    def main_turn(self) -> Iterator[None]:
        """Keep the main session from writing, or from being ended while it does, for the time of the block."""
        with (self.folder / "main turn").open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def goes_on(self) -> bool:
        """Whether the run goes on; a run that was killed itself leaves no writers behind for ever."""
        return abs(time.time() - self.alive.stat().st_mtime) < _ALONE_SECONDS

    def lock(self, terms: Terms, writer: str = "") -> LockPlace:
        """The lock that all writers share, or one that this writer alone has, which waits for nobody's lease."""
        folder = self.folder / "locks" / writer
        folder.mkdir(exist_ok=True)
        return LockPlace(DiskLockFolder(folder), LockName.EXTRACT, terms, SystemWitness())

    def writer(self) -> MemoryWriter:
        """What changes the memory."""
        return MemoryWriter(self.memory, Journal(self.folder / "journal"), SystemWitness(), PathQueue())


def run_writer(
    places: Places, name: str, terms: Terms, *, with_lock: bool, seed: int, independent: bool = False
) -> None:
    """Write until killed, or until the run is over."""
    dice = random.Random(seed)  # noqa: S311
    writer, place = places.writer(), places.lock(terms, name if independent else "")
    number = 0
    while places.goes_on():
        number += 1
        work = partial(_add if independent else _change, places, writer, f"{name}.{number}", dice)
        if with_lock:
            _locked(place, work)
        else:
            with contextlib.suppress(WriteRefusedError):
                work(lambda: None)
        time.sleep(dice.random() * _WIDEN_SECONDS)


def _locked(place: LockPlace, work: Callable[[Callable[[], str | None]], None]) -> None:
    outcome = acquire_within(place, seconds=_TRY_SECONDS)
    if not isinstance(outcome, HeldLock):
        return
    lost = threading.Event()
    heart = Heartbeat(outcome, lost.set)
    try:
        work(lambda: None if outcome.still_held() and not lost.is_set() else "the lock was lost")
    except (TaskOverError, ConflictError, ChangedMeanwhileError, AppearedError):
        pass
    finally:
        heart.stop()
        outcome.release()


def _change(
    places: Places, writer: MemoryWriter, line: str, dice: random.Random, permission: Callable[[], str | None]
) -> None:
    """Add a line to the ledger, and write or delete a topic."""
    task = Task("extract", line)
    with (places.folder / "inside").open("ab") as inside:
        if permission() is None and not _alone(inside.fileno()):
            _append(places.overlaps, line)
        ledger = places.memory / LEDGER
        before = ledger.read_bytes() if ledger.exists() else b""
        time.sleep(dice.random() * _WIDEN_SECONDS)
        writer.write(str(ledger), with_line(before, line), task, permission, lambda _: None)
        _append(places.acknowledged, line)
        _change_topic(places, writer, task, dice, permission)


def _change_topic(
    places: Places, writer: MemoryWriter, task: Task, dice: random.Random, permission: Callable[[], str | None]
) -> None:
    topic = str(places.memory / f"topic {dice.randrange(4)}.md")
    if dice.random() < 0.2:
        for _ in writer.delete([topic], missing_is_fine=True, task=task, permission=permission):
            pass
    else:
        body = dice.randbytes(dice.randrange(_TOPIC_BYTES))
        writer.write(topic, seal(body), task, permission, lambda _: None)


def _add(
    places: Places, writer: MemoryWriter, line: str, dice: random.Random, permission: Callable[[], str | None]
) -> None:
    """Read the ledger, think, and write it with one more line if it is still what was read; then change a topic."""
    task = Task("dream", line)
    ledger = places.memory / LEDGER
    read = read_for_baseline(ledger)
    baselines = Baselines() if read is None else Baselines().with_version(str(ledger), read.version)
    time.sleep(dice.random() * _WIDEN_SECONDS)

    def check(seen: SeenFile | None) -> None:
        decision = judge_write(baselines, str(ledger), None if seen is None else seen.version)
        if not decision.allowed:
            raise ConflictError(decision.reason)

    begin = time.monotonic_ns()
    writer.write(str(ledger), with_line(b"" if read is None else read.data, line), task, permission, check)
    _append(places.published, f"{line} {begin} {time.monotonic_ns()}")
    _append(places.acknowledged, line)
    if dice.random() < _TOPIC_SHARE:
        _change_topic(places, writer, task, dice, permission)


def run_main_session(places: Places, name: str, *, seed: int) -> None:
    """Add lines in place until ended, or until the run is over."""
    dice = random.Random(seed)  # noqa: S311
    ledger, number = places.memory / LEDGER, 0
    while places.goes_on():
        number += 1
        with places.main_turn():
            begin = time.monotonic_ns()
            before = ledger.read_bytes() if ledger.exists() else b""
            ledger.write_bytes(with_line(before, f"{name}.{number}"))
            _append(places.main_writes, f"{begin} {time.monotonic_ns()}")
            _append(places.acknowledged, f"{name}.{number}")
        time.sleep(dice.random() * _MAIN_PAUSE_SECONDS)


def _alone(descriptor: int) -> bool:
    """Whether no other writer is inside: the kernel keeps this, and forgets the killed."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _append(path: Path, line: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.write(descriptor, f"{line}\n".encode())
    finally:
        os.close(descriptor)


def main(text: str) -> None:
    """Run what the JSON text asks for."""
    asked = json.loads(text)
    places = Places(Path(asked["folder"]))
    if asked["main_session"]:
        run_main_session(places, asked["name"], seed=asked["seed"])
    else:
        run_writer(
            places,
            asked["name"],
            Terms(asked["lease"], asked["arbitration"]),
            with_lock=asked["with_lock"],
            seed=asked["seed"],
            independent=asked["independent"],
        )


if __name__ == "__main__":
    main(sys.argv[1])

"""One writer of the stress run, in a process of its own that is killed at any moment: `python -m … <JSON>`."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import random
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pi_sandbox.project_memory.heartbeat import Heartbeat
from pi_sandbox.project_memory.holder import SystemWitness
from pi_sandbox.project_memory.journal import Journal
from pi_sandbox.project_memory.journal_entry import Task
from pi_sandbox.project_memory.lease import LockName, Terms
from pi_sandbox.project_memory.lock_files import DiskLockFolder
from pi_sandbox.project_memory.locks import HeldLock, LockPlace, acquire_within
from pi_sandbox.project_memory.path_queue import PathQueue
from pi_sandbox.project_memory.publish import MemoryWriter, TaskOverError
from pi_sandbox.project_memory.stress_checks import seal, with_line
from pi_sandbox.project_memory.write_paths import WriteRefusedError

LEDGER = "ledger.md"
_TRY_SECONDS = 0.3
_WIDEN_SECONDS = 0.003
_TOPIC_BYTES = 50_000
_ALONE_SECONDS = 20


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

    def goes_on(self) -> bool:
        """Whether the run goes on; a run that was killed itself leaves no writers behind for ever."""
        return abs(time.time() - self.alive.stat().st_mtime) < _ALONE_SECONDS

    def lock(self, terms: Terms) -> LockPlace:
        """The lock of the run."""
        return LockPlace(DiskLockFolder(self.folder / "locks"), LockName.EXTRACT, terms, SystemWitness())

    def writer(self) -> MemoryWriter:
        """What changes the memory."""
        return MemoryWriter(self.memory, Journal(self.folder / "journal"), SystemWitness(), PathQueue())


def run_writer(places: Places, name: str, terms: Terms, *, with_lock: bool, seed: int) -> None:
    """Write until killed, or until the run is over."""
    dice = random.Random(seed)  # noqa: S311
    writer, place = places.writer(), places.lock(terms)
    number = 0
    while places.goes_on():
        number += 1
        work = partial(_change, places, writer, f"{name}.{number}", dice)
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
    except TaskOverError:
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
        topic = str(places.memory / f"topic {dice.randrange(4)}.md")
        if dice.random() < 0.2:
            writer.delete([topic], missing_is_fine=True, task=task, permission=permission)
        else:
            body = dice.randbytes(dice.randrange(_TOPIC_BYTES))
            writer.write(topic, seal(body), task, permission, lambda _: None)


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


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    run_writer(
        Places(Path(asked["folder"])),
        asked["name"],
        Terms(asked["lease"], asked["arbitration"]),
        with_lock=asked["with_lock"],
        seed=asked["seed"],
    )

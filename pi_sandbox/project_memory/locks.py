"""The locks of a memory root: who has one, has it alone, and loses it only as `lease` says.

How a lock file changes, and why two never have it:

- *nothing → mine*: exclusive creation, whole content.
- *somebody's → mine*, *mine → nothing*: only with the right of `recovery`, after another look under it. So a lock file
  that was seen under that right stays what it was until its holder of the right changes it.
- *a sign of life* goes to the file that this process made, by its descriptor, never to a name.
- *given back without the right* (somebody holds it up, the disk is full): the own file is emptied and dated to long
  ago, which everybody may take over at once.
- *leaked by this process* (its disk failed at the wrong moment): this process holds no lock with that token, so it
  counts as one of a process that is gone.

A holder that was stopped for longer than its lease, out of sight of the others, can lose its lock; it finds out by
`still_held`, which belongs right before each step that needs the lock.
Source: `spec/project-memory.md`, "Cross-process locks and atomic publishing".
"""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
import weakref
from dataclasses import dataclass

from pi_sandbox.project_memory.holder import Witness
from pi_sandbox.project_memory.lease import (
    Life,
    LockRecord,
    Own,
    Terms,
    is_from_the_future,
    lease_is_over,
    life,
    parse,
    render,
)
from pi_sandbox.project_memory.limits import RELEASE_WAIT_SECONDS
from pi_sandbox.project_memory.lock_files import LockFolder, LocksUnusableError, OpenFile, Seen
from pi_sandbox.project_memory.recovery import arbitration

_ATTEMPTS = 4
_RETRY_SECONDS = 0.02

_held: set[str] = set()
"""The tokens of the locks of this process: from before their file has its name until they are given back or dropped."""


@dataclass(frozen=True, slots=True)
class LockPlace:
    """One lock: its folder and name, its terms, and who looks at its holder."""

    folder: LockFolder
    name: str
    terms: Terms
    witness: Witness


@dataclass(frozen=True, slots=True)
class Busy:
    """The lock is somebody else's, or is changing hands; `record` is what its file says, if it says anything."""

    record: LockRecord | None
    reason: str


class HeldLock:
    """A lock of this process, until it is released or lost."""

    def __init__(self, place: LockPlace, file: OpenFile, token: str) -> None:
        self._folder, self._file, self._witness = place.folder, file, place.witness
        self._over = False
        self._closing = threading.Lock()
        self.name, self.terms, self.token = place.name, place.terms, token
        _held.add(token)
        self._forget = weakref.finalize(self, _held.discard, token)

    def still_held(self) -> bool:
        """Whether the file with the lock's name still has this lock's token; `False` also where it cannot be read."""
        try:
            return self._holds()
        except LocksUnusableError:
            return False

    def beat(self) -> bool:
        """Give a sign of life and say whether the lock is still held; raises `LocksUnusableError`."""
        with self._closing:
            if not self._holds():
                return False
            self._folder.beat(self._file)
            return True

    def release(self, *, wait_seconds: float = RELEASE_WAIT_SECONDS) -> None:
        """Give the lock back if it is still this one's; never takes away another's, never raises for a bad disk."""
        with self._closing:
            if self._over:
                return
            try:
                self._give_back(time.monotonic() + wait_seconds)
            finally:
                self._over = True
                self._forget()
                self._folder.close(self._file)

    def _holds(self) -> bool:
        seen = None if self._over else self._folder.see(self.name)
        record = None if seen is None else parse(seen.data)
        return record is not None and record.token == self.token

    def _give_back(self, deadline: float) -> None:
        try:
            while self.still_held():
                with arbitration(self._folder, self.name, self._witness, self.terms.arbitration) as right:
                    if right is not None and self.still_held() and right.lasts():
                        self._folder.remove(self.name)
                        return
                if time.monotonic() >= deadline:
                    break
                time.sleep(_RETRY_SECONDS)
        except LocksUnusableError:
            pass
        self._blank()

    def _blank(self) -> None:
        """Empty the own file, unless another program has written into it in its place."""
        try:
            record = parse(self._folder.content(self._file).data)
            if record is not None and record.token == self.token:
                self._folder.blank(self._file)
        except LocksUnusableError:
            return


def acquire(place: LockPlace) -> HeldLock | Busy:
    """Take the lock, or say who has it, without waiting; raises `LocksUnusableError`."""
    for _ in range(_ATTEMPTS):
        seen = place.folder.see(place.name)
        if seen is not None and not _may_take(place, seen):
            return _busy(seen)
        held = _try(place, there=seen is not None)
        if held is not None:
            with contextlib.suppress(LocksUnusableError):
                place.folder.sweep()
            return held
    return Busy(None, "it is changing hands")


def acquire_within(place: LockPlace, *, seconds: float) -> HeldLock | Busy:
    """Take the lock as soon as it is free, or say who has it when the time is over."""
    deadline = time.monotonic() + seconds
    while isinstance(outcome := acquire(place), Busy) and time.monotonic() < deadline:
        time.sleep(_RETRY_SECONDS)
    return outcome


def _may_take(place: LockPlace, seen: Seen) -> bool:
    now = place.folder.now()
    if is_from_the_future(seen.sign, now):
        place.folder.date_anew(place.name)
    if not lease_is_over(seen.sign, now, place.terms.lease):
        return False
    record = parse(seen.data)
    if record is None:
        return True
    own = Own(place.witness.me, frozenset(_held))
    return life(record, place.witness.look(record.holder.pid), own) is not Life.LIVES


def _try(place: LockPlace, *, there: bool) -> HeldLock | None:
    """Take a lock that is not there, or take over one that is; `None` if another was faster.

    Whatever fails once the file has its name, the lock is given back before this raises.
    """
    record = LockRecord(secrets.token_hex(16), place.folder.now(), place.witness.me)
    file = place.folder.stage(place.name, render(record))
    held = HeldLock(place, file, record.token)
    taken = False
    try:
        made = _take_over(place, file) if there else place.folder.create(file, place.name)
        taken = made and held.beat()
    finally:
        if not taken:
            held.release(wait_seconds=0)
    return held if taken else None


def _take_over(place: LockPlace, file: OpenFile) -> bool:
    with arbitration(place.folder, place.name, place.witness, place.terms.arbitration) as right:
        if right is None:
            return False
        seen = place.folder.see(place.name)
        if seen is None:
            return place.folder.create(file, place.name)
        if not _may_take(place, seen) or not right.lasts():
            return False
        place.folder.beat(file)
        return place.folder.replace(file, place.name)


def _busy(seen: Seen) -> Busy:
    record = parse(seen.data)
    if record is None:
        return Busy(None, "its file names no holder and is not old enough to be taken over")
    return Busy(record, f"process {record.holder.pid} has it since {record.acquired_at}")

"""One at a time may take a lock file away or put another in its place: whoever has its `.recover`.

- `.recover` is created exclusively, whole, and locked in the kernel from before it has its name until it is given back
  or its process is gone.
- One that was left behind is removed only by a process that got its kernel lock, and only if its maker is certainly
  gone or it is older than an arbitration may last. Where processes share a kernel, that cannot hit a living one,
  however long either of them is stopped in between. Where they do not (two machines on one disk, gVisor), it rests on
  nobody being stopped for longer than `RECOVER_LOCK_SECONDS` between two steps.
- What is no file under its name (a folder, pipe or link, which no version of ours makes) is put aside when it is old.
- Nobody waits: without it there is no takeover now.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Iterator

from pi_sandbox.project_memory.holder import Witness
from pi_sandbox.project_memory.lease import (
    RECOVER_SUFFIX,
    Life,
    LockRecord,
    is_from_the_future,
    lease_is_over,
    life,
    parse,
    render,
)
from pi_sandbox.project_memory.lock_files import LockFolder, OpenFile, Seen

_ATTEMPTS = 3


class Arbitration:
    """The right to change who has a lock. `lasts` says whether it still does."""

    def __init__(self, folder: LockFolder, name: str, file: OpenFile, seconds: float) -> None:
        self._folder, self._name, self._file = folder, name, file
        self._deadline = time.monotonic() + seconds

    def lasts(self) -> bool:
        """Whether the right is still ours: to be asked right before the step that it is for."""
        return time.monotonic() < self._deadline and self._folder.is_at(self._file, self._name)

    def end(self) -> None:
        """Give it back; what stands there by now and is not ours stays."""
        try:
            if self._folder.is_at(self._file, self._name):
                self._folder.remove(self._name)
        finally:
            self._folder.close(self._file)


@contextlib.contextmanager
def arbitration(folder: LockFolder, lock: str, witness: Witness, seconds: float) -> Iterator[Arbitration | None]:
    """Have the right for the time of the block; `None` while somebody else has it. Raises `LocksUnusableError`."""
    right = _begin(folder, lock + RECOVER_SUFFIX, witness, seconds)
    try:
        yield right
    finally:
        if right is not None:
            right.end()


def _begin(folder: LockFolder, name: str, witness: Witness, seconds: float) -> Arbitration | None:
    for _ in range(_ATTEMPTS):
        file = folder.stage(name, render(LockRecord(secrets.token_hex(16), folder.now(), witness.me)))
        made = False
        try:
            made = folder.create(file, name)
        finally:
            if not made:
                folder.close(file)
        if made:
            return Arbitration(folder, name, file, seconds)
        if not _clear(folder, name, witness, seconds):
            return None
    return None


def _clear(folder: LockFolder, name: str, witness: Witness, seconds: float) -> bool:
    """Remove a `.recover` that was left behind, and say whether there is none of that kind any more."""
    seen = folder.see(name)
    if seen is None:
        return True
    if is_from_the_future(seen.sign, folder.now()):
        folder.date_anew(name)
        return False
    if not seen.is_file:
        return lease_is_over(seen.sign, folder.now(), seconds) and folder.put_aside(name)
    left = folder.adopt(name)
    if left is None:
        return False
    try:
        if not folder.is_at(left, name):
            return True
        if not _left_behind(folder.content(left), folder.now(), witness, seconds):
            return False
        folder.remove(name)
        return True
    finally:
        folder.close(left)


def _left_behind(seen: Seen, now: int, witness: Witness, seconds: float) -> bool:
    record = parse(seen.data)
    if record is not None and life(record, witness.look(record.holder.pid)) is Life.GONE:
        return True
    return lease_is_over(seen.sign, now, seconds)

"""Writes to a standard stream without ever waiting, and without making the parent's descriptor non-blocking.

`O_NONBLOCK` belongs to the open file, which we share with our parent (open(2)): set on the user's terminal, it breaks
the shell. So a terminal is opened once more; everything else gets, once it is ready, no more than it can take at once:
`PIPE_BUF` (pipe(7)), and a single byte for a terminal that cannot be opened (another user's, after `su`).
"""

import contextlib
import os
import select
import stat
from collections.abc import Callable
from pathlib import Path

WRITE_BYTES = 65536
POLL_SECONDS = 0.1


def write_while(descriptor: int, data: bytes, has_time: Callable[[], bool]) -> bool:
    """Writes everything, or what is taken as long as there is time, and tells which; a stream may be gone."""
    outlet = Outlet(descriptor)
    outlet.put(data)
    while outlet.waiting and has_time():
        with contextlib.suppress(OSError):
            select.select([], [outlet], [], POLL_SECONDS)
        outlet.write()
    outlet.close()
    return not outlet.waiting and not outlet.gone


class Outlet:
    """One standard stream, with what waits to be written to it. `gone` tells that it takes no more, `problem` why."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.waiting = bytearray()
        self.gone = False
        self.problem = ""
        self._own = open_terminal(descriptor, os.O_WRONLY)
        self._chunk = _bytes_at_once(descriptor, self._own)

    def fileno(self) -> int:
        return self.descriptor if self._own is None else self._own

    def put(self, data: bytes) -> None:
        """Queues data; dropped once the stream is gone."""
        if not self.gone:
            self.waiting += data

    def write(self) -> bytes:
        """Writes what goes without waiting, and gives it."""
        done = bytearray()
        while self.waiting and (written := self._write_once()):
            done += self.waiting[:written]
            del self.waiting[:written]
        return bytes(done)

    def _write_once(self) -> int:
        if not self._is_ready():
            return 0
        try:
            return os.write(self.fileno(), self.waiting[: self._chunk])
        except BlockingIOError:
            return 0
        except OSError as error:
            self.gone = True
            self.problem = error.strerror or str(error)
            self.waiting.clear()
            return 0

    def give_up(self) -> None:
        """Drops what waits and everything that is put later."""
        self.gone = True
        self.waiting.clear()

    def close(self) -> None:
        """Closes what was opened here; the standard stream itself stays open."""
        if self._own is not None:
            os.close(self._own)
            self._own = None

    def _is_ready(self) -> bool:
        return self._own is not None or bool(select.select([], [self.descriptor], [], 0)[1])


def open_terminal(descriptor: int, access: int) -> int | None:
    """Opens the terminal that a descriptor stands for once more, not blocking; `None` where that cannot be."""
    try:
        own = os.open(_terminal_name(descriptor), access | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    if os.isatty(own):
        return own
    os.close(own)
    return None


def _terminal_name(descriptor: int) -> str:
    """Gives a name to open the terminal by; raises `OSError` for what is none."""
    try:
        # Succeeds for our controlling terminal alone, which everyone may open by this name.
        os.tcgetpgrp(descriptor)
    except OSError:
        name = os.ttyname(descriptor)
        if Path(name).stat().st_rdev != os.fstat(descriptor).st_rdev:
            raise
        return name
    return "/dev/tty"


def _bytes_at_once(descriptor: int, own: int | None) -> int:
    try:
        if own is not None or stat.S_ISREG(os.fstat(descriptor).st_mode):
            return WRITE_BYTES
    except OSError:
        return select.PIPE_BUF
    return 1 if os.isatty(descriptor) else select.PIPE_BUF

"""What the kernel offers where several processes change one file: locks, leases, and names that change places.

None of it is everywhere: each function says what it gives where the system or the disk has nothing of the kind.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import signal
import time
from collections.abc import Callable, Iterator

_POLL_SECONDS = 0.002
_EXCHANGE = 2
"""`RENAME_EXCHANGE` of Linux's renameat2(2), and `RENAME_SWAP` of macOS' renameatx_np(2)."""
_NAMES = ("renameat2", "renameatx_np")
_HAS_NONE = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTTY)


def kernel_lock_within(descriptor: int, seconds: float) -> bool:
    """Lock the open file or folder for this descriptor alone (flock(2)), and say whether that was possible in time.

    The lock ends with the descriptor, so also with the process. A disk without such locks gives `False` at once.
    """
    deadline = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_SECONDS)
        except OSError:
            return False
        else:
            return True


@contextlib.contextmanager
def watched_for_writers(descriptor: int | None) -> Iterator[Callable[[], bool]]:
    """Give a function that says whether a program has the open file open for writing, or wants to, during the block.

    A program that opens it for writing meanwhile waits for the end of the block (a read lease, fcntl(2)). The answer is
    always `False` for `None`, and where the system, the disk or this user has no leases.
    """
    held, written = _take_lease(descriptor)
    try:
        yield lambda: written or (held is not None and fcntl.fcntl(held, fcntl.F_GETLEASE) != fcntl.F_RDLCK)
    finally:
        if held is not None:
            fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_UNLCK)


def _take_lease(descriptor: int | None) -> tuple[int | None, bool]:
    """Give the descriptor if it has a lease now, and whether somebody writes the file."""
    if descriptor is None or not hasattr(fcntl, "F_SETLEASE"):
        return None, False
    try:
        # Whoever breaks a lease sends a signal: one that is ignored unless somebody asks for it, unlike SIGIO.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        return None, error.errno == errno.EAGAIN
    return descriptor, False


def exchange_names(one: str, other: str, folder: int) -> bool:
    """Let two names in the open folder change places in one step; `False` where the system or the disk cannot.

    Raises `OSError`.
    """
    rename = _renaming()
    if rename is None:
        return False
    if rename(folder, os.fsencode(one), folder, os.fsencode(other), _EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in _HAS_NONE:
        return False
    raise OSError(number, os.strerror(number), one, None, other)


def _renaming() -> Callable[[int, bytes, int, bytes, int], int] | None:
    """Give the function of Linux, or of macOS, which has the same arguments."""
    library = ctypes.CDLL(None, use_errno=True)
    return next((getattr(library, name) for name in _NAMES if hasattr(library, name)), None)

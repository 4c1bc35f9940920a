"""Runs the work on one store in a process of its own, so that a store that is the end of it is not the end of the next.

Whoever writes to a store can make it need more memory than there is; the kernel then kills the process that has most of
it (cgroups(7)), which is that one. Its temporary files are removed here, since it cannot do that any more.
"""

import contextlib
import os
import pickle
import select
import signal
import sys
import tempfile
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

T = TypeVar("T")

PATIENCE_SECONDS = 10.0
_FAILED = 1


class EndedEarlyError(Exception):
    """The process ended without a result. The text says how, for the owner."""


def in_own_process(
    work: Callable[[], T],
    passed_on: tuple[type[Exception], ...] = (),
    *,
    still_working: Callable[[], None] | None = None,
) -> T:
    """Gives what the work gives; raises `EndedEarlyError` if its process died or the work failed.

    An interruption from the terminal reaches the work, and what it makes of that is raised here, as is every exception
    of `passed_on`. `still_working` is called from time to time while it takes long.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    with tempfile.TemporaryDirectory(prefix="pi-sandbox-store-") as place:
        reading, writing = os.pipe()
        held = signal.signal(signal.SIGINT, signal.SIG_IGN)
        child = os.fork()
        if child == 0:
            os.close(reading)
            signal.signal(signal.SIGINT, held)
            _work(work, passed_on, writing, place)
        try:
            os.close(writing)
            with os.fdopen(reading, "rb") as pipe:
                while still_working is not None and not select.select([pipe], [], [], PATIENCE_SECONDS)[0]:
                    still_working()
                content = pipe.read()
            _, status = os.waitpid(child, 0)
        except BaseException:
            _end(child)
            raise
        finally:
            signal.signal(signal.SIGINT, held)
    result: T = _result(content, status)
    return result


def _work(work: Callable[[], T], passed_on: tuple[type[Exception], ...], writing: int, place: str) -> NoReturn:
    tempfile.tempdir = place
    status = _FAILED
    caught: tuple[type[BaseException], ...] = (KeyboardInterrupt, SystemExit, *passed_on)
    try:
        try:
            outcome: tuple[bool, object] = (True, work())
        except caught as error:
            outcome = (False, error)
        except BaseException as error:  # noqa: BLE001 - the boundary: it is told, and the next store has its turn
            fault = f"it ended in a fault of pi-sandbox itself ({type(error).__name__})"
            outcome = (False, EndedEarlyError(fault))
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError):
                stream.flush()
        with os.fdopen(writing, "wb") as pipe:
            pickle.dump(outcome, pipe)
        status = 0
    finally:
        os._exit(status)


def _result(content: bytes, status: int) -> Any:  # noqa: ANN401 - what the work gave
    if not content or status != 0:
        code = os.waitstatus_to_exitcode(status)
        how = "by force, as the kernel does at the memory limit" if code == -signal.SIGKILL else "before its end"
        raise EndedEarlyError(f"it was ended {how}")
    ended_well, outcome = pickle.loads(content)  # noqa: S301 - our own process wrote it
    if ended_well:
        return outcome
    raise outcome


def _end(child: int) -> None:
    """Asks the child to end, which tidies up, and waits for that."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGTERM)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(child, 0)

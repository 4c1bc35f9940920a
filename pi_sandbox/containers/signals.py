"""Signals as values: caught from one moment to another, kept in order, and asked for when it suits.

A signal that was ignored when we started (`nohup`, a background job of a plain shell) stays ignored.
"""

import contextlib
import signal
import socket
from types import FrameType, TracebackType
from typing import Any, Self

CAUGHT = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGWINCH, signal.SIGCONT)
_ENDING = frozenset((signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT))


class Signals:
    """Catches `CAUGHT` from `__enter__` to `__exit__`: kept until asked for, they wake whoever waits on `fileno`.

    Only the main thread can catch signals.
    """

    def __init__(self) -> None:
        self._arrived: list[int] = []
        self._previous: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        self._awake, self._waker = socket.socketpair()
        self._awake.setblocking(False)
        self._waker.setblocking(False)
        self._previous_waker = signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        for number in CAUGHT:
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._previous[number] = signal.signal(number, self._keep)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._previous_waker)
        self._awake.close()
        self._waker.close()

    def fileno(self) -> int:
        """Gives a descriptor that is readable once a signal has come."""
        return self._awake.fileno()

    def ask_to_end(self) -> bool:
        """Tells whether a signal that was not taken yet wants us to end."""
        return not _ENDING.isdisjoint(self._arrived)

    def take(self) -> list[int]:
        """Gives the numbers of the signals that came since the last call, in order."""
        with contextlib.suppress(BlockingIOError):
            while self._awake.recv(4096):
                pass
        arrived, self._arrived = self._arrived, []
        return arrived

    def _keep(self, number: int, _frame: FrameType | None) -> None:
        self._arrived.append(number)

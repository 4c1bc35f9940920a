"""Runs the agent as a child in the foreground of the terminal and watches over it until it ends.

- The child has a process group of its own, so that stopping it (Ctrl-Z) is seen here and told to the wrapper, which
  gives the user's shell back; inside a container there is no shell that could bring it back.
- While it runs, what the session has to look after from time to time is called (`Child.tend`).
- Signals to the container reach the child. When the wrapper goes away the child is asked to end, and made to after
  `GRACE_SECONDS`.
"""

import contextlib
import fcntl
import os
import selectors
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType

from pi_sandbox.inside.control import Control, ControlClosed
from pi_sandbox.session.control_messages import Continue, MessageRefused, Suspended

GRACE_SECONDS = 70
"""How long the child has between being asked to end and being killed; the engine's own stop waits 75."""

TEND_SECONDS = 3.0
"""How often a child is tended: what is lost where the container is killed is no older."""

_TO_CHILD = (signal.SIGTERM, signal.SIGHUP)
_TO_GROUP = (signal.SIGINT, signal.SIGQUIT)
_NOT_STARTED = 127


def set_size(rows: int, columns: int) -> None:
    """Sets the size of the terminal on standard input, where there is one and the size is known (ioctl_tty(2))."""
    if rows and columns and os.isatty(0):
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


@dataclass(frozen=True)
class Child:
    """What to run. `farewell` is the signal that asks it to end: an interactive shell takes no SIGTERM (bash(1)).

    `tend` is called every `TEND_SECONDS` while it runs, and raises nothing. `finish` is called once it has ended, and
    gives words for the owner (`control_messages.LIMITS`).
    """

    command: Sequence[str]
    environment: Mapping[str, str]
    farewell: signal.Signals = signal.SIGTERM
    tend: Callable[[], None] | None = None
    finish: Callable[[], Sequence[str]] = tuple


def run_child(child: Child, control: Control) -> int:
    """Runs the child to its end and gives its exit code, 128 + signal for one that a signal ended."""
    signals = _note_signals()
    return _Supervisor(_start(child), child, control, signals).watch()


def _note_signals() -> int:
    """Gives the end of a pipe on which the numbers of signals arrive, from before there is a child on."""
    wakeup, alarm = os.pipe()
    os.set_blocking(wakeup, False)
    os.set_blocking(alarm, False)
    signal.set_wakeup_fd(alarm, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, *_TO_CHILD, *_TO_GROUP):
        signal.signal(number, _noted)
    return wakeup


def _start(child: Child) -> int:
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    held = signal.pthread_sigmask(signal.SIG_BLOCK, (*_TO_CHILD, *_TO_GROUP))
    pid = os.fork()
    if pid:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
        with contextlib.suppress(OSError):
            os.setpgid(pid, pid)
        _give_terminal(pid)
        return pid
    try:
        os.setpgid(0, 0)
        _give_terminal(os.getpid())
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGTTOU, signal.SIGPIPE, signal.SIGTSTP, signal.SIGCHLD, *_TO_CHILD, *_TO_GROUP):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
        os.execvpe(child.command[0], list(child.command), child.environment)  # noqa: S606 - there is no shell here on purpose
    except OSError as error:
        os.write(2, f"pi-sandbox: {child.command[0]}: {error.strerror}\n".encode(errors="backslashreplace"))
    finally:
        os._exit(_NOT_STARTED)


def _give_terminal(group: int) -> None:
    if os.isatty(0):
        with contextlib.suppress(OSError):
            os.tcsetpgrp(0, group)


class _Supervisor:
    """One child and the loop around it."""

    def __init__(self, pid: int, child: Child, control: Control, signals: int) -> None:
        self._child = pid
        self._farewell = child.farewell
        self._tend = child.tend
        self._tend_at = time.monotonic() + TEND_SECONDS
        self._signals = signals
        self._control: Control | None = control
        self._kill_at: float | None = None

    def watch(self) -> int:
        with selectors.DefaultSelector() as selector:
            selector.register(self._signals, selectors.EVENT_READ)
            selector.register(self._control_or_fail(), selectors.EVENT_READ)
            while (code := self._ended()) is None:
                for key, _ in selector.select(timeout=self._patience()):
                    if key.fd == self._signals:
                        self._pass_on(os.read(self._signals, 4096))
                    elif not self._hear():
                        selector.unregister(key.fileobj)
                self._tend_if_due()
        return code

    def _control_or_fail(self) -> Control:
        if self._control is None:
            raise ControlClosed
        return self._control

    def _ended(self) -> int | None:
        """Gives the exit code once the child has ended; tells the wrapper when it has stopped."""
        while True:
            child, status = os.waitpid(self._child, os.WNOHANG | os.WUNTRACED)
            if child == 0:
                return None
            if not os.WIFSTOPPED(status):
                code = os.waitstatus_to_exitcode(status)
                return 128 - code if code < 0 else code
            self._stopped()

    def _stopped(self) -> None:
        if self._control is None:
            self._resume()
        else:
            self._control.send(Suspended())

    def _resume(self) -> None:
        _give_terminal(self._child)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._child, signal.SIGCONT)

    def _pass_on(self, numbers: bytes) -> None:
        for number in numbers:
            with contextlib.suppress(ProcessLookupError):
                if number in _TO_GROUP:
                    os.killpg(self._child, number)
                elif number in _TO_CHILD:
                    os.kill(self._child, self._farewell if number == signal.SIGTERM else number)
                    self._resume()

    def _hear(self) -> bool:
        """Acts on what the wrapper says; false once it is gone and the child was asked to end."""
        try:
            for message in self._control_or_fail().available():
                match message:
                    case Continue(rows, columns):
                        set_size(rows, columns)
                        self._resume()
                    case _:
                        raise MessageRefused
        except (ControlClosed, MessageRefused):
            self._control = None
            self._kill_at = time.monotonic() + GRACE_SECONDS
            self._pass_on(bytes([signal.SIGTERM]))
            return False
        return True

    def _tend_if_due(self) -> None:
        if self._tend is not None and time.monotonic() >= self._tend_at:
            self._tend()
            self._tend_at = time.monotonic() + TEND_SECONDS

    def _patience(self) -> float | None:
        waits = [self._until_kill()]
        if self._tend is not None:
            waits.append(max(0.0, self._tend_at - time.monotonic()))
        return min((wait for wait in waits if wait is not None), default=None)

    def _until_kill(self) -> float | None:
        if self._kill_at is None:
            return None
        remaining = self._kill_at - time.monotonic()
        if remaining <= 0:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._child, signal.SIGKILL)
            return 1.0
        return remaining


def _noted(_number: int, _frame: FrameType | None) -> None:
    """The wake-up pipe has the number; the handler only keeps the signal from having its default effect."""

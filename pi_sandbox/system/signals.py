"""The signals that reach a program, from its first line to its last message.

- `run_program` is the first thing that a program does. Until a command runs, a signal that asks to end ends the
  program at once and without a word, because nothing has been made yet.
- While a command runs (`interruptible`), the first such signal is raised as `Interruption`, and everything is unwound.
  Those that follow are not: they would break off the unwinding. Only `AGAIN_SECONDS` later one is raised again, in case
  the unwinding hangs or somebody swallowed the first. One that comes during an import waits for the end of that.
- Within `Signals` nothing is raised. Whatever has to be removed or told afterwards is made, removed and told in there:
  an exception between any two steps could leave it half made.
- Once the command is over, to the end of its last message and of the interpreter, signals change nothing any more.
- A signal that was ignored when the program started (`nohup`, a background job of a plain shell) stays ignored.

Only the main thread can catch signals. What the interpreter does before the program's first line is not ours.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from enum import Enum

from pi_sandbox.exit_codes import ExitCode

TYPE_CHECKING = False
if TYPE_CHECKING:  # the module `typing` takes as long to import as all others here
    from collections.abc import Callable, Iterator
    from types import FrameType, TracebackType
    from typing import Any, NoReturn, Self

ENDING = {
    signal.SIGTERM: ExitCode.TERMINATED,
    signal.SIGHUP: ExitCode.HANGUP,
    signal.SIGINT: ExitCode.INTERRUPTED,
    signal.SIGQUIT: ExitCode.INTERRUPTED,
}
"""The signals that ask a program to end, and the code that it ends with then."""

CAUGHT = (*ENDING, signal.SIGWINCH, signal.SIGCONT)

AGAIN_SECONDS = 5.0
LATER_SECONDS = 0.02


class Interruption(BaseException):
    """A signal asks the program to end; `exit_code` is the code that it ends with then."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.signal = signal.Signals(number)
        self.exit_code = ENDING[self.signal]


class _Phase(Enum):
    STARTING = "nothing has been made"
    RUNNING = "a command runs"
    OVER = "the command is over"


class _Program:
    """What a signal does in this process while no `Signals` keeps it; there is one of these, as of the handlers."""

    def __init__(self) -> None:
        self.phase = _Phase.STARTING
        self.asked = False
        self.raised: int | None = None
        self._raised_at = float("-inf")

    def act(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        if self.phase is _Phase.STARTING:
            os._exit(ENDING[signal.Signals(number)])
        if self.phase is _Phase.RUNNING and time.monotonic() - self._raised_at >= AGAIN_SECONDS:
            self.raised = number
            self._raised_at = time.monotonic()
            self.act_again(number, frame)

    def act_again(self, _number: int, frame: FrameType | None) -> None:
        if self.phase is not _Phase.RUNNING or self.raised is None:
            return
        if _is_importing(frame):
            signal.setitimer(signal.ITIMER_REAL, LATER_SECONDS)
        else:
            raise Interruption(self.raised)


def _is_importing(frame: FrameType | None) -> bool:
    """Tells whether what is interrupted runs for an import, which takes exceptions for failures of the module."""
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


_program = _Program()


def run_program(load: Callable[[], Callable[[], int]]) -> NoReturn:
    """Runs what `load` imports and gives, and exits with its code, whatever signals come and whenever."""
    catch_signals()
    code = load()()
    # The interpreter, as it ends, puts back what signals do by themselves.
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    sys.exit(code)


def catch_signals() -> None:
    """Catches what asks the program to end, for the rest of its life."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _program.act)
    signal.signal(signal.SIGALRM, _program.act_again)
    sys.unraisablehook = _raise_again


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Lets signals end the block, by an `Interruption` that replaces whatever else came out of it."""
    _program.phase = _Phase.RUNNING
    try:
        yield
    finally:
        command_is_over()
        signal.setitimer(signal.ITIMER_REAL, 0)
        raised, _program.raised = _program.raised, None
        if raised is not None:
            raise Interruption(raised)


def command_is_over() -> None:
    """Says, in a block with `Signals`, that all is told: from then on no signal changes how the command ended."""
    _program.phase = _Phase.OVER


def asked_to_end() -> bool:
    """Tells whether a signal has asked this program to end, and so has no time to wait for a reader."""
    return _program.asked


def _raise_again(lost: sys.UnraisableHookArgs) -> None:
    """Raises once more, a moment later, what came where nothing can be raised (a finaliser, a callback of C code)."""
    if isinstance(lost.exc_value, Interruption):
        signal.setitimer(signal.ITIMER_REAL, LATER_SECONDS)
    else:
        sys.__unraisablehook__(lost)


class Signals:
    """Catches `CAUGHT` from `__enter__` to `__exit__`: kept until asked for, they wake whoever waits on `fileno`."""

    def __init__(self) -> None:
        self._arrived: list[int] = []
        self._previous: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        self._awake, self._waker = os.pipe()
        os.set_blocking(self._awake, False)
        os.set_blocking(self._waker, False)
        self._previous_waker = signal.set_wakeup_fd(self._waker, warn_on_full_buffer=False)
        for number in CAUGHT:
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._previous[number] = signal.signal(number, self._keep)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.set_wakeup_fd(self._previous_waker)
        os.close(self._awake)
        os.close(self._waker)
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def fileno(self) -> int:
        """Gives a descriptor that is readable once a signal has come."""
        return self._awake

    def ask_to_end(self) -> bool:
        """Tells whether a signal that was not taken yet wants us to end."""
        return not ENDING.keys().isdisjoint(self._arrived)

    def end_if_asked(self) -> None:
        """Raises `Interruption` for the first signal that was not taken yet and wants us to end."""
        for number in self.take():
            if number in ENDING:
                raise Interruption(number)

    def take(self) -> list[int]:
        """Gives the numbers of the signals that came since the last call, in order."""
        with contextlib.suppress(BlockingIOError):
            while os.read(self._awake, 4096):
                pass
        arrived, self._arrived = self._arrived, []
        return arrived

    def _keep(self, number: int, _frame: FrameType | None) -> None:
        _program.asked = _program.asked or number in ENDING
        self._arrived.append(number)

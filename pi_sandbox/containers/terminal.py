"""The user's terminal: whether there is one, its size, raw mode, and its state afterwards as it was before.

Rules:

- A session has a terminal only where standard input and standard output both are one.
- Nothing of our own is written to a standard stream that is no terminal.
- Whatever ends the session but a SIGKILL, the termios settings are those from before, each terminal that the output
  went to is put in order (`output_trace.py`), what it still sends by itself is taken (`late_answers.py`), and after a
  session in raw mode the prompt gets a line of its own.
- A frozen terminal holds up nothing.
- The settings of the parent's terminal are not ours: no file descriptor that we inherited becomes non-blocking.
"""

import contextlib
import os
import signal
import termios
import time
import tty
from collections.abc import Iterator
from typing import Any

from pi_sandbox.containers.engine import TerminalSize
from pi_sandbox.containers.late_answers import Answers, quiet, take_answers
from pi_sandbox.containers.outlet import write_while
from pi_sandbox.containers.output_trace import OutputTrace, leaving_bytes
from pi_sandbox.system.signals import Signals

STANDARD_INPUT, STANDARD_OUTPUT, STANDARD_ERROR = 0, 1, 2
FALLBACK_SIZE = TerminalSize(rows=24, columns=80)
FROZEN_SECONDS = 1.0
BEHIND_SECONDS = 0.1


class Terminal:
    """The standard streams of this process. Use `raw()` around a session; everything else may be asked at any time."""

    def __init__(self) -> None:
        self._saved: list[Any] | None = None
        self._traces = _new_traces()
        self._answers = Answers()

    @property
    def is_interactive(self) -> bool:
        """Tells whether standard input and standard output both are terminals."""
        return os.isatty(STANDARD_INPUT) and os.isatty(STANDARD_OUTPUT)

    def size(self) -> TerminalSize:
        """Gives the size of the terminal; 24 rows of 80 columns where none is known."""
        for descriptor in (STANDARD_OUTPUT, STANDARD_INPUT, STANDARD_ERROR):
            with contextlib.suppress(OSError):
                columns, rows = os.get_terminal_size(descriptor)
                if rows > 0 and columns > 0:
                    return TerminalSize(rows, columns)
        return FALLBACK_SIZE

    def note_output(self, descriptor: int, data: bytes) -> None:
        """Takes what was written to a standard stream, so that a terminal that it reached can be left in order."""
        if trace := self._traces.get(descriptor):
            trace.note(data)

    def note_input(self, data: bytes) -> None:
        """Takes what was read from standard input, so that the answers in it are known to have come."""
        self._answers.note(data)

    @contextlib.contextmanager
    def raw(self) -> Iterator[None]:
        """Puts an interactive terminal into raw mode for the block, and in order again after it; else does nothing."""
        self.enter()
        try:
            yield
        finally:
            self.leave()

    def enter(self) -> None:
        """Begins raw mode; may be called again after `leave`."""
        if self.is_interactive and self._saved is None:
            with contextlib.suppress(termios.error):
                self._saved = termios.tcgetattr(STANDARD_INPUT)
                tty.setraw(STANDARD_INPUT, termios.TCSANOW)

    def leave(self) -> None:
        """Puts the terminals that were written to in order and ends raw mode; calling it twice does no harm."""
        saved, self._saved = self._saved, None
        traces, self._traces = self._traces, _new_traces()
        answers, self._answers = self._answers, Answers(answers=self._answers.answers)
        try:
            # Two streams to the same terminal have the same trace.
            for trace, descriptor in {trace: descriptor for descriptor, trace in traces.items()}.items():
                _put_in_order(descriptor, trace, answers, saved)
        finally:
            if saved is not None and not _is_behind(STANDARD_INPUT):
                with contextlib.suppress(termios.error):
                    termios.tcsetattr(STANDARD_INPUT, termios.TCSANOW, saved)

    @property
    def is_raw(self) -> bool:
        """Tells whether raw mode is on."""
        return self._saved is not None

    def reenter(self) -> None:
        """Sets raw mode again after someone else (a shell, on SIGCONT) has changed the settings, if we are in front."""
        if self._saved is not None and not _is_behind(STANDARD_INPUT):
            with contextlib.suppress(termios.error):
                tty.setraw(STANDARD_INPUT, termios.TCSANOW)


def suspend_self(terminal: Terminal, signals: Signals) -> TerminalSize:
    """Stops our process group as Ctrl-Z would, with the terminal in order, and gives its size after the return.

    Who is continued in order to end (`kill %1`) needs no terminal, and would be stopped again for touching it. Where
    nobody can resume us (an orphaned process group, or a parent that has SIGTSTP ignored), it returns at once.
    """
    was_raw = terminal.is_raw
    terminal.leave()
    os.kill(0, signal.SIGTSTP)
    while was_raw and _is_behind(STANDARD_INPUT):
        # Who continues us in order to end us sends two signals, and the one to end may be handled last.
        time.sleep(BEHIND_SECONDS)
        if signals.ask_to_end():
            break
        # Continued behind the shell (`bg`): stopped again, as for touching the terminal.
        os.kill(0, signal.SIGTTOU)
    if was_raw and not signals.ask_to_end():
        terminal.enter()
    return terminal.size()


def give_up_input() -> None:
    """Puts the null device in place of standard input, for a command that asks nothing.

    The keys then go to whoever else reads the terminal, such as the pager at the other end of a pipe.
    """
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, STANDARD_INPUT)
    os.close(empty)


def _new_traces() -> dict[int, OutputTrace]:
    """Gives a trace for each standard stream that is a terminal, the same one where it is the same terminal."""
    by_terminal: dict[int, OutputTrace] = {}
    traces: dict[int, OutputTrace] = {}
    for descriptor in (STANDARD_OUTPUT, STANDARD_ERROR):
        if os.isatty(descriptor):
            traces[descriptor] = by_terminal.setdefault(os.fstat(descriptor).st_rdev, OutputTrace())
    return traces


def _put_in_order(descriptor: int, trace: OutputTrace, answers: Answers, saved: list[Any] | None) -> None:
    """Resets what was changed, and keeps answers and reports from appearing at the shell's prompt."""
    was_raw = saved is not None
    if _is_behind(descriptor):
        _write_bounded(descriptor, leaving_bytes(trace, ends_line=was_raw))
        return
    with quiet(descriptor, saved) if trace.asked else contextlib.nullcontext() as own:
        written = _write_bounded(descriptor, leaving_bytes(trace, ends_line=was_raw, asks=own is not None))
        unanswered = max(trace.statuses_asked - answers.statuses, 0)
        if own is not None and written and take_answers(own, unanswered + 1, answers):
            return
    if trace.saw_control:
        with contextlib.suppress(termios.error):
            termios.tcflush(descriptor, termios.TCIFLUSH)


def _is_behind(descriptor: int) -> bool:
    """Tells whether somebody else is in the foreground of our terminal: to change it would stop us (SIGTTOU)."""
    try:
        return os.tcgetpgrp(descriptor) != os.getpgrp()
    except OSError:
        return False


def _write_bounded(descriptor: int, data: bytes) -> bool:
    """Writes to the terminal unless it takes nothing for a while: a frozen window must not keep us from ending."""
    ends = time.monotonic() + FROZEN_SECONDS
    return write_while(descriptor, data, lambda: time.monotonic() < ends)

"""The user's terminal: whether there is one, its size, raw mode, and its state afterwards as it was before.

Rules:

- A session has a terminal only where standard input and standard output both are one.
- Nothing is written to a standard output that is no terminal.
- Whatever ends the session, the termios settings are those from before, and the modes that an agent may have switched
  on are off (`RESET_MODES`); the window's title is left alone; the prompt gets a line of its own.
- The settings of the parent's terminal are not ours: no file descriptor that we inherited becomes non-blocking.
"""

import contextlib
import os
import re
import select
import signal
import termios
import tty
from collections.abc import Iterator
from typing import Any

from pi_sandbox.containers.engine import TerminalSize

STANDARD_INPUT, STANDARD_OUTPUT, STANDARD_ERROR = 0, 1, 2
FALLBACK_SIZE = TerminalSize(rows=24, columns=80)
TAIL_BYTES = 256
WRITE_BYTES = 256
FROZEN_SECONDS = 1.0

ST = "\x1b\\"
KEYBOARD = "\x1b[<99u\x1b[=0u"
"""Kitty's keyboard protocol off; each of the two screens has a stack of its own."""

RELEASE = ST + "\x1b[?2026l"
"""Ends a control string that was cut off, and shows what synchronised output held back."""

LEAVE_ALTERNATE_SCREEN = "\x1b[?1049l"

RESET_MODES = "".join(
    (
        "\x1b[>4;0m",  # modifyOtherKeys
        "\x1b[?9l\x1b[?1000l\x1b[?1001l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l",  # mouse
        "\x1b[?1004l\x1b[?2004l\x1b[?2031l\x1b[?2048l",  # focus, bracketed paste, colour scheme and size reports
        "\x1b[?1l\x1b>",  # application cursor keys and keypad
        "\x1b[4l\x1b[?7h\x0f\x1b(B",  # insert mode off, wrapping on, plain character set
        "\x1b]8;;" + ST,  # an open hyperlink
        "\x1b7\x1b[r\x1b8",  # the whole screen scrolls; setting that moves the cursor, hence the frame around it
        "\x1b[0m\x1b[0 q\x1b[?25h",  # colours, cursor shape, cursor visible
    )
)

_MODE_CHANGE = re.compile(rb"\x1b\[\?([0-9;]{1,64})([hl])")
_ALTERNATE_SCREEN_MODES = frozenset((b"47", b"1047", b"1049"))
_KEYBOARD_PROTOCOL = re.compile(rb"\x1b\[[>=][0-9;]*u")
_ESCAPE_SEQUENCE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])")


class OutputTrace:
    """Remembers of the agent's output what is needed to leave the screen in order."""

    def __init__(self) -> None:
        self.saw_escape = False
        self.saw_keyboard_protocol = False
        self.in_alternate_screen = False
        self._tail = b""

    def note(self, data: bytes) -> None:
        """Takes the next piece of output; sequences may be split over pieces."""
        seen = self._tail + data
        self.saw_escape = self.saw_escape or b"\x1b" in data
        self.saw_keyboard_protocol = self.saw_keyboard_protocol or _KEYBOARD_PROTOCOL.search(seen) is not None
        for found in _MODE_CHANGE.finditer(seen):
            if _ALTERNATE_SCREEN_MODES.intersection(found[1].split(b";")):
                self.in_alternate_screen = found[2] == b"h"
        self._tail = seen[-TAIL_BYTES:]

    def at_line_start(self) -> bool:
        """Tells whether the cursor is known to be at the start of a line."""
        text = _ESCAPE_SEQUENCE.sub(b"", self._tail)
        return not text or text.endswith((b"\n", b"\r"))


def leaving_bytes(trace: OutputTrace) -> bytes:
    """Gives what puts the terminal in order after the traced output; nothing after plain text in whole lines."""
    text = ""
    if trace.saw_escape:
        # The screen first: on some terminals saving the cursor would overwrite where that screen was entered from.
        # Terminals that do not know the keyboard protocol may print its sequences, so only who used it gets its reset.
        keyboard = KEYBOARD if trace.saw_keyboard_protocol else ""
        screen = LEAVE_ALTERNATE_SCREEN + keyboard if trace.in_alternate_screen else ""
        text += RELEASE + keyboard + screen + RESET_MODES
    if not trace.at_line_start():
        text += "\r\n"
    return text.encode("ascii")


class Terminal:
    """The standard streams of this process. Use `raw()` around a session; everything else may be asked at any time."""

    def __init__(self) -> None:
        self._saved: list[Any] | None = None
        self._trace = OutputTrace()

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

    def note_output(self, data: bytes) -> None:
        """Takes what was written to the terminal, so that it can be left in order."""
        self._trace.note(data)

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
        """Ends raw mode and resets the screen; calling it twice does no harm."""
        if self._saved is None:
            return
        saved, self._saved = self._saved, None
        trace, self._trace = self._trace, OutputTrace()
        try:
            _write_bounded(leaving_bytes(trace))
        finally:
            with contextlib.suppress(termios.error):
                if trace.saw_escape:
                    # Replies that the agent asked for, and mouse reports, would appear at the shell's prompt.
                    termios.tcflush(STANDARD_INPUT, termios.TCIFLUSH)
                termios.tcsetattr(STANDARD_INPUT, termios.TCSANOW, saved)

    @property
    def is_raw(self) -> bool:
        """Tells whether raw mode is on."""
        return self._saved is not None

    def reenter(self) -> None:
        """Sets raw mode again after someone else (a shell, on SIGCONT) has changed the settings."""
        if self._saved is not None:
            with contextlib.suppress(termios.error):
                tty.setraw(STANDARD_INPUT, termios.TCSANOW)


def suspend_self(terminal: Terminal) -> TerminalSize:
    """Stops our process group as Ctrl-Z would, with the terminal in order, and gives its size after the return.

    Where nobody can resume us (an orphaned process group, or a parent that has SIGTSTP ignored), it returns at once.
    """
    was_raw = terminal.is_raw
    terminal.leave()
    os.kill(0, signal.SIGTSTP)
    if was_raw:
        terminal.enter()
    return terminal.size()


def give_up_input() -> None:
    """Puts the null device in place of standard input, for a command that asks nothing.

    The keys then go to whoever else reads the terminal, such as the pager at the other end of a pipe.
    """
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, STANDARD_INPUT)
    os.close(empty)


def _write_bounded(data: bytes) -> None:
    """Writes to the terminal unless it takes nothing for a while: a frozen window must not keep us from ending."""
    with contextlib.suppress(OSError):
        while data and select.select([], [STANDARD_OUTPUT], [], FROZEN_SECONDS)[1]:
            data = data[os.write(STANDARD_OUTPUT, data[:WRITE_BYTES]) :]

"""The conversation of a sync on a terminal: own lines, foreign text, and questions that only a `y` answers with yes.

- Foreign text stands behind a bar on every row, also where the terminal would wrap it, with every character visible. A
  line that names something foreign is indented where it wraps. So whatever begins at the left margin is ours.
- A question waits until nothing more comes from the keys, since a paste may still be on its way here, and forgets it.
  Then it reads one line, and takes exactly `y` for yes. No terminal, no input, restless keys, a closed window, one too
  narrow for the bar: no.
- An answer that is neither y nor a plain no is told that it is a no.
- Our own lines are broken between words where they fit; what has no blank, such as a path, is never broken by us.
- Once whoever reads us is gone, nothing counts as shown.
"""

import io
import os
import re
import select
import sys
import termios
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from pi_sandbox.memory_sync.console import NotReviewedError
from pi_sandbox.memory_text.visible import visible

BAR = "  | "
HANGING = "    "
_NARROWEST = 20
_PLAIN_NO = (b"", b"n", b"N", b"no")
_ANSWER_BYTES = 1024
_REST_SECONDS = 0.3
_RESTLESS_SECONDS = 10.0


class TerminalConsole:
    """The console on an output; `terminal` is the descriptor that answers are read from, None without a terminal."""

    def __init__(self, output: TextIO, terminal: int | None) -> None:
        self._output = output
        self._terminal = terminal

    def say(self, line: str) -> None:
        self.name(line)

    def name(self, line: str) -> None:
        width = self._width(0)
        for part in line.split("\n"):
            self._write("\n".join(hanging(visible(part), width)) + "\n")

    def show(self, lines: Iterable[str]) -> bool:
        width = self._width(len(BAR))
        for line in lines:
            for row in rows(visible(line), width):
                self._write(f"{BAR}{row}\n")
        return True

    def ask(self, question: str) -> bool:
        quiet = self._terminal is None or _rests(self._terminal)
        self._write("\n".join(hanging(visible(question), self._width(1))) + " ")
        if self._terminal is None:
            self._write("no (there is no terminal to answer on)\n")
            return False
        if self._is_too_narrow():
            self._write("no (the window is too narrow to ask in)\n")
            return False
        if not quiet:
            self._write("no (the keys did not rest)\n")
            return False
        answer = self._answer(self._terminal)
        if answer not in (b"y", *_PLAIN_NO):
            self._write("only a single y goes on: this was no\n")
        return answer == b"y"

    def _answer(self, terminal: int) -> bytes:
        try:
            typed = os.read(terminal, _ANSWER_BYTES)
        except OSError:
            typed = b""
        if not typed.endswith(b"\n"):
            self._write("\n")
            return b""
        return typed.rstrip(b"\r\n")

    def _is_too_narrow(self) -> bool:
        """Whether rows that are as short as they get would still be wrapped, to the left margin."""
        width = self._width(0)
        return width is not None and width < len(BAR) + _NARROWEST

    def _width(self, taken: int) -> int | None:
        return terminal_width(self._output, taken)

    def _write(self, text: str) -> None:
        try:
            self._output.write(text)
            self._output.flush()
        except OSError as error:
            raise NotReviewedError from error


def _rests(terminal: int) -> bool:
    """Throws away what was typed, until nothing has come for a moment; tells whether that moment came."""
    ends = time.monotonic() + _RESTLESS_SECONDS
    try:
        while time.monotonic() < ends:
            termios.tcflush(terminal, termios.TCIFLUSH)
            if not select.select([terminal], [], [], _REST_SECONDS)[0]:
                return True
    except (OSError, termios.error):
        """The terminal is gone, and with it whoever could answer."""
    return False


def terminal_console() -> TerminalConsole:
    """Gives the console of this process: standard output, and standard input where both are a terminal."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    return TerminalConsole(sys.stdout, 0 if os.isatty(0) and os.isatty(1) else None)


def terminal_width(output: TextIO, taken: int = 0) -> int | None:
    """Gives how many columns of a terminal are left beside `taken`, None where the output is no terminal."""
    try:
        columns = os.get_terminal_size(output.fileno()).columns
    except (OSError, ValueError):
        return None
    return max(columns - taken, _NARROWEST) if columns else None


def hanging(line: str, width: int | None) -> Iterator[str]:
    """Breaks a line between words into rows of which only the first begins at the left margin.

    A word that is longer than a row is cut, or the terminal would wrap it to the left margin.
    """
    if width is None:
        yield line
        return
    row, start = "", ""
    for word in re.findall(r" *[^ ]+", line) or [line]:
        if _columns(start + row + word) <= width:
            row += word
            continue
        if row:
            yield start + row
            start, word = HANGING, word.lstrip(" ")
        while _columns(start + word) > width:
            piece = next(rows(word, width - len(start)))
            yield start + piece
            start, word = HANGING, word[len(piece) :]
        row = word
    yield start + row


def _columns(text: str) -> int:
    return sum(map(_columns_of, text))


def _columns_of(character: str) -> int:
    """No two terminals agree on every character, and a row that is too short forges nothing."""
    return 1 if " " <= character <= "~" else 2


def rows(line: str, width: int | None) -> Iterator[str]:
    """Cuts a line into pieces that each fit into the width, behind a blank where one is near; all but ASCII counts two.

    Nothing is lost: the pieces together are the line.
    """
    if width is None:
        yield line
        return
    row: list[str] = []
    used = 0
    for character in line:
        columns = _columns_of(character)
        if used + columns > width:
            kept = _behind_last_blank(row, character)
            yield "".join(row[:kept])
            row = row[kept:]
            used = _columns("".join(row))
        row.append(character)
        used += columns
    yield "".join(row)


def _behind_last_blank(row: Sequence[str], following: str) -> int:
    """Gives how much of a full row stays: up to its last blank, if that leaves most of it, else all."""
    if following == " ":
        return len(row)
    last = next((at for at in range(len(row) - 1, len(row) // 2 - 1, -1) if row[at] == " "), None)
    return len(row) if last is None else last + 1

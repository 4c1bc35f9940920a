"""Takes what a terminal sends after the end of a program that asked it something, so that no shell reads it as typed.

- A terminal answers in the order of the questions. So the last question is ours, and everything before its answer is
  taken. Questions of the same kind that the program asked and that nobody has answered yet are counted.
- It is read byte by byte: what is typed after the answer is left for the shell. What is typed before it is lost; the
  kernel gives nobody a way to put it back.
- A terminal that has answered anything, before or meanwhile, gets longer for it than one that may never answer.
- While this reads, the terminal echoes nothing and turns no key into a signal or a line; the Return key means what it
  means to the shell.

Not handled: an answer that the terminal gives out of order, such as a clipboard that its user is asked about first.
"""

import contextlib
import os
import re
import select
import termios
import time
from collections.abc import Iterator
from typing import Any

from pi_sandbox.containers.outlet import open_terminal
from pi_sandbox.containers.output_trace import STATUS_ANSWERS

UNKNOWN_SECONDS = 0.5
ANSWERING_SECONDS = 2.0
"""Longer than a key takes to come back over a slow line."""

_ANSWER_BYTES = 64
"""So much of an answer tells that it is one."""

_ANSWER = re.compile(rb"(?:\x1b\[|\x9b)[?>=]?[0-9:;]*(?:[cnRtx]|[\"-/][@-~])|\x1b[\]P]|[\x9d\x90]")


class Answers:
    """Remembers of the input whether the terminal answers, and how often it told its status."""

    def __init__(self, *, answers: bool = False) -> None:
        self.answers = answers
        self.statuses = 0
        self._end = b""

    def note(self, data: bytes) -> None:
        """Takes the next piece of input; an answer may be split over pieces."""
        text = self._end + data
        self.answers = self.answers or _ANSWER.search(text) is not None
        self.statuses += _statuses(text) - _statuses(self._end)
        self._end = text[-_ANSWER_BYTES:]

    @property
    def seconds(self) -> float:
        """Gives how long the last answer is waited for."""
        return ANSWERING_SECONDS if self.answers else UNKNOWN_SECONDS


@contextlib.contextmanager
def quiet(descriptor: int, shells: list[Any] | None) -> Iterator[int | None]:
    """Opens the terminal to read it without echo for the time of the block; gives `None` where that cannot be.

    `shells` are the settings that the shell will find, where they are not those of now.
    """
    own = open_terminal(descriptor, os.O_RDWR)
    if own is None:
        yield None
        return
    with contextlib.ExitStack() as stack:
        stack.callback(os.close, own)
        try:
            now = termios.tcgetattr(own)
            stack.callback(_restore, own, now)
            termios.tcsetattr(own, termios.TCSANOW, _without_echo(now if shells is None else shells))
        except termios.error:
            yield None
            return
        yield own


def _without_echo(settings: list[Any]) -> list[Any]:
    incoming, outgoing, control, local, *speeds, characters = settings
    characters = list(characters)
    characters[termios.VMIN], characters[termios.VTIME] = 1, 0
    local &= ~(termios.ECHO | termios.ICANON | termios.ISIG | termios.IEXTEN)
    return [incoming, outgoing & ~termios.OPOST, control, local, *speeds, characters]


def _restore(own: int, settings: list[Any]) -> None:
    with contextlib.suppress(termios.error):
        termios.tcsetattr(own, termios.TCSANOW, settings)


def take_answers(own: int, statuses: int, answers: Answers) -> bool:
    """Takes the input up to the answer to so many questions for the status; tells whether that came in time."""
    began = time.monotonic()
    before = answers.statuses
    while answers.statuses - before < statuses:
        left = began + answers.seconds - time.monotonic()
        if left <= 0 or not select.select([own], [], [], left)[0]:
            return False
        try:
            data = os.read(own, 1)
        except BlockingIOError:
            continue
        except OSError:
            return False
        if not data:
            return False
        answers.note(data)
    return True


def _statuses(text: bytes) -> int:
    return sum(text.count(answer) for answer in STATUS_ANSWERS)

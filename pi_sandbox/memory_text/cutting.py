"""Cuts a text to a number of lines and a size: whole lines only, and the limit that is reached first applies.

- A line ends at LF. One LF at the very end belongs to the last line and is not counted and not given back.
- A first line that alone is too large leaves nothing: no line is ever shown in part.
- The time is in proportion to what is looked at, not to the length of what is cut off.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Limit(StrEnum):
    """Which of the two limits was reached first."""

    LINES = "lines"
    SIZE = "size"


@dataclass(frozen=True, slots=True)
class Cut:
    """The lines that were kept, how many they are, and which limit cut off the rest (none: it is the whole text)."""

    text: str
    lines: int
    by: Limit | None


def cut(text: str, *, lines: int, size: int, measure: Callable[[str], int]) -> Cut:
    """Gives the longest beginning of whole lines within both limits; `measure` gives the size of a text."""
    body = text.removesuffix("\n")
    kept = start = used = 0
    for number in range(lines):
        stop = body.find("\n", start)
        end = len(body) if stop == -1 else stop
        used += measure(body[start:end]) + (number > 0)
        if used > size:
            return Cut(body[:kept], number, Limit.SIZE)
        if stop == -1:
            return Cut(body, number + 1, None)
        kept, start = end, stop + 1
    return Cut(body[:kept], lines, Limit.LINES)


def count_lines(text: str) -> int:
    """Gives the number of lines as `cut` counts them."""
    return text.removesuffix("\n").count("\n") + 1

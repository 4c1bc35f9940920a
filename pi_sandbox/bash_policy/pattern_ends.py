"""Where a regular expression ends that stands between delimiters, as in sed and awk.

Programs disagree about a delimiter inside brackets (`/[/]/`), about a backslash there (`[\\]`) and about where brackets
end that hold a class (`[[:space:]/]`). A `Reading` is one way of theirs.
"""

from __future__ import annotations

from enum import Enum


class Reading(Enum):
    """How a program looks for the end of a pattern."""

    CLASSES = "brackets end behind their classes, a backslash in them means nothing (POSIX; GNU sed 4.9)"
    CLASSES_AND_ESCAPES = "behind their classes, and a backslash takes away the meaning of what is behind it"
    FIRST_BRACKET = "brackets end at the first ] that is not their first character (busybox)"
    FIRST_BRACKET_AND_ESCAPES = "at the first ], and a backslash takes away the meaning of what is behind it"
    NO_BRACKETS = "brackets mean nothing here (GNU sed 4.2, the original awk)"

    @property
    def knows_classes(self) -> bool:
        """Whether `[:` begins something that its `:]` ends."""
        return self in (Reading.CLASSES, Reading.CLASSES_AND_ESCAPES)

    @property
    def knows_escapes(self) -> bool:
        """Whether a backslash in brackets takes away the meaning of the character behind it."""
        return self in (Reading.CLASSES_AND_ESCAPES, Reading.FIRST_BRACKET_AND_ESCAPES)


def end_of_pattern(text: str, start: int, delimiter: str) -> int | None:
    """Give the place behind the delimiter that ends the pattern, if all readings have the same one."""
    ends = {end_in_reading(text, start, delimiter, reading) for reading in Reading}
    return ends.pop() if len(ends) == 1 else None


def end_in_reading(text: str, start: int, delimiter: str, reading: Reading) -> int | None:
    """Give the place behind the first delimiter that ends the pattern in this reading, or None where there is none.

    A backslash outside brackets takes away the meaning of the character behind it. A pattern ends on its line.
    """
    at = start
    while at < len(text) and text[at] != "\n":
        if text[at] == "\\":
            if text[at + 1 : at + 2] == "\n":
                return None
            at += 2
        elif text[at] == delimiter:
            return at + 1
        elif text[at] == "[" and reading is not Reading.NO_BRACKETS:
            closed = _behind_brackets(text, at, reading)
            if closed is None:
                return None
            at = closed
        else:
            at += 1
    return None


def _behind_brackets(text: str, start: int, reading: Reading) -> int | None:
    at = start + 1
    if text[at : at + 1] == "^":
        at += 1
    first = at
    while at < len(text) and text[at] != "\n":
        if text[at] == "]" and at > first:
            return at + 1
        if text[at] == "\\" and reading.knows_escapes:
            at += 2
        elif text[at] == "[" and text[at + 1 : at + 2] in (":", ".", "=") and reading.knows_classes:
            closing = text.find(text[at + 1] + "]", at + 2)
            if closing < 0 or "\n" in text[at:closing]:
                return None
            at = closing + 2
        else:
            at += 1
    return None

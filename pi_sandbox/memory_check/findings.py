"""What the memory check found: where, how serious and of which kind; never the value itself."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How serious a finding is; the words of the report (sandbox.md, "Memory check")."""

    BLOCKING = "blocking"
    CONFIRM = "confirm"
    WARNING = "warning"


class MadeIn(StrEnum):
    """In what of a file a finding was made: its name, its lines, or its bytes read in some way without lines."""

    PATH = "path"
    TEXT = "text"
    OTHER = "other"


@dataclass(frozen=True)
class Finding:
    """One thing on one line of one file.

    `path` is relative to the store and may hold lone surrogates (bytes that are not UTF-8);
    `line` counts from 1 and is None where the whole file is meant; `before` and `after` are how many lines around it
    belong to the finding.
    """

    path: str
    line: int | None
    severity: Severity
    category: str
    message: str
    before: int = 0
    after: int = 0
    made_in: MadeIn = MadeIn.TEXT


@dataclass(frozen=True, order=True)
class Hit:
    """A finding inside one text: the line (from 1), the category, the sentence, the lines around that belong to it."""

    line: int
    category: str
    message: str
    before: int = 0
    after: int = 0


LINE_LIMIT = 50_000
"""Characters of a line that a detector looks at; a longer one, if a detector would have to look at it, blocks."""

TOO_DENSE = "too-dense"


def too_dense(line: int) -> Hit:
    """Gives the hit for a line that holds more than can be looked at in bounded time, and so blocks as a whole."""
    return Hit(line, TOO_DENSE, "more on one line than can be checked; break it into several lines")

"""What is to be put right in a file of an `auto/`, by its place and its text. Pure.

- The name: an index that does not stand at the top, and what is no `.md`, is read by nobody; a numbered continuation
  such as `topic-2.md` is found by nobody.
- The size: near (above 80 %) or over what is shown of an index or a topic.
- The front matter of a topic: its `description` is missing or too long. An index has none.

The engine tells it to the model that wrote the file, the memory check to the owner; both have it from here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from pi_sandbox.memory_text.cutting import count_lines
from pi_sandbox.memory_text.javascript_text import utf8_bytes, utf16_units
from pi_sandbox.memory_text.sanitise import sanitise_memory_text
from pi_sandbox.note_format.front_matter import front_matter_of
from pi_sandbox.note_format.limits import (
    DESCRIPTION_UNITS,
    INDEX_LINES,
    INDEX_UNITS,
    NEAR_PERCENT,
    TOPIC_BYTES,
    TOPIC_LINES,
)
from pi_sandbox.note_format.names import INDEX_NAME, is_topic_name

_CONTINUATION = re.compile(
    r".*?[^\W\d_].*?(?<!\d)(?:[-_ .]+|[-_ .]*(?:part|pt|cont|continued)[-_ .]*|[ _-]*\()0*(?:[2-9]|[1-9]\d)\)?\Z",
    re.IGNORECASE,
)
"""A word, then a number from 2 to 99 behind a separator. A date, a version or the number of an issue is none."""


class LintRule(StrEnum):
    """The rule that a file breaks."""

    NOT_READ = "not-read"
    NEAR_LIMIT = "near-limit"
    OVER_LIMIT = "over-limit"
    NUMBERED_NAME = "numbered-name"
    NO_DESCRIPTION = "no-description"
    LONG_DESCRIPTION = "long-description"
    SECRET = "secret"  # noqa: S105 - the name of a rule
    NOT_LOOKED_AT = "not-looked-at"


@dataclass(frozen=True, slots=True)
class LintHint:
    """One thing to put right, as a sentence for a model."""

    rule: LintRule
    text: str


_NOT_READ = LintHint(
    LintRule.NOT_READ,
    f"No session reads a file of this name. The index is {INDEX_NAME} at the top of the memory; every other file is a "
    "topic, with a name of printable characters that ends in lowercase `.md`.",
)


@dataclass(frozen=True, slots=True)
class _Window:
    """What is shown of a file at most, and what becomes of the rest."""

    lines: int
    size: int
    unit: str
    measure: Callable[[str], int]
    rest: str


_INDEX_WINDOW = _Window(
    INDEX_LINES,
    INDEX_UNITS,
    "UTF-16 code units",
    utf16_units,
    "sessions do not see what stands beyond. Keep one short line a topic, and move details into topic files.",
)
_TOPIC_WINDOW = _Window(
    TOPIC_LINES,
    TOPIC_BYTES,
    "bytes",
    utf8_bytes,
    "a recall leaves out what stands beyond. Rewrite it shorter, or split it by subject into files with names of their "
    "own.",
)


def format_hints(name: str, text: str) -> tuple[LintHint, ...]:
    """Gives what is to be put right in a file with this path below the memory directory and this text."""
    if name == INDEX_NAME:
        return tuple(_size_hints(text, _INDEX_WINDOW))
    if not is_topic_name(name):
        return (_NOT_READ,)
    file = name.rpartition("/")[2]
    return (*_size_hints(text, _TOPIC_WINDOW), *_name_hints(file), *_description_hints(text))


def _size_hints(text: str, window: _Window) -> Iterator[LintHint]:
    lines, size = count_lines(text), window.measure(text.removesuffix("\n"))
    measured = (
        f"It has {lines:,} lines and {size:,} {window.unit}; {window.lines} lines and {window.size:,} {window.unit} "
        "are shown at most"
    )
    if lines > window.lines or size > window.size:
        yield LintHint(LintRule.OVER_LIMIT, f"{measured}, so {window.rest}")
    elif 100 * lines > NEAR_PERCENT * window.lines or 100 * size > NEAR_PERCENT * window.size:
        yield LintHint(LintRule.NEAR_LIMIT, f"{measured}. It is close to that: {window.rest}")


def _name_hints(file: str) -> Iterator[LintHint]:
    if is_numbered_continuation(file):
        yield LintHint(
            LintRule.NUMBERED_NAME,
            "Its name looks as if it only numbered a continuation. Merge it into the topic that it goes on with, or "
            "give it the name of its own subject. A number that belongs to the subject (`utf-8`) may stay.",
        )


def is_numbered_continuation(file: str) -> bool:
    """Tells whether a file's name seems to say no more than that it is the next part of another (`topic-2.md`).

    `utf-8.md` and `python-3.md` do so too: the name alone does not tell them apart, and a topic that was split would be
    missed if another file had to stand beside it. So they are told, and the hint leaves the number to who knows better.
    """
    return _CONTINUATION.match(file.removesuffix(".md")) is not None


def _description_hints(text: str) -> Iterator[LintHint]:
    description = front_matter_of(text).description or ""
    if not sanitise_memory_text(description).split():
        yield LintHint(
            LintRule.NO_DESCRIPTION,
            "It has no `description` in front matter (between two lines `---` at its beginning), so nobody can tell "
            "when it is needed. Add one sentence.",
        )
    elif (units := utf16_units(description)) > DESCRIPTION_UNITS:
        yield LintHint(
            LintRule.LONG_DESCRIPTION,
            f"Its `description` has {units:,} characters; at most {DESCRIPTION_UNITS} are shown. Shorten it.",
        )

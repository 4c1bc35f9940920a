"""What a model is told about a memory file that was just written, so that it puts it right.

- The size: near (above 80 %) or over what is shown of an index or a topic.
- The name: a numbered continuation such as `topic-2.md`, because the rest of a topic is found by nobody.
- The front matter of a topic: its `description` is missing or too long. An index has none.
- A text that looks like a secret: the lines, never the value. The detector is handed in. What is too long to be looked
  at is told as that.

The saved file stays as it is in any case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pi_sandbox.errors import quoted
from pi_sandbox.memory_text.sanitise import sanitise_memory_text
from pi_sandbox.project_memory.catalogue import INDEX_NAME, one_line
from pi_sandbox.project_memory.cutting import count_lines
from pi_sandbox.project_memory.front_matter import front_matter_of
from pi_sandbox.project_memory.javascript_text import utf8_bytes, utf16_units
from pi_sandbox.project_memory.limits import (
    DESCRIPTION_UNITS,
    INDEX_LINES,
    INDEX_UNITS,
    NEAR_PERCENT,
    TOPIC_BYTES,
    TOPIC_LINES,
)

SECRET_CHARACTERS = 1024 * 1024
SECRET_LINES = 100_000
"""What is looked at for secrets; a longer file is far beyond what is shown, and the memory check blocks it whole."""


@dataclass(frozen=True, slots=True)
class SecretLines:
    """The numbers (from 1) of the lines that look like a secret, and of those that are too long to be looked at."""

    found: frozenset[int] = frozenset()
    too_long: frozenset[int] = frozenset()


SecretDetector = Callable[[str], SecretLines]

_CONTINUATION = re.compile(
    r".*?[^\W\d_].*?(?<!\d)(?:[-_ .]+|[-_ .]*(?:part|pt|cont|continued)[-_ .]*|[ _-]*\()0*(?:[2-9]|[1-9]\d)\)?\Z",
    re.IGNORECASE,
)
"""A word, then a number from 2 to 99 behind a separator. A date, a version or the number of an issue is none."""

_LISTED_LINES = 5


class LintRule(StrEnum):
    """The rule that a file breaks."""

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


def lint_file(name: str, text: str, secret_lines: SecretDetector) -> tuple[LintHint, ...]:
    """Gives what is to be put right in the saved text of this file (its path below the memory directory)."""
    file = name.rpartition("/")[2]
    if file == INDEX_NAME:
        return (*_size_hints(text, _INDEX_WINDOW), *_secret_hints(text, secret_lines))
    return (
        *_size_hints(text, _TOPIC_WINDOW),
        *_name_hints(file),
        *_description_hints(text),
        *_secret_hints(text, secret_lines),
    )


def lint_reminder(name: str, hints: Sequence[LintHint]) -> str:
    """Gives the reminder that is added to the end of a tool's result, nothing if there is nothing to say."""
    if not hints:
        return ""
    lines = "\n".join(f"- {hint.text}" for hint in hints)
    return (
        f"<system-reminder>\nThe memory file {sanitise_memory_text(quoted(name))} was saved. Put right now:\n{lines}\n"
        "</system-reminder>"
    )


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
    if not one_line(description):
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


def _secret_hints(text: str, secret_lines: SecretDetector) -> Iterator[LintHint]:
    beginning = looked_at(text)
    lines = secret_lines(beginning)
    if lines.found:
        yield LintHint(
            LintRule.SECRET,
            f"It looks as if a secret were written down ({listed_lines(lines.found)}). Remove the value and say where "
            "it is kept instead: the memory is shared with other machines.",
        )
    if lines.too_long:
        yield LintHint(
            LintRule.NOT_LOOKED_AT,
            f"What is too long for that was not looked at for secrets ({listed_lines(lines.too_long)}). Break it into "
            "several lines.",
        )
    if len(beginning) < len(text):
        yield LintHint(
            LintRule.NOT_LOOKED_AT,
            f"Only its first {len(beginning):,} characters were looked at for secrets, the rest was not. Make it "
            "shorter.",
        )


def looked_at(text: str) -> str:
    """Give as much of a text as is looked at for secrets."""
    lines = text[:SECRET_CHARACTERS].split("\n", SECRET_LINES)
    return "\n".join(lines[:SECRET_LINES])


def listed_lines(numbers: Iterable[int]) -> str:
    """Give the numbers of lines as a few words."""
    lines = sorted(numbers)
    more = " and more" if len(lines) > _LISTED_LINES else ""
    return f"{'line' if len(lines) == 1 else 'lines'} {', '.join(map(str, lines[:_LISTED_LINES]))}{more}"

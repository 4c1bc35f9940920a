"""What a model is told about a memory file that was just written, so that it puts it right.

- The note format (`note_format.format_hints`).
- A text that looks like a secret: the lines, never the value. The detector is handed in. What is too long to be looked
  at is told as that.

The saved file stays as it is in any case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pi_sandbox.errors import quoted
from pi_sandbox.memory_text.sanitise import sanitise_memory_text
from pi_sandbox.note_format.format_hints import LintHint, LintRule, format_hints

SECRET_CHARACTERS = 1024 * 1024
SECRET_LINES = 100_000
"""What is looked at for secrets; a longer file is far beyond what is shown, and the memory check blocks it whole."""


@dataclass(frozen=True, slots=True)
class SecretLines:
    """The numbers (from 1) of the lines that look like a secret, and of those that are too long to be looked at."""

    found: frozenset[int] = frozenset()
    too_long: frozenset[int] = frozenset()


SecretDetector = Callable[[str], SecretLines]

_LISTED_LINES = 5


def lint_file(name: str, text: str, secret_lines: SecretDetector) -> tuple[LintHint, ...]:
    """Gives what is to be put right in the saved text of this file (its path below the memory directory)."""
    return (*format_hints(name, text), *_secret_hints(text, secret_lines))


def lint_reminder(name: str, hints: Sequence[LintHint]) -> str:
    """Gives the reminder that is added to the end of a tool's result, nothing if there is nothing to say."""
    if not hints:
        return ""
    lines = "\n".join(f"- {hint.text}" for hint in hints)
    return (
        f"<system-reminder>\nThe memory file {sanitise_memory_text(quoted(name))} was saved. Put right now:\n{lines}\n"
        "</system-reminder>"
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

"""Which lines a write of the main session's own tools cost, its own or somebody else's. Pure.

pi's `edit` and `write` read, change and write without a lock that another session would see, and the specification
leaves them as they are. So what they lost in a race can only be told afterwards:

- Of what was written, what no longer stands in the file has been overwritten since.
- Of what stood in the file before a `write`, the lines that were never shown to the session have been lost unseen.
- Of a change that somebody else made at the same time, the lines that it added and that are gone are overwritten.

A line counts with its blanks, and only if there is something in it; the keys that the engine puts in do not count.
Source: issue 9, "Better than what runs in pi today".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pi_sandbox.errors import quoted
from pi_sandbox.memory_text.javascript_text import shortened
from pi_sandbox.memory_text.sanitise import sanitise_memory_text
from pi_sandbox.project_memory.catalogue import one_line

_LISTED = 20
_LINE_UNITS = 300
_NOT_COUNTED = re.compile(r"\s*|---\s*|(?:created|changed)[ \t]*:.*")


@dataclass(frozen=True, slots=True)
class MainWrite:
    """What one of pi's tools was told to write: the whole text (`write`), or the old and the new texts (`edit`)."""

    content: str | None
    old_texts: tuple[str, ...] = ()
    new_texts: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Give what it writes, as far as it says."""
        return "\n".join(self.new_texts) if self.content is None else self.content


def added_lines(text: str, before: str | None) -> tuple[str, ...]:
    """Give the lines of a text that do not stand in the one before."""
    return _without(_lines(text), _lines(before or ""))


def own_lost_lines(write: MainWrite, now: str) -> tuple[str, ...]:
    """Give the lines of what was written that do not stand in the file now."""
    if write.content is not None:
        return added_lines(write.content, now)
    text = _plain(now)
    return tuple(line for new in write.new_texts if _plain(new) not in text for line in _lines(new))


def unseen_lost_lines(write: MainWrite, before: str | None, shown: Iterable[str], now: str) -> tuple[str, ...]:
    """Give the lines that stood in the file before a `write`, that no text in `shown` has, and that are gone."""
    if write.content is None or before is None:
        return ()
    known = [line for text in (*shown, now) for line in _lines(text)]
    return _without(_lines(before), known)


def others_lost_lines(write: MainWrite, added: Sequence[str], now: str) -> tuple[str, ...]:
    """Give the lines that somebody else added meanwhile and that are gone, unless they were to be replaced."""
    known = [*_lines(now), *(line for old in write.old_texts for line in _lines(old))]
    return _without(added, known)


def lost_lines_notice(name: str, own: Sequence[str], others: Sequence[str]) -> str:
    """Give what the model is told, nothing where no line was lost."""
    parts = []
    if own:
        parts += ["This that you have just written does not stand in it any more:", *_listed(own)]
    if others:
        parts += ["These lines that stood in it before, and that you have not seen, are gone:", *_listed(others)]
    if not parts:
        return ""
    file = sanitise_memory_text(quoted(name))
    lines = [
        f"The memory file {file} was written by another session at the same time, or since you read it.",
        *parts,
        "Read it again and put in what is missing and still holds.",
    ]
    return "\n".join(["<system-reminder>", *lines, "</system-reminder>"])


def _listed(lines: Sequence[str]) -> list[str]:
    shown = [f"- {shortened(one_line(line), _LINE_UNITS)}" for line in lines[:_LISTED]]
    more = len(lines) - len(shown)
    return [*shown, f"- and {more} more"] if more else shown


def _lines(text: str) -> list[str]:
    return [line for line in _plain(text).split("\n") if not _NOT_COUNTED.fullmatch(line)]


def _plain(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _without(lines: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    there = set(known)
    return tuple(line for line in dict.fromkeys(lines) if line not in there)

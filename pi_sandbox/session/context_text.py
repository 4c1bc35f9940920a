"""What of a briefing may stand on the context page: sanitised text, whole lines, at most 60 of them and 4,000 bytes.

A line that holds a longer run of backticks than 40 ends the excerpt before it: the fence around the text has to be
longer than any run in it, and would otherwise take the room of the other briefings.

Whatever is left out has its reason in words, which end up on the page: whoever reads it can mend the briefing.
"""

import re
from dataclasses import dataclass

from pi_sandbox.memory_text.sanitise import sanitise_memory_text
from pi_sandbox.session.briefings import READ_LIMIT, Text

BRIEFING_LINES = 60
BRIEFING_BYTES = 4_000
"""Bounds of one briefing on the page (sandbox.md, "Session context": "each capped at 60 lines / 4000 bytes")."""

SHORTEST_FENCE = 3
LONGEST_RUN = 40
"""Lengths of runs of backticks: the shortest that Markdown takes for a fence, the longest that an excerpt may hold."""

REASON_BYTES = 80
"""More than the reason takes that keeps even the first line from the page."""

_RUN = re.compile("`+")


@dataclass(frozen=True)
class Excerpt:
    """Lines from the top of a briefing, each with its newline but perhaps the last; `reason` why the rest is left out.

    The reason is empty where nothing is left out.
    """

    lines: tuple[str, ...]
    reason: str

    @property
    def whole(self) -> bool:
        return not self.reason

    @property
    def text(self) -> str:
        return "".join(self.lines)

    @property
    def fence(self) -> str:
        """A run of backticks longer than any in the text."""
        return "`" * max(SHORTEST_FENCE, 1 + max(map(len, _RUN.findall(self.text)), default=0))

    def first(self, count: int, reason: str) -> "Excerpt":
        """Gives its first lines; fewer than it has."""
        return Excerpt(self.lines[:count], reason)


def excerpt_of(briefing: Text) -> Excerpt:
    """Gives as much of the briefing as may ever stand on the page; bytes that are no UTF-8 show as U+FFFD."""
    content = briefing.content if briefing.complete else briefing.content[: briefing.content.rfind(b"\n") + 1]
    lines = _lines(sanitise_memory_text(content.decode("utf-8", "replace")))
    taken = 0
    for count, line in enumerate(lines):
        taken += len(line.encode("utf-8"))
        if reason := _reason_against(count + 1, line, taken):
            return Excerpt(tuple(lines[:count]), reason)
    return Excerpt(tuple(lines), "" if briefing.complete else _reason_of_the_read(content))


def _reason_against(number: int, line: str, taken: int) -> str:
    """Why the line with this number cannot stand on the page, with which the briefing would have `taken` bytes."""
    if number > BRIEFING_LINES:
        return f"a briefing has at most {BRIEFING_LINES} lines"
    run = max(map(len, _RUN.findall(line)), default=0)
    if run > LONGEST_RUN:
        return f"line {number} has {run:,} backticks in a row, and at most {LONGEST_RUN} can stand here"
    size = len(line.encode("utf-8"))
    if size > BRIEFING_BYTES:
        return f"line {number} has {size:,} bytes, and a briefing has at most {BRIEFING_BYTES:,}: break the line up"
    return f"a briefing has at most {BRIEFING_BYTES:,} bytes" if taken > BRIEFING_BYTES else ""


def _reason_of_the_read(content: bytes) -> str:
    if not content:
        return f"its first line has more than {READ_LIMIT:,} bytes, and a briefing has at most {BRIEFING_BYTES:,}"
    return f"only the first {READ_LIMIT:,} bytes of the file are read"


def _lines(text: str) -> list[str]:
    """The lines with their newlines. Only a newline ends one, whatever else `str.splitlines` would take for an end."""
    return re.findall(r"[^\n]*\n|[^\n]+\Z", text)

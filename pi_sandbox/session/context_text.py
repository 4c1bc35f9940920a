"""What of a briefing may stand on the context page: sanitised text, whole lines, at most 60 of them and 4,000 bytes.

A line that holds a longer run of backticks than 40 ends the excerpt before it: the fence around the text has to be
longer than any run in it, and would otherwise take the room of the other briefings.
"""

import re
from dataclasses import dataclass

from pi_sandbox.memory_text.sanitise import sanitise_memory_text
from pi_sandbox.session.briefings import Text

BRIEFING_LINES = 60
BRIEFING_BYTES = 4_000
"""Bounds of one briefing on the page (sandbox.md, "Session context": "each capped at 60 lines / 4000 bytes")."""

SHORTEST_FENCE = 3
LONGEST_RUN = 40
"""Lengths of runs of backticks: the shortest that Markdown takes for a fence, the longest that an excerpt may hold."""

_RUN = re.compile("`+")


@dataclass(frozen=True)
class Excerpt:
    """Lines from the top of a briefing, each with its newline but perhaps the last; `whole` where none is left out."""

    lines: tuple[str, ...]
    whole: bool

    @property
    def text(self) -> str:
        return "".join(self.lines)

    @property
    def fence(self) -> str:
        """A run of backticks longer than any in the text."""
        return "`" * max(SHORTEST_FENCE, 1 + max(map(len, _RUN.findall(self.text)), default=0))

    def first(self, count: int) -> "Excerpt":
        """Gives its first lines; fewer than it has."""
        return Excerpt(self.lines[:count], whole=False)


def excerpt_of(briefing: Text) -> Excerpt:
    """Gives as much of the briefing as may ever stand on the page; bytes that are no UTF-8 show as U+FFFD."""
    content = briefing.content if briefing.complete else briefing.content[: briefing.content.rfind(b"\n") + 1]
    lines = _lines(sanitise_memory_text(content.decode("utf-8", "replace")))
    taken = 0
    for count, line in enumerate(lines):
        taken += len(line.encode("utf-8"))
        if count == BRIEFING_LINES or taken > BRIEFING_BYTES or "`" * (LONGEST_RUN + 1) in line:
            return Excerpt(tuple(lines[:count]), whole=False)
    return Excerpt(tuple(lines), whole=briefing.complete)


def _lines(text: str) -> list[str]:
    """The lines with their newlines. Only a newline ends one, whatever else `str.splitlines` would take for an end."""
    return re.findall(r"[^\n]*\n|[^\n]+\Z", text)

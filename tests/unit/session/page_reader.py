"""Reads a context page back as a Markdown reader would: by its fences, not by how it was made."""

import re
from dataclasses import dataclass

HEADING = re.compile(r"### Briefing of (.*) \[([0-9a-f]{8})\]")


@dataclass(frozen=True)
class Section:
    """One briefing on the page. `body` is `None` where it is only pointed to; `notes` are the words around it."""

    title: str
    body: str | None
    notes: str


@dataclass(frozen=True)
class Page:
    mark: str
    rows: tuple[tuple[str, ...], ...]
    head: str
    sections: tuple[Section, ...]


def read_page(text: str) -> Page:
    """Gives the page in its parts; fails where it is not what a page must be."""
    outside, bodies = _without_fences(text)
    head, briefings = outside.split("\n## Briefings [", 1)
    mark = briefings[:8]
    parts = re.split(r"(?m)^(?=### )", briefings)
    ending = f"\nEnd of the page [{mark}].\n"
    assert parts[-1].endswith(ending)
    parts[-1] = parts[-1].removesuffix(ending)
    rows = tuple(_cells(line) for line in head.splitlines() if line.startswith("| "))
    assert rows[0] == ("scope", "store", "path", "access", "memory")
    return Page(mark, rows[2:], head, tuple(_section(part, mark, bodies) for part in parts[1:]))


def _without_fences(text: str) -> tuple[str, list[str]]:
    """The text with each fenced block replaced by a line that names its number, and the blocks."""
    outside: list[str] = []
    bodies: list[str] = []
    fence, body = "", ""
    for line in re.findall(r"[^\n]*\n|[^\n]+\Z", text):
        if fence and re.fullmatch(rf" {{0,3}}{fence}`*[ \t]*\n", line):
            outside.append(f"\0{len(bodies)}\n")
            bodies.append(body)
            fence, body = "", ""
        elif fence:
            body += line
        elif opening := re.match(r"(`{3,})[^`]*\n", line):
            fence = opening[1]
        else:
            assert not re.match(r" {0,3}(~~~|```)|    |\t", line)
            outside.append(line)
    assert not fence
    return "".join(outside), bodies


def _section(part: str, mark: str, bodies: list[str]) -> Section:
    heading, notes = part.split("\n", 1)
    match = HEADING.fullmatch(heading)
    assert match is not None
    assert match[2] == mark
    found = re.findall("\0([0-9]+)\n", notes)
    assert len(found) <= 1
    return Section(match[1], bodies[int(found[0])] if found else None, notes)


def _cells(row: str) -> tuple[str, ...]:
    cells = row.removeprefix("| ").removesuffix(" |").split(" | ")
    assert len(cells) == 5
    assert "|" not in "".join(cells)
    return tuple(cells)

"""The context page: what the agent is told of its memory before the first word (sandbox.md, "Session context").

Always, whatever the levels are called and whatever their briefings hold:

- the page is valid UTF-8 and at most 16,384 bytes, table and headings counted;
- a briefing is at most 60 lines and 4,000 bytes, and only whole lines of it;
- the room goes to the project first, then to its parent, and so on out to the domain, and to core last; on the page the
  order is core, domain, levels from the outermost in, project;
- a briefing that does not fit is cut at a line and ends in a pointer to its file, or is only a pointer; where not even
  the rows and pointers fit, one line says how many of the outermost levels are left out;
- text of a briefing is data: sanitised, between fences longer than any in it, under a heading whose mark occurs in no
  briefing, so that nothing inside can pass for a part of the page.

The page names paths in the container and depends on its arguments only, so host and container get the same bytes.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import count

from pi_sandbox.session.briefings import BRIEFING_FILE, Absent, Briefing, Text, Unreadable
from pi_sandbox.session.context_names import shown_path
from pi_sandbox.session.context_text import REASON_BYTES, Excerpt, excerpt_of
from pi_sandbox.session.scope import Access, SessionScope, store_path
from pi_sandbox.settings.domains import CORE

PAGE_BYTES = 16_384
"""Most bytes of the whole page (sandbox.md, "Session context": "The whole file stays within 16 KiB")."""

PAGE_TEMPLATE = "context.md.j2"
BRIEFING_TEMPLATE = "context_briefing.md.j2"

Render = Callable[[str, Mapping[str, object]], str]

_NO_ROOM = f"there is no room left on this page, which has at most {PAGE_BYTES:,} bytes"

_MARK_LENGTH = 8
_NO_MARK = "-" * _MARK_LENGTH
_NO_REASON = Excerpt((), "-" * REASON_BYTES)
"""Stand for the mark, and for a briefing that is only pointed to, while sizes are measured.

One size for every reason, so that no briefing takes room from a nearer one by the words that are said of it.
"""

_QUOTED_PATH = '`"'
"""How a path begins that is shown as a JSON string."""

_MOST_LEVELS = 300
"""More levels than this never fit on the page, since the row of one takes more than 60 bytes."""


@dataclass(frozen=True)
class ContextDocument:
    """The page. By their folders in the container: the briefings that are cut, and those that are only pointed to.

    `unlisted` is the number of outermost levels that the page only counts.
    """

    text: str
    cut: tuple[str, ...]
    not_inlined: tuple[str, ...]
    unlisted: int


@dataclass(frozen=True)
class Entry:
    """One row of the table, as the template shows it. `briefing` is `None` for the store that is only pointed to."""

    scope: str
    title: str
    store: str
    folder: str
    access: str
    memory: str
    briefing: Briefing | None

    @cached_property
    def excerpt(self) -> Excerpt | None:
        """What of the briefing may stand on the page; `None` where there is none with words."""
        return excerpt_of(self.briefing) if isinstance(self.briefing, Text) and _is_spoken(self.briefing) else None

    @property
    def pointer(self) -> Excerpt:
        """An excerpt without a line: why not even the first one stands on the page."""
        if self.excerpt is None or self.excerpt.lines:
            return Excerpt((), _NO_ROOM)
        return self.excerpt

    @cached_property
    def path(self) -> str:
        return shown_path(self.folder)

    @cached_property
    def file(self) -> str:
        return shown_path(f"{self.folder}/{BRIEFING_FILE}")


def render_context(scope: SessionScope, briefings: Mapping[str, Briefing], render: Render) -> ContextDocument:
    """Gives the page of a scope. `briefings` is what `read_briefings` gave; `render` fills a template by its name."""
    outer, levels = _outer_entries(scope, briefings), _level_entries(scope, briefings)
    kept = _levels_that_fit(scope, outer, levels, render)
    spoken = [entry for entry in (*outer, *kept) if _has_words(entry)]
    room = PAGE_BYTES - _size(_page(scope, outer, levels, len(kept), _pointers(spoken, render), _NO_MARK, render))
    excerpts = _share_out(room, spoken, render)
    names = [shown_path(str(scope.project)), *(entry.file for entry in (*outer, *kept))]
    mark = _mark([*names, *(excerpt.text for excerpt in excerpts.values())])
    sections = [_section(entry, excerpts.get(entry.folder, entry.pointer), mark, render) for entry in spoken]
    return ContextDocument(
        text=_page(scope, outer, levels, len(kept), sections, mark, render),
        cut=tuple(entry.folder for entry in spoken if entry.folder in excerpts and not excerpts[entry.folder].whole),
        not_inlined=tuple(entry.folder for entry in spoken if entry.folder not in excerpts),
        unlisted=len(levels) - len(kept),
    )


def _levels_that_fit(
    scope: SessionScope, outer: Sequence[Entry], levels: Sequence[Entry], render: Render
) -> Sequence[Entry]:
    """The longest run of innermost levels, the project at least, whose rows and pointers fit on the page."""

    def is_too_long(kept: int) -> bool:
        spoken = [entry for entry in (*outer, *levels[-kept:]) if _has_words(entry)]
        return _size(_page(scope, outer, levels, kept, _pointers(spoken, render), _NO_MARK, render)) > PAGE_BYTES

    if len(levels) <= _MOST_LEVELS and not is_too_long(len(levels)):
        return levels
    numbers = range(2, min(len(levels), _MOST_LEVELS + 1))
    return levels[-1 - bisect_left(numbers, True, key=is_too_long) :]


def _share_out(room: int, spoken: Sequence[Entry], render: Render) -> Mapping[str, Excerpt]:
    """What of each briefing is inlined, nearest first; `room` is what the page has left when all are mere pointers."""
    shares: dict[str, Excerpt] = {}
    for entry in reversed(spoken):
        pointer = _size(_section(entry, _NO_REASON, _NO_MARK, render))

        def cost(excerpt: Excerpt, entry: Entry = entry, pointer: int = pointer) -> int:
            return _size(_section(entry, excerpt, _NO_MARK, render)) - pointer

        if entry.excerpt is not None and (share := _share(room, entry.excerpt, cost)):
            shares[entry.folder] = share
            room -= cost(share)
    return shares


def _share(room: int, excerpt: Excerpt, cost: Callable[[Excerpt], int]) -> Excerpt | None:
    if cost(excerpt) <= room and (excerpt.lines or excerpt.whole):
        return excerpt
    numbers = range(1, len(excerpt.lines))
    lines = bisect_left(numbers, True, key=lambda number: cost(excerpt.first(number, _NO_ROOM)) > room)
    return excerpt.first(lines, _NO_ROOM) if lines else None


def _section(entry: Entry, excerpt: Excerpt, mark: str, render: Render) -> str:
    values = {"title": entry.title, "file": entry.file, "excerpt": excerpt, "mark": mark}
    return render(BRIEFING_TEMPLATE, values)


def _pointers(spoken: Sequence[Entry], render: Render) -> Sequence[str]:
    return [_section(entry, _NO_REASON, _NO_MARK, render) for entry in spoken]


def _page(
    scope: SessionScope,
    outer: Sequence[Entry],
    levels: Sequence[Entry],
    kept: int,
    sections: Sequence[str],
    mark: str,
    render: Render,
) -> str:
    unlisted = levels[: len(levels) - kept]
    listed, project = [*outer, *levels[-kept:]], shown_path(str(scope.project))
    values = {
        "scope": scope,
        "project": project,
        "quoted_paths": any(_QUOTED_PATH in path for path in (project, *(entry.path for entry in listed))),
        "domain_path": str(store_path(scope.domain)),
        "missing": sorted(map(_store_name, scope.missing)),
        "closed": sorted(map(_store_name, scope.closed)),
        "entries": listed,
        "unlisted": len(unlisted),
        "unlisted_with_briefing": sum(map(_has_words, unlisted)),
        "sections": sections,
        "mark": mark,
    }
    return render(PAGE_TEMPLATE, values)


def _mark(texts: Sequence[str]) -> str:
    """A word that occurs in none of the texts, and that nobody can foresee while writing one of them."""
    joined = "\n".join(texts)
    marks = (sha256(f"{number}\n{joined}".encode()).hexdigest()[:_MARK_LENGTH] for number in count())
    return next(mark for mark in marks if mark not in joined)


def _outer_entries(scope: SessionScope, briefings: Mapping[str, Briefing]) -> Sequence[Entry]:
    stores = [("core", "core", CORE), ("domain", f"the domain {scope.domain}", scope.domain)]
    entries = [_entry(scope, row, title, store, str(store_path(store)), briefings) for row, title, store in stores]
    if scope.opt_in is not None:
        entries.append(_opt_in_entry(scope, scope.opt_in))
    return entries


def _level_entries(scope: SessionScope, briefings: Mapping[str, Briefing]) -> Sequence[Entry]:
    folder = store_path(scope.domain)
    titles = [("level", "a level")] * (len(scope.levels) - 1) + [("project", "the project")]
    return [
        _entry(scope, row, title, scope.domain, f"{folder}/{level}", briefings)
        for (row, title), level in zip(titles, scope.levels, strict=True)
    ]


def _entry(
    scope: SessionScope, row: str, title: str, store: str, folder: str, briefings: Mapping[str, Briefing]
) -> Entry:
    access, briefing = scope.access(store), briefings[folder]
    return Entry(
        row, title, _store_name(store), folder, _ACCESS[access], _PLACEHOLDERS.get(access, _memory(briefing)), briefing
    )


def _opt_in_entry(scope: SessionScope, store: str) -> Entry:
    folder, access = str(store_path(store)), scope.access(store)
    pointer = f"not inlined, see {shown_path(f'{folder}/{BRIEFING_FILE}')}"
    return Entry("opt-in", store, _store_name(store), folder, _ACCESS[access], _PLACEHOLDERS.get(access, pointer), None)


def _store_name(store: str) -> str:
    return f"pi-memory-{store}"


_ACCESS = {
    Access.READ_WRITE: "read-write",
    Access.READ_ONLY: "read-only",
    Access.MISSING: "read-only, empty",
    Access.CLOSED: "read-only, empty",
}
_PLACEHOLDERS = {Access.MISSING: "store missing", Access.CLOSED: "store closed"}


def _memory(briefing: Briefing) -> str:
    match briefing:
        case Text():
            return "briefing below" if _is_spoken(briefing) else "briefing is empty"
        case Absent(other_memory):
            return "no briefing" if other_memory else "no memory yet"
        case Unreadable(reason):
            return f"briefing not read: {reason}"


def _has_words(entry: Entry) -> bool:
    return entry.excerpt is not None


def _is_spoken(briefing: Briefing | None) -> bool:
    return isinstance(briefing, Text) and not briefing.content.isspace() and briefing.content != b""


def _size(page: str) -> int:
    return len(page.encode("utf-8"))

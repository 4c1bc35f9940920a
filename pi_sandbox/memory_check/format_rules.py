"""The note format of a store (design.md, "Note format"): what may stand where, and how each file is written.

- Root and each level hold `README.md`, `briefing.md`, `index.md`, `log.md`, `notes/<slug>.md`; a level also `auto/`, in
  which the memory engine keeps what it keeps: the rules there are the engine's own (`note_format.format_hints`).
- The core store has no levels: any other folder in it is a project's and blocks (sandbox.md, "Sync").
- `README.md` has no format.
- Everything here is a warning except `project-in-core`. Each thing is one finding on one line.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from pi_sandbox.errors import quoted
from pi_sandbox.memory_check.findings import Finding, Severity
from pi_sandbox.memory_text.javascript_text import decoded
from pi_sandbox.note_format.format_hints import LintRule, format_hints
from pi_sandbox.note_format.limits import DESCRIPTION_UNITS
from pi_sandbox.note_format.names import AUTO, INDEX_NAME, NOTES
from pi_sandbox.session.context_text import BRIEFING_BYTES, BRIEFING_LINES
from pi_sandbox.workspace.level_names import refusal_of_level_name

DESCRIPTION_LENGTH = 300
"""Characters of a note's description at most (design.md, "Note format")."""

_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_INDEX_ENTRY = re.compile(r"- \[(?P<title>[^\]\n]{1,300})\]\((?P<target>[^()\s]{1,300})\): \S.*")
_LOG_ENTRY = re.compile(r"(?:- )?(?P<date>\d{4}-\d{2}-\d{2})\b.*\S")
_HEADING = re.compile(r"#{1,6} \S")
_FRONT_KEY = re.compile(r"^(?P<key>[A-Za-z][\w-]*):(?:\s+(?P<value>.*))?$")
_ROOT_FILES = frozenset({"README.md", "briefing.md", "index.md", "log.md"})
_GIT_FILES = frozenset({".gitignore", ".gitattributes"})
_EXPECTED = ("briefing.md", "index.md", "log.md")


class StoreKind(StrEnum):
    """Which of the two formats a store has."""

    CORE = "core"
    DOMAIN = "domain"


@dataclass(frozen=True)
class Place:
    """Where a file stands: the folders of its level, and its path inside the level."""

    level: tuple[str, ...]
    inner: tuple[str, ...]

    @property
    def is_note(self) -> bool:
        """Whether this is where a note belongs."""
        return len(self.inner) == 2 and self.inner[0] == NOTES

    @property
    def is_in_auto(self) -> bool:
        """Whether this is where the memory engine writes: the store itself is no project's level."""
        return len(self.inner) > 1 and self.inner[0] == AUTO and bool(self.level)

    @property
    def is_root_file(self) -> bool:
        """Whether this is one of the four files that every level has."""
        return len(self.inner) == 1 and self.inner[0] in _ROOT_FILES

    def prefix(self) -> str:
        """Gives the path of the level with a slash at its end; empty for the store itself."""
        return "".join(name + "/" for name in self.level)


def place_of(path: str) -> Place:
    """Gives the level and the inner path of a file of a domain store; `notes` and `auto` begin the inner path."""
    parts = tuple(path.split("/"))
    for number, name in enumerate(parts[:-1]):
        if name in (NOTES, AUTO):
            return Place(parts[:number], parts[number:])
    return Place(parts[:-1], parts[-1:])


@dataclass
class FormatCheck:
    """Takes the files of one store one by one and remembers only what the last look needs: names and index entries."""

    kind: StoreKind
    _notes: dict[str, str] = field(default_factory=dict)
    _listed: dict[str, dict[str, int]] = field(default_factory=dict)
    _levels: dict[str, set[str]] = field(default_factory=lambda: {"": set()})
    _projects: set[str] = field(default_factory=set)

    def of_file(self, path: str, lines: Sequence[str], content: bytes) -> Iterator[Finding]:
        """Yields the findings of one file's place and content; `lines` are those of its likeliest reading."""
        if self.kind is StoreKind.CORE and "/" in path and not _is_core_place(path):
            yield from self._project_in_core(path)
            return
        place = place_of(path)
        yield from _place_findings(path, place)
        if place.is_note:
            self._notes[path] = place.prefix()
            self._levels.setdefault(place.prefix(), set())
            yield from note_findings(path, lines)
        elif place.is_root_file:
            self._levels.setdefault(place.prefix(), set()).add(place.inner[0])
            yield from self._root_file_findings(path, place, lines, len(content))
        elif place.is_in_auto:
            yield from auto_findings(path, place, content)

    def of_store(self) -> Iterator[Finding]:
        """Yields, after the last file, what is missing: files of a level, index lines of notes, notes of index
        lines."""
        for path, prefix in sorted(self._notes.items()):
            if prefix in self._listed and path not in self._listed[prefix]:
                yield _warning(path, None, "format-index", "the note has no line in index.md")
        for prefix, listed in sorted(self._listed.items()):
            for target, line in sorted(listed.items(), key=lambda pair: pair[1]):
                if target not in self._notes:
                    yield _warning(prefix + "index.md", line, "format-index", "the line leads to no note")
        for prefix, names in sorted(self._levels.items()):
            for name in _EXPECTED:
                if name not in names:
                    yield _warning(prefix + name, None, "format-missing-file", "the file is missing")

    def _project_in_core(self, path: str) -> Iterator[Finding]:
        folder = path.split("/")[0] if not path.startswith("notes/") else "/".join(path.split("/")[:2])
        if folder not in self._projects:
            self._projects.add(folder)
            message = "a project folder does not belong into the core store; move it to a domain's store"
            yield Finding(folder + "/", None, Severity.BLOCKING, "project-in-core", message)

    def _root_file_findings(self, path: str, place: Place, lines: Sequence[str], size: int) -> Iterator[Finding]:
        match place.inner[0]:
            case "briefing.md":
                yield from briefing_findings(path, lines, size)
            case "index.md":
                yield from self._index_findings(path, place, lines)
            case "log.md":
                yield from log_findings(path, lines)

    def _index_findings(self, path: str, place: Place, lines: Sequence[str]) -> Iterator[Finding]:
        listed = self._listed.setdefault(place.prefix(), {})
        for number, line in enumerate(lines, 1):
            if not line.strip() or _HEADING.match(line):
                continue
            entry = _INDEX_ENTRY.fullmatch(line.rstrip())
            if entry is None or not entry["target"].startswith("notes/"):
                yield _warning(
                    path, number, "format-index", "an entry must be `- [title](notes/slug.md): what it holds`"
                )
            elif place.prefix() + entry["target"] in listed:
                yield _warning(path, number, "format-index", "the note has a line already")
            else:
                listed[place.prefix() + entry["target"]] = number


def _is_core_place(path: str) -> bool:
    parts = path.split("/")
    return (parts[0] == NOTES and len(parts) == 2) or parts[0].startswith(".")


def _place_findings(path: str, place: Place) -> Iterator[Finding]:
    for name in place.level:
        refusal = refusal_of_level_name(name)
        if refusal is not None:
            yield _warning(path, None, "format-level", f"the folder {quoted(name)} {refusal}")
            break
    if place.is_note:
        slug, dot, ending = place.inner[1].rpartition(".")
        if not dot or ending != "md" or _SLUG.fullmatch(slug) is None:
            yield _warning(
                path,
                None,
                "format-slug",
                "a note must be named notes/<slug>.md, the slug in a-z, 0-9 and single hyphens",
            )
    elif not place.is_root_file and not place.is_in_auto and path not in _GIT_FILES:
        yield _warning(path, None, "format-file", "the note format has no such file")


def note_findings(path: str, lines: Sequence[str]) -> Iterator[Finding]:
    """Yields what is wrong with a note: front matter with a description, then a title."""
    if not lines or lines[0].rstrip() != "---":
        yield _warning(path, 1, "format-front-matter", "a note must begin with front matter between two lines `---`")
        return
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    if end is None:
        yield _warning(path, 1, "format-front-matter", "the front matter has no end")
        return
    yield from _description_findings(path, lines[1:end])
    title = next((number for number, line in enumerate(lines[end + 1 :], end + 1) if line.strip()), None)
    if title is None or re.match(r"# \S", lines[title]) is None:
        yield _warning(
            path,
            (title if title is not None else end) + 1,
            "format-title",
            "after the front matter must come a title, `# …`",
        )


def _description_findings(path: str, front: Sequence[str]) -> Iterator[Finding]:
    keys = [
        (number, found)
        for number, line in enumerate(front, 2)
        if (found := _FRONT_KEY.fullmatch(line.rstrip())) is not None
    ]
    descriptions = [(number, (found["value"] or "").strip()) for number, found in keys if found["key"] == "description"]
    if len(descriptions) != 1:
        yield _warning(path, 1, "format-front-matter", "the front matter must have exactly one `description`")
        return
    number, value = descriptions[0]
    goes_on = number - 1 < len(front) and front[number - 1][:1] in (" ", "\t")
    if not value.strip("\"'") or value[:1] in ("|", ">") or goes_on:
        yield _warning(path, number, "format-description", "the description must be one line of text")
    elif len(value.strip("\"'")) > DESCRIPTION_LENGTH:
        yield _warning(
            path, number, "format-description", f"the description has more than {DESCRIPTION_LENGTH} characters"
        )


def auto_findings(path: str, place: Place, content: bytes) -> Iterator[Finding]:
    """Yields what the engine itself would have put right, but for what is no fault yet."""
    for hint in format_hints("/".join(place.inner[1:]), decoded(content)):
        if hint.rule in _AUTO_FAULTS:
            yield _warning(path, None, *_AUTO_FAULTS[hint.rule])


_AUTO_FAULTS = {
    LintRule.NOT_READ: ("format-file", f"no session reads it: {INDEX_NAME} stands in {AUTO}/, a topic ends in .md"),
    LintRule.OVER_LIMIT: ("format-memory-length", "the file is longer than what a session is shown of it"),
    LintRule.NUMBERED_NAME: ("format-slug", "the name looks like that of a mere continuation; name its own subject"),
    LintRule.NO_DESCRIPTION: ("format-front-matter", "the front matter must have a `description`"),
    LintRule.LONG_DESCRIPTION: ("format-description", f"the description has more than {DESCRIPTION_UNITS} characters"),
}


def briefing_findings(path: str, lines: Sequence[str], size: int) -> Iterator[Finding]:
    """Yields whether a briefing is longer than what a session gets of it."""
    if len(lines) > BRIEFING_LINES:
        yield _warning(
            path,
            BRIEFING_LINES + 1,
            "format-briefing-length",
            f"a briefing must have at most {BRIEFING_LINES} lines; this one has {len(lines)}",
        )
    elif size > BRIEFING_BYTES:
        yield _warning(
            path,
            None,
            "format-briefing-length",
            f"a session gets at most {BRIEFING_BYTES} bytes of a briefing; this one has {size}",
        )


def log_findings(path: str, lines: Sequence[str]) -> Iterator[Finding]:
    """Yields the lines of a log that are no entry, have no real date, or are older than the entry above."""
    latest = date.min
    for number, line in enumerate(lines, 1):
        if not line.strip() or _HEADING.match(line):
            continue
        entry = _LOG_ENTRY.match(line)
        day = _date(entry["date"]) if entry else None
        if day is None:
            yield _warning(path, number, "format-log", "an entry must be one line that begins with YYYY-MM-DD")
        elif day < latest:
            yield _warning(
                path, number, "format-log", "the entry is older than the one above; a log only grows at its end"
            )
        else:
            latest = day


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _warning(path: str, line: int | None, category: str, message: str) -> Finding:
    return Finding(path, line, Severity.WARNING, category, message)

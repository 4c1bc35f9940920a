"""What the remote already has, so that nothing is asked about it again (sandbox.md, "Sync", step 3).

- A line is known in its own file alone: an address that stands in one note is new in a list of applicants.
- It is known if it stands in the remote's version of the file as a whole line, or if the paragraph or item that it
  belongs to does: also when that was moved, indented, quoted or wrapped elsewhere. A piece of a longer line is new.
- Line ends, the signs of lists, headings and quotes do not count; a number counts, also where it could be that of a
  list, since it may be a day, a house or a part of a telephone number as well.
- A file with exactly the content of another one is that file under another name.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pi_sandbox.git_access.object_data import GITLINK, LINK, TreeEntry
from pi_sandbox.git_access.objects import read_objects
from pi_sandbox.git_access.private_git import PrivateGit
from pi_sandbox.memory_check.memory_file import TEXT_LIMIT_BYTES, decode_content, lines_of

_QUOTES = re.compile(r"\s*(?:>\s?)*")
_MARKS = re.compile(r"\s*(?:(?:[>*+-]|#{1,6})\s+)*")
_BEGINS_ITEM = re.compile(r"\s*(?:[*+-]|#{1,6})\s+")


@dataclass(frozen=True)
class _Known:
    """The lines, and the paragraphs and items, of one remote file, each between two line ends."""

    lines: str
    units: str


@dataclass(frozen=True)
class RemoteText:
    """The words of every file on the remote. A file is read when the first question needs it."""

    git: PrivateGit
    entries: Mapping[str, TreeEntry]
    _known: dict[str, tuple[_Known, ...]] = field(default_factory=dict)

    def has_path(self, path: str) -> bool:
        """Whether the remote has a file of this name."""
        return path in self.entries

    def has_content(self, blob: str) -> bool:
        """Whether the remote has a file with exactly this content."""
        return any(entry.id == blob for entry in self.entries.values())

    def has_lines(self, path: str, lines: Sequence[str], first: int, last: int) -> bool:
        """Whether the lines from `first` up to, not including, `last` of a file are known in the file of this path."""
        some = _in_rows(map(words_of, lines[first:last]))
        if not some.strip():
            return False
        units = _in_rows(words for start, end, words in _units(lines) if start < last and first < end)
        return any(some in known.lines or units in known.units for known in self._of(path))

    def _of(self, path: str) -> tuple[_Known, ...]:
        if path not in self._known:
            self._known[path] = tuple(self._read(path))
        return self._known[path]

    def _read(self, path: str) -> Iterator[_Known]:
        entry = self.entries.get(path)
        if entry is None or entry.mode in (LINK, GITLINK):
            return
        ((_, content),) = read_objects(self.git, [entry.id], size_limit=TEXT_LIMIT_BYTES, from_store=True)
        for reading in () if content is None else decode_content(content).readings:
            lines = lines_of(reading)
            yield _Known(_in_rows(map(words_of, lines)), _in_rows(words for _, _, words in _units(lines)))


def words_of(line: str) -> str:
    """Gives the words of a line with one blank between them, without the marks before them."""
    return " ".join(line[_length(_MARKS, line) :].split())


def _units(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yields where each paragraph or item begins and ends, and its words."""
    first = 0
    for number, line in enumerate([*lines, ""]):
        bare = line[_length(_QUOTES, line) :]
        if not bare.strip() or _BEGINS_ITEM.match(bare):
            if words := " ".join(filter(None, map(words_of, lines[first:number]))):
                yield first, number, words
            first = number


def _in_rows(texts: Iterable[str]) -> str:
    return "".join(f"\n{text}" for text in texts if text) + "\n"


def _length(pattern: re.Pattern[str], line: str) -> int:
    match = pattern.match(line)
    return match.end() if match else 0

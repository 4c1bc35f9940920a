"""What the remote already has, so that nothing is asked about it again (sandbox.md, "Sync", step 3).

A line is known if all its words stand on the remote in this order, one after the other, in one file: also when it was
moved, indented, or wrapped elsewhere. Line ends, the signs of lists, headings and quotes do not count; a number counts,
also where it could be that of a list, since it may be a day, a house or a part of a telephone number as well.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pi_sandbox.git_access.object_data import GITLINK, LINK, TreeEntry
from pi_sandbox.git_access.objects import read_objects
from pi_sandbox.git_access.private_git import PrivateGit
from pi_sandbox.memory_check.memory_file import TEXT_LIMIT_BYTES, decode_content, lines_of

_MARKS = re.compile(r"\s*(?:(?:[>*+-]|#{1,6})\s+)*")
_BETWEEN_FILES = "\n"


@dataclass(frozen=True)
class RemoteText:
    """The words of every file on the remote. Nothing is read before the first question needs it."""

    git: PrivateGit
    entries: Mapping[str, TreeEntry]
    _texts: list[str] = field(default_factory=list)

    def has_path(self, path: str) -> bool:
        """Whether the remote has a file of this name."""
        return path in self.entries

    def has_content(self, blob: str) -> bool:
        """Whether the remote has a file with exactly this content."""
        return any(entry.id == blob for entry in self.entries.values())

    def has_lines(self, lines: Iterable[str]) -> bool:
        """Whether the words of the lines stand on the remote, one after the other."""
        words = normalised(lines)
        return bool(words.strip()) and words in self._text()

    def _text(self) -> str:
        if not self._texts:
            blobs = {entry.id for entry in self.entries.values() if entry.mode not in (LINK, GITLINK)}
            contents = read_objects(self.git, sorted(blobs), size_limit=TEXT_LIMIT_BYTES, from_store=True)
            self._texts.append(
                _BETWEEN_FILES.join(
                    normalised(lines_of(reading))
                    for _, content in contents
                    if content is not None
                    for reading in decode_content(content).readings
                )
            )
        return self._texts[0]


def normalised(lines: Iterable[str]) -> str:
    """Gives the words of the lines with one blank before and after each."""
    words = (word for line in lines for word in line[_mark_length(line) :].split())
    return f" {' '.join(words)} "


def _mark_length(line: str) -> int:
    match = _MARKS.match(line)
    return match.end() if match else 0

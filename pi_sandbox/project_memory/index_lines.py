"""Which lines of the index point to a note. Pure.

A line points to a note if it holds a Markdown link whose target is the note's name, as the index writes it
(`- [title](file.md): what it holds`), with or without `./`, `<…>`, percent escapes, a title or an anchor.
"""

from __future__ import annotations

import posixpath
import re
from urllib.parse import unquote

_TARGET = re.compile(r"\]\(\s*(?:<(?P<angled>[^<>\n]*)>|(?P<bare>[^\s()<>]*))[^)\n]*\)")


def without_note(index: str, name: str) -> str:
    """Give the index without the lines that point to the note of this name; every other byte stays."""
    return "".join(line for line in index.splitlines(keepends=True) if not points_to(line, name))


def points_to(line: str, name: str) -> bool:
    """Whether the line holds a link to the note of this name."""
    targets = (found["angled"] if found["angled"] is not None else found["bare"] for found in _TARGET.finditer(line))
    return any(_named(target) == posixpath.normpath(name) for target in targets)


def _named(target: str) -> str:
    return posixpath.normpath(unquote(target.partition("#")[0]))

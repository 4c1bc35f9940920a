"""The names of the note format: folders of a level that are no levels, and the files of an `auto/` that are read."""

from __future__ import annotations

import re

from pi_sandbox.memory_text.javascript_text import utf16_units
from pi_sandbox.note_format.limits import TOPIC_NAME_UNITS

NOTES, AUTO = "notes", "auto"
"""The two folders of a level that are no levels: its notes, and the memory that pi keeps of the project by itself."""

INDEX_NAME = "MEMORY.md"
TOPIC_SUFFIX = ".md"
EXCLUDED_FOLDERS = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", ".sl"})

_UNUSABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
"""Controls, and what stands for bytes that are no UTF-8."""


def is_topic_name(name: str) -> bool:
    """Tells whether a path below the memory directory can be a topic: a relative `.md` in UTF-8 that is no index.

    Nothing outside of the directory and nothing in an excluded folder has such a name.
    """
    if not name.endswith(TOPIC_SUFFIX) or utf16_units(name) > TOPIC_NAME_UNITS or _UNUSABLE.search(name):
        return False
    *folders, file = name.split("/")
    return file not in (INDEX_NAME, TOPIC_SUFFIX) and not any(
        folder in ("", ".", "..") or folder in EXCLUDED_FOLDERS for folder in folders
    )

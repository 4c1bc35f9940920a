"""Which file pi's own tools mean by a path, and whether that file is memory. Pure but for following links.

pi strips a leading `@`, puts the home folder in the place of `~`, takes Unicode blanks for plain ones, and resolves
against the working directory; `read` then also tries the decomposed form, a curly apostrophe, and the narrow blank that
macOS writes before AM and PM. All of them count here: a path is memory if one of its readings is. A link that leads to
itself counts by where it lies.

Source: `pi-api.md` 2.3 (pi 1.6.0, read in its source).
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from pi_sandbox.project_memory.javascript_text import node_text

_BLANKS = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")


def memory_file(path: str, working_directory: Path, home: Path, memory_root: Path) -> Path | None:
    """Give the real path of the memory file that a tool's path means, `None` if it means none.

    `memory_root` is a real path. A file that does not exist counts by where it would be.
    """
    if "\0" in path:
        return None
    for named in _readings(node_text(path), home):
        real = Path(os.path.realpath(working_directory / named))
        if real.is_relative_to(memory_root) and real != memory_root:
            return real
    return None


def _readings(path: str, home: Path) -> Iterator[str]:
    plain = _BLANKS.sub(" ", path.removeprefix("@"))
    if plain == "~" or plain.startswith("~/"):
        plain = str(home) + plain[1:]
    for each in (plain, re.sub(r" (AM|PM)\.", "\u202f\\1.", plain), plain.replace("'", "\u2019")):
        yield each
        yield unicodedata.normalize("NFD", each)

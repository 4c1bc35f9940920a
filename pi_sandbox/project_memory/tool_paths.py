"""Which file pi's own tools mean by a path, and whether that file is memory.

pi takes Unicode blanks for plain ones, strips a leading `@`, puts the home folder in the place of `~`, takes what
begins with `file://` for a URL, and resolves against the working directory by the text alone: `link/..` is the link's
own folder. Where no such file exists `read` takes the first of four other spellings that does, and no other tool does.

Source: `path-utils.js` and `paths.js` of pi 1.6.0.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from pi_sandbox.memory_text.javascript_text import node_text
from pi_sandbox.project_memory.memory_place import name_in_memory

_BLANKS = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_HALF_OF_DAY = re.compile(r" (AM|PM)\.", re.IGNORECASE | re.ASCII)
_NARROW_BLANK = "\u202f"
_URL = "file://"
_LEFT_OUT_OF_URLS = str.maketrans("\\", "/", "\t\n\r")


def memory_file(path: str, working_directory: Path, home: Path, memory_root: Path, *, reads: bool) -> Path | None:
    """Give the memory file that a tool's path means, by its name below the memory directory, `None` if it means none.

    `memory_root` is a real path. What is given is a real path too, unless a link leads out of memory. `reads`: the tool
    is `read`.
    """
    file = tool_file(path, working_directory, home, reads=reads)
    name = None if file is None else name_in_memory(file, memory_root)
    return None if name is None else memory_root / name


def tool_file(path: str, working_directory: Path, home: Path, *, reads: bool) -> Path | None:
    """Give the absolute path of the file that a tool opens, its links unfollowed, `None` if it opens none."""
    named = _named(node_text(path), working_directory, home)
    if named is None or "\0" in named:
        return None
    return Path(next(filter(os.path.exists, _spellings(named)), named) if reads else named)


def _named(path: str, working_directory: Path, home: Path) -> str | None:
    """Give the absolute path that a text means, `None` where pi fails."""
    plain = _BLANKS.sub(" ", path).removeprefix("@")
    if plain == "~" or plain.startswith("~/"):
        plain = str(home) + plain[1:]
    elif plain.startswith(_URL):
        of_url = _path_of_url(plain.removeprefix(_URL))
        if of_url is None:
            return None
        plain = of_url
    return "/" + os.path.normpath(working_directory / plain).lstrip("/")


def _path_of_url(rest: str) -> str | None:
    """Give the path of a file's URL without its beginning, `None` where Node's `fileURLToPath` fails."""
    plain = re.split(r"[?#]", rest.translate(_LEFT_OUT_OF_URLS).rstrip(" "), maxsplit=1)[0]
    host, slash, path = plain.partition("/")
    if unicodedata.normalize("NFKC", unquote(host)).casefold() not in ("", "localhost"):
        return None
    if re.search("%2f", path, re.IGNORECASE):
        return None
    try:
        return slash + unquote(path, errors="strict") if slash else "/"
    except UnicodeDecodeError:
        return None


def _spellings(path: str) -> Iterator[str]:
    """Yield what `read` looks for, in its order."""
    decomposed = unicodedata.normalize("NFD", path)
    yield path
    yield _HALF_OF_DAY.sub(rf"{_NARROW_BLANK}\1.", path)
    yield decomposed
    yield path.replace("'", "\u2019")
    yield decomposed.replace("'", "\u2019")

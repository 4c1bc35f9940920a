"""Finds what the settings of repositories name to git inside a folder: included files, hooks, programs, arguments.

A repository's settings may be its owner's own and out of a session's reach, and yet lead git to files that the session
may write: `include.path = ../.gitconfig`, `core.hooksPath = .githooks`, a filter in `tools/`, a `config` that is a link
(git-config(1)). Whoever changes those chooses what git runs next.

- Any word of a value counts that is the way to something in the folder, because a program's argument is often a program
  too. Values that are only data to git (`_DATA`) do not.
- A path is relative to the file that includes, else to the working tree. Ways are resolved as in `git_redirections`:
  nothing outside the folder is touched.
- Settings that git itself would refuse to read name nothing. Bounds: `_MOST_FILES` files of settings, each of at most
  `_FILE_BYTES`, `_MOST_WORDS` words of all their values.
"""

import hashlib
import os
import re
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from pi_sandbox.errors import FilesError
from pi_sandbox.git_access.config_text import ConfigEntry, ConfigUnreadableError, parse_config
from pi_sandbox.launch.git_redirections import way_inside
from pi_sandbox.session.disk_look import GitPlace, NamedFile, PlaceKind
from pi_sandbox.system.files import read_regular_file

_FILE_BYTES = 64 * 1024
_MOST_FILES = 50
_MOST_WORDS = 5_000
_MOST_STATES = 1_000
_INCLUDE = re.compile(r"include(?:if\..*)?\.path", re.DOTALL)
_DATA = re.compile(
    r"(?:branch|remote|submodule|url)\..*|core\.(?:worktree|bare|repositoryformatversion|filemode|ignorecase)|user\..*",
    re.DOTALL,
)
_BETWEEN_WORDS = re.compile(r"""[\s"'`=;|&()<>!]+""")
_SETTINGS = ("config", "config.worktree")
_MAY_BE_LINKS = (*_SETTINGS, "hooks", "info")


def named_files(root: Path, places: Iterable[GitPlace]) -> tuple[NamedFile, ...]:
    """Return each file and folder in `root` that the settings of these places name, and that is in none of them."""
    folders = [place for place in places if place.kind not in (PlaceKind.FILE, PlaceKind.LINK)]
    named: dict[Path, Path] = {}
    for place, path in _named(root, folders):
        if not any(path.is_relative_to(each.path) for each in folders) and not place.path.is_relative_to(path):
            named.setdefault(path, place.path)
    return tuple(NamedFile(path, by, state) for path, by in named.items() if (state := _state_of(path)))


def _named(root: Path, places: Iterable[GitPlace]) -> Iterator[tuple[GitPlace, Path]]:
    read = words = 0
    for place in places:
        for name in _MAY_BE_LINKS:
            if (led := way_inside(root, place.path, name)) is not None:
                yield place, led
        waiting = deque((place.path, name) for name in _SETTINGS)
        known: set[Path] = set()
        while waiting and read < _MOST_FILES:
            folder, way = waiting.popleft()
            path = way_inside(root, folder, way)
            if path is None or path in known:
                continue
            known.add(path)
            read += 1
            for entry in _entries(path):
                base = path.parent if _INCLUDE.fullmatch(entry.key) else _working_tree(place)
                for word in _words(entry):
                    words += 1
                    if words > _MOST_WORDS:
                        return
                    if (led := way_inside(root, base, word)) is not None:
                        yield place, led
                        if base == path.parent:
                            waiting.append((base, word))


def _working_tree(place: GitPlace) -> Path:
    """Where git runs what a repository names; that of a folder without a `.git` is taken to be around it."""
    return place.path.parent if place.kind is PlaceKind.FOLDER else place.path


def _entries(path: Path) -> tuple[ConfigEntry, ...]:
    try:
        content = read_regular_file(path, limit=_FILE_BYTES)
        return () if content is None else parse_config(content.data.decode("utf-8", "surrogateescape"))
    except (FilesError, ConfigUnreadableError):
        return ()


def _words(entry: ConfigEntry) -> Iterator[str]:
    if entry.value is None or _DATA.fullmatch(entry.key):
        return
    yield entry.value
    yield from (word for word in _BETWEEN_WORDS.split(entry.value) if word and word != entry.value)


def _state_of(path: Path) -> str:
    """Return a digest over the state of a file, or of a folder and what lies in it; nothing where there is none."""
    try:
        states = [_state(path)]
        if path.is_dir():
            with os.scandir(path) as entries:
                states += sorted(_state(Path(entry.path)) for entry in islice(entries, _MOST_STATES))
    except OSError:
        return ""
    return hashlib.sha256("\n".join(states).encode(errors="surrogateescape")).hexdigest()


def _state(path: Path) -> str:
    found = path.lstat()
    return f"{path.name} {found.st_ino} {found.st_size} {found.st_ctime_ns}"

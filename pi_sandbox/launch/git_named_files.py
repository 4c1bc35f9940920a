"""Finds what the settings of repositories name to git inside a folder: included files, hooks, programs, arguments.

A repository's settings may be its owner's own and out of a session's reach, and yet lead git to files that the session
may write: `include.path = ../.gitconfig`, `core.hooksPath = .githooks`, a filter in `tools/`, a `config` that is a link
(git-config(1)). Whoever changes those chooses what git runs next.

- Any word of a value counts that is the way to something in the folder, because a program's argument is often a program
  too. Values that are only data to git (`_DATA`) do not.
- A path is relative to the file that includes, else to the working tree. Ways are resolved as in `git_redirections`:
  nothing outside the folder is touched.
- Settings that git itself would refuse to read name nothing.
- Files of settings, their bytes, words of all their values, names on the ways and seconds are bounded; a bound that is
  reached is told, as that of a walk is (folder_walk.py).
"""

import hashlib
import os
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from pi_sandbox.errors import FilesError
from pi_sandbox.git_access.config_text import ConfigEntry, ConfigUnreadableError, parse_config
from pi_sandbox.launch.folder_walk import Bounds, TimeLimit
from pi_sandbox.launch.git_redirections import Ways, way_inside
from pi_sandbox.session.disk_look import GitPlace, NamedFile, NamedLook, PlaceKind, Unseen
from pi_sandbox.session.reach import is_below
from pi_sandbox.system.files import read_regular_file

_FILE_BYTES = 1024 * 1024
"""Ten thousand branches with a remote; reading so much takes about a second."""
_MOST_FILES = 1_000
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


@dataclass
class _Search:
    """How far one search of `root` has come."""

    root: Path
    seconds: float
    unseen: list[Unseen] = field(default_factory=list)
    files: int = 0
    words: int = 0
    time_limit: TimeLimit = field(init=False)
    ways: Ways = field(init=False)

    def __post_init__(self) -> None:
        self.time_limit = TimeLimit(self.root, self.seconds, self.unseen)
        self.ways = Ways(self.root, self.time_limit.is_over)

    def is_at_a_bound(self) -> bool:
        """Whether nothing more is looked at, which is told; nobody asks again then."""
        if self.files > _MOST_FILES:
            self.unseen.append(Unseen(self.root, f"has more than {_MOST_FILES} files of settings for git"))
        elif self.words > _MOST_WORDS:
            self.unseen.append(Unseen(self.root, f"has settings for git of more than {_MOST_WORDS} words"))
        elif self.ways.too_far is not None:
            self.unseen.append(self.ways.too_far)
        else:
            return self.time_limit.is_over()
        return True


def named_files(root: Path, places: Iterable[GitPlace], *, seconds: float = Bounds.seconds) -> NamedLook:
    """Return each file and folder in `root` that the settings of these places name, and that is in none of them."""
    search = _Search(root, seconds)
    folders = [place for place in places if place.kind not in (PlaceKind.FILE, PlaceKind.LINK)]
    repositories = frozenset(place.path for place in folders)
    named: dict[Path, Path] = {}
    for place, path in _named(search, folders):
        if not is_below(path, repositories) and not place.path.is_relative_to(path):
            named.setdefault(path, place.path)
    files = tuple(
        NamedFile(path, by, state)
        for path, by in named.items()
        if not search.time_limit.is_over() and (state := _state_of(path))
    )
    return NamedLook(files, tuple(search.unseen))


def _named(search: _Search, places: Iterable[GitPlace]) -> Iterator[tuple[GitPlace, Path]]:
    for place in places:
        for name in _MAY_BE_LINKS:
            if (led := way_inside(search.ways, place.path, name)) is not None:
                yield place, led
        waiting = deque((place.path, name) for name in _SETTINGS)
        known: set[Path] = set()
        while waiting:
            if search.is_at_a_bound():
                return
            folder, way = waiting.popleft()
            path = way_inside(search.ways, folder, way)
            if path is None or path in known:
                continue
            known.add(path)
            for entry in _entries(search, path):
                base = path.parent if _INCLUDE.fullmatch(entry.key) else _working_tree(place)
                for word in _words(entry):
                    search.words += 1
                    if search.is_at_a_bound():
                        return
                    if (led := way_inside(search.ways, base, word)) is not None:
                        yield place, led
                        if base == path.parent:
                            waiting.append((base, word))


def _working_tree(place: GitPlace) -> Path:
    """Where git runs what a repository names; that of a folder without a `.git` is taken to be around it."""
    return place.path.parent if place.kind is PlaceKind.FOLDER else place.path


def _entries(search: _Search, path: Path) -> tuple[ConfigEntry, ...]:
    try:
        content = read_regular_file(path, limit=_FILE_BYTES)
        if content is None:
            return ()
        search.files += 1
        return parse_config(content.data.decode("utf-8", "surrogateescape"))
    except FilesError:
        if path.lstat().st_size > _FILE_BYTES:
            search.unseen.append(Unseen(path, f"has more than {_FILE_BYTES} bytes of settings for git"))
        return ()
    except ConfigUnreadableError:
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

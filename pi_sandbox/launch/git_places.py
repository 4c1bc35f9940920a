"""Finds what git would take for a repository below a folder (git_access/discovery.py says what that is).

Whoever may write such a place chooses programs that git runs on the owner's machine (hooks, `core.fsmonitor`, filters,
a `gitdir:` or `commondir` that leads elsewhere). Nothing is followed; the nearest folders come first, so that the bound
leaves out the farthest ones.
"""

import hashlib
import os
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path

from pi_sandbox.errors import quoted
from pi_sandbox.git_access.discovery import entries_of, repositories_in
from pi_sandbox.session.disk_look import GitLook, GitPlace, PlaceKind
from pi_sandbox.workspace.level_names import is_git_name

MOST_FOLDERS = 20_000
"""Folders that are looked into: about half a second, and more than most checkouts have."""

_CODE = ("config", "config.worktree", "commondir", "hooks", "info")
_MOST_UNREAD = 3


def find_git(root: Path, *, most_folders: int = MOST_FOLDERS, below: bool = True) -> GitLook:
    """Gives the places in `root` and, unless `below` is false, in every folder below it."""
    places: list[GitPlace] = []
    unread: list[Path] = []
    waiting = deque([root])
    looked = 0
    while waiting and looked < most_folders:
        folder = waiting.popleft()
        looked += 1
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except FileNotFoundError:
            continue
        except OSError:
            unread.append(folder)
            continue
        places += _places(folder, found)
        if below:
            waiting.extend(_to_look_into(folder, found))
    return GitLook(tuple(places), tuple(_unseen(root, unread, len(waiting), looked)))


def join_looks(looks: Iterable[GitLook]) -> GitLook:
    """Gives one look for several folders."""
    taken = tuple(looks)
    return GitLook(
        tuple(place for look in taken for place in look.places), tuple(part for look in taken for part in look.unseen)
    )


def _places(folder: Path, entries: list[os.DirEntry[str]]) -> Iterator[GitPlace]:
    listed = {entry.name: entry for entry in entries}
    for name in repositories_in(entries_of(entries)):
        yield from _place(folder / name, _kind(listed[name]) if name else PlaceKind.BARE)


def _to_look_into(folder: Path, entries: list[os.DirEntry[str]]) -> Iterator[Path]:
    """Everything but git's own folders: a bare repository is a folder like others to git, which may hold one more."""
    for entry in entries:
        if entry.is_dir(follow_symlinks=False) and not is_git_name(entry.name):
            yield folder / entry.name


def _kind(entry: os.DirEntry[str]) -> PlaceKind:
    if entry.is_symlink():
        return PlaceKind.LINK
    return PlaceKind.FOLDER if entry.is_dir(follow_symlinks=False) else PlaceKind.FILE


def _place(path: Path, kind: PlaceKind) -> Iterator[GitPlace]:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    watched = _code_entries(path) if kind in (PlaceKind.FOLDER, PlaceKind.BARE) else (path,)
    digest = hashlib.sha256("\n".join(map(_state, watched)).encode(errors="surrogateescape")).hexdigest()
    yield GitPlace(path, kind, f"{found.st_dev}:{found.st_ino}", digest)


def _code_entries(git: Path) -> Iterator[Path]:
    for name in _CODE:
        yield git / name
        try:
            with os.scandir(git / name) as inner:
                yield from sorted(Path(entry.path) for entry in inner)
        except OSError:
            continue


def _state(path: Path) -> str:
    """The time of the last change to the entry itself cannot be set by a program (stat(2), st_ctim)."""
    try:
        found = path.lstat()
    except OSError:
        return f"{path.name} -"
    return f"{path.name} {found.st_ino} {found.st_size} {found.st_ctime_ns}"


def _unseen(root: Path, unread: list[Path], waiting: int, looked: int) -> Iterator[str]:
    for folder in unread[:_MOST_UNREAD]:
        yield f"{quoted(folder)} cannot be read"
    if len(unread) > _MOST_UNREAD:
        yield f"{len(unread) - _MOST_UNREAD} more folders in {quoted(root)} cannot be read"
    if waiting:
        yield f"{quoted(root)} has more than {looked} folders"

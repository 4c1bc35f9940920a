"""Finds what git would take for a repository below a folder (git_access/discovery.py says what that is).

Whoever may write such a place chooses programs that git runs on the owner's machine (hooks, `core.fsmonitor`, filters,
a `gitdir:` or `commondir` that leads elsewhere), so a folder that a repository leads git to is a place too.
Nothing else is followed; the nearest folders come first, so that the bound leaves out the farthest ones.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from pi_sandbox.git_access.discovery import FolderEntries, may_hold_a_repository, repositories_in
from pi_sandbox.launch.folder_walk import Bounds, FolderWalk, OpenFolder
from pi_sandbox.launch.git_redirections import Ways, redirection
from pi_sandbox.launch.hard_links import LinkCount
from pi_sandbox.session.disk_look import GitLook, GitPlace, PlaceKind, Unseen
from pi_sandbox.workspace.level_names import is_git_name, may_be_on_any_disk

MOST_PLACES = 2_000
"""Places that are kept of one look: each holds its whole path."""

_CODE = ("config", "config.worktree", "commondir", "hooks", "info")
_MOST_HOOKS = 10_000
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def find_git(
    root: Path,
    *,
    bounds: Bounds | None = None,
    closed: frozenset[Path] = frozenset(),
    links: LinkCount | None = None,
) -> GitLook:
    """Gives the places in `root` and in every folder below it but the `closed` ones; `links` takes the files there."""
    walk = FolderWalk(root, bounds or Bounds())
    closed_names = {path.name for path in closed}
    places: list[GitPlace] = []

    def inner(folder: OpenFolder) -> Sequence[str]:
        names = folders_to_look_into(folder)
        if closed_names.isdisjoint(names):
            return names
        return [name for name in names if name not in closed_names or folder.path / name not in closed]

    for folder in walk.folders(inner):
        for place in git_places(folder):
            places.append(place)
            if len(places) > MOST_PLACES or walk.time_limit.is_over():
                break
        if links is not None:
            links.take(folder)
        if len(places) > MOST_PLACES:
            walk.unseen.append(Unseen(root, f"has more than {MOST_PLACES} places that git takes for a repository"))
            break
    more = _led_to(walk, places)
    return GitLook((*places, *more), tuple(walk.unseen))


def join_looks(looks: Iterable[GitLook]) -> GitLook:
    """Gives one look for several; what more than one of them says of a place is said once."""
    taken = tuple(looks)
    unseen = dict.fromkeys(part for look in taken for part in look.unseen)
    return GitLook(tuple(place for look in taken for place in look.places), tuple(unseen))


def git_places(folder: OpenFolder) -> Iterator[GitPlace]:
    """Gives the places in one folder, itself among them where it is a bare repository."""
    if not may_hold_a_repository([entry.name for entry in folder.entries]):
        return
    listed = {entry.name: entry for entry in folder.entries}
    folders = frozenset(folder.folder_names)
    for name in repositories_in(FolderEntries(folders, frozenset(listed) - folders)):
        kind = _kind(listed[name]) if name else PlaceKind.BARE
        yield from _place(folder.path / name, folder.descriptor, name, kind)


def _led_to(walk: FolderWalk, places: Iterable[GitPlace]) -> list[GitPlace]:
    """Gives the folders that the places lead git to and that are none of them; what is not followed is unseen."""
    known = {place.path for place in places}
    more: list[GitPlace] = []
    ways = Ways(walk.root, walk.time_limit.is_over)
    for place in places:
        found = redirection(ways, place)
        for folder in found.folders:
            if folder not in known:
                known.add(folder)
                more += _place_led_to(folder)
        if not found.complete:
            walk.unseen.append(Unseen(place.path / "commondir", "leads git out of reach"))
        if ways.too_far is not None:
            walk.unseen.append(ways.too_far)
            break
        if walk.time_limit.is_over():
            break
    return more


def _place_led_to(folder: Path) -> Iterator[GitPlace]:
    try:
        descriptor = os.open(folder, _FOLDER)
    except OSError:
        return
    try:
        yield from _place(folder, descriptor, "", PlaceKind.LED_TO)
    finally:
        os.close(descriptor)


def folders_to_look_into(folder: OpenFolder) -> Sequence[str]:
    """Everything but git's own folders: a bare repository is a folder like others to git, which may hold one more."""
    names = folder.folder_names
    if not may_be_on_any_disk("/".join(names), ("git",)):
        return names
    return [name for name in names if not is_git_name(name)]


def _kind(entry: os.DirEntry[str]) -> PlaceKind:
    if entry.is_symlink():
        return PlaceKind.LINK
    return PlaceKind.FOLDER if entry.is_dir(follow_symlinks=False) else PlaceKind.FILE


def _place(path: Path, above: int, name: str, kind: PlaceKind) -> Iterator[GitPlace]:
    """Gives the place of this name in an open folder, or the folder itself; one whose state is denied counts too."""
    try:
        found = os.stat(name or ".", dir_fd=above, follow_symlinks=False)
        identity = f"{found.st_dev}:{found.st_ino}"
    except FileNotFoundError:
        return
    except OSError:
        identity = ""
    is_one_entry = kind in (PlaceKind.FILE, PlaceKind.LINK)
    states = [_state(above, name)] if is_one_entry else _code_states(above, name or ".")
    digest = hashlib.sha256("\n".join(states).encode(errors="surrogateescape")).hexdigest()
    yield GitPlace(path, kind, identity, digest)


def _code_states(above: int, git: str) -> list[str]:
    try:
        descriptor = os.open(git, _FOLDER, dir_fd=above)
    except OSError:
        return ["-"]
    try:
        return [state for name in _CODE for state in (_state(descriptor, name), *_inner_states(descriptor, name))]
    finally:
        os.close(descriptor)


def _inner_states(above: int, name: str) -> list[str]:
    try:
        descriptor = os.open(name, _FOLDER, dir_fd=above)
    except OSError:
        return []
    try:
        with os.scandir(descriptor) as inner:
            names = sorted(entry.name for entry in islice(inner, _MOST_HOOKS))
        return [_state(descriptor, each) for each in names]
    except OSError:
        return ["-"]
    finally:
        os.close(descriptor)


def _state(above: int, name: str) -> str:
    """The time of the last change to the entry itself cannot be set by a program (stat(2), st_ctim)."""
    try:
        found = os.stat(name, dir_fd=above, follow_symlinks=False)
    except OSError:
        return f"{name} -"
    return f"{name} {found.st_ino} {found.st_size} {found.st_ctime_ns}"

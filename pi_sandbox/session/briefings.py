"""What stands in the `briefing.md` of each scope of a session, read the same way on the host and in the container.

- Below a store nothing is followed: a folder or file that is a link is named, not read, because a link leads elsewhere
  on the host than in the container, and out of what the session may see.
- Only regular files are read, without waiting (a pipe never answers), and at most 64 KiB of each.
- The store itself may be reached through a link: that is the owner's own setting up.
"""

import errno
import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pi_sandbox.session.scope import SessionScope, store_path
from pi_sandbox.settings.domains import CORE

BRIEFING_FILE = "briefing.md"
READ_LIMIT = 65_536
"""Bytes read of one briefing: far above the 4,000 that are used, far below what would hurt."""

_OTHER_MEMORY = ("index.md", "log.md", "notes")


@dataclass(frozen=True)
class Text:
    """The file's first bytes; `complete` where they are all of it."""

    content: bytes
    complete: bool


@dataclass(frozen=True)
class Absent:
    """There is no briefing; `other_memory` where an index, a log or notes stand in its folder all the same."""

    other_memory: bool


@dataclass(frozen=True)
class Unreadable:
    """Something is there that is not read; `reason` is one of our own sentences, without anything from the file."""

    reason: str


Briefing = Text | Absent | Unreadable
_Place = int | Absent | Unreadable
"""An open folder, or how the way to it ended."""


def read_briefings(scope: SessionScope, roots: Mapping[str, Path]) -> Mapping[str, Briefing]:
    """Gives the briefings of core, of the domain and of each level, by the folder's path in the container.

    `roots` says where each store lies for whoever reads: `/brain/<store>` in the container, `~/pi/brain/…` on the host.
    The opt-in store's briefing is not read. Never raises for what lies in a store.
    """
    domain = scope.domain
    folders = [str(store_path(domain)), *(str(store_path(domain) / level) for level in scope.levels)]
    core = [Absent(False)] if CORE in scope.placeholders else _along(roots[CORE], [])
    inner = [Absent(False)] * len(folders) if domain in scope.placeholders else _along(roots[domain], scope.level_names)
    return dict(zip([str(store_path(CORE)), *folders], [*core, *inner], strict=True))


def _along(root: Path, names: Sequence[str]) -> list[Briefing]:
    """The briefing of the root and of each folder further in. Where the way ends, the rest shares that end."""
    place = _open_folder(root, None)
    found = [_briefing(place)]
    try:
        for name in names:
            outer, place = place, _enter(place, name)
            if isinstance(outer, int):
                os.close(outer)
            found.append(_briefing(place))
    finally:
        if isinstance(place, int):
            os.close(place)
    return found


def _enter(place: _Place, name: str) -> _Place:
    return _open_folder(name, place) if isinstance(place, int) else place


def _open_folder(path: str | Path, outer: int | None) -> _Place:
    follow = 0 if outer is None else os.O_NOFOLLOW
    try:
        return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | follow, dir_fd=outer)
    except FileNotFoundError:
        return Absent(other_memory=False)
    except PermissionError:
        return Unreadable("its folder may not be opened")
    except (OSError, ValueError):
        return Unreadable(
            "a folder on the way to it is a link" if _is_link(path, outer) else "its folder could not be opened"
        )


def _briefing(place: _Place) -> Briefing:
    if not isinstance(place, int):
        return place
    try:
        descriptor = os.open(BRIEFING_FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=place)
    except FileNotFoundError:
        return Absent(other_memory=any(_exists(name, place) for name in _OTHER_MEMORY))
    except PermissionError:
        return Unreadable("it may not be read")
    except OSError as error:
        return Unreadable("it is a link" if error.errno in (errno.ELOOP, errno.EMLINK) else "it is not a regular file")
    return _content(descriptor)


def _content(descriptor: int) -> Briefing:
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return Unreadable("it is not a regular file")
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(READ_LIMIT + 1)
    except OSError:
        return Unreadable("it could not be read")
    finally:
        os.close(descriptor)
    return Text(data[:READ_LIMIT], complete=len(data) <= READ_LIMIT)


def _exists(name: str, place: int) -> bool:
    return _mode(name, place) is not None


def _is_link(path: str | Path, outer: int | None) -> bool:
    mode = _mode(path, outer)
    return mode is not None and stat.S_ISLNK(mode)


def _mode(path: str | Path, place: int | None) -> int | None:
    try:
        return os.stat(path, dir_fd=place, follow_symlinks=False).st_mode
    except (OSError, ValueError):
        return None

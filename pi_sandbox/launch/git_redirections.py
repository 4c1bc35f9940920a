"""Where a repository leads git: by a `.git` that is a file or a link, and by `commondir`, inside one folder.

- git goes one step by `.git` and one by `commondir`, never further (setup.c, `read_gitfile`, `get_common_dir`).
- No path is followed that is longer than the system takes, and one look takes a bounded number of steps and of seconds:
  a file with hard links can be the `commondir` of very many places.
- Links are resolved here, name by name, and nothing outside the folder is touched: it may be a network file system that
  never answers.
"""

import os
import stat
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pi_sandbox.errors import FilesError
from pi_sandbox.session.disk_look import GitPlace, PlaceKind, Unseen
from pi_sandbox.session.mount_plan import is_mountable
from pi_sandbox.system.files import read_regular_file

_MOST_LINKS = 40
"""As many as the kernel follows in one path (path_resolution(7))."""
_FILE_BYTES = 1024 * 1024
"""A longer `.git` file is none to git; a longer `commondir` is nothing that anybody writes."""
_PATH_BYTES = 4_095
"""As long as the system takes a path (limits.h, PATH_MAX)."""
MOST_STEPS = 50_000
"""Names that are followed in one look: about a second."""
_GITFILE = b"gitdir: "
_TO_ROOT = "/"


@dataclass(frozen=True)
class Redirection:
    """The folders that git is led to. `complete` is false where `commondir` leads to where nobody looks."""

    folders: tuple[Path, ...]
    complete: bool = True


@dataclass
class Ways:
    """The ways in `root` that one look follows: the steps so far, and whether its time is over."""

    root: Path
    is_late: Callable[[], bool]
    steps: int = 0

    def step(self) -> None:
        """Counts one name on a way, and ends the way where no more are followed."""
        self.steps += 1
        if self.steps > MOST_STEPS or self.is_late():
            raise _OutOfReachError

    @property
    def too_far(self) -> Unseen | None:
        """What is told once no more names are followed."""
        if self.steps <= MOST_STEPS:
            return None
        return Unseen(self.root, f"leads git on ways of more than {MOST_STEPS} names")


class _OutOfReachError(Exception):
    """The way leaves the folder, or cannot be followed."""


def redirection(ways: Ways, place: GitPlace) -> Redirection:
    """Give the folders in the root of `ways` that git is led to from a place in it, links resolved.

    A `.git` that leads out of it is an ordinary worktree or submodule, and complete. A place that cannot be mounted
    is named at every start, whatever it leads to.
    """
    if not is_mountable(place.path):
        return Redirection(())
    git = place.path
    try:
        if place.kind in (PlaceKind.FILE, PlaceKind.LINK):
            git = _git_directory(ways, place.path)
    except _OutOfReachError:
        return Redirection(())
    found, complete = [git], True
    try:
        found.append(_led_to(ways, git, _said(ways, git, "commondir")))
    except _OutOfReachError:
        complete = False
    folders = dict.fromkeys(folder for folder in found if folder != place.path and _is_folder(folder))
    return Redirection(tuple(folders), complete)


def way_inside(ways: Ways, folder: Path, way: str) -> Path | None:
    """Return where a way leads from a folder in the root of `ways`, links resolved.

    `None` where it leads out of there, or where no more is followed.
    """
    try:
        return _resolved(ways, folder, way) if len(os.fsencode(way)) <= _PATH_BYTES else None
    except (_OutOfReachError, ValueError):
        return None


def _git_directory(ways: Ways, path: Path) -> Path:
    """Behind a link may be a file too; what it says is relative to the link's own folder."""
    here = _resolved(ways, path.parent, path.name)
    if not stat.S_ISREG(_mode(here)):
        return here
    said = _said(ways, path.parent, path.name)
    if not said.startswith(_GITFILE):
        raise _OutOfReachError
    return _led_to(ways, path.parent, said.removeprefix(_GITFILE))


def _led_to(ways: Ways, folder: Path, said: bytes) -> Path:
    """Only line ends are taken off the end, and a zero byte ends a path."""
    way = said.rstrip(b"\r\n").partition(b"\0")[0]
    if len(way) > _PATH_BYTES:
        raise _OutOfReachError
    return _resolved(ways, folder, os.fsdecode(way))


def _said(ways: Ways, folder: Path, name: str) -> bytes:
    try:
        content = read_regular_file(_resolved(ways, folder, name), limit=_FILE_BYTES)
    except FilesError as error:
        raise _OutOfReachError from error
    return b"" if content is None else content.data


def _resolved(ways: Ways, start: Path, way: str) -> Path:
    """Gives where the way leads from `start`, which lies in the root without links; the end need not be there."""
    root, here, links = ways.root, start, 0
    waiting = deque(_names(root, way))
    while waiting:
        ways.step()
        name = waiting.popleft()
        if name == _TO_ROOT:
            here = root
        elif name == "..":
            if here == root:
                raise _OutOfReachError
            here = here.parent
        elif not stat.S_ISLNK(_mode(here / name)):
            here /= name
        else:
            links += 1
            if links > _MOST_LINKS:
                raise _OutOfReachError
            waiting.extendleft(reversed(_names(root, _target(here / name))))
    return here


def _names(root: Path, way: str) -> list[str]:
    """Gives the names on a way, those to `root` as one."""
    names = [name for name in way.split("/") if name not in ("", ".")]
    if not way.startswith("/"):
        return names
    above = list(root.parts[1:])
    if names[: len(above)] != above:
        raise _OutOfReachError
    return [_TO_ROOT, *names[len(above) :]]


def _mode(path: Path) -> int:
    try:
        return path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return 0
    except OSError as error:
        raise _OutOfReachError from error


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError as error:
        raise _OutOfReachError from error

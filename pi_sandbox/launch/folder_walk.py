"""Walks through the folders below one, however they are named, nested or closed.

- Each folder is opened out of the one that holds it, so no path is too long and no tree too deep for the system; a
  folder that had to be opened a second time must be the same one (device and inode). Links are not followed.
- The nearest folders come first, so that what is left out at a bound are the farthest ones.
- Whatever is not looked at is told, once, with the reason and, where there is one, the command that mends it. A folder
  that disappears while it is looked for holds nothing any more, and is not told.
- A folder that its owner may not list and enter by its permissions is not looked at for root either: a session has no
  capabilities, so it is closed there too, and both see the same.
"""

import errno
import os
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from pi_sandbox.session.disk_look import Unseen
from pi_sandbox.session.remedies import opening
from pi_sandbox.system.sight import is_closed

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EMLINK)
_MOST_OPEN = 64
"""Descriptors that are kept for what lies in those folders; a process may have as few as 256."""
MOST_UNSEEN = 1_000
"""Things that are kept of those that cannot be looked at: each holds its whole path."""
_STEP_BYTES = 3_000
"""Names of so many bytes are handed to the system at a time; it takes 4,095 (limits.h, PATH_MAX)."""


@dataclass(frozen=True)
class Bounds:
    """How far a walk goes: folders, names in one folder, bytes of a folder's path below the first one, seconds.

    100,000 folders are about one and a half seconds, and more than nearly every checkout has.
    """

    folders: int = 100_000
    names: int = 200_000
    path_bytes: int = 8_192
    seconds: float = 30.0


@dataclass(eq=False, slots=True)
class _Node:
    """A folder that was looked at. `length` is that of its path below the first one, in bytes."""

    above: "_Node | None"
    name: str
    identity: tuple[int, int]
    length: int


@dataclass(eq=False, slots=True)
class OpenFolder:
    """One folder, as long as the walk stands at it: what lies in it, and the sorted names of the folders in it."""

    root: Path
    descriptor: int
    entries: Sequence[os.DirEntry[str]]
    folder_names: Sequence[str]
    _node: _Node

    @property
    def names(self) -> Sequence[str]:
        """The names on the way to it from the first one."""
        return _names(self._node, None)

    @property
    def path(self) -> Path:
        return self.root.joinpath(*self.names)


@dataclass
class TimeLimit:
    """So many seconds, from now on, for looking through `root`. Whoever works on what is found asks too."""

    root: Path
    seconds: float
    unseen: list[Unseen]
    _ends: float = field(init=False)

    def __post_init__(self) -> None:
        self._ends = time.monotonic() + self.seconds

    def is_over(self) -> bool:
        """Whether the time is over; that is told once, in `unseen`."""
        if time.monotonic() < self._ends:
            return False
        part = Unseen(self.root, f"takes longer than {self.seconds:g} seconds to look through")
        if part not in self.unseen:
            self.unseen.append(part)
        return True


@dataclass
class FolderWalk:
    """One walk from `root`, which may be reached by links of its owner above it but is none itself."""

    root: Path
    bounds: Bounds = field(default_factory=Bounds)
    unseen: list[Unseen] = field(default_factory=list)
    time_limit: TimeLimit = field(init=False)

    def __post_init__(self) -> None:
        self.time_limit = TimeLimit(self.root, self.bounds.seconds, self.unseen)

    def folders(self, inner: Callable[[OpenFolder], Iterable[str]]) -> Iterator[OpenFolder]:
        """Gives each folder, then goes on to those in it that `inner` names."""
        with _Opened(self.root) as opened:
            waiting: deque[tuple[_Node | None, str, int]] = deque([(None, "", 0)])
            looked = 0
            while waiting and not self._is_at_a_bound(looked):
                above, name, length = waiting.popleft()
                looked += 1
                folder = self._open_folder(opened, above, name, length)
                if folder is None:
                    continue
                inside: list[tuple[_Node | None, str, int]] = []
                try:
                    yield folder
                    inside = self._within_length(folder, inner(folder))
                finally:
                    opened.leave(folder._node, folder.descriptor, is_needed=bool(inside))
                waiting.extend(inside)

    def _is_at_a_bound(self, looked: int) -> bool:
        if looked < self.bounds.folders:
            return self.time_limit.is_over()
        self._tell(self.root, f"has more than {self.bounds.folders} folders")
        return True

    def _within_length(self, folder: OpenFolder, names: Iterable[str]) -> list[tuple[_Node | None, str, int]]:
        node, most = folder._node, self.bounds.path_bytes
        inside: list[tuple[_Node | None, str, int]] = []
        for name in names:
            length = node.length + 1 + (len(name) if name.isascii() else len(os.fsencode(name)))
            if length <= most:
                inside.append((node, name, length))
            else:
                self._tell(folder.path / name, f"lies deeper than {most} bytes of names")
        return inside

    def _open_folder(self, opened: "_Opened", above: _Node | None, name: str, length: int) -> OpenFolder | None:
        try:
            node, descriptor = opened.enter(above, name, length)
        except OSError as error:
            self._tell_failure(above, name, error)
            return None
        try:
            with os.scandir(descriptor) as entries:
                listed = list(islice(entries, self.bounds.names + 1))
            folders = sorted([entry.name for entry in listed if entry.is_dir(follow_symlinks=False)])
        except OSError as error:
            opened.leave(node, descriptor, is_needed=False)
            self._tell_failure(above, name, error)
            return None
        folder = OpenFolder(self.root, descriptor, listed, folders, node)
        if len(listed) > self.bounds.names:
            self._tell(folder.path, f"has more than {self.bounds.names} names")
        return folder

    def _tell_failure(self, above: _Node | None, name: str, error: OSError) -> None:
        if error.errno in _GONE and above is not None:
            return
        path = self.root.joinpath(*_names(above, None), name)
        if error.errno == errno.EACCES:
            self._tell(path, "may not be read", opening(path))
        elif error.errno in _GONE:
            self._tell(path, "is no folder any more")
        else:
            self._tell(path, f"cannot be read ({error.strerror})")

    def _tell(self, path: Path, reason: str, remedy: str = "") -> None:
        if len(self.unseen) < MOST_UNSEEN:
            self.unseen.append(Unseen(path, reason, remedy))
        elif len(self.unseen) == MOST_UNSEEN:
            self.unseen.append(Unseen(self.root, f"has more than {MOST_UNSEEN} places that cannot be looked at"))


class _Opened:
    """The folders that are open, the first one all the time, of the others those used last that hold folders."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._descriptors: OrderedDict[_Node, int] = OrderedDict()
        self._first: int | None = None

    def __enter__(self) -> "_Opened":
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in self._descriptors.values():
            os.close(descriptor)
        if self._first is not None:
            os.close(self._first)

    def enter(self, above: _Node | None, name: str, length: int) -> tuple[_Node, int]:
        """Opens the folder of this name in `above`, or the first one, until `leave`; raises `OSError`."""
        if above is None:
            descriptor = os.open(self._root, _FOLDER)
        else:
            descriptor = os.open(name, _FOLDER, dir_fd=self._descriptor(above))
        found = os.fstat(descriptor)
        if is_closed(found):
            os.close(descriptor)
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return _Node(above, name, (found.st_dev, found.st_ino), length), descriptor

    def leave(self, node: _Node, descriptor: int, *, is_needed: bool) -> None:
        """Keeps a folder open for those in it, or closes it."""
        if not is_needed:
            os.close(descriptor)
        elif node.above is None:
            self._first = descriptor
        else:
            self._keep(node, descriptor)

    def _descriptor(self, node: _Node) -> int:
        if node.above is None and self._first is not None:
            return self._first
        if node not in self._descriptors:
            self._keep(node, self._open_again(node))
        self._descriptors.move_to_end(node)
        return self._descriptors[node]

    def _open_again(self, node: _Node) -> int:
        """Goes there from the nearest open folder; links on the way lead to another folder than the one that it was."""
        at = node
        while at.above is not None and at not in self._descriptors:
            at = at.above
        descriptor = os.dup(self._descriptor(at))
        for step in _steps(_names(node, at)):
            try:
                inner = os.open(step, _FOLDER, dir_fd=descriptor)
            finally:
                os.close(descriptor)
            descriptor = inner
        if _identity(descriptor) != node.identity:
            os.close(descriptor)
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        return descriptor

    def _keep(self, node: _Node, descriptor: int) -> None:
        self._descriptors[node] = descriptor
        if len(self._descriptors) > _MOST_OPEN:
            _, oldest = self._descriptors.popitem(last=False)
            os.close(oldest)


def _identity(descriptor: int) -> tuple[int, int]:
    found = os.fstat(descriptor)
    return found.st_dev, found.st_ino


def _names(node: _Node | None, above: _Node | None) -> list[str]:
    """Gives the names on the way from `above`, or from the first folder, to a folder."""
    names = []
    while node is not None and node is not above and node.above is not None:
        names.append(node.name)
        node = node.above
    return names[::-1]


def _steps(names: list[str]) -> Iterator[str]:
    """Gives the names joined to relative paths that the system takes."""
    step: list[str] = []
    length = 0
    for name in names:
        length += 1 + len(os.fsencode(name))
        if length > _STEP_BYTES:
            yield "/".join(step)
            step, length = [], 1 + len(os.fsencode(name))
        step.append(name)
    yield "/".join(step)

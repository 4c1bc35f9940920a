"""Which file a background write or deletion may touch, and the open folder in which it happens.

- A path is absolute and stays in the memory directory after every link in it is resolved; the directory need not exist.
  A file that is written may be a link if it leads to a file in memory; a deletion takes away the link itself, and only
  one that leads into memory.
- The name ends in lowercase `.md`: of the path, and of the file that a write ends up in. It may be any bytes.
- No folder on the way is one of a version control system, however it is spelled for a disk that folds case or drops
  invisible characters.
- Folders are opened one below the other without following anything, so that an open folder was inside when it was
  opened; `is_still_there` asks again, right before the step that counts.

Not handled: a process of the same user that moves folders between that last look and the rename (threat model of the
specification).
Source: `spec/project-memory.md`, "Path and content sanitization", "Restricted Bash execution".
"""

from __future__ import annotations

import contextlib
import errno
import os
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.note_format.names import EXCLUDED_FOLDERS

SUFFIX = ".md"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class WriteRefusedError(FilesError):
    """A background task may not write or delete this. The message says why, the hint what to do instead."""


class OutsideMemoryError(WriteRefusedError):
    """The path leads out of the memory directory."""


class NotMemoryFileError(WriteRefusedError):
    """The path is no absolute one of a lowercase `.md` file, or what stands there is no regular file."""


class ProtectedFolderError(WriteRefusedError):
    """The path lies in a folder of a version control system."""


class MovedError(WriteRefusedError):
    """The path leads elsewhere than it did at the first look."""


@dataclass(frozen=True, slots=True)
class Target:
    """A file in memory: the real memory directory, the folders below it without links, and the name in the last one."""

    root: Path
    folders: tuple[str, ...]
    name: str

    @property
    def path(self) -> Path:
        """The real path."""
        return self.root.joinpath(*self.folders, self.name)

    @property
    def relative(self) -> str:
        """The path below the memory directory."""
        return "/".join((*self.folders, self.name))


def write_target(memory: Path, path: str) -> Target:
    """Give the file that a write to the path ends up in, which need not exist; raises `WriteRefusedError`."""
    root = _checked(memory, path)
    target = _inside(root, _resolved(path, path), path)
    _check_name(target.name, path)
    _check_folders((*target.folders, target.name), path)
    return target


def delete_target(memory: Path, path: str) -> Target:
    """Give the entry that a deletion takes away: a link itself, not what it leads to; raises `WriteRefusedError`."""
    root = _checked(memory, path)
    folder, _, name = path.rpartition("/")
    target = _inside(root, f"{_resolved(folder or '/', path)}/{name}", path)
    _check_folders((*target.folders, name), path)
    leads_to = _inside(root, _resolved(path, path), path)
    _check_folders((*leads_to.folders, leads_to.name), path)
    return target


def check_as_given(memory: Path, path: str) -> None:
    """Refuse a path by its own names, wherever its links lead; raises `WriteRefusedError`.

    It ends in lowercase `.md`, and names no folder of a version control system; those above the memory do not count.
    """
    _check_name(path.rpartition("/")[2], path)
    bases = (f"{memory}/", f"{os.path.realpath(memory)}/")
    below = next((path[len(base) :] for base in bases if path.startswith(base)), path)
    _check_folders(tuple(below.split("/")), path)


def check_link(target: Target, leads_to: str) -> None:
    """Refuse a link in place of the target that leads out of memory, or into a folder of a version control system."""
    given = str(target.path)
    end = _inside(target.root, _resolved(str(target.path.parent / leads_to), given), given)
    _check_folders((*end.folders, end.name), given)


def entry_target(memory: Path, relative: str) -> Target:
    """Give the entry with this path below the memory directory, without following it; raises `WriteRefusedError`."""
    return delete_target(memory, f"{memory.resolve()}/{relative}")


@contextlib.contextmanager
def open_folder(target: Target, *, make: bool) -> Iterator[int | None]:
    """Open the folder of a target for the time of the block; `None` if there is none and none may be made.

    The memory directory itself is never made here.

    Raises `WriteRefusedError` for a link, file or other thing where a folder was.
    """
    with changing(target), contextlib.ExitStack() as opened:
        try:
            descriptor = os.open(target.root, _FOLDER)
        except FileNotFoundError:
            if make:
                raise
            yield None
            return
        opened.callback(os.close, descriptor)
        for name in target.folders:
            below = _open_below(name, descriptor, make=make)
            if below is None:
                yield None
                return
            opened.callback(os.close, below)
            descriptor = below
        yield descriptor


def is_still_there(target: Target, descriptor: int) -> bool:
    """Whether the open folder is still the one that the target's path leads to, in the same memory directory."""
    try:
        with open_folder(target, make=False) as now:
            return now is not None and os.path.samestat(os.fstat(now), os.fstat(descriptor))
    except FilesError:
        return False


def entry_status(target: Target, descriptor: int) -> os.stat_result | None:
    """Give what has the name in the open folder, a link unfollowed, or `None`."""
    try:
        return os.stat(target.name, dir_fd=descriptor, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _checked(memory: Path, path: str) -> Path:
    """Check the text of a path and give the real memory directory."""
    try:
        plain = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        plain = False
    if not plain:
        raise NotMemoryFileError(f"{quoted(path)} cannot be the name of a file", "choose another name")
    if not path.startswith("/"):
        raise NotMemoryFileError(f"{quoted(path)} is not an absolute path", "give the absolute path of the memory file")
    check_as_given(memory, path)
    try:
        root = memory.resolve()
    except (OSError, RuntimeError) as error:
        raise WriteRefusedError(
            f"the memory directory {quoted(memory)} cannot be found", "leave the memory as it is"
        ) from error
    return root


def _resolved(path: str, given: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, RuntimeError) as error:
        raise WriteRefusedError(f"{quoted(given)} cannot be resolved", "choose another name") from error


def _inside(root: Path, real: str, given: str) -> Target:
    if not real.startswith(f"{root}/"):
        raise OutsideMemoryError(
            f"{quoted(given)} leads out of the memory directory", f"write only {SUFFIX} files below {quoted(root)}"
        )
    *folders, name = real[len(str(root)) + 1 :].split("/")
    return Target(root, tuple(folders), name)


def _check_name(name: str, given: str) -> None:
    if not name.endswith(SUFFIX) or name == SUFFIX:
        raise NotMemoryFileError(
            f"{quoted(given)} is not a {SUFFIX} file of the memory", f"use a name that ends in lowercase {SUFFIX}"
        )


def _check_folders(names: tuple[str, ...], given: str) -> None:
    if any(_folded(name) in EXCLUDED_FOLDERS for name in names):
        raise ProtectedFolderError(
            f"{quoted(given)} lies in a folder of a version control system", "choose a path outside it"
        )


def _folded(name: str) -> str:
    """Give a name as a disk may see it that folds case and drops what does not show."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(each for each in folded if unicodedata.category(each) != "Cf").rstrip(". ")


def _open_below(name: str, descriptor: int, *, make: bool) -> int | None:
    try:
        return os.open(name, _FOLDER, dir_fd=descriptor)
    except FileNotFoundError:
        if not make:
            return None
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, dir_fd=descriptor)
    return os.open(name, _FOLDER, dir_fd=descriptor)


@contextlib.contextmanager
def changing(target: Target) -> Iterator[None]:
    """Turn what the system says in the block about a target's folder into `FilesError` or `WriteRefusedError`."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENOENT):
            raise WriteRefusedError(
                f"the folder of {quoted(target.path)} is not a folder inside the memory", "choose another path"
            ) from error
        raise FilesError(
            f"{quoted(target.path)} could not be changed: {error.strerror}", "the file is as it was before"
        ) from error

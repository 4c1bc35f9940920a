"""The steps on lock files that are one step for everybody: the door between the lock rules and a folder.

- Content appears whole: a file is staged under a private name, then linked. Where a file system has no hard links
  (exFAT, some shared folders), exclusive creation comes first and the content after it.
- A staged file carries a kernel lock (flock(2)) from before it has its name until it is closed, however its process
  ends. Where the kernel has none for this file system, everybody seems to get it.
- Nothing is followed and nothing is waited for: a link, pipe, device or folder under the name of a lock has no content.
- Signs of life are given by the clock of the file system (`utime` without a time), in one step.
- An answer that was lost on the way (NFS) is checked by what stands there afterwards.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.project_memory.limits import LEFT_BEHIND_SECONDS, LOCK_FILE_BYTES

_STAGED_SUFFIX = ".new"
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
_NO_KERNEL_LOCKS = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL)


class LocksUnusableError(FilesError):
    """The folder of the locks cannot be written (read-only, full, not ours); nothing may run in the background."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A lock file as it was in one moment: its content (`None` if it has none to read) and its last sign of life."""

    data: bytes | None
    sign: int
    is_file: bool = True


@dataclass(slots=True)
class OpenFile:
    """A file of this process, with its kernel lock; `staged` is its private name while it has one."""

    descriptor: int
    staged: Path | None = None


class LockFolder(Protocol):
    """The steps. Each raises `LocksUnusableError` where the folder does not let it happen. Times are milliseconds."""

    def now(self) -> int:
        """The time."""

    def stage(self, name: str, data: bytes) -> OpenFile:
        """Make a private file with this content, locked in the kernel."""

    def create(self, file: OpenFile, name: str) -> bool:
        """Give the staged file its name unless the name is taken."""

    def replace(self, file: OpenFile, name: str) -> bool:
        """Give the staged file its name in place of whatever has it, and say whether it got it."""

    def see(self, name: str) -> Seen | None:
        """Look at what has the name."""

    def adopt(self, name: str) -> OpenFile | None:
        """Open what has the name and lock it in the kernel; `None` if it is gone, is no file, or another has it."""

    def content(self, file: OpenFile) -> Seen:
        """Look at an open file."""

    def is_at(self, file: OpenFile, name: str) -> bool:
        """Whether the name is still that of this file."""

    def remove(self, name: str) -> None:
        """Take the name away."""

    def put_aside(self, name: str) -> bool:
        """Give what has the name another one, and say whether it was no file; a file gets its name back."""

    def beat(self, file: OpenFile) -> None:
        """Give a sign of life on an own file."""

    def date_anew(self, name: str) -> None:
        """Date whatever has the name to now."""

    def blank(self, file: OpenFile) -> None:
        """Empty an own file and date it to long ago, wherever it stands."""

    def close(self, file: OpenFile) -> None:
        """Give the file up: its private name, its kernel lock."""

    def sweep(self) -> None:
        """Remove staged files that killed processes left; never raises."""


class DiskLockFolder:
    """The steps on a real folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def now(self) -> int:
        """The time of this machine."""
        return time.time_ns() // 1_000_000

    def stage(self, name: str, data: bytes) -> OpenFile:
        """Make `.<name>.<random>.new` with this content, locked in the kernel."""
        path = self._folder / f".{name}.{secrets.token_hex(8)}{_STAGED_SUFFIX}"
        with self._refusal(name):
            file = OpenFile(_create(path), path)
            try:
                _kernel_lock(file.descriptor)
                _write(file.descriptor, data)
            except BaseException:
                self.close(file)
                raise
        return file

    def create(self, file: OpenFile, name: str) -> bool:
        """Link the staged file; without hard links, create exclusively and then write."""
        with self._refusal(name):
            made = self._link(file, self._folder / name)
            if made:
                _drop_private_name(file)
        return made

    def replace(self, file: OpenFile, name: str) -> bool:
        """Rename the staged file over the name; a folder that stands there is put aside, and the name then created."""
        path = self._folder / name
        with self._refusal(name):
            try:
                _private_name(file).replace(path)
            except IsADirectoryError:
                path.rename(self._aside(name))
                return self.create(file, name)
            except OSError:
                if not self.is_at(file, name):
                    raise
        file.staged = None
        return True

    def see(self, name: str) -> Seen | None:
        """Read up to the size of a lock file."""
        path = self._folder / name
        with self._refusal(name):
            try:
                descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            except FileNotFoundError:
                return None
            except OSError:
                return _without_content(path)
            try:
                return _content(descriptor)
            finally:
                os.close(descriptor)

    def adopt(self, name: str) -> OpenFile | None:
        """Open a regular file without following or waiting, and try its kernel lock."""
        path = self._folder / name
        with self._refusal(name):
            try:
                descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            except FileNotFoundError:
                return None
        if _kernel_lock(descriptor):
            return OpenFile(descriptor)
        os.close(descriptor)
        return None

    def content(self, file: OpenFile) -> Seen:
        """Read up to the size of a lock file."""
        with self._refusal("of another process"):
            return _content(file.descriptor)

    def is_at(self, file: OpenFile, name: str) -> bool:
        """Compare the open file with what has the name."""
        try:
            there = (self._folder / name).lstat()
        except OSError:
            return False
        return os.path.samestat(there, os.fstat(file.descriptor))

    def remove(self, name: str) -> None:
        """Unlink the name; one that is gone already is fine."""
        with self._refusal(name):
            (self._folder / name).unlink(missing_ok=True)

    def put_aside(self, name: str) -> bool:
        """Rename it to `<name>.<random>.aside`; a file that came in between is linked back unless the name is taken."""
        path, aside = self._folder / name, self._aside(name)
        with self._refusal(name):
            try:
                path.rename(aside)
            except FileNotFoundError:
                return True
            if not stat.S_ISREG(aside.lstat().st_mode):
                return True
            with contextlib.suppress(FileExistsError):
                os.link(aside, path, follow_symlinks=False)
            aside.unlink()
        return False

    def beat(self, file: OpenFile) -> None:
        """Date the open file to now, whatever name it has."""
        with self._refusal("of this process"):
            os.utime(file.descriptor)

    def date_anew(self, name: str) -> None:
        """Date the name to now; a link itself, not where it leads."""
        with self._refusal(name), contextlib.suppress(FileNotFoundError):
            os.utime(self._folder / name, follow_symlinks=False)

    def blank(self, file: OpenFile) -> None:
        """Truncate the open file and date it to the epoch, which needs no room on the disk."""
        with self._refusal("of this process"):
            os.ftruncate(file.descriptor, 0)
            os.utime(file.descriptor, (0, 0))

    def close(self, file: OpenFile) -> None:
        """Unlink the private name, if it is still there, and close."""
        with contextlib.suppress(OSError):
            _drop_private_name(file)
        os.close(file.descriptor)

    def sweep(self) -> None:
        """Remove staged files that are old and that no process has open."""
        with contextlib.suppress(OSError, LocksUnusableError):
            for path in self._folder.glob(f".*{_STAGED_SUFFIX}"):
                self._sweep_one(path.name)

    def _aside(self, name: str) -> Path:
        return self._folder / f"{name}.{secrets.token_hex(8)}.aside"

    def _link(self, file: OpenFile, path: Path) -> bool:
        try:
            os.link(_private_name(file), path, follow_symlinks=False)
        except FileExistsError:
            return self.is_at(file, path.name)
        except OSError as error:
            if self.is_at(file, path.name):
                return True
            if error.errno in _NO_LINKS:
                return _create_and_write(file, path)
            raise
        return True

    def _sweep_one(self, name: str) -> None:
        seen = self.see(name)
        if seen is None or self.now() - seen.sign <= LEFT_BEHIND_SECONDS * 1000:
            return
        file = self.adopt(name)
        if file is not None:
            self.remove(name)
            os.close(file.descriptor)

    @contextlib.contextmanager
    def _refusal(self, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise LocksUnusableError(
                f"the lock {quoted(self._folder / name)} cannot be used: {error.strerror}",
                "background maintenance stays off until that folder can be written",
            ) from error


def _private_name(file: OpenFile) -> Path:
    if file.staged is None:
        raise ValueError("the file has its name already")
    return file.staged


def _drop_private_name(file: OpenFile) -> None:
    if file.staged is not None:
        file.staged.unlink(missing_ok=True)
        file.staged = None


def _create(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _write(descriptor: int, data: bytes) -> None:
    written = os.write(descriptor, data)
    if written != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _create_and_write(file: OpenFile, path: Path) -> bool:
    """Make the name exclusively and make the open file that one; `False` if another has the name or its kernel lock."""
    data = os.pread(file.descriptor, LOCK_FILE_BYTES, 0)
    try:
        made = _create(path)
    except FileExistsError:
        return False
    whole = False
    try:
        if _kernel_lock(made):
            _write(made, data)
            os.dup2(made, file.descriptor, inheritable=False)
            whole = True
    finally:
        if not whole:
            path.unlink(missing_ok=True)
        os.close(made)
    return whole


def _kernel_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in _NO_KERNEL_LOCKS
    return True


def _content(descriptor: int) -> Seen:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        return Seen(None, _sign(status), is_file=False)
    data = os.pread(descriptor, LOCK_FILE_BYTES + 1, 0)
    return Seen(data if len(data) <= LOCK_FILE_BYTES else None, _sign(status))


def _without_content(path: Path) -> Seen | None:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None
    return Seen(None, _sign(status), is_file=stat.S_ISREG(status.st_mode))


def _sign(status: os.stat_result) -> int:
    return status.st_mtime_ns // 1_000_000

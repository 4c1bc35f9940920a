"""The doors to files: a bounded read that follows nothing, and writes that either happen whole or not at all.

`atomic_write`, and `create_file` where it is asked to, put their bytes and then the name on the disk before they
return, so that a machine that loses power has the old or the new file. Files that can be made anew do without.
"""

import contextlib
import errno
import os
import secrets
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.system.folder_access import closed


@dataclass(frozen=True)
class FileContent:
    """The bytes of a regular file, its permission bits and its owner's user id, all of one open file."""

    data: bytes
    mode: int
    owner: int


def read_regular_file(path: Path, *, limit: int, follow_links: bool = False) -> FileContent | None:
    """Gives the file's content, `None` if there is none; raises `FilesError`.

    A link is refused unless links may be followed; a folder, pipe or device is refused without waiting for it; so is
    more than `limit` bytes.
    """
    at_links = 0 if follow_links else os.O_NOFOLLOW
    try:
        descriptor = os.open(path, os.O_RDONLY | at_links | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except PermissionError as error:
        raise closed(path, error, "could not be read") from error
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise FilesError(f"{quoted(path)} is a link", "put a regular file in its place") from error
        raise FilesError(
            f"{quoted(path)} could not be read: {error.strerror}", "check the folders on its path"
        ) from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise FilesError(f"{quoted(path)} is not a regular file", "put a regular file in its place")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(limit + 1)
    finally:
        os.close(descriptor)
    if len(data) > limit:
        raise FilesError(f"{quoted(path)} is larger than {limit} bytes", "look at what is in it")
    return FileContent(data, stat.S_IMODE(status.st_mode), status.st_uid)


def atomic_write(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Puts the file in place of whatever has its name, so that a reader meets the old or the new one, whole."""
    beside = _write_beside(path, data, mode, lasting=True)
    try:
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    _make_last(path.parent)


def create_file(path: Path, data: bytes, *, mode: int, lasting: bool = False) -> bool:
    """Makes the file whole under its name, or leaves what is there and gives `False`; raises `OSError`.

    The content is written under a name beside it and then linked, so that no reader and no interruption ever meets half
    of it, and a file that appears meanwhile is not replaced. `lasting`: nor does a loss of power.
    """
    beside = _write_beside(path, data, mode, lasting=lasting)
    try:
        _link_or_rename(beside, path)
    except FileExistsError:
        return False
    finally:
        beside.unlink(missing_ok=True)
    if lasting:
        _make_last(path.parent)
    return True


def make_private_folders(path: Path) -> None:
    """Makes the folder and those above it that are missing, each for its owner alone (0700); raises `OSError`."""
    missing = [each for each in path.parents if not each.exists()]
    for each in (*reversed(missing), path):
        each.mkdir(mode=0o700, exist_ok=True)


def create_folder(path: Path, *, mode: int) -> bool:
    """Makes the folder with exactly these permissions, or gives `False` if the name is taken; raises `OSError`."""
    try:
        path.mkdir(mode=mode)
    except FileExistsError:
        return False
    path.chmod(mode)
    return True


def name_beside(path: Path) -> Path:
    """Gives a fresh hidden name in the same folder, under which something is made before it gets its real name."""
    return path.with_name(f".{path.name}.{secrets.token_hex(8)}.new")


def remove_unfinished(path: Path) -> None:
    """Removes what an interrupted run left beside `path`; only for a caller that keeps others from making it now."""
    for left_over in path.parent.glob(f".{path.name}.*.new"):
        if left_over.is_dir() and not left_over.is_symlink():
            shutil.rmtree(left_over)
        else:
            left_over.unlink()


def _write_beside(path: Path, data: bytes, mode: int, *, lasting: bool) -> Path:
    """Gives the place of the bytes. An `OSError` names `path`, and the new name where its folder is closed."""
    beside = name_beside(path)
    try:
        _write_new(beside, data, mode, lasting=lasting)
    except PermissionError:
        raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    return beside


def _write_new(beside: Path, data: bytes, mode: int, *, lasting: bool) -> None:
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(data)
            if lasting:
                file.flush()
                os.fsync(file.fileno())
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _make_last(folder: Path) -> None:
    """Puts the names in a folder on the disk; a file system that cannot (some shared folders) keeps them as it does."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _link_or_rename(beside: Path, path: Path) -> None:
    """Gives the file its name; a file system without hard links (exFAT, some shared folders) gets a rename instead."""
    try:
        os.link(beside, path)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS):
            raise
        if path.exists() or path.is_symlink():
            raise FileExistsError(path) from error
        beside.rename(path)

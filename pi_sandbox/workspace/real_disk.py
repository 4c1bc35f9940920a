"""The disk of this machine, as `disk.py` asks for it. Only `real_path` follows links."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from pi_sandbox.workspace.disk import EntryKind


def _traits(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_mode, status.st_uid, status.st_gid, status.st_size, status.st_mtime_ns


class RealDisk:
    """Implements `Disk`."""

    def real_path(self, path: Path) -> Path:
        return Path(os.path.realpath(path, strict=True))

    def kind(self, path: Path) -> EntryKind:
        try:
            mode = path.lstat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            return EntryKind.MISSING
        if stat.S_ISDIR(mode):
            return EntryKind.FOLDER
        if stat.S_ISREG(mode):
            return EntryKind.FILE
        return EntryKind.LINK if stat.S_ISLNK(mode) else EntryKind.OTHER

    def names(self, folder: Path) -> Sequence[str]:
        return os.listdir(folder)

    def same_entry(self, one: Path, other: Path) -> bool:
        """Leaves the inode numbers out: some disks that ignore case (exFAT by FUSE) have one for each spelling."""
        return _traits(one.lstat()) == _traits(other.lstat())

    def first_bytes(self, path: Path, count: int) -> bytes:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            return os.read(descriptor, count)
        finally:
            os.close(descriptor)

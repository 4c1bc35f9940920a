"""New content under a private name in the folder where it will stand: whole on the disk before it gets its real name.

- The private name, `.pi-memory.….tmp`, never counts as a topic. It says which process made it and for which change, so
  that what a killed process left is known for what it is (`left_behind`).
- Content that replaces a file keeps its permissions, its owner and its extended attributes, as far as this user may.
- A link is staged like a file: as a link of its own.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import stat

from pi_sandbox.project_memory.file_states import FileState, LinkState
from pi_sandbox.project_memory.lease import Identity

PREFIX, SUFFIX = ".pi-memory.", ".tmp"
_NEW_MODE = 0o666
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


def private_name(owner: Identity, change: str) -> str:
    """Give a name that nobody has, for a file of this process; `change` is the id of the change that it is for."""
    return f"{PREFIX}{world_of(owner)}.{owner.pid}.{owner.process_start or 0}.{change}.{secrets.token_hex(4)}{SUFFIX}"


def world_of(identity: Identity) -> str:
    """Give a short name for where a pid means something, the boot and the PID namespace; `none` if not known."""
    if not (identity.boot_id and identity.pid_namespace and identity.process_start):
        return "none"
    return hashlib.sha256(f"{identity.boot_id} {identity.pid_namespace}".encode()).hexdigest()[:12]


def stage(content: FileState | LinkState, folder: int, name: str, *, like: int | None = None) -> None:
    """Make the content in the open folder under a private name; raises `OSError`, leaving nothing.

    `like` is an open file whose permissions, owner and attributes the new one gets.
    """
    if isinstance(content, LinkState):
        os.symlink(content.leads_to, name, dir_fd=folder)
        return
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(name, flags, _NEW_MODE if like is None else 0o600, dir_fd=folder)
    try:
        _write(descriptor, content.data)
        if like is not None:
            _keep(descriptor, like)
        elif content.mode is not None:
            os.fchmod(descriptor, content.mode)
        os.fsync(descriptor)
    except BaseException:
        discard(name, folder)
        raise
    finally:
        os.close(descriptor)


def publish_new(staged: str, name: str, folder: int) -> bool:
    """Give the staged content its name unless that is taken, and say whether it got it; raises `OSError`.

    A disk without hard links gets a look and a rename instead.
    """
    try:
        os.link(staged, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        return False
    except OSError as error:
        if not has_no_links(error):
            raise
        with contextlib.suppress(FileNotFoundError):
            os.stat(name, dir_fd=folder, follow_symlinks=False)
            return False
        os.rename(staged, name, src_dir_fd=folder, dst_dir_fd=folder)
    discard(staged, folder)
    make_last(folder)
    return True


def has_no_links(error: OSError) -> bool:
    """Whether this is what a disk without hard links says."""
    return error.errno in _NO_LINKS


def make_last(folder: int) -> None:
    """Ask the disk to keep what changed in the open folder; a disk that cannot say so has changed it all the same."""
    with contextlib.suppress(OSError):
        os.fsync(folder)


def discard(staged: str, folder: int) -> None:
    """Remove staged content that is not published, if it is still there."""
    with contextlib.suppress(OSError):
        os.unlink(staged, dir_fd=folder)


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _keep(descriptor: int, like: int) -> None:
    """Give a new file the owner, attributes and permissions of another; what this user may not give stays."""
    old, new = os.fstat(like), os.fstat(descriptor)
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        _try_owner(descriptor, old)
    for name in _attributes(like):
        with contextlib.suppress(OSError):
            os.setxattr(descriptor, name, os.getxattr(like, name))
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _try_owner(descriptor: int, old: os.stat_result) -> None:
    try:
        os.fchown(descriptor, old.st_uid, old.st_gid)
    except PermissionError:
        with contextlib.suppress(PermissionError):
            os.fchown(descriptor, -1, old.st_gid)


def _attributes(descriptor: int) -> list[str]:
    try:
        return os.listxattr(descriptor)
    except OSError:
        return []

"""New content under a private name in the folder where it will stand: whole on the disk before it gets its real name.

- The private name, `.pi-memory.….tmp`, never counts as a topic. It says which process made it, so that what a killed
  process left is removed at once where that can be told, and otherwise when it is old.
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
import time
from itertools import islice
from pathlib import Path

from pi_sandbox.project_memory.catalogue import EXCLUDED_FOLDERS
from pi_sandbox.project_memory.file_states import FileState, LinkState
from pi_sandbox.project_memory.holder import Witness
from pi_sandbox.project_memory.lease import Identity
from pi_sandbox.project_memory.limits import LEFT_BEHIND_SECONDS, SCAN_DEPTH, SCAN_ENTRIES

_PREFIX, _SUFFIX = ".pi-memory.", ".tmp"
_NEW_MODE = 0o666
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


def stage(content: FileState | LinkState, folder: int, owner: Identity, *, like: int | None = None) -> str:
    """Make the content in the open folder under a private name and give that name; raises `OSError`, leaving nothing.

    `like` is an open file whose permissions, owner and attributes the new one gets.
    """
    name = _private_name(owner)
    if isinstance(content, LinkState):
        os.symlink(content.leads_to, name, dir_fd=folder)
        return name
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
    return name


def publish_over(staged: str, name: str, folder: int) -> None:
    """Rename the staged content over the name and make that last; raises `OSError`."""
    os.rename(staged, name, src_dir_fd=folder, dst_dir_fd=folder)
    make_last(folder)


def publish_new(staged: str, name: str, folder: int) -> bool:
    """Give the staged content its name unless that is taken, and say whether it got it; raises `OSError`.

    A disk without hard links gets a look and a rename instead.
    """
    try:
        os.link(staged, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        with contextlib.suppress(FileNotFoundError):
            os.stat(name, dir_fd=folder, follow_symlinks=False)
            return False
        os.rename(staged, name, src_dir_fd=folder, dst_dir_fd=folder)
    discard(staged, folder)
    make_last(folder)
    return True


def make_last(folder: int) -> None:
    """Ask the disk to keep what changed in the open folder; a disk that cannot say so has changed it all the same."""
    with contextlib.suppress(OSError):
        os.fsync(folder)


def discard(staged: str, folder: int) -> None:
    """Remove staged content that is not published, if it is still there."""
    with contextlib.suppress(OSError):
        os.unlink(staged, dir_fd=folder)


def sweep(folder: int, witness: Witness) -> None:
    """Remove what killed processes staged in the open folder; never raises for what it cannot remove."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            _sweep_one(name, folder, witness)


def sweep_all(memory: Path, witness: Witness) -> None:
    """Remove what killed processes staged anywhere in a memory directory, without following links.

    No further than topics are looked for: `SCAN_ENTRIES` entries, `SCAN_DEPTH` folders deep.
    """
    with contextlib.suppress(OSError):
        descriptor = os.open(memory, _FOLDER)
        try:
            _sweep_below(descriptor, witness, depth=0, entries=SCAN_ENTRIES)
        finally:
            os.close(descriptor)


def _sweep_below(folder: int, witness: Witness, *, depth: int, entries: int) -> int:
    """Sweep an open folder and those below it, and give how many more entries may be looked at."""
    with os.scandir(folder) as listed:
        found = list(islice(listed, entries))
    entries -= len(found)
    folders = []
    for each in found:
        _sweep_one(each.name, folder, witness)
        if depth < SCAN_DEPTH and each.name not in EXCLUDED_FOLDERS and each.is_dir(follow_symlinks=False):
            folders.append(each.name)
    for name in folders:
        with contextlib.suppress(OSError):
            below = os.open(name, _FOLDER, dir_fd=folder)
            try:
                entries = _sweep_below(below, witness, depth=depth + 1, entries=entries)
            finally:
                os.close(below)
    return entries


def _sweep_one(name: str, folder: int, witness: Witness) -> None:
    if name.startswith(_PREFIX) and name.endswith(_SUFFIX) and _is_left_behind(name, folder, witness):
        discard(name, folder)


def _private_name(owner: Identity) -> str:
    return f"{_PREFIX}{_world(owner)}.{owner.pid}.{owner.process_start or 0}.{secrets.token_hex(8)}{_SUFFIX}"


def _world(identity: Identity) -> str:
    """Give a short name for where a pid means something, the boot and the PID namespace; `none` if not known."""
    if not (identity.boot_id and identity.pid_namespace and identity.process_start):
        return "none"
    return hashlib.sha256(f"{identity.boot_id} {identity.pid_namespace}".encode()).hexdigest()[:12]


def _is_left_behind(name: str, folder: int, witness: Witness) -> bool:
    world, pid, start = (name.split(".") + [""] * 3)[2:5]
    if world == _world(witness.me) and world != "none" and pid.isdecimal():
        return witness.look(int(pid)).process_start != start
    try:
        changed = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime
    except OSError:
        return False
    return abs(time.time() - changed) > LEFT_BEHIND_SECONDS


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

"""How background tasks change memory files: one file, one change at a time, whole or not at all, and written down.

Steps of a change, in the queue of the file's real path:

1. the path is resolved and must stay in memory; the task must still be allowed to write;
2. the caller checks what it knows of the file (its baseline) against what stands there now;
3. new content is staged in the same folder, and the change with the bytes before is written into the journal;
4. containment and permission are asked again, right before
5. `rename` over an existing file, exclusive creation of a new one, or removal of the entry itself.

Nothing else is compared before publishing. Whatever fails up to step 5, the old file stands there whole, and nothing
that was staged is left. A deletion makes no folder and needs no baseline.
Source: `spec/project-memory.md`, "Cross-process locks and atomic publishing", "Restricted Bash execution".
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.project_memory.baseline import FileVersion
from pi_sandbox.project_memory.file_states import NOTHING, Content, FileState, LinkState, Mark, digest_of, mark_of
from pi_sandbox.project_memory.holder import Witness
from pi_sandbox.project_memory.journal import Journal
from pi_sandbox.project_memory.journal_entry import Change, Task
from pi_sandbox.project_memory.memory_files import SeenFile, floored_ms
from pi_sandbox.project_memory.path_queue import PathQueue
from pi_sandbox.project_memory.staging import discard, make_last, publish_new, publish_over, stage, sweep
from pi_sandbox.project_memory.write_paths import (
    MovedError,
    NotMemoryFileError,
    Target,
    WriteRefusedError,
    changing,
    delete_target,
    entry_status,
    is_still_there,
    open_folder,
    write_target,
)

Permission = Callable[[], str | None]
"""Why the task may not change anything any more (trust, generation, lock), or `None` while it may."""

_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CHUNK_BYTES = 1 << 20


class TaskOverError(WriteRefusedError):
    """The task may no longer change the memory."""


class MissingError(WriteRefusedError):
    """What is to be deleted does not exist."""


class AppearedError(WriteRefusedError):
    """A file that did not exist when the change was checked exists now."""


@dataclass(frozen=True, slots=True)
class Order:
    """One change: which name, what is to stand there, for whom, and who is asked.

    `check` raises if what stands there is not what the task knows. `resolve` is asked twice, at the beginning and right
    before the change.
    """

    resolve: Callable[[], Target]
    content: Content
    task: Task
    permission: Permission
    check: Callable[[Content, SeenFile | None], None]


@dataclass(frozen=True, slots=True)
class Published:
    """A change that was made: the real path, the journal's id, whether something stood there, and what does now."""

    path: Path
    journal_id: str
    existed: bool
    version: FileVersion | None


@dataclass(frozen=True, slots=True)
class MemoryWriter:
    """What changes need: the memory directory, its journal, who this process is, and the queue of this process."""

    memory: Path
    journal: Journal
    witness: Witness
    queue: PathQueue

    def write(
        self, path: str, data: bytes, task: Task, permission: Permission, check: Callable[[SeenFile | None], None]
    ) -> Published:
        """Write the file that the path leads to. Raises `FilesError`, and what `check` raises."""
        resolve = partial(write_target, self.memory, path)
        published = self.change(Order(resolve, FileState(data), task, permission, partial(_check_file, path, check)))
        if published is None:
            raise AssertionError("a write publishes or raises")
        return published

    def delete(
        self, paths: Sequence[str], *, missing_is_fine: bool, task: Task, permission: Permission
    ) -> tuple[Published, ...]:
        """Remove entries, all of them checked before the first goes: links themselves, never what they lead to.

        A missing one is left out if that is fine. Raises `FilesError`.
        """
        orders = [
            Order(partial(delete_target, self.memory, path), None, task, permission, _accept_any) for path in paths
        ]
        for order in orders:
            _check_deletable(order.resolve(), missing_is_fine=missing_is_fine)
        made = [self.change(order) for order in orders]
        return tuple(published for published in made if published is not None)

    def change(self, order: Order) -> Published | None:
        """Make one change; `None` if there was nothing to remove. Raises `FilesError`, and what the check raises."""
        _ask(order.permission)
        target = order.resolve()
        with (
            self.queue.turn(target.path),
            open_folder(target, make=order.content is not None) as folder,
            changing(target),
        ):
            if folder is None:
                return None
            sweep(folder, self.witness)
            return self._change_in(folder, target, order)

    def mark_now(self, target: Target) -> Mark:
        """Give the mark of what stands under a name; raises `FilesError`."""
        with open_folder(target, make=False) as folder, changing(target):
            if folder is None:
                return NOTHING
            current, _, descriptor = _current(target, folder)
            if descriptor is not None:
                os.close(descriptor)
            return mark_of(current)

    def _change_in(self, folder: int, target: Target, order: Order) -> Published | None:
        current, seen, descriptor = _current(target, folder)
        staged = ""
        try:
            order.check(current, seen)
            if order.content is None and current is None:
                return None
            if order.content is not None:
                staged = stage(order.content, folder, self.witness.me, like=descriptor)
            return self._publish(staged, folder, target, order, current)
        finally:
            if descriptor is not None:
                os.close(descriptor)
            if staged:
                discard(staged, folder)

    def _publish(self, staged: str, folder: int, target: Target, order: Order, current: Content) -> Published:
        before, after = mark_of(current), mark_of(order.content)
        change = Change(order.task, target.relative, before, after)
        identity = self.journal.begin(change, current if isinstance(current, FileState) else None)
        try:
            if order.resolve() != target or not is_still_there(target, folder):
                raise MovedError(f"{quoted(target.path)} leads elsewhere by now", "read it again, then decide")
            _ask(order.permission)
            _put_in_place(staged, folder, target, new=current is None)
        except (FilesError, OSError):
            self.journal.abandon(identity)
            raise
        self.journal.done(identity)
        version = _version(target, folder, after.digest) if staged else None
        return Published(target.path, identity, current is not None, version)


def _put_in_place(staged: str, folder: int, target: Target, *, new: bool) -> None:
    if not staged:
        os.unlink(target.name, dir_fd=folder)
        make_last(folder)
    elif not new:
        publish_over(staged, target.name, folder)
    elif not publish_new(staged, target.name, folder):
        raise AppearedError(f"{quoted(target.path)} has appeared meanwhile", "read it first, then write it again")


def _ask(permission: Permission) -> None:
    reason = permission()
    if reason is not None:
        raise TaskOverError(f"the task may no longer change the memory: {reason}", "end the task")


def _check_file(path: str, check: Callable[[SeenFile | None], None], current: Content, seen: SeenFile | None) -> None:
    if isinstance(current, LinkState):
        raise NotMemoryFileError(f"{quoted(path)} is a link that leads round in a circle", "choose another name")
    check(seen)


def _accept_any(_current: Content, _seen: SeenFile | None) -> None:
    """A deletion needs no baseline; what stands there has been found to be a file or a link."""


def _check_deletable(target: Target, *, missing_is_fine: bool) -> None:
    with open_folder(target, make=False) as folder, changing(target):
        status = None if folder is None else entry_status(target, folder)
        if status is None and not missing_is_fine:
            raise MissingError(f"{quoted(target.path)} does not exist", "check the name, or use -f")
        if status is None or folder is None:
            return
        if stat.S_ISLNK(status.st_mode):
            try:
                status = os.stat(target.name, dir_fd=folder)
            except OSError:
                return
        _check_regular(status, target)


def _current(target: Target, folder: int) -> tuple[Content, SeenFile | None, int | None]:
    """Give what stands under the name, and for a file its open descriptor, which the caller closes."""
    status = entry_status(target, folder)
    if status is None:
        return None, None, None
    if stat.S_ISLNK(status.st_mode):
        return LinkState(os.readlink(target.name, dir_fd=folder)), None, None
    _check_regular(status, target)
    descriptor = os.open(target.name, _FILE, dir_fd=folder)
    try:
        data = _read(descriptor)
        status = os.fstat(descriptor)
        _check_regular(status, target)
    except BaseException:
        os.close(descriptor)
        raise
    version = FileVersion(digest_of(data), floored_ms(status.st_mtime_ns))
    return FileState(data, stat.S_IMODE(status.st_mode)), SeenFile(data, version), descriptor


def _check_regular(status: os.stat_result, target: Target) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise NotMemoryFileError(f"{quoted(target.path)} is not a regular file", "choose another name")


def _read(descriptor: int) -> bytes:
    chunks = []
    while chunk := os.read(descriptor, _CHUNK_BYTES):
        chunks.append(chunk)
    return b"".join(chunks)


def _version(target: Target, folder: int, digest: str | None) -> FileVersion | None:
    """Give the version of what was just published; the time is that of the name now."""
    status = entry_status(target, folder)
    return None if status is None or digest is None else FileVersion(digest, floored_ms(status.st_mtime_ns))

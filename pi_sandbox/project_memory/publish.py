"""How background tasks change memory files: one file, one change at a time, whole or not at all, and written down.

Steps of a change, in the queue of the file's real path:

1. the path is resolved and must stay in memory; the task must still be allowed to write;
2. the caller checks what it knows of the file (its baseline) against what stands there now; what stands there already
   is not written again;
3. the change is written into the journal with the bytes before, and new content is staged in the same folder;
4. in the turn of that folder, which the changes of all processes take one after the other: containment and permission
   are asked again, right before
5. what stands there is compared once more and replaced or removed in one step (`replacing`), or a new file is created
   exclusively.

A file that somebody changed between 2 and 5 is not overwritten: the change begins again at 2, where the check meets
what is there by then and gives its ordinary answer. Whatever fails up to step 5, the old file stands there whole, and
nothing that was staged is left; after it nothing fails any more. A deletion makes no folder and needs no baseline.

The turn is a kernel lock of the folder, for the moment of step 5; where it cannot be had in time, the step is taken
without. Source: `spec/project-memory.md`, "Cross-process locks and atomic publishing", "Restricted Bash execution".
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.project_memory.baseline import FileVersion
from pi_sandbox.project_memory.file_states import (
    NOTHING,
    Content,
    FileState,
    LinkState,
    Mark,
    digest_of,
    mark_of,
    same_content,
)
from pi_sandbox.project_memory.holder import Witness
from pi_sandbox.project_memory.journal import Journal
from pi_sandbox.project_memory.journal_entry import Change, JournalEntry, Task
from pi_sandbox.project_memory.left_behind import sweep
from pi_sandbox.project_memory.memory_files import SeenFile, floored_ms
from pi_sandbox.project_memory.path_queue import PathQueue
from pi_sandbox.project_memory.replacing import ChangedMeanwhileError, Standing, put_over, read_all, take_away
from pi_sandbox.project_memory.staging import discard, private_name, publish_new, stage
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
from pi_sandbox.system.file_guards import kernel_lock_within
from pi_sandbox.system.files import make_private_folders

Permission = Callable[[], str | None]
"""Why the task may not change anything any more (trust, generation, lock), or `None` while it may."""

_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_TURN_SECONDS = 2.0
_ATTEMPTS = 5
"""How often a change begins again because the file was changed meanwhile, without the check having anything against."""


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
    """A change that was made: the real path, its entry in the journal, and what stands there now."""

    path: Path
    entry: JournalEntry
    version: FileVersion | None

    @property
    def existed(self) -> bool:
        """Whether something stood there before."""
        return self.entry.change.action != "create"


@dataclass(frozen=True, slots=True)
class Unchanged:
    """Nothing was to be done: the content stands there already, in this version, or there is nothing to remove."""

    path: Path
    version: FileVersion | None


@dataclass(frozen=True, slots=True)
class MemoryWriter:
    """What changes need: the real path of the memory directory, which the first file makes where it is missing, its
    journal, who this process is, and the queue of this process.
    """

    memory: Path
    journal: Journal
    witness: Witness
    queue: PathQueue

    def write(
        self, path: str, data: bytes, task: Task, permission: Permission, check: Callable[[SeenFile | None], None]
    ) -> Published | Unchanged:
        """Write the file that the path leads to. Raises `FilesError`, and what `check` raises."""
        resolve = partial(write_target, self.memory, path)
        return self.change(Order(resolve, FileState(data), task, permission, partial(_check_file, path, check)))

    def delete(
        self, paths: Sequence[str], *, missing_is_fine: bool, task: Task, permission: Permission
    ) -> Iterator[Published]:
        """Remove entries, all of them checked before the first goes, and give each the moment it is gone.

        Links themselves go, never what they lead to. A missing one is left out if that is fine. Raises `FilesError`,
        also after some are gone.
        """
        orders = [
            Order(partial(delete_target, self.memory, path), None, task, permission, _accept_any) for path in paths
        ]
        for order in orders:
            _check_deletable(order.resolve(), missing_is_fine=missing_is_fine)
        for order in orders:
            made = self.change(order)
            if isinstance(made, Published):
                yield made

    def change(self, order: Order) -> Published | Unchanged:
        """Make one change. Raises `FilesError`, and what the check raises."""
        _ask(order.permission)
        if order.content is not None:
            _make_root(self.memory)
        target = order.resolve()
        if target.root != self.memory:
            raise MovedError(f"the memory directory {quoted(self.memory)} leads elsewhere by now", "end the task")
        with (
            self.queue.turn(target.path),
            open_folder(target, make=order.content is not None) as folder,
            changing(target),
        ):
            if folder is None:
                return Unchanged(target.path, None)
            sweep(folder, self.journal, self.witness)
            return self._change_in(folder, target, order)

    def mark_now(self, target: Target) -> Mark:
        """Give the mark of what stands under a name; raises `FilesError`."""
        with open_folder(target, make=False) as folder, changing(target):
            if folder is None:
                return NOTHING
            with _current(target, folder) as (standing, _):
                return mark_of(standing.content)

    def _change_in(self, folder: int, target: Target, order: Order) -> Published | Unchanged:
        for attempt in range(1, _ATTEMPTS + 1):
            with _current(target, folder) as (standing, seen):
                order.check(standing.content, seen)
                if same_content(mark_of(standing.content), mark_of(order.content)):
                    return Unchanged(target.path, None if seen is None else seen.version)
                try:
                    return self._publish(folder, target, order, standing)
                except ChangedMeanwhileError:
                    if attempt == _ATTEMPTS:
                        raise
        raise AssertionError("the last attempt gives or raises")

    def _publish(self, folder: int, target: Target, order: Order, standing: Standing) -> Published:
        before = standing.content
        change = Change(order.task, target.relative, mark_of(before), mark_of(order.content))
        entry = self.journal.begin(change, _file(before))
        private = private_name(self.witness.me, entry.id)
        try:
            replaced = self._step(private, folder, target, order, standing)
        except (FilesError, OSError):
            self.journal.abandon(entry)
            raise
        if replaced is before:
            self.journal.done(entry.id)
            entry = replace(entry, marked_done=True)
        else:
            entry = self._corrected(entry, replaced, private, folder)
        return Published(target.path, entry, _version(target, folder, change.after.digest))

    def _corrected(self, entry: JournalEntry, replaced: Content, private: str, folder: int) -> JournalEntry:
        """Write down what was really replaced; where that is not possible it stays for the next sweep to try."""
        try:
            entry = self.journal.correct(entry, mark_of(replaced), _file(replaced))
        except FilesError:
            return entry
        discard(private, folder)
        return entry

    def _step(self, private: str, folder: int, target: Target, order: Order, standing: Standing) -> Content:
        if order.content is not None:
            stage(order.content, folder, private, like=standing.descriptor)
        try:
            kernel_lock_within(folder, _TURN_SECONDS)
            if order.resolve() != target or not is_still_there(target, folder):
                raise MovedError(f"{quoted(target.path)} leads elsewhere by now", "read it again, then decide")
            _ask(order.permission)
        except (FilesError, OSError):
            discard(private, folder)
            raise
        if order.content is None:
            return take_away(private, target.name, folder, standing)
        if standing.content is not None:
            return put_over(private, target.name, folder, standing, order.content)
        try:
            is_new = publish_new(private, target.name, folder)
        finally:
            discard(private, folder)
        if not is_new:
            raise AppearedError(f"{quoted(target.path)} has appeared meanwhile", "read it first, then write it again")
        return None


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


@contextlib.contextmanager
def _current(target: Target, folder: int) -> Iterator[tuple[Standing, SeenFile | None]]:
    """Give what stands under the name, a file with its descriptor, which stays open for the time of the block."""
    status = entry_status(target, folder)
    if status is None:
        yield Standing(None), None
        return
    if stat.S_ISLNK(status.st_mode):
        yield Standing(LinkState(os.readlink(target.name, dir_fd=folder))), None
        return
    _check_regular(status, target)
    descriptor = os.open(target.name, _FILE, dir_fd=folder)
    try:
        data = read_all(descriptor)
        status = os.fstat(descriptor)
        _check_regular(status, target)
        version = FileVersion(digest_of(data), floored_ms(status.st_mtime_ns))
        yield Standing(FileState(data, stat.S_IMODE(status.st_mode)), descriptor), SeenFile(data, version)
    finally:
        os.close(descriptor)


def _make_root(memory: Path) -> None:
    try:
        make_private_folders(memory)
    except OSError as error:
        raise FilesError(f"{quoted(memory)} could not be made: {error.strerror}", "check its permissions") from error


def _file(content: Content) -> FileState | None:
    return content if isinstance(content, FileState) else None


def _check_regular(status: os.stat_result, target: Target) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise NotMemoryFileError(f"{quoted(target.path)} is not a regular file", "choose another name")


def _version(target: Target, folder: int, digest: str | None) -> FileVersion | None:
    """Give the version of what was just published; the time is that of the name now."""
    try:
        status = entry_status(target, folder)
    except OSError:
        return None
    return None if status is None or digest is None else FileVersion(digest, floored_ms(status.st_mtime_ns))

"""The journal of background changes, beside the locks of a memory root and outside the memory directory.

    journal/<id>.json      a change that happened; `<id>.begun.json` until then
    journal/bytes/<sha256> the bytes that stood there before, once for each content

- An entry and the bytes before are on the disk before the change is made; without them there is no change.
- Bounded: at most `JOURNAL_ENTRIES` entries and `JOURNAL_BYTES` bytes; the oldest go first, and then the bytes that no
  entry needs.
- One background task fills at most a quarter of it (`JOURNAL_TASK_ENTRIES`, `JOURNAL_TASK_BYTES`), so that it pushes
  little of what others did out. What would go beyond, and any content that could not be kept, is refused before
  anything is changed: what a task does can be taken back.
- An id begins with the time, or one more than the last where the clock does not go on, so that names sort as the
  changes came.
- Writers of several processes take turns with a kernel lock, which ends with its holder; where it cannot be had within
  seconds, an entry is written all the same, and nothing is dropped.

Source: issue 4, point 7.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.project_memory.file_states import FileState, Mark, digest_of
from pi_sandbox.project_memory.journal_entry import UNDO, Change, JournalEntry, parse_entry, render_entry
from pi_sandbox.project_memory.limits import (
    JOURNAL_BYTES,
    JOURNAL_ENTRIES,
    JOURNAL_TASK_BYTES,
    JOURNAL_TASK_ENTRIES,
    LEFT_BEHIND_SECONDS,
)
from pi_sandbox.project_memory.write_paths import WriteRefusedError
from pi_sandbox.system.file_guards import kernel_lock_within
from pi_sandbox.system.files import make_private_folders, read_regular_file

_BEGUN, _DONE = ".begun.json", ".json"
_UNFINISHED = ".new"
_ID = re.compile(r"[0-9]{13}-[0-9a-f]{8}")
_LATEST_MS = 2**42
"""The year 2109: no name after it is one of ours, and after the last possible one there would be no room for more."""
_ENTRY_BYTES = 64 * 1024
_TURN_SECONDS = 2.0


class JournalError(FilesError):
    """The journal cannot be read or written; no background change is made without it."""


class NotKeptError(WriteRefusedError):
    """A change could not be taken back, because the journal would not keep what it replaces."""


class Journal:
    """The journal in one folder, which is made when first needed. It knows what the tasks of this process have used."""

    def __init__(self, folder: Path, *, entries: int = JOURNAL_ENTRIES, size: int = JOURNAL_BYTES) -> None:
        self._folder, self._bytes = folder, folder / "bytes"
        self._entries, self._size = entries, size
        self._lock = threading.Lock()
        self._used: dict[str, tuple[int, int]] = {}

    def begin(self, change: Change, before: FileState | None) -> JournalEntry:
        """Write down a change that is about to happen, with the bytes before it.

        Raises `NotKeptError` for one that could not be taken back, and `JournalError`.
        """
        self._use(change)
        try:
            return self._write(change, before)
        except BaseException:
            self._give_back(change)
            raise

    def _write(self, change: Change, before: FileState | None) -> JournalEntry:
        with self._translated():
            for folder in (self._folder, self._bytes):
                make_private_folders(folder)
            with self._turn() as alone:
                if before is not None and change.before.digest is not None:
                    self._keep(change.before.digest, before.data)
                entry = JournalEntry(self._new_id(), time.time_ns() // 1_000_000, change, marked_done=False)
                _put(self._folder / (entry.id + _BEGUN), render_entry(entry))
                if alone:
                    self._sweep()
                    self._drop_oldest()
        return entry

    def done(self, identity: str) -> None:
        """Mark a change as made. Never raises, because it was made: without the mark it is judged by its effect."""
        with contextlib.suppress(OSError):
            (self._folder / (identity + _BEGUN)).rename(self._folder / (identity + _DONE))

    def abandon(self, entry: JournalEntry) -> None:
        """Take back a change that was not made; never raises for a bad disk."""
        self._give_back(entry.change)
        self._remove_begun(entry)

    def correct(self, entry: JournalEntry, before: Mark, data: FileState | None) -> JournalEntry:
        """Write down, in place of an entry, the change that was really made: of what stood there without being known.

        Raises `JournalError`, and the old entry stays.
        """
        corrected = self._write(replace(entry.change, before=before), data)
        self.done(corrected.id)
        self._remove_begun(entry)
        return replace(corrected, marked_done=True)

    def entries(self) -> tuple[JournalEntry, ...]:
        """Give what is written down, oldest first; what is no entry is left out."""
        with self._translated():
            found = [self._read(name) for name in self._names()]
        return tuple(entry for entry in found if entry is not None)

    def entry(self, identity: str) -> JournalEntry | None:
        """Give one entry by its id, `None` if it is not there."""
        if not _ID.fullmatch(identity):
            return None
        with self._translated():
            return self._read(identity + _BEGUN)

    def bytes_of(self, digest: str) -> bytes | None:
        """Give kept content by its digest; `None` if it was dropped, or is not what its name says."""
        content = read_regular_file(self._bytes / digest, limit=self._size)
        if content is None or digest_of(content.data) != digest:
            return None
        return content.data

    def _remove_begun(self, entry: JournalEntry) -> None:
        with contextlib.suppress(OSError):
            (self._folder / (entry.id + _BEGUN)).unlink(missing_ok=True)

    def _use(self, change: Change) -> None:
        """Count a change to its task, unless it could not be taken back then; what people undo is not counted."""
        most = min(JOURNAL_TASK_BYTES, self._size)
        with self._lock:
            entries, size = (0, 0) if change.task.kind == UNDO else self._used.get(change.task.id, (0, 0))
            size += change.before.size
            if max(change.before.size, change.after.size) > most:
                raise NotKeptError(
                    f"{quoted(change.path)}: more than {most} bytes of a file are kept by no undo",
                    "leave the file as it is, or write a shorter one",
                )
            if size > JOURNAL_TASK_BYTES or entries >= JOURNAL_TASK_ENTRIES:
                raise NotKeptError(
                    f"{quoted(change.path)}: this task has changed so much that no more of it could be taken back",
                    "end the task; another one can go on",
                )
            self._used[change.task.id] = (entries + 1, size)

    def _give_back(self, change: Change) -> None:
        with self._lock:
            entries, size = self._used.get(change.task.id, (1, change.before.size))
            self._used[change.task.id] = (entries - 1, size - change.before.size)

    def _new_id(self) -> str:
        """Give an id after all there are, whatever the clock says."""
        last = max((at for name in self._names() if (at := int(name[:13])) <= _LATEST_MS), default=0)
        return f"{max(time.time_ns() // 1_000_000, last + 1):013d}-{secrets.token_hex(4)}"

    def _names(self) -> list[str]:
        try:
            names = sorted(os.listdir(self._folder))
        except FileNotFoundError:
            return []
        return [name for name in names if _identity(name)]

    def _read(self, name: str) -> JournalEntry | None:
        for each in (name, _identity(name) + _DONE):
            content = read_regular_file(self._folder / each, limit=_ENTRY_BYTES)
            if content is not None:
                return parse_entry(_identity(each), content.data, marked_done=not each.endswith(_BEGUN))
        return None

    def _keep(self, digest: str, data: bytes) -> None:
        path = self._bytes / digest
        if self.bytes_of(digest) is None:
            path.unlink(missing_ok=True)
            _put(path, data)

    def _sweep(self) -> None:
        """Remove what killed processes were about to put here."""
        for folder in (self._folder, self._bytes):
            for path in folder.glob(f".*{_UNFINISHED}"):
                with contextlib.suppress(OSError):
                    if abs(time.time() - path.lstat().st_mtime) > LEFT_BEHIND_SECONDS:
                        path.unlink()

    def _drop_oldest(self) -> None:
        """Beyond either limit, remove the oldest entries and the content that none of the others needs, and some more.

        A tenth of room is made, so that a full journal is not gone through for every change.
        """
        names = self._names()
        stored = {each.name: each.stat(follow_symlinks=False).st_size for each in os.scandir(self._bytes)}
        if len(names) <= self._entries and sum(stored.values()) <= self._size:
            return
        most, room = self._entries - self._entries // 10, self._size - self._size // 10
        kept = 0
        needed: dict[str, int] = {}
        for name in reversed(names):
            entry = self._read(name)
            digest = None if entry is None else entry.change.before.digest
            wanted = needed if digest is None else {**needed, digest: stored.get(digest, 0)}
            if kept and (kept >= most or sum(wanted.values()) > room):
                break
            kept, needed = kept + 1, wanted
        for name in names[: len(names) - kept]:
            (self._folder / name).unlink(missing_ok=True)
        for digest in stored.keys() - needed.keys():
            (self._bytes / digest).unlink(missing_ok=True)

    @contextlib.contextmanager
    def _turn(self) -> Iterator[bool]:
        """Have the journal alone for the time of the block; the block gets `False` where that took too long."""
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(self._folder / ".turn", flags, 0o600)
        try:
            yield kernel_lock_within(descriptor, _TURN_SECONDS)
        finally:
            os.close(descriptor)

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise JournalError(
                f"the journal {quoted(self._folder)} cannot be used: {error.strerror}",
                "nothing is changed in the background until that folder can be written",
            ) from error


def _identity(name: str) -> str:
    """Give the id in the name of an entry's file, empty for other files."""
    identity = name.removesuffix(_BEGUN).removesuffix(_DONE)
    return identity if identity != name and _ID.fullmatch(identity) else ""


def _put(path: Path, data: bytes) -> None:
    """Make a file whole under its name, and make that last."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(8)}{_UNFINISHED}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    _make_last(path.parent)


def _make_last(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

"""What background tasks changed, and taking a change back.

- `log` gives the entries of the journal, each with what became of it.
- `undo` puts back what stood there before a change, or before all that one task changed, if nothing else has changed
  the files since, or if it is forced. It goes the way of every change and stands in the journal itself, as a task of
  its own, so it can be undone.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.project_memory.file_states import Content, FileState, LinkState, Mark, mark_of, same_content
from pi_sandbox.project_memory.journal_entry import UNDO, JournalEntry, Outcome, Task, outcome
from pi_sandbox.project_memory.memory_files import SeenFile
from pi_sandbox.project_memory.publish import MemoryWriter, Order, Published
from pi_sandbox.project_memory.write_paths import Target, check_link, entry_target

_UNREADABLE = Mark(digest="unreadable")


class UndoError(FilesError):
    """A change cannot be taken back."""


class ChangedSinceError(UndoError):
    """The file is not what the change left."""


@dataclass(frozen=True, slots=True)
class Left:
    """A file that an undo could not put back, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo changed, and what it could not; without either it stood there already."""

    changes: tuple[Published, ...]
    left: tuple[Left, ...] = ()


@dataclass(frozen=True, slots=True)
class _Step:
    """One file's way back: to `before` from `after`, if nobody broke the changes between them."""

    id: str
    path: str
    before: Mark
    after: Mark
    unbroken: bool


@dataclass(frozen=True, slots=True)
class LoggedChange:
    """A line of the log: the entry and what became of it."""

    entry: JournalEntry
    outcome: Outcome


def log(writer: MemoryWriter) -> tuple[LoggedChange, ...]:
    """Give all changes that are still written down, oldest first; raises `FilesError`."""
    entries = writer.journal.entries()
    return tuple(
        LoggedChange(entry, outcome(entry, entries[place + 1 :], _mark_now(writer, entry)))
        for place, entry in enumerate(entries)
    )


def logged(writer: MemoryWriter, identity: str) -> LoggedChange | None:
    """Give one change by its id, `None` if it is not written down; raises `FilesError`."""
    entry = writer.journal.entry(identity)
    if entry is None or entry.marked_done:
        return None if entry is None else LoggedChange(entry, Outcome.DONE)
    return next((each for each in log(writer) if each.entry.id == identity), None)


def undo(writer: MemoryWriter, identity: str, *, force: bool = False) -> Undone:
    """Put back what stood there before a change, or before everything that a task changed.

    Of a task each file goes back to what it was before the task's first change of it; nothing is touched unless all of
    it can go back, or it is forced. Raises `UndoError` where that cannot be, `ChangedSinceError` where it is refused
    without `force`.
    """
    steps = _steps(writer, identity)
    refused = [reason for step in steps if (reason := _why_not(writer, step, force)) is not None]
    if refused:
        raise type(refused[0])("; ".join(each.message for each in refused), refused[0].hint)
    task = Task(UNDO, secrets.token_hex(8))
    made: list[Published] = []
    left: list[Left] = []
    failed: FilesError | None = None
    for step in steps:
        try:
            published = writer.change(_order(writer, step, task, force))
        except FilesError as error:
            failed = failed or error
            left.append(Left(step.path, error.message))
        else:
            made += [published] if isinstance(published, Published) else []
    if failed is not None and not made:
        raise failed
    return Undone(tuple(made), tuple(left))


def _steps(writer: MemoryWriter, identity: str) -> tuple[_Step, ...]:
    entry = logged(writer, identity)
    if entry is not None and entry.outcome is Outcome.WITHOUT_EFFECT:
        raise UndoError(f"the change {identity} had no effect", "there is nothing to take back")
    if entry is not None:
        return (_step([entry.entry]),)
    by_path: dict[str, list[JournalEntry]] = {}
    for each in log(writer):
        if each.entry.change.task.id == identity and each.outcome is not Outcome.WITHOUT_EFFECT:
            by_path.setdefault(each.entry.change.path, []).append(each.entry)
    if not by_path:
        raise UndoError(
            f"the journal has no change and no task {quoted(identity)}",
            "log shows the ids; in pi, /memory shows those of the newest",
        )
    return tuple(_step(entries) for entries in reversed(by_path.values()))


def _step(entries: Sequence[JournalEntry]) -> _Step:
    first, last = entries[0], entries[-1]
    unbroken = all(same_content(one.change.after, next_.change.before) for one, next_ in pairwise(entries))
    return _Step(last.id, last.change.path, first.change.before, last.change.after, unbroken)


def _why_not(writer: MemoryWriter, step: _Step, force: bool) -> UndoError | None:
    """Give what speaks against a step before it is taken; what only its change can find out comes later."""
    try:
        _content_before(writer, step)
        if not force:
            _check_unbroken(step)
            _check_unchanged(step, writer.mark_now(entry_target(writer.memory, step.path)))
    except UndoError as error:
        return error
    return None


def _order(writer: MemoryWriter, step: _Step, task: Task, force: bool) -> Order:
    content = _content_before(writer, step)

    def check(current: Content, _: SeenFile | None) -> None:
        if not force:
            _check_unchanged(step, mark_of(current))

    return Order(partial(_target_for, content, writer.memory, step.path), content, task, lambda: None, check)


def _content_before(writer: MemoryWriter, step: _Step) -> Content:
    before = step.before
    if before.leads_to is not None:
        return LinkState(before.leads_to)
    if before.digest is None:
        return None
    data = writer.journal.bytes_of(before.digest)
    if data is None:
        raise UndoError(f"the journal no longer has the bytes before the change {step.id}", "undo a newer change")
    return FileState(data, before.mode)


def _target_for(content: Content, memory: Path, path: str) -> Target:
    """Give the entry of a change; a link that is put back leads into memory, as it had to when it was deleted."""
    target = entry_target(memory, path)
    if isinstance(content, LinkState):
        check_link(target, content.leads_to)
    return target


def _check_unbroken(step: _Step) -> None:
    if not step.unbroken:
        raise ChangedSinceError(
            f"{quoted(step.path)} was changed by somebody else between the changes of the task",
            "undo its changes one by one, or force it and lose the others' (the log keeps them)",
        )


def _check_unchanged(step: _Step, now: Mark) -> None:
    if not same_content(now, step.after):
        raise ChangedSinceError(
            f"{quoted(step.path)} has changed since the change {step.id}",
            "undo the later changes first, or force it and lose them (the log keeps them)",
        )


def _mark_now(writer: MemoryWriter, entry: JournalEntry) -> Mark:
    """Give what stands there, where it matters; what cannot be read is neither the one nor the other."""
    if entry.marked_done:
        return entry.change.after
    try:
        return writer.mark_now(entry_target(writer.memory, entry.change.path))
    except FilesError:
        return _UNREADABLE

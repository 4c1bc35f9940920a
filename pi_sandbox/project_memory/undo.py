"""What background tasks changed, and taking a change back.

- `log` gives the entries of the journal, each with what became of it.
- `undo` puts back what stood there before, if nothing has changed the file since, or if it is forced. It goes the way
  of every change and stands in the journal itself, so it can be undone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.project_memory.file_states import Content, FileState, LinkState, Mark, mark_of, same_content
from pi_sandbox.project_memory.journal_entry import JournalEntry, Outcome, Task, outcome
from pi_sandbox.project_memory.memory_files import SeenFile
from pi_sandbox.project_memory.publish import MemoryWriter, Order, Published
from pi_sandbox.project_memory.write_paths import Target, check_link, entry_target

UNDO = "undo"
_UNREADABLE = Mark(digest="unreadable")


class UndoError(FilesError):
    """A change cannot be taken back."""


class ChangedSinceError(UndoError):
    """The file is not what the change left."""


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


def undo(writer: MemoryWriter, identity: str, *, force: bool = False) -> Published | None:
    """Put back what stood there before a change; `None` if it stands there already.

    Raises `UndoError` where that cannot be, `ChangedSinceError` where it is refused without `force`.
    """
    found = logged(writer, identity)
    if found is None:
        raise UndoError(f"the journal has no change {quoted(identity)}", "see the log for the ids")
    change = found.entry.change
    if found.outcome is Outcome.WITHOUT_EFFECT:
        raise UndoError(f"the change {identity} had no effect", "there is nothing to take back")
    content = _content_before(writer, identity, change.before)
    order = Order(
        resolve=partial(_target_for, content, writer.memory, change.path),
        content=content,
        task=Task(UNDO, identity),
        permission=lambda: None,
        check=partial(_check_unchanged, found.entry, force),
    )
    return writer.change(order)


def _content_before(writer: MemoryWriter, identity: str, before: Mark) -> Content:
    if before.leads_to is not None:
        return LinkState(before.leads_to)
    if before.digest is None:
        return None
    data = writer.journal.bytes_of(before.digest)
    if data is None:
        raise UndoError(f"the journal no longer has the bytes before the change {identity}", "undo a newer change")
    return FileState(data, before.mode)


def _target_for(content: Content, memory: Path, path: str) -> Target:
    """Give the entry of a change; a link that is put back leads into memory, as it had to when it was deleted."""
    target = entry_target(memory, path)
    if isinstance(content, LinkState):
        check_link(target, content.leads_to)
    return target


def _check_unchanged(entry: JournalEntry, force: bool, current: Content, _: SeenFile | None) -> None:
    if not force and not same_content(mark_of(current), entry.change.after):
        raise ChangedSinceError(
            f"{quoted(entry.change.path)} has changed since the change {entry.id}",
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

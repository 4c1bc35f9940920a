"""`journal/list`, `journal/undo` and `memory/capture`, and how a change is told."""

from __future__ import annotations

from typing import Literal, cast

from pi_sandbox.errors import quoted
from pi_sandbox.memory_text.visible import visible
from pi_sandbox.project_memory.captures import ExternalChange
from pi_sandbox.project_memory.catalogue import one_line
from pi_sandbox.project_memory.journal_entry import JournalEntry, Outcome
from pi_sandbox.project_memory.undo import UndoError, log, undo
from pi_sandbox.project_memory.words import capture_notice
from pi_sandbox.rpc import protocol_types as types
from pi_sandbox.rpc.call import Call
from pi_sandbox.rpc.memory_access import MemoryAccess


def journal_list(access: MemoryAccess, params: types.JournalListParams) -> types.JournalListResult:
    """Give the newest changes, the newest first."""
    newest = log(access.writer)[::-1][: params["limit"]]
    return {"changes": [told(each.entry, each.outcome) for each in newest]}


def journal_undo(access: MemoryAccess, params: types.JournalUndoParams, call: Call) -> types.JournalUndoResult:
    """Take a change back, or all changes of a task, and give the changes that this is; raises `UndoError`."""
    call.stop_if_cancelled()
    undone = undo(access.writer, params["id"], force=params["force"])
    if not undone.changes:
        raise UndoError(
            f"what was there before {quoted(params['id'])} is there already", "there is nothing to take back"
        )
    for each in undone.changes:
        access.note(each)
    return {
        "changes": [told(each.entry) for each in undone.changes],
        "left": [{"path": each.path, "shownPath": _shown(each.path), "reason": each.reason} for each in undone.left],
    }


def memory_capture(access: MemoryAccess, _: types.MemoryCaptureParams) -> types.MemoryCaptureResult:
    """Give what others have changed since the last capture, with the background change that left it so, if one did."""
    changes = access.captures.capture()
    entries = access.writer.journal.entries() if changes else ()
    by_content = {(entry.change.path, entry.change.after.digest): entry for entry in entries}
    found = [_external(each, by_content.get((each.path, each.digest))) for each in changes]
    return {"changes": found, "text": capture_notice([(each["action"], each["shownPath"]) for each in found])}


def told(entry: JournalEntry, outcome: Outcome = Outcome.DONE) -> types.Change:
    """Give an entry of the journal as the protocol tells it."""
    change = entry.change
    return {
        "id": entry.id,
        "at": entry.at,
        "task": change.task.kind,
        "taskId": change.task.id,
        "sessionId": change.task.session,
        "action": cast("Literal['create', 'write', 'delete']", change.action),
        "path": change.path,
        "shownPath": _shown(change.path),
        "outcome": outcome.value,
    }


def _external(change: ExternalChange, entry: JournalEntry | None) -> types.ExternalChange:
    return {
        "action": change.action,
        "path": change.path,
        "shownPath": _shown(change.path),
        "id": None if entry is None else entry.id,
        "task": None if entry is None else entry.change.task.kind,
        "taskId": None if entry is None else entry.change.task.id,
    }


def _shown(path: str) -> str:
    return one_line(visible(path))

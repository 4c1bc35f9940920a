"""`journal/list` and `journal/undo`, and how a change is told."""

from __future__ import annotations

from typing import Literal, cast

from pi_sandbox.memory_text.visible import visible
from pi_sandbox.project_memory.catalogue import one_line
from pi_sandbox.project_memory.undo import LoggedChange, UndoError, log, logged, undo
from pi_sandbox.rpc import protocol_types as types
from pi_sandbox.rpc.call import Call
from pi_sandbox.rpc.memory_access import MemoryAccess


def journal_list(access: MemoryAccess, params: types.JournalListParams) -> types.JournalListResult:
    """Give the newest changes, the newest first."""
    newest = log(access.writer)[::-1][: params["limit"]]
    return {"changes": [told(each) for each in newest]}


def journal_undo(access: MemoryAccess, params: types.JournalUndoParams, call: Call) -> types.JournalUndoResult:
    """Take a change back and give the change that this is; raises `UndoError`."""
    call.stop_if_cancelled()
    published = undo(access.writer, params["id"], force=params["force"])
    change = None if published is None else change_of(access, published.journal_id)
    if change is None:
        raise UndoError(
            f"what the change {params['id']} replaced stands there already", "there is nothing to take back"
        )
    return {"change": change}


def change_of(access: MemoryAccess, identity: str) -> types.Change | None:
    """Give the change with this id, `None` if the journal no longer has it."""
    found = logged(access.writer, identity)
    return None if found is None else told(found)


def told(logged: LoggedChange) -> types.Change:
    """Give an entry of the log as the protocol tells it."""
    entry = logged.entry
    return {
        "id": entry.id,
        "at": entry.at,
        "task": entry.change.task.kind,
        "action": cast("Literal['create', 'write', 'delete']", entry.change.action),
        "path": entry.change.path,
        "shownPath": one_line(visible(entry.change.path)),
        "outcome": logged.outcome.value,
    }

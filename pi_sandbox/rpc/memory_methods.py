"""What a person asks of the memory in pi: `memory/report` and `memory/forget`."""

from __future__ import annotations

import secrets
from datetime import datetime

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.memory_text.javascript_text import node_bytes, utf16_units
from pi_sandbox.memory_text.visible import visible
from pi_sandbox.note_format.limits import INDEX_LINES, INDEX_UNITS
from pi_sandbox.note_format.names import INDEX_NAME
from pi_sandbox.project_memory.catalogue import one_line
from pi_sandbox.project_memory.index import load_index
from pi_sandbox.project_memory.index_lines import without_note
from pi_sandbox.project_memory.journal_entry import Task
from pi_sandbox.project_memory.lease import TERMS, LockName, lease_is_over, parse
from pi_sandbox.project_memory.limits import BRANCH_RECALL_UNITS
from pi_sandbox.project_memory.lock_files import DiskLockFolder
from pi_sandbox.project_memory.maintenance import sessions_since, why_no_dream
from pi_sandbox.project_memory.memory_files import SeenFile, read_for_baseline
from pi_sandbox.project_memory.memory_reading import read_index
from pi_sandbox.project_memory.publish import Published, Unchanged
from pi_sandbox.project_memory.state import last_dream_at, read_shared_state, read_state
from pi_sandbox.project_memory.topics import scan_topics
from pi_sandbox.project_memory.undo import log
from pi_sandbox.rpc import protocol_types as types
from pi_sandbox.rpc.call import Call
from pi_sandbox.rpc.errors import ErrorCode, RequestError
from pi_sandbox.rpc.journal_methods import told
from pi_sandbox.rpc.memory_access import MemoryAccess, now_ms

FORGET = "forget"
"""The kind of the task that takes a note out for a person."""

_NEWEST = 5
_NAMED = 10
_REQUEST_CHARACTERS = 60


def memory_report(access: MemoryAccess, params: types.MemoryReportParams) -> types.MemoryReportResult:
    """Give what a person wants to know of this session's memory, as lines of plain text."""
    parts = [_memory(access), *_recalls(params), *_tasks(access), *_runs(params), *_changes(access)]
    return {"text": "\n".join(visible(line) for line in parts)}


def memory_forget(access: MemoryAccess, params: types.MemoryForgetParams, call: Call) -> types.MemoryForgetResult:
    """Take a note out, and the lines of the index that point to it, as one task that `journal/undo` takes back.

    Raises `RequestError` for a name that is none of a note, and `FilesError`.
    """
    call.stop_if_cancelled()
    name = _note_named(access, params["name"])
    task = Task(FORGET, secrets.token_hex(8), access.session_id)
    made = list(
        access.writer.delete(
            [str(access.storage.memory_root / name)], missing_is_fine=False, task=task, permission=lambda: None
        )
    )
    index = _without(access, name, task)
    if isinstance(index, Published):
        made.append(index)
    for each in made:
        access.note(each)
    return {"taskId": task.id, "changes": [told(each.entry) for each in made]}


def _note_named(access: MemoryAccess, given: str) -> str:
    """Give the name of the note that a person means: with `.md` or without."""
    name = given if given.endswith(".md") else f"{given}.md"
    topics = [topic.name for topic in scan_topics(access.storage.memory_root)]
    if name not in topics:
        raise RequestError(ErrorCode.REFUSED, "no-such-note", f"there is no note {quoted(name)}", _names(topics))
    return name


def _names(topics: list[str]) -> str:
    if not topics:
        return "the memory has no notes"
    more = f" and {len(topics) - _NAMED} more" if len(topics) > _NAMED else ""
    return f"the notes are {', '.join(topics[:_NAMED])}{more}"


def _without(access: MemoryAccess, name: str, task: Task) -> Published | Unchanged | None:
    """Take the note's lines out of the index, as often as somebody else changes it meanwhile; `None` if it has none."""
    path = access.storage.memory_root / INDEX_NAME
    while True:
        seen = read_for_baseline(path)
        if seen is None or (text := without_note(seen.text, name)) == seen.text:
            return None
        digest = seen.version.digest

        def check(now: SeenFile | None, digest: str = digest) -> None:
            if now is None or now.version.digest != digest:
                raise _IndexChangedError("the index has changed meanwhile")

        try:
            return access.writer.write(str(path), node_bytes(text), task, lambda: None, check)
        except _IndexChangedError:
            continue


class _IndexChangedError(FilesError):
    """Somebody else wrote the index between the look and the change."""


def _memory(access: MemoryAccess) -> str:
    index = read_index(access.storage.memory_root)
    topics = len(scan_topics(access.storage.memory_root))
    loaded = "no index" if index is None else _index_size(load_index(index).text)
    only = ", which can only be read" if access.read_only else ""
    return f"memory: {access.storage.memory}{only}: {topics} {'note' if topics == 1 else 'notes'}, {loaded}"


def _index_size(text: str) -> str:
    lines, units = len(text.splitlines()), utf16_units(text)
    return f"an index of {lines} of {INDEX_LINES} lines and {units:,} of {INDEX_UNITS:,} characters"


def _recalls(params: types.MemoryReportParams) -> list[str]:
    left = 0 if params["usedUp"] else max(0, BRANCH_RECALL_UNITS - params["usedUnits"])
    lines = [f"recall: {left:,} of {BRANCH_RECALL_UNITS:,} characters left in this conversation"]
    for each in params["recalls"]:
        request = one_line(each["request"])[:_REQUEST_CHARACTERS]
        lines.append(f"  {', '.join(each['topics'])} for: {request}")
    if params["suppressed"]:
        lines.append(f"  read already, not recalled again: {', '.join(params['suppressed'])}")
    return lines


def _tasks(access: MemoryAccess) -> list[str]:
    last = last_dream_at(read_shared_state(access.storage))
    sessions = sessions_since(read_state(access.storage.store_state), last, access.session_id)
    refusal = why_no_dream(now_ms(), last, sessions, access.configuration)
    begun = "there was none yet" if last is None else f"the last one began {_time(last)}"
    dream = f"dream: {begun}; the next one: {'due' if refusal is None else refusal.reason}"
    return [dream, *(_lock(access, name) for name in (LockName.EXTRACT, LockName.DREAM))]


def _runs(params: types.MemoryReportParams) -> list[str]:
    return ["tasks of this session:", *map(_run, params["runs"])] if params["runs"] else []


def _run(run: types.TaskRun) -> str:
    reason = "" if run["reason"] is None else f" ({one_line(run['reason'])})"
    tokens = f"{run['inputTokens']:,} tokens in, {run['cachedTokens']:,} from the cache, {run['outputTokens']:,} out"
    what = f"{run['kind']} of {_time(run['startedAt'])}: {run['outcome']}{reason}"
    return f"  {what}; {run['modelCalls']} model calls, {run['changes']} changes; {tokens}; cost {run['cost']:.4f}"


def _lock(access: MemoryAccess, name: LockName) -> str:
    seen = DiskLockFolder(access.storage.locks).see(name)
    if seen is None:
        return f"{name}: free"
    record = parse(seen.data)
    since = "" if record is None else f" since {_time(record.acquired_at)}"
    over = " and has given no sign of life within its lease" if _is_over(access, name, seen.sign) else ""
    return f"{name}: a task has it{since}{over}"


def _is_over(access: MemoryAccess, name: LockName, sign: int) -> bool:
    return lease_is_over(sign, DiskLockFolder(access.storage.locks).now(), TERMS[name].lease)


def _changes(access: MemoryAccess) -> list[str]:
    newest = log(access.writer)[::-1][:_NEWEST]
    if not newest:
        return ["changes: none by background tasks"]
    entries = [each.entry for each in newest]
    return ["changes:"] + [
        f"  {entry.id}  {_time(entry.at)}  {entry.change.task.kind} {entry.change.task.id}  "
        f"{entry.change.action} {entry.change.path}"
        for entry in entries
    ]


def _time(milliseconds: int) -> str:
    """Give a time of this place's clock; a number that no calendar has stays one."""
    try:
        return datetime.fromtimestamp(milliseconds / 1000).astimezone().isoformat(" ", "minutes")
    except (OverflowError, ValueError, OSError):
        return str(milliseconds)

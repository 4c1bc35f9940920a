"""The main agent's half: the sections of its prompt, recalls, and what is said about its own file tools."""

from __future__ import annotations

import contextlib
import secrets
import stat
import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import sha256

from pi_sandbox.errors import FilesError
from pi_sandbox.project_memory.catalogue import Topic, is_topic_name
from pi_sandbox.project_memory.index import IndexFile, Snapshot, backfill, staleness_notice, take_snapshot
from pi_sandbox.project_memory.javascript_text import decoded, node_bytes
from pi_sandbox.project_memory.journal_entry import Task
from pi_sandbox.project_memory.memory_files import SeenFile, floored_ms, read_for_baseline
from pi_sandbox.project_memory.memory_reading import read_index, recall
from pi_sandbox.project_memory.publish import Published
from pi_sandbox.project_memory.recall_budget import RecallBudget
from pi_sandbox.project_memory.recall_gate import NoSelector, SelectorPace, why_no_selector
from pi_sandbox.project_memory.reminders import age_reminder
from pi_sandbox.project_memory.selection import (
    Message,
    SelectorHistory,
    SelectorRequest,
    chosen_topics,
    read_answer,
    selector_request,
    with_answer,
)
from pi_sandbox.project_memory.topics import by_every_name, scan_topics
from pi_sandbox.rpc import protocol_types as types
from pi_sandbox.rpc.call import Call
from pi_sandbox.rpc.errors import ErrorCode, RequestError
from pi_sandbox.rpc.memory_access import MemoryAccess, now_ms

INDEX = "MEMORY.md"
_WAITING = 64
"""Recalls that may wait for their selector's answer; the oldest is forgotten first."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A recall whose selector has been asked, and whether its answer is late."""

    topics: tuple[Topic, ...]
    request: SelectorRequest
    branch: int
    late: bool = False


@dataclass(frozen=True, slots=True)
class _Shown:
    """What the session's prompt holds, and the digest of the last index that a notice told of."""

    snapshot: Snapshot
    announced: str | None = None


class MainSession:
    """What one session has been shown and asked. Each method is one of the protocol."""

    def __init__(self, access: MemoryAccess, resume: types.SessionState | None = None) -> None:
        self._access = access
        self._lock = threading.Lock()
        self._shown = None if resume is None else _shown_in(resume)
        self._history = SelectorHistory() if resume is None else _history_in(resume)
        self._pace = SelectorPace() if resume is None else SelectorPace(**resume["pace"])
        self._branch = 0
        self._waiting: dict[str, _Waiting] = {}

    def sections(self, _: types.PromptSectionsParams, __: Call) -> types.PromptSectionsResult:
        """Answer `prompt/sections`."""
        memory = str(self._access.storage.memory)
        with self._lock:
            current = read_index(self._access.storage.memory_root)
            if self._shown is None:
                self._shown = _Shown(take_snapshot(memory, current or self._backfilled()))
                notice = None
            else:
                shown = self._shown
                notice = staleness_notice(shown.snapshot, shown.announced, current or IndexFile(), memory)
                if notice is not None:
                    self._shown = replace(shown, announced=notice.digest)
            snapshot = self._shown.snapshot
        return {
            "autoMemory": snapshot.auto_memory,
            "autoMemoryIndex": snapshot.auto_memory_index,
            "stalenessNotice": None if notice is None else notice.text,
        }

    def clear(self, _: types.PromptClearParams, __: Call) -> types.PromptClearResult:
        """Answer `prompt/clear`. What is asked now may still be answered; the new branch does not go on from it."""
        with self._lock:
            self._shown = None
            self._history = SelectorHistory()
            self._pace = SelectorPace()
            self._branch += 1
        return {}

    def state(self, _: types.SessionStateParams, __: Call) -> types.SessionStateResult:
        """Answer `session/state`."""
        with self._lock:
            shown, history, pace = self._shown, self._history, self._pace
        state: types.SessionState = {
            "memoryFolder": str(self._access.storage.memory),
            "history": {"prefix": history.prefix, "messages": _told(history.messages)},
            "pace": {"late": pace.late, "pause": pace.pause},
        }
        if shown is not None:
            state["shown"] = {
                "autoMemory": shown.snapshot.auto_memory,
                "autoMemoryIndex": shown.snapshot.auto_memory_index,
                "digest": shown.snapshot.digest,
                "announced": shown.announced,
            }
        return {"state": state}

    def _backfilled(self) -> IndexFile:
        """Give the index made of the topics that are there, written to the disk where that is possible."""
        text = backfill(scan_topics(self._access.storage.memory_root))
        if text is None:
            return IndexFile()
        data = node_bytes(text)
        if not self._access.read_only:
            task = Task("backfill", self._access.session_id)
            with contextlib.suppress(FilesError, OSError):
                path = str(self._access.storage.memory_root / INDEX)
                made = self._access.writer.write(path, data, task, lambda: None, _must_be_new)
                if isinstance(made, Published):
                    self._access.note(made)
        return IndexFile(decoded(data), sha256(data).hexdigest())

    def recall_prepare(self, params: types.RecallPrepareParams, _: Call) -> types.RecallPrepareResult:
        """Answer `recall/prepare`."""
        if not self._access.configuration.recall_enabled:
            return {"run": False, "reason": "recall is turned off in config.json"}
        budget = RecallBudget(params["usedUnits"], params["usedUp"])
        with self._lock:
            refusal = why_no_selector(params["prompt"], budget, self._pace)
            if refusal is NoSelector.PAUSE:
                self._pace = self._pace.after_pause()
            if refusal is not None:
                return {"run": False, "reason": refusal.value}
            history, branch = self._history, self._branch
        topics = scan_topics(self._access.storage.memory_root)
        if not topics:
            return {"run": False, "reason": "there are no topics"}
        request = selector_request(topics, history, params["prompt"])
        identity = secrets.token_hex(8)
        with self._lock:
            self._waiting[identity] = _Waiting(topics, request, branch)
            if len(self._waiting) > _WAITING:
                del self._waiting[next(iter(self._waiting))]
        return {
            "run": True,
            "reason": "the selector is asked",
            "requestId": identity,
            "system": request.system,
            "messages": _told(request.messages),
        }

    def recall_late(self, params: types.RecallLateParams, _: Call) -> types.RecallLateResult:
        """Answer `recall/late`."""
        with self._lock:
            waiting = self._waiting.get(params["requestId"])
            if waiting is not None and not waiting.late:
                self._waiting[params["requestId"]] = replace(waiting, late=True)
                if waiting.branch == self._branch:
                    self._pace = self._pace.after_late()
        return {}

    def recall_finish(self, params: types.RecallFinishParams, _: Call) -> types.RecallFinishResult:
        """Answer `recall/finish`."""
        with self._lock:
            waiting = self._waiting.pop(params["requestId"], None)
            if waiting is None:
                raise RequestError(
                    ErrorCode.REFUSED, "recall-unknown", "there is no such recall", "send recall/prepare first"
                )
            answer = params["answer"]
            selected = None if answer is None else read_answer(answer, waiting.topics)
            if waiting.branch == self._branch:
                if selected is not None:
                    self._history = with_answer(waiting.request, selected)
                if not waiting.late:
                    self._pace = self._pace.after_late() if answer is None else self._pace.after_answer()
        suppressed = by_every_name(self._access.storage.memory_root, params["suppressed"], waiting.topics)
        chosen = [topic.name for topic in chosen_topics(selected or (), waiting.topics, suppressed)]
        budget = RecallBudget(params["usedUnits"], params["usedUp"])
        found = recall(self._access.storage.memory_root, chosen, budget, now_ms=now_ms())
        return {
            "text": found.message,
            "topics": [topic.name for topic in found.topics],
            "usedUnits": found.budget.used_units,
            "usedUp": found.budget.used_up,
        }

    def file_check(self, params: types.FileCheckParams, _: Call) -> types.FileCheckResult:
        """Answer `file/check`."""
        reads = params["tool"] == "read"
        if params["trusted"] or self._access.memory_file(params["path"], reads=reads) is None:
            return {"allow": True, "reason": ""}
        what = f"{params['tool']} of a memory file is refused"
        return {"allow": False, "reason": f"{what}: this project is not trusted. /trust changes that."}

    def file_read(self, params: types.FileReadParams, _: Call) -> types.FileReadResult:
        """Answer `file/read`."""
        file = self._access.memory_file(params["path"], reads=True)
        if file is None:
            elsewhere = self._access.topic_read(params["path"]) if params["complete"] else None
            return {"reminder": None, "suppress": elsewhere}
        name = self._access.name_of(file)
        try:
            status = file.stat()
        except OSError:
            return {"reminder": None, "suppress": None}
        if not stat.S_ISREG(status.st_mode):
            return {"reminder": None, "suppress": None}
        modified = floored_ms(status.st_mtime_ns)
        suppress = name if params["complete"] and is_topic_name(name) else None
        return {"reminder": age_reminder(name, modified, now_ms()) or None, "suppress": suppress}

    def file_written(self, params: types.FileWrittenParams, _: Call) -> types.FileWrittenResult:
        """Answer `file/written`."""
        file = self._access.memory_file(params["path"])
        if file is None or file.suffix != ".md":
            return {"reminder": None}
        seen = read_for_baseline(file)
        self._access.captures.noted(self._access.name_of(file), None if seen is None else seen.version.digest)
        return {"reminder": None if seen is None else self._access.reminder_of(file, seen.text)}


def _told(messages: Iterable[Message]) -> list[types.Message]:
    return [{"role": each.role, "text": each.text} for each in messages]


def _shown_in(state: types.SessionState) -> _Shown | None:
    given = state.get("shown")
    if given is None:
        return None
    return _Shown(Snapshot(given["autoMemory"], given["autoMemoryIndex"], given["digest"]), given["announced"])


def _history_in(state: types.SessionState) -> SelectorHistory:
    messages = tuple(Message(each["role"], each["text"]) for each in state["history"]["messages"])
    return SelectorHistory(state["history"]["prefix"], messages)


def _must_be_new(seen: SeenFile | None) -> None:
    if seen is not None:
        raise FilesError("there is an index meanwhile", "read it")

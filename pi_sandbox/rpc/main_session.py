"""The main agent's half: the sections of its prompt, recalls, and what is said about its own file tools."""

from __future__ import annotations

import contextlib
import secrets
import stat
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from pi_sandbox.errors import FilesError
from pi_sandbox.memory_text.javascript_text import decoded, node_bytes
from pi_sandbox.memory_text.sanitise import sanitise_memory_text
from pi_sandbox.note_format.names import TOPIC_SUFFIX, is_topic_name
from pi_sandbox.project_memory.catalogue import Topic
from pi_sandbox.project_memory.index import IndexFile, Snapshot, backfill, staleness_notice, take_snapshot
from pi_sandbox.project_memory.journal_entry import Task
from pi_sandbox.project_memory.lost_lines import MainWrite
from pi_sandbox.project_memory.memory_files import SeenFile, floored_ms, read_for_baseline
from pi_sandbox.project_memory.memory_reading import Recall, read_index, recall
from pi_sandbox.project_memory.publish import Published
from pi_sandbox.project_memory.recall_budget import RecallBudget
from pi_sandbox.project_memory.recall_gate import BUDGET, PAUSED, SelectorPace, why_no_selector
from pi_sandbox.project_memory.refusals import UNTRUSTED, Refusal, Rule
from pi_sandbox.project_memory.reminders import CLEANED_REMINDER, age_reminder
from pi_sandbox.project_memory.selection import (
    Message,
    SelectorHistory,
    SelectorRequest,
    chosen_topics,
    read_answer,
    selector_request,
    with_answer,
)
from pi_sandbox.project_memory.tool_pages import Page
from pi_sandbox.project_memory.topics import by_every_name, scan_topics
from pi_sandbox.rpc import protocol_types as types
from pi_sandbox.rpc.answers import YES, no, rule_of
from pi_sandbox.rpc.call import Call
from pi_sandbox.rpc.main_writes import MainWrites
from pi_sandbox.rpc.memory_access import MemoryAccess, now_ms

INDEX = "MEMORY.md"
NOTHING_READ: types.FileReadResult = {"reminder": None, "texts": None, "suppress": None}
"""Of a file that was read there is nothing to say."""
_WAITING = 64
"""Recalls that may wait for their selector's answer; the oldest is forgotten first."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A recall whose selector has been asked, and whether its answer is late."""

    topics: tuple[Topic, ...]
    request: SelectorRequest
    branch: int
    late: bool = False


class MainSession:
    """What one session has been shown and asked. Each method is one of the protocol."""

    def __init__(self, access: MemoryAccess, resume: types.SessionState | None = None) -> None:
        self._access = access
        self._lock = threading.Lock()
        self._writes = MainWrites(access)
        self._shown = None if resume is None else _shown_in(resume)
        self._history = SelectorHistory() if resume is None else _history_in(resume)
        self._pace = SelectorPace() if resume is None else SelectorPace(**resume["pace"])
        self._unwritten: IndexFile | None = None
        self._branch = 0
        self._waiting: dict[str, _Waiting] = {}

    def sections(self, params: types.PromptSectionsParams, _: Call) -> types.PromptSectionsResult:
        """Answer `prompt/sections`. A notice comes until the branch says that it holds it."""
        if not params["trusted"]:
            return no(UNTRUSTED)
        memory = str(self._access.storage.memory)
        with self._lock:
            root = self._access.storage.memory_root
            current = read_index(root)
            if self._shown is None:
                made = None if current else self._backfilled()
                self._shown = take_snapshot(memory, current or made or IndexFile())
                current = current or read_index(root)
                self._unwritten = None if current else made
            snapshot, current = self._shown, current or self._unwritten or IndexFile()
        notice = staleness_notice(snapshot, params["announced"], current, memory)
        return {
            "ok": True,
            "autoMemory": snapshot.auto_memory,
            "autoMemoryIndex": snapshot.auto_memory_index,
            "notice": None if notice is None else {"text": notice.text, "token": notice.token},
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
                "autoMemory": shown.auto_memory,
                "autoMemoryIndex": shown.auto_memory_index,
                "digest": shown.digest,
            }
        return {"state": state}

    def _backfilled(self) -> IndexFile | None:
        """Give the index made of the topics that are there, `None` without any; written where that is possible.

        What could not be written stands in the prompt all the same, and its file is not gone for never having been.
        """
        text = backfill(scan_topics(self._access.storage.memory_root))
        if text is None:
            return None
        data = node_bytes(text)
        if not self._access.read_only:
            task = Task("backfill", secrets.token_hex(8), self._access.session_id)
            with contextlib.suppress(FilesError, OSError):
                path = str(self._access.storage.memory_root / INDEX)
                made = self._access.writer.write(path, data, task, lambda: None, _must_be_new)
                if isinstance(made, Published):
                    self._access.note(made)
        return IndexFile(decoded(data), sha256(data).hexdigest())

    def recall_prepare(self, params: types.RecallPrepareParams, _: Call) -> types.RecallPrepareResult:
        """Answer `recall/prepare`."""
        if not params["trusted"]:
            return no(UNTRUSTED)
        if not self._access.configuration.recall_enabled:
            return no(Refusal(Rule.OFF, f"recall is {self._access.configuration_file.what_turned_off}"))
        budget = RecallBudget(params["usedUnits"], params["usedUp"])
        with self._lock:
            refusal = why_no_selector(params["prompt"], budget, self._pace)
            if refusal is PAUSED:
                self._pace = self._pace.after_pause()
            if refusal is not None:
                return no(refusal)
            history, branch = self._history, self._branch
        topics = scan_topics(self._access.storage.memory_root)
        if not topics:
            return no(Refusal(Rule.NO_TOPICS, "there are no topics"))
        request = selector_request(topics, history, params["prompt"])
        identity = secrets.token_hex(8)
        with self._lock:
            self._waiting[identity] = _Waiting(topics, request, branch)
            if len(self._waiting) > _WAITING:
                del self._waiting[next(iter(self._waiting))]
        return {
            "ok": True,
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
        """Answer `recall/finish`. A request that is not known was sent by an engine before this one."""
        answer = params["answer"]
        budget = RecallBudget(params["usedUnits"], params["usedUp"])
        root = self._access.storage.memory_root
        with self._lock:
            waiting = self._waiting.pop(params["requestId"], None)
        topics = scan_topics(root) if waiting is None else waiting.topics
        selected = None if answer is None else read_answer(answer, topics)
        if waiting is not None:
            self._after_selector(waiting, selected, failed=answer is None)
        if not params["trusted"]:
            return not_recalled(UNTRUSTED, budget)
        suppressed = by_every_name(root, params["suppressed"], topics)
        chosen = [topic.name for topic in chosen_topics(selected or (), topics, suppressed)]
        found = recall(root, chosen, budget, now_ms=now_ms())
        refusal = _why_not_recalled(answer, selected, chosen, found)
        if refusal is not None:
            return not_recalled(refusal, found.budget)
        return {
            "ok": True,
            "text": found.message,
            "topics": [topic.name for topic in found.topics],
            "usedUnits": found.budget.used_units,
            "usedUp": found.budget.used_up,
        }

    def _after_selector(self, waiting: _Waiting, selected: Sequence[str] | None, *, failed: bool) -> None:
        """Keep what was answered, and how fast, on the branch that asked. `selected`: `None` if it is no choice."""
        with self._lock:
            if waiting.branch != self._branch:
                return
            if selected is not None:
                self._history = with_answer(waiting.request, selected)
            if not waiting.late:
                self._pace = self._pace.after_late() if failed else self._pace.after_answer()

    def file_check(self, params: types.FileCheckParams, _: Call) -> types.FileCheckResult:
        """Answer `file/check`."""
        reads = params["tool"] == "read"
        file = self._access.memory_file(params["path"], reads=reads)
        if file is not None and params["trusted"] and not reads and file.suffix == TOPIC_SUFFIX:
            self._writes.begins(file)
        if params["trusted"] or file is None:
            return YES
        what = f"{params['tool']} of a memory file is refused"
        return no(Refusal(Rule.UNTRUSTED, f"{what}: {UNTRUSTED.reason}"))

    def file_read(self, params: types.FileReadParams, _: Call) -> types.FileReadResult:
        """Answer `file/read`."""
        inside = self._access.memory_file(params["path"], reads=True)
        name = self._access.topic_read(params["path"]) if inside is None else self._access.name_of(inside)
        if name is None:
            return NOTHING_READ
        file = self._access.storage.memory_root / name
        try:
            status = file.stat()
        except OSError:
            return NOTHING_READ
        if not stat.S_ISREG(status.st_mode):
            return NOTHING_READ
        page = Page(params["offset"], params["limit"], params["cut"])
        if inside is not None and page.shows_all_of(inside):
            self._writes.was_shown(inside, "\n".join(params["texts"]))
        shown = [sanitise_memory_text(text) for text in params["texts"]]
        is_clean = inside is None or shown == params["texts"]
        age = "" if inside is None else age_reminder(name, floored_ms(status.st_mtime_ns), now_ms())
        return {
            "reminder": "\n".join(filter(None, [age, "" if is_clean else CLEANED_REMINDER])) or None,
            "texts": None if is_clean else shown,
            "suppress": name if is_topic_name(name) and page.shows_all_of(file) else None,
        }

    def file_written(self, params: types.FileWrittenParams, _: Call) -> types.FileWrittenResult:
        """Answer `file/written`."""
        file = self._access.memory_file(params["path"])
        if file is None or file.suffix != TOPIC_SUFFIX:
            return {"reminder": None}
        edits = params["edits"]
        old, new = (tuple(each[key] for each in edits) for key in ("oldText", "newText"))
        write = MainWrite(params["content"], old, new)
        self._writes.done(file, write)
        seen = read_for_baseline(file)
        self._access.captures.noted(self._access.name_of(file), None if seen is None else seen.version.digest)
        with self._lock:
            prompt = [] if self._shown is None else [self._shown.auto_memory_index]
        lost = self._writes.ended(file, seen, write, prompt)
        lint = None if seen is None else self._access.reminder_of(file, seen.text)
        return {"reminder": "\n".join(filter(None, (lost, lint))) or None}


def _told(messages: Iterable[Message]) -> list[types.Message]:
    return [{"role": each.role, "text": each.text} for each in messages]


def not_recalled(refusal: Refusal, budget: RecallBudget) -> types.NotRecalled:
    """Give the answer that nothing was recalled, with what the branch has used."""
    return {
        "ok": False,
        "rule": rule_of(refusal),
        "reason": refusal.reason,
        "usedUnits": budget.used_units,
        "usedUp": budget.used_up,
    }


def _why_not_recalled(
    answer: str | None, selected: Sequence[str] | None, chosen: Sequence[str], found: Recall
) -> Refusal | None:
    """Say why nothing is recalled, `None` where something is. `chosen`: what was selected and not read already."""
    if found.topics:
        return None
    if answer is None:
        return Refusal(Rule.FAILED, "the selector failed or was stopped")
    if selected is None:
        return Refusal(Rule.NO_CHOICE, "what the selector answered is no choice")
    if not selected:
        return Refusal(Rule.NOTHING_CHOSEN, "no topic fits")
    if not chosen:
        return Refusal(Rule.ALREADY_READ, "this branch has read what was chosen")
    return BUDGET if found.budget.reached else Refusal(Rule.NOTHING_CHOSEN, "what was chosen is empty or gone")


def _shown_in(state: types.SessionState) -> Snapshot | None:
    given = state.get("shown")
    return None if given is None else Snapshot(given["autoMemory"], given["autoMemoryIndex"], given["digest"])


def _history_in(state: types.SessionState) -> SelectorHistory:
    messages = tuple(Message(each["role"], each["text"]) for each in state["history"]["messages"])
    return SelectorHistory(state["history"]["prefix"], messages)


def _must_be_new(seen: SeenFile | None) -> None:
    if seen is not None:
        raise FilesError("there is an index meanwhile", "read it")

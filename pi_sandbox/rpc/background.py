"""The background tasks' half: locks, permission, and each of their file operations."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from pi_sandbox.errors import quoted
from pi_sandbox.project_memory.baseline import BaselineDecision, Baselines, judge_edit, judge_write
from pi_sandbox.project_memory.heartbeat import Heartbeat
from pi_sandbox.project_memory.javascript_text import node_bytes
from pi_sandbox.project_memory.journal_entry import Task
from pi_sandbox.project_memory.lease import TERMS, LockName
from pi_sandbox.project_memory.lock_files import DiskLockFolder
from pi_sandbox.project_memory.locks import Busy, HeldLock, LockPlace, acquire, acquire_within
from pi_sandbox.project_memory.maintenance import (
    DreamAttempt,
    begin_dream,
    roll_back_dream,
    sessions_since,
    why_no_dream,
    with_session,
)
from pi_sandbox.project_memory.memory_files import SeenFile, read_for_baseline
from pi_sandbox.project_memory.publish import Published
from pi_sandbox.project_memory.state import last_dream_at, read_shared_state, read_state, swap
from pi_sandbox.project_memory.write_paths import check_as_given
from pi_sandbox.rpc import protocol_types as types
from pi_sandbox.rpc.call import Call, Notify
from pi_sandbox.rpc.errors import ErrorCode, RequestError
from pi_sandbox.rpc.journal_methods import change_of
from pi_sandbox.rpc.memory_access import MemoryAccess, now_ms

T = TypeVar("T")

_STATE_WAIT_SECONDS = 2.0
_LOCK_OF = {"extract": LockName.EXTRACT, "dream": LockName.DREAM}


@dataclass(slots=True)
class _Running:
    """A task that has its lock. `over` says why it may not go on, once it may not."""

    task: Task
    lock: HeldLock
    attempt: DreamAttempt | None
    heartbeat: Heartbeat | None = None
    over: str | None = None
    baselines: Baselines = field(default_factory=Baselines)
    changing: threading.Lock = field(default_factory=threading.Lock)


class Background:
    """The tasks of one session. Each public method but `close` is one of the protocol."""

    def __init__(self, access: MemoryAccess, notify: Notify) -> None:
        self._access, self._notify = access, notify
        self._running: dict[str, _Running] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        """Take every task's permission and give its lock back."""
        with self._lock:
            running = list(self._running.values())
            self._running.clear()
        for each in running:
            each.over = each.over or "the session has ended"
            _give_back(each)

    def session_seen(self, _: types.SessionSeenParams, __: Call) -> types.SessionSeenResult:
        """Answer `session/seen`."""
        self._refuse_read_only()
        path = self._access.storage.store_state
        last = last_dream_at(read_shared_state(self._access.storage))

        def note(still_held: Callable[[], bool]) -> bool:
            store = read_state(path)
            return swap(path, store, with_session(store, self._access.session_id, now_ms(), last), still_held)

        if not self._with_state_lock(note):
            raise _busy("session-state", "the state of the memory is being changed by another session")
        return {}

    def dream_due(self, _: types.DreamDueParams, __: Call) -> types.DreamDueResult:
        """Answer `dream/due`."""
        self._refuse_read_only()
        reason = self._why_no_dream()
        return {"due": reason is None, "reason": reason or "a dream is due"}

    def begin(self, params: types.TaskBeginParams, _: Call) -> types.TaskBeginResult:
        """Answer `task/begin`."""
        self._refuse_read_only()
        kind = params["kind"]
        if kind == "extract" and not self._access.configuration.extract_enabled:
            return {"begun": False, "reason": "extraction is turned off in config.json"}
        lock = acquire(self._place(_LOCK_OF[kind]))
        if isinstance(lock, Busy):
            return {"begun": False, "reason": f"another session has {_LOCK_OF[kind]}: {lock.reason}"}
        running = _Running(Task(kind, secrets.token_hex(8)), lock, None)
        try:
            reason = self._begin_dream(running) if kind == "dream" else None
        except BaseException:
            lock.release()
            raise
        if reason is not None:
            lock.release()
            return {"begun": False, "reason": reason}
        running.heartbeat = Heartbeat(lock, lambda: self._lost(running))
        with self._lock:
            self._running[running.task.id] = running
        return {"begun": True, "reason": "", "taskId": running.task.id}

    def check(self, params: types.TaskCheckParams, _: Call) -> types.TaskCheckResult:
        """Answer `task/check`."""
        with self._lock:
            running = self._running.get(params["taskId"])
        reason = "the task has ended" if running is None else self._why_not(running)
        return {"allow": reason is None, "reason": reason or ""}

    def revoke(self, params: types.TaskRevokeParams, _: Call) -> types.TaskRevokeResult:
        """Answer `task/revoke`."""
        with self._lock:
            for identity, running in self._running.items():
                if params["taskId"] in (None, identity):
                    running.over = running.over or "its permission was taken back"
        return {}

    def end(self, params: types.TaskEndParams, _: Call) -> types.TaskEndResult:
        """Answer `task/end`."""
        with self._lock:
            running = self._running.pop(params["taskId"], None)
        if running is None:
            return {}
        running.over = running.over or "it has ended"
        try:
            attempt = running.attempt
            if attempt is not None and params["outcome"] == "failed-to-start":
                storage = self._access.storage
                self._with_state_lock(lambda still_held: roll_back_dream(storage, attempt, still_held))
        finally:
            _give_back(running)
        return {}

    def read(self, params: types.TaskReadParams, _: Call) -> types.TaskReadResult:
        """Answer `task/read`."""
        running = self._allowed(params["taskId"])
        file = self._access.memory_file(params["path"])
        if file is None:
            return {"baseline": False}
        seen = None if params["image"] else read_for_baseline(file)
        with running.changing:
            if seen is None:
                running.baselines = running.baselines.without(str(file))
            else:
                unseen = seen.version.digest != params["digest"]
                running.baselines = running.baselines.after_read(
                    str(file), seen.version, truncated=params["truncated"] or unseen, image=False
                )
            return {"baseline": str(file) in running.baselines.versions}

    def write(self, params: types.TaskWriteParams, call: Call) -> types.TaskWriteResult:
        """Answer `task/write`."""
        running = self._allowed(params["taskId"])

        def check(seen: SeenFile | None, path: str) -> None:
            _obey(judge_write(running.baselines, path, None if seen is None else seen.version))

        return self._publish(running, call, params["path"], params["content"], check)

    def edit(self, params: types.TaskEditParams, call: Call) -> types.TaskWriteResult:
        """Answer `task/edit`."""
        running = self._allowed(params["taskId"])
        old_texts = [edit["oldText"] for edit in params["edits"]]

        def check(seen: SeenFile | None, path: str) -> None:
            if seen is None or seen.version.digest != params["readDigest"]:
                raise _refused("edit-conflict", "the file changed while it was being edited", "edit it again")
            _obey(judge_edit(running.baselines, path, seen.version, seen.text, old_texts))

        return self._publish(running, call, params["path"], params["content"], check)

    def bash(self, params: types.TaskBashParams, call: Call) -> types.TaskBashResult:
        """Answer `task/bash`."""
        from pi_sandbox.bash_policy.classify import classify

        running = self._allowed(params["taskId"])
        decision = classify(params["command"], str(self._access.storage.memory))
        if decision.run is not None:
            plan = decision.run
            return {
                "verdict": "read-only",
                "reason": decision.reason,
                "command": plan.command,
                "environment": {"set": dict(plan.environment), "inherit": sorted(plan.inherit)},
            }
        if decision.delete is None:
            return {"verdict": "reject", "reason": decision.reason}
        deleted = self._delete(running, call, decision.delete.paths, missing_is_fine=decision.delete.missing_is_fine)
        return {"verdict": "delete", "reason": decision.reason, "deleted": deleted}

    def _delete(self, running: _Running, call: Call, paths: Sequence[str], *, missing_is_fine: bool) -> list[str]:
        removed = self._access.writer.delete(
            paths, missing_is_fine=missing_is_fine, task=running.task, permission=self._permission(running, call)
        )
        with running.changing:
            for each in removed:
                running.baselines = running.baselines.without(str(each.path))
        for each in removed:
            self._tell(running, each)
        return [str(each.path) for each in removed]

    def _publish(
        self,
        running: _Running,
        call: Call,
        path: str,
        content: str,
        check: Callable[[SeenFile | None, str], None],
    ) -> types.TaskWriteResult:
        check_as_given(self._access.storage.memory, path)
        file = self._access.memory_file(path)
        where = str(self._access.working_directory / path) if file is None else str(file)
        data = node_bytes(content)
        published = self._access.writer.write(
            where, data, running.task, self._permission(running, call), lambda seen: check(seen, where)
        )
        if published.version is not None:
            with running.changing:
                running.baselines = running.baselines.with_version(str(published.path), published.version)
        self._tell(running, published)
        return {
            "created": not published.existed,
            "id": published.journal_id,
            "reminder": self._access.reminder_of(published.path, content),
        }

    def _tell(self, running: _Running, published: Published) -> None:
        change = change_of(self._access, published.journal_id)
        if change is not None:
            self._notify("memory/changed", {"taskId": running.task.id, "change": change})

    def _begin_dream(self, running: _Running) -> str | None:
        """Write the attempt under both locks and say why there is none."""
        reason = self._why_no_dream()
        if reason is not None:
            return reason

        def attempt(still_held: Callable[[], bool]) -> DreamAttempt | None:
            return begin_dream(self._access.storage, now_ms(), lambda: still_held() and running.lock.still_held())

        running.attempt = self._with_state_lock(attempt)
        return "another session is writing the time of a dream" if running.attempt is None else None

    def _why_no_dream(self) -> str | None:
        last = last_dream_at(read_shared_state(self._access.storage))
        sessions = sessions_since(read_state(self._access.storage.store_state), last, self._access.session_id)
        return why_no_dream(now_ms(), last, sessions, self._access.configuration)

    def _with_state_lock(self, change: Callable[[Callable[[], bool]], T]) -> T | None:
        """Make a change of a state file while nobody else does, and give what it gives; `None` if others kept on."""
        lock = acquire_within(self._place(LockName.LAST_DREAM_AT), seconds=_STATE_WAIT_SECONDS)
        if isinstance(lock, Busy):
            return None
        try:
            return change(lock.still_held)
        finally:
            lock.release()

    def _place(self, name: LockName) -> LockPlace:
        return LockPlace(DiskLockFolder(self._access.storage.locks), name, TERMS[name], self._access.witness)

    def _allowed(self, identity: str) -> _Running:
        with self._lock:
            running = self._running.get(identity)
        if running is None:
            raise _refused("task-over", "there is no such task", "begin a task first")
        reason = self._why_not(running)
        if reason is not None:
            raise _refused("task-over", f"the task may not go on: {reason}", "end the task")
        return running

    def _why_not(self, running: _Running) -> str | None:
        """Say why a task may not go on, `None` while it may; looks at the lock each time."""
        if running.over is None and not running.lock.still_held():
            self._lost(running)
        return running.over

    def _lost(self, running: _Running) -> None:
        with self._lock:
            known, running.over = running.over, running.over or f"its lock {running.lock.name} is lost"
        if known is None:
            self._notify("lock/lost", {"taskId": running.task.id, "lock": running.lock.name})

    def _permission(self, running: _Running, call: Call) -> Callable[[], str | None]:
        return lambda: "the request was cancelled" if call.cancelled else self._why_not(running)

    def _refuse_read_only(self) -> None:
        if self._access.read_only:
            folder = quoted(self._access.storage.memory)
            raise _refused("read-only", f"the memory in {folder} can only be read", "there are no background tasks")


def _give_back(running: _Running) -> None:
    if running.heartbeat is not None:
        running.heartbeat.stop()
    running.lock.release()


def _obey(decision: BaselineDecision) -> None:
    if not decision.allowed:
        raise _refused(decision.rule.value, decision.reason, "")


def _refused(rule: str, message: str, hint: str) -> RequestError:
    return RequestError(ErrorCode.REFUSED, rule, message, hint)


def _busy(rule: str, message: str) -> RequestError:
    return RequestError(ErrorCode.UNUSABLE, rule, message, "try again")

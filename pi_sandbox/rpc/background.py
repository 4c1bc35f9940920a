"""The background tasks of a session: their locks, their permission, and the times of dreams."""

from __future__ import annotations

import contextlib
import secrets
import threading
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.project_memory.heartbeat import Heartbeat
from pi_sandbox.project_memory.journal_entry import Task
from pi_sandbox.project_memory.lease import TERMS, LockName
from pi_sandbox.project_memory.lock_files import DiskLockFolder
from pi_sandbox.project_memory.locks import Busy, LockPlace, acquire, acquire_within
from pi_sandbox.project_memory.maintenance import (
    DreamAttempt,
    begin_dream,
    roll_back_dream,
    sessions_since,
    why_no_dream,
    with_session,
)
from pi_sandbox.project_memory.state import last_dream_at, read_shared_state, read_state, swap
from pi_sandbox.rpc import protocol_types as types
from pi_sandbox.rpc.call import Call, Notify
from pi_sandbox.rpc.errors import ErrorCode, RequestError
from pi_sandbox.rpc.memory_access import MemoryAccess, now_ms
from pi_sandbox.rpc.running_task import RunningTask, why_turned_off

T = TypeVar("T")

_STATE_WAIT_SECONDS = 2.0
_LOCK_OF = {"extract": LockName.EXTRACT, "dream": LockName.DREAM}


class Background:
    """The tasks of one session. What takes a `Call` is a method of the protocol."""

    def __init__(self, access: MemoryAccess, notify: Notify) -> None:
        self._access, self._notify = access, notify
        self._running: dict[str, RunningTask] = {}
        self._not_rolled_back: set[DreamAttempt] = set()
        self._lock = threading.Lock()

    def close(self) -> None:
        """Take every task's permission, give its lock back, and take back the attempts that are still to be."""
        with self._lock:
            running = list(self._running.values())
            self._running.clear()
        for each in running:
            each.over = each.over or "the session has ended"
            each.give_back()
        with contextlib.suppress(FilesError, OSError):
            self._roll_back_the_rest(seconds=_STATE_WAIT_SECONDS)

    def configuration_changed(self) -> None:
        """End the tasks that the configuration no longer lets run."""
        with self._lock:
            running = list(self._running.values())
        for each in running:
            self.why_not(each)

    def session_seen(self, _: types.SessionSeenParams, __: Call) -> types.SessionSeenResult:
        """Answer `session/seen`."""
        self._refuse_read_only()
        self._roll_back_the_rest()
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
        self._roll_back_the_rest()
        reason = why_turned_off("dream", self._access) or self._why_no_dream()
        return {"due": reason is None, "reason": reason or "a dream is due"}

    def begin(self, params: types.TaskBeginParams, _: Call) -> types.TaskBeginResult:
        """Answer `task/begin`."""
        self._refuse_read_only()
        kind = params["kind"]
        off = why_turned_off(kind, self._access)
        if off is not None:
            return {"begun": False, "reason": off}
        self._roll_back_the_rest()
        lock = acquire(self._place(_LOCK_OF[kind]))
        if isinstance(lock, Busy):
            return {"begun": False, "reason": f"another session has {_LOCK_OF[kind]}: {lock.reason}"}
        running = RunningTask(Task(kind, secrets.token_hex(8)), lock)
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
        reason = "the task has ended" if running is None else self.why_not(running)
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
            return {"attempt": "none"}
        try:
            aborted = self.why_not(running) is not None
            running.over = running.over or "it has ended"
            if running.attempt is None:
                return {"attempt": "none"}
            if aborted or params["outcome"] != "failed-to-start":
                return {"attempt": "kept"}
            self._not_rolled_back.add(running.attempt)
            self._roll_back_the_rest(seconds=_STATE_WAIT_SECONDS)
            return {"attempt": "pending" if running.attempt in self._not_rolled_back else "rolled-back"}
        finally:
            running.give_back()

    def allowed(self, identity: str) -> RunningTask:
        """Give a task that may go on; raises `RequestError` for any other."""
        with self._lock:
            running = self._running.get(identity)
        if running is None:
            raise refused("task-over", "there is no such task", "begin a task first")
        reason = self.why_not(running)
        if reason is not None:
            raise refused("task-over", f"the task may not go on: {reason}", "end the task")
        return running

    def why_not(self, running: RunningTask) -> str | None:
        """Say why a task may not go on, `None` while it may; looks at the configuration and the lock each time."""
        if running.over is None:
            off = why_turned_off(running.task.kind, self._access)
            with self._lock:
                running.over = running.over or off
        if running.over is None and not running.lock.still_held():
            self._lost(running)
        return running.over

    def _begin_dream(self, running: RunningTask) -> str | None:
        """Write the attempt under both locks and say why there is none."""
        reason = self._why_no_dream()
        if reason is not None:
            return reason

        def attempt(still_held: Callable[[], bool]) -> DreamAttempt | None:
            return begin_dream(self._access.storage, now_ms(), lambda: still_held() and running.lock.still_held())

        running.attempt = self._with_state_lock(attempt)
        return "another session is writing the time of a dream" if running.attempt is None else None

    def _roll_back_the_rest(self, *, seconds: float = 0.0) -> None:
        """Put the times of attempts that never started back, as soon as the state's lock can be had.

        What cannot be done now stays to be done: with the next request that looks at the state, and at the end. Raises
        `FilesError` for a state that is damaged, where nothing can be put back.
        """
        for attempt in list(self._not_rolled_back):
            try:
                done = self._with_state_lock(partial(self._roll_back, attempt), seconds=seconds)
            except FilesError:
                self._not_rolled_back.discard(attempt)
                raise
            if done:
                self._not_rolled_back.discard(attempt)

    def _roll_back(self, attempt: DreamAttempt, still_held: Callable[[], bool]) -> bool:
        """Whether the attempt needs no more rolling back: it is, or somebody has written a newer one."""
        if roll_back_dream(self._access.storage, attempt, still_held):
            return True
        return last_dream_at(read_state(self._access.storage.shared_state)) != attempt.at

    def _why_no_dream(self) -> str | None:
        last = last_dream_at(read_shared_state(self._access.storage))
        sessions = sessions_since(read_state(self._access.storage.store_state), last, self._access.session_id)
        return why_no_dream(now_ms(), last, sessions, self._access.configuration)

    def _with_state_lock(
        self, change: Callable[[Callable[[], bool]], T], *, seconds: float = _STATE_WAIT_SECONDS
    ) -> T | None:
        """Make a change of a state file while nobody else does, and give what it gives; `None` if others kept on."""
        lock = acquire_within(self._place(LockName.LAST_DREAM_AT), seconds=seconds)
        if isinstance(lock, Busy):
            return None
        try:
            return change(lock.still_held)
        finally:
            lock.release()

    def _place(self, name: LockName) -> LockPlace:
        return LockPlace(DiskLockFolder(self._access.storage.locks), name, TERMS[name], self._access.witness)

    def _lost(self, running: RunningTask) -> None:
        with self._lock:
            known, running.over = running.over, running.over or f"its lock {running.lock.name} is lost"
        if known is None:
            self._notify("lock/lost", {"taskId": running.task.id, "lock": running.lock.name})

    def _refuse_read_only(self) -> None:
        if self._access.read_only:
            folder = quoted(self._access.storage.memory)
            raise refused("read-only", f"the memory in {folder} can only be read", "there are no background tasks")


def refused(rule: str, message: str, hint: str) -> RequestError:
    """Give the error that a rule refuses a request with."""
    return RequestError(ErrorCode.REFUSED, rule, message, hint)


def _busy(rule: str, message: str) -> RequestError:
    return RequestError(ErrorCode.UNUSABLE, rule, message, "try again")

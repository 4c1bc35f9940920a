"""The background tasks of a session: which are due, their locks, their permission, and the times of dreams."""

from __future__ import annotations

import contextlib
import secrets
import threading
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.project_memory.configuration import Configuration
from pi_sandbox.project_memory.heartbeat import Heartbeat
from pi_sandbox.project_memory.journal_entry import Task
from pi_sandbox.project_memory.lease import TERMS, LockName
from pi_sandbox.project_memory.lock_files import DiskLockFolder
from pi_sandbox.project_memory.locks import Busy, HeldLock, LockPlace, acquire, acquire_within
from pi_sandbox.project_memory.maintenance import (
    DreamAttempt,
    ExtractionState,
    after_extraction,
    after_new_conversation,
    begin_dream,
    roll_back_dream,
    sessions_since,
    why_no_dream,
    with_session,
)
from pi_sandbox.project_memory.refusals import UNTRUSTED, Refusal, Rule
from pi_sandbox.project_memory.state import last_dream_at, read_shared_state, read_state, swap
from pi_sandbox.rpc import protocol_types as types
from pi_sandbox.rpc.answers import YES, answer_to, no, refused
from pi_sandbox.rpc.call import Call, Notify
from pi_sandbox.rpc.memory_access import MemoryAccess, now_ms
from pi_sandbox.rpc.running_task import RunningTask, configuration_in_force, why_over, why_turned_off

T = TypeVar("T")

_STATE_WAIT_SECONDS = 2.0
_LOCK_OF = {"extract": LockName.EXTRACT, "dream": LockName.DREAM}
_ENDED = Refusal(Rule.ENDED, "the task has ended")
_REVOKED = {
    "untrusted": UNTRUSTED,
    "reloaded": Refusal(Rule.RELOADED, "pi reloads, or goes on with another session"),
    "cancelled": Refusal(Rule.CANCELLED, "the task was cancelled"),
}
_FAILED_TURN = {
    "aborted": Refusal(Rule.TURN_FAILED, "the turn was stopped"),
    "error": Refusal(Rule.TURN_FAILED, "the turn ended with an error of the provider"),
}


class Background:
    """The tasks of one session. What takes a `Call` is a method of the protocol."""

    def __init__(self, access: MemoryAccess, notify: Notify) -> None:
        self._access, self._notify = access, notify
        self._running: dict[str, RunningTask] = {}
        self._extraction = ExtractionState.IDLE
        self._trailing_is_next = False
        self._not_rolled_back: set[DreamAttempt] = set()
        self._lock = threading.Lock()

    def close(self) -> None:
        """Take every task's permission, give its lock back, and take back the attempts that are still to be."""
        with self._lock:
            running = list(self._running.values())
            self._running.clear()
        for each in running:
            each.over = each.over or Refusal(Rule.ENDED, "the session has ended")
            each.give_back()
        with contextlib.suppress(FilesError, OSError):
            self._roll_back_the_rest(seconds=_STATE_WAIT_SECONDS)

    def configuration_changed(self) -> None:
        """End the tasks that the configuration no longer lets run."""
        with self._lock:
            running = list(self._running.values())
        for each in running:
            self.why_not(each)

    def revoke_all(self, refusal: Refusal) -> None:
        """Take back what every task may do."""
        self._revoke(None, refusal)

    def session_seen(self, _: types.SessionSeenParams, __: Call) -> types.SessionSeenResult:
        """Answer `session/seen`."""
        refusal = self._why_read_only()
        if refusal is not None:
            return no(refusal)
        self._roll_back_the_rest()
        path = self._access.storage.store_state
        last = last_dream_at(read_shared_state(self._access.storage))

        def note(still_held: Callable[[], bool]) -> bool:
            store = read_state(path)
            return swap(path, store, with_session(store, self._access.session_id, now_ms(), last), still_held)

        if not self._with_state_lock(note):
            return no(Refusal(Rule.BUSY, "the state of the memory is being changed by another session"))
        return YES

    def due(self, params: types.TasksDueParams, _: Call) -> types.TasksDueResult:
        """Answer `tasks/due`."""
        refusal = UNTRUSTED if not params["trusted"] else self._why_read_only()
        if refusal is None and params["occasion"] == "settled":
            refusal = _FAILED_TURN.get(params["ended"])
        given = configuration_in_force(self._access)
        if isinstance(given, Refusal):
            refusal = refusal or given
        if refusal is not None or isinstance(given, Refusal):
            return {"extract": answer_to(refusal), "dream": answer_to(refusal)}
        return {
            "extract": answer_to(self._why_no_extraction(given, params["newMessages"])),
            "dream": answer_to(self._why_no_dream_now(given, params["occasion"])),
        }

    def begin(self, params: types.TaskBeginParams, _: Call) -> types.TaskBeginResult:
        """Answer `task/begin`."""
        kind = params["kind"]
        given = configuration_in_force(self._access)
        refusal = UNTRUSTED if not params["trusted"] else self._why_read_only()
        if isinstance(given, Refusal):
            return no(refusal or given)
        refusal = refusal or why_turned_off(kind, self._access, given) or self._why_running(kind)
        if refusal is not None:
            return no(refusal)
        self._roll_back_the_rest()
        lock = acquire(self._place(_LOCK_OF[kind]))
        if isinstance(lock, Busy):
            return no(Refusal(Rule.BUSY, f"another session has {_LOCK_OF[kind]}: {lock.reason}"))
        try:
            running = self._begun(kind, lock, given, asked=params["asked"])
        except BaseException:
            lock.release()
            raise
        if isinstance(running, Refusal):
            lock.release()
            return no(running)
        return {
            "ok": True,
            "taskId": running.task.id,
            "trailing": running.trailing,
            "model": given.dream_model if kind == "dream" else given.extract_model,
            "caps": {
                "turns": given.max_turns,
                "milliseconds": round(given.max_minutes * 60_000),
                "outputTokens": given.max_output_tokens,
            },
        }

    def check(self, params: types.TaskCheckParams, _: Call) -> types.TaskCheckResult:
        """Answer `task/check`."""
        if not params["trusted"]:
            self._revoke(params["taskId"], UNTRUSTED)
        running = self.running_or_refusal(params["taskId"])
        return no(running) if isinstance(running, Refusal) else YES

    def turn(self, params: types.TaskTurnParams, _: Call) -> types.TaskTurnResult:
        """Answer `task/turn`."""
        running = self._task(params["taskId"])
        if running is None:
            return no(_ENDED)
        with self._lock:
            running.turns += 1
            running.output_tokens += params["outputTokens"]
        return answer_to(self.why_not(running))

    def revoke(self, params: types.TaskRevokeParams, _: Call) -> types.TaskRevokeResult:
        """Answer `task/revoke`."""
        self._revoke(params["taskId"], _REVOKED[params["rule"]])
        return {}

    def end(self, params: types.TaskEndParams, _: Call) -> types.TaskEndResult:
        """Answer `task/end`."""
        with self._lock:
            running = self._running.pop(params["taskId"], None)
        if running is None:
            return {"attempt": "none", "another": False}
        try:
            stopped = self.why_not(running) is not None
            another = self._extraction_ended(running, may_go_on=params["outcome"] == "returned" and params["idle"])
            running.over = running.over or _ENDED
            return {"attempt": self._attempt_ended(running, params["outcome"], stopped=stopped), "another": another}
        finally:
            running.give_back()

    def running_or_refusal(self, identity: str) -> RunningTask | Refusal:
        """Give a task that may go on, or why it may not."""
        running = self._task(identity)
        if running is None:
            return _ENDED
        return self.why_not(running) or running

    def allowed(self, identity: str) -> RunningTask:
        """Give a task that may go on; raises `RequestError` for any other, with the rule that ended it."""
        running = self.running_or_refusal(identity)
        if isinstance(running, Refusal):
            raise refused(running.rule, f"the task may not go on: {running.reason}", "end the task")
        return running

    def why_not(self, running: RunningTask) -> Refusal | None:
        """Say why a task may not go on, `None` while it may; looks at the configuration and the lock each time."""
        if running.over is None:
            refusal = why_over(running, self._access)
            with self._lock:
                running.over = running.over or refusal
        if running.over is None and not running.lock.still_held():
            self._lost(running)
        return running.over

    def _task(self, identity: str) -> RunningTask | None:
        with self._lock:
            return self._running.get(identity)

    def _revoke(self, identity: str | None, refusal: Refusal) -> None:
        with self._lock:
            for each, running in self._running.items():
                if identity in (None, each):
                    running.over = running.over or refusal

    def _begun(self, kind: str, lock: HeldLock, given: Configuration, *, asked: bool) -> RunningTask | Refusal:
        """Give the task that has this lock now, or why there is none; for a dream the attempt is written."""
        running = RunningTask(Task(kind, secrets.token_hex(8), self._access.session_id), lock)
        refusal = self._begin_dream(running, given, asked=asked) if kind == "dream" else None
        if refusal is not None:
            return refusal
        running.heartbeat = Heartbeat(lock, lambda: self._lost(running))
        with self._lock:
            self._running[running.task.id] = running
            if kind == "extract":
                running.trailing, self._trailing_is_next = self._trailing_is_next, False
                self._extraction = ExtractionState.RUNNING
        return running

    def _extraction_ended(self, running: RunningTask, *, may_go_on: bool) -> bool:
        """Take up that an extraction has ended, and say whether the trailing one begins now."""
        if running.task.kind != "extract":
            return False
        given = configuration_in_force(self._access)
        on = not isinstance(given, Refusal) and why_turned_off("extract", self._access, given) is None
        with self._lock:
            self._extraction, waits = after_extraction(self._extraction)
            self._trailing_is_next = waits and may_go_on and on
            return self._trailing_is_next

    def _attempt_ended(self, running: RunningTask, outcome: str, *, stopped: bool) -> types.Attempt:
        if running.attempt is None:
            return "none"
        if stopped or outcome != "failed-to-start":
            return "kept"
        self._not_rolled_back.add(running.attempt)
        self._roll_back_the_rest(seconds=_STATE_WAIT_SECONDS)
        return "pending" if running.attempt in self._not_rolled_back else "rolled-back"

    def _why_no_extraction(self, given: Configuration, new_messages: int) -> Refusal | None:
        off = why_turned_off("extract", self._access, given)
        if off is not None:
            return off
        if not new_messages:
            return Refusal(Rule.NOTHING_NEW, "there is no conversation that was not looked at")
        with self._lock:
            self._extraction = after_new_conversation(self._extraction)
        return self._why_running("extract")

    def _why_no_dream_now(self, given: Configuration, occasion: str) -> Refusal | None:
        if occasion == "compaction":
            return Refusal(Rule.NOT_DUE, "no dream begins before a compaction")
        self._roll_back_the_rest()
        return why_turned_off("dream", self._access, given) or self._why_running("dream") or self._why_no_dream(given)

    def _why_no_dream(self, given: Configuration) -> Refusal | None:
        last = last_dream_at(read_shared_state(self._access.storage))
        sessions = sessions_since(read_state(self._access.storage.store_state), last, self._access.session_id)
        return why_no_dream(now_ms(), last, sessions, given)

    def _why_running(self, kind: str) -> Refusal | None:
        with self._lock:
            runs = any(each.task.kind == kind for each in self._running.values())
        what = "an extraction" if kind == "extract" else "a dream"
        return Refusal(Rule.RUNNING, f"{what} of this session is running") if runs else None

    def _why_read_only(self) -> Refusal | None:
        if not self._access.read_only:
            return None
        return Refusal(Rule.READ_ONLY, f"the memory in {quoted(self._access.storage.memory)} can only be read")

    def _begin_dream(self, running: RunningTask, given: Configuration, *, asked: bool) -> Refusal | None:
        """Write the attempt under both locks, or say why there is none."""
        refusal = None if asked else self._why_no_dream(given)
        if refusal is not None:
            return refusal

        def attempt(still_held: Callable[[], bool]) -> DreamAttempt | None:
            return begin_dream(self._access.storage, now_ms(), lambda: still_held() and running.lock.still_held())

        running.attempt = self._with_state_lock(attempt)
        if running.attempt is None:
            return Refusal(Rule.BUSY, "another session is writing the time of a dream")
        return None

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
            known, running.over = running.over, running.over or _lost(running)
        if known is None:
            self._notify("lock/lost", {"taskId": running.task.id, "lock": running.lock.name})


def _lost(running: RunningTask) -> Refusal:
    return Refusal(Rule.LOCK_LOST, f"its lock {running.lock.name} is lost")

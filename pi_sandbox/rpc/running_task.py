"""A background task that has its lock, and why it may not go on."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from pi_sandbox.errors import PiSandboxError
from pi_sandbox.project_memory.baseline import Baselines
from pi_sandbox.project_memory.configuration import Configuration
from pi_sandbox.project_memory.heartbeat import Heartbeat
from pi_sandbox.project_memory.journal_entry import Task
from pi_sandbox.project_memory.locks import HeldLock
from pi_sandbox.project_memory.maintenance import DreamAttempt
from pi_sandbox.project_memory.refusals import Refusal, Rule
from pi_sandbox.rpc.memory_access import MemoryAccess

_TURNED_OFF = {"extract": "extraction is", "dream": "dreams are"}
_STAYS = "nothing more is carried out. What is written stays."


@dataclass(slots=True)
class RunningTask:
    """A task that has its lock. `over` says why it may not go on, once it may not: for good.

    `trailing`: it was asked for while another extraction ran. `turns` and `output_tokens` are what its model has used.
    """

    task: Task
    lock: HeldLock
    trailing: bool = False
    attempt: DreamAttempt | None = None
    heartbeat: Heartbeat | None = None
    over: Refusal | None = None
    baselines: Baselines = field(default_factory=Baselines)
    changing: threading.Lock = field(default_factory=threading.Lock)
    turns: int = 0
    output_tokens: int = 0
    began: float = field(default_factory=time.monotonic)

    def give_back(self) -> None:
        """Give the lock back, with no sign of life after it."""
        if self.heartbeat is not None:
            self.heartbeat.stop()
        self.lock.release()

    def why_used_up(self, given: Configuration) -> Refusal | None:
        """Say which of the limits in `given` the task has reached, `None` for none of them."""
        if self.turns >= given.max_turns:
            return Refusal(Rule.TURNS, f"this task has made its {given.max_turns} model calls; {_STAYS}")
        if self.output_tokens >= given.max_output_tokens:
            return Refusal(Rule.TOKENS, f"this task has written its {given.max_output_tokens:,} tokens; {_STAYS}")
        if time.monotonic() - self.began >= given.max_minutes * 60:
            return Refusal(Rule.TIME, f"this task has had its {given.max_minutes:g} minutes; {_STAYS}")
        return None


def configuration_in_force(access: MemoryAccess) -> Configuration | Refusal:
    """Give the values of `config.json`, as it stands there now, or why they keep memory off."""
    try:
        given = access.configuration
    except PiSandboxError as error:
        return Refusal(Rule.CONFIGURATION, error.message)
    return given if given.enabled else _off("the project memory is", access)


def why_turned_off(kind: str, access: MemoryAccess, given: Configuration) -> Refusal | None:
    """Say why these values let no task of this kind run, `None` if they do."""
    if not (given.dream_enabled if kind == "dream" else given.extract_enabled):
        return _off(_TURNED_OFF[kind], access)
    if given.auto_memory_directory != access.auto_memory_directory:
        return Refusal(Rule.FOLDER, "config.json names another memory folder by now; pi's /reload takes it up")
    return None


def _off(what: str, access: MemoryAccess) -> Refusal:
    return Refusal(Rule.OFF, f"{what} {access.configuration_file.what_turned_off}")


def why_over(running: RunningTask, access: MemoryAccess) -> Refusal | None:
    """Say why what stands in `config.json` now ends a task, `None` if it does not."""
    given = configuration_in_force(access)
    if isinstance(given, Refusal):
        return given
    return why_turned_off(running.task.kind, access, given) or running.why_used_up(given)

"""A background task that has its lock, and why it may not go on."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from pi_sandbox.errors import PiSandboxError
from pi_sandbox.project_memory.baseline import Baselines
from pi_sandbox.project_memory.configuration import Configuration
from pi_sandbox.project_memory.heartbeat import Heartbeat
from pi_sandbox.project_memory.journal_entry import Task
from pi_sandbox.project_memory.locks import HeldLock
from pi_sandbox.project_memory.maintenance import DreamAttempt
from pi_sandbox.rpc.memory_access import MemoryAccess

_TURNED_OFF = {
    "extract": "extraction is turned off in config.json",
    "dream": "dreams are turned off in config.json",
}


@dataclass(slots=True)
class RunningTask:
    """A task that has its lock. `over` says why it may not go on, once it may not: for good."""

    task: Task
    lock: HeldLock
    attempt: DreamAttempt | None = None
    heartbeat: Heartbeat | None = None
    over: str | None = None
    baselines: Baselines = field(default_factory=Baselines)
    changing: threading.Lock = field(default_factory=threading.Lock)

    def give_back(self) -> None:
        """Give the lock back, with no sign of life after it."""
        if self.heartbeat is not None:
            self.heartbeat.stop()
        self.lock.release()


def why_turned_off(kind: str, access: MemoryAccess) -> str | None:
    """Say why `config.json`, as it stands there now, lets no task of this kind run, `None` if it does."""
    try:
        given = access.configuration
    except PiSandboxError as error:
        return error.message
    if not given.enabled:
        return "the project memory is turned off in config.json"
    if not _is_enabled(kind, given):
        return _TURNED_OFF[kind]
    if given.auto_memory_directory != access.auto_memory_directory:
        return "config.json names another memory folder by now; pi's /reload takes it up"
    return None


def _is_enabled(kind: str, given: Configuration) -> bool:
    return given.dream_enabled if kind == "dream" else given.extract_enabled

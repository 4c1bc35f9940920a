"""Who this process is, and what it can see of the process that holds a lock (proc(5), pid_namespaces(7)).

A `/proc` that shows another PID namespace than this process lives in (a container that mounts the host's) would give
the start times of strangers. There, and where the system tells no boot or namespace (gVisor), the fields stay empty:
nothing is known, and only the lease decides.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Protocol

from pi_sandbox.project_memory.lease import HolderLook, Identity
from pi_sandbox.system.process_identity import boot_identity, pid_namespace, process_start


class Witness(Protocol):
    """What knows this process and looks at others."""

    @property
    def me(self) -> Identity:
        """This process."""

    def look(self, pid: int) -> HolderLook:
        """What can be seen of the process with this pid."""


class SystemWitness:
    """The witness that asks the system."""

    def __init__(self) -> None:
        self._pid = 0
        self._identity = Identity(0, "", "", "")

    @property
    def me(self) -> Identity:
        """This process, looked up once (and once more after a fork)."""
        if self._pid != os.getpid():
            self._pid, self._identity = os.getpid(), _identity()
        return self._identity

    def look(self, pid: int) -> HolderLook:
        """What can be seen of the process with this pid, from here."""
        start = process_start(pid) if self.me.process_start else None
        return HolderLook(self.me.pid_namespace, self.me.boot_id, start, _started_at(start))


def _identity() -> Identity:
    pid = os.getpid()
    if not _proc_is_ours(pid):
        return Identity(pid, "", "", "")
    try:
        boot = boot_identity()
    except OSError:
        boot = ""
    return Identity(pid, pid_namespace(), process_start(pid) or "", boot)


def _proc_is_ours(pid: int) -> bool:
    try:
        return str(Path("/proc/self").readlink()) == str(pid)
    except OSError:
        return False


def _started_at(start: str | None) -> int | None:
    """Give a start in ticks since boot as milliseconds since the epoch."""
    if start is None or not start.isdigit():
        return None
    ago = time.clock_gettime(time.CLOCK_BOOTTIME) - int(start) / os.sysconf("SC_CLK_TCK")
    return int((time.time() - ago) * 1000)

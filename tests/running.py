"""Waiting for what a test expects, and whether a process is still there, for tests that must leave none behind.

A loaded machine takes seconds for what takes an idle one milliseconds. So a test waits for a condition and not for a
time; and where it proves that something does not hang, its bound is `SOON`: well below the minute for which whatever
would hang there hangs.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

SOON = 45.0


def wait_until(true: Callable[[], object], what: str, seconds: float = SOON) -> None:
    """Waits for something to become true; fails with what it was."""
    ends = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < ends, f"not in time: {what}"
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    """Whether there is such a process that is not just waiting to be reaped."""
    if Path("/proc/self/stat").exists():
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return False
        return state not in "ZX"
    told = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return bool(told.stdout.strip()) and not told.stdout.strip().startswith("Z")


def is_caught(pid: int, number: int) -> bool:
    """Whether the process has a handler for the signal (proc(5): SigCgt)."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    mask = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(mask, 16) >> (number - 1) & 1)


def assert_ends(pid: int, *, seconds: float = SOON) -> None:
    """Fails, and ends the process, if it is still there after the time."""
    deadline = time.monotonic() + seconds
    while is_running(pid):
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            pytest.fail(f"process {pid} is left behind")
        time.sleep(0.05)


def pid_in(file: Path) -> int:
    """The process id that a test's program wrote."""
    return int(file.read_text())

"""Whether a process is still there, for tests that must leave none behind."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest


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


def assert_ends(pid: int, *, seconds: float = 5) -> None:
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

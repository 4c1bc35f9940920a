"""Which process this is, in a form that a later process can check: a pid alone is given again to somebody else.

Linux: start time in clock ticks since boot (proc(5): /proc/pid/stat, field 22) and the boot id. Elsewhere, `ps`
(POSIX: `ps -o lstart=` where the system has it) and the boot time as the kernel tells it.
"""

import os
import sys
from pathlib import Path

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def boot_identity() -> str:
    """Gives a text that changes with every start of this machine."""
    if sys.platform == "linux":
        return _BOOT_ID.read_text(encoding="ascii").strip()
    return _output("sysctl", "-n", "kern.boottime")


def process_start(pid: int) -> str | None:
    """Gives when the process started, in the system's own form, or `None` if there is no such process."""
    if sys.platform == "linux":
        try:
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            return None
        return None if fields[0] == b"Z" else fields[19].decode("ascii")
    return _output("ps", "-o", "lstart=", "-p", str(pid)) or None


def pid_namespace() -> str:
    """Gives the name of the PID namespace of this process; empty where the system has none."""
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def _output(*command: str) -> str:
    from pi_sandbox.system.processes import ProcessError, run

    try:
        finished = run(command, environment={"PATH": os.defpath, "LC_ALL": "C"}, seconds=5)
    except ProcessError:
        return ""
    return finished.stdout.decode("utf-8", "replace").strip() if finished.code == 0 else ""

"""Says which limit of the container was reached, so that "resource temporarily unavailable" has a cause.

Read from the control group as the container sees it (cgroups(7), version 2 and 1) and from the tmpfs mounts.
"""

import os
from collections.abc import Sequence
from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup")
_FULL = 0.99
"""Share of a tmpfs in use from which it counts as full."""


def reached_limits(tmpfs: Sequence[str], cgroup: Path = _CGROUP) -> tuple[str, ...]:
    """Gives one sentence for each limit that was reached and names the setting behind it."""
    found: list[str] = []
    if _count(cgroup / "pids.events", "max") or _count(cgroup / "pids" / "pids.events", "max"):
        found.append("the session reached its limit of processes (PI_SANDBOX_PIDS)")
    if _count(cgroup / "memory.events", "oom_kill") or _count(cgroup / "memory" / "memory.oom_control", "oom_kill"):
        found.append("the session reached its memory limit and the kernel ended a process (PI_SANDBOX_MEMORY)")
    found += [
        f"the session's temporary folder {folder} is full; it goes away with the session"
        for folder in tmpfs
        if _full(folder)
    ]
    return tuple(found)


def _count(file: Path, name: str) -> int:
    try:
        pairs = dict(line.split(maxsplit=1) for line in file.read_text().splitlines() if " " in line)
        return int(pairs.get(name, "0"))
    except (OSError, ValueError):
        return 0


def _full(folder: str) -> bool:
    try:
        state = os.statvfs(folder)
    except OSError:
        return False
    return state.f_blocks > 0 and state.f_bavail <= state.f_blocks * (1 - _FULL)

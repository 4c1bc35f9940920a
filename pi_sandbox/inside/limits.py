"""Says which limit of the container was reached, so that "resource temporarily unavailable" has a cause.

Read from the control group as the container sees it (cgroups(7), version 2 and 1) and from the tmpfs mounts. The answer
is a list of words; the sentences stand in `session.control_messages`.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from pi_sandbox.session.control_messages import full_folder

_CGROUP = Path("/sys/fs/cgroup")
_FULL = 0.99
"""Share of a tmpfs in use from which it counts as full."""


def reached_limits(tmpfs: Sequence[str], cgroup: Path = _CGROUP) -> tuple[str, ...]:
    """Gives the words of the limits that were reached."""
    found: list[str] = []
    if _count(cgroup / "pids.events", "max") or _count(cgroup / "pids" / "pids.events", "max"):
        found.append("processes")
    if _count(cgroup / "memory.events", "oom_kill") or _count(cgroup / "memory" / "memory.oom_control", "oom_kill"):
        found.append("memory")
    return (*found, *(full_folder(folder) for folder in tmpfs if _full(folder)))


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

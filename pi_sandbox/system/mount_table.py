"""The mount points of this machine, where it tells them: Linux, proc(5), /proc/pid/mountinfo. Elsewhere: none known."""

import os
import re
from pathlib import Path

_TABLE = Path("/proc/self/mountinfo")
_OCTAL = re.compile(rb"\\([0-7]{3})")


def mount_points() -> tuple[Path, ...]:
    """Gives the places where a file system is mounted, as this process sees them."""
    try:
        lines = _TABLE.read_bytes().splitlines()
    except OSError:
        return ()
    return tuple(parse_mount_point(line) for line in lines if line.count(b" ") >= 4)


def parse_mount_point(line: bytes) -> Path:
    """Gives the mount point of one line of mountinfo; blank, tab, line end and backslash are octal escapes there."""
    field = line.split(b" ")[4]
    return Path(os.fsdecode(_OCTAL.sub(lambda found: bytes([int(found[1], 8)]), field)))

"""Whose session a container is: its wrapper's process stands in a label, and a later wrapper can tell whether it lives.

- A container is left over only beyond doubt: an earlier boot of this machine, or no such process any more, or another
  one under the same pid.
- A pid of another PID namespace proves neither life nor death; a label that cannot be read proves nothing. Such a
  container is only named.
"""

import json
from dataclasses import dataclass
from enum import Enum

from pi_sandbox.session.plan import Owner


class Verdict(Enum):
    """What a look at the owner says about a container."""

    ALIVE = "its wrapper is running"
    LEFT_OVER = "its wrapper is gone"
    UNKNOWN = "its wrapper cannot be told"


@dataclass(frozen=True)
class OwnerLook:
    """What this machine says now: boot, PID namespace, and the start of the process with the owner's pid, if any."""

    boot: str
    namespace: str
    start: str | None


def parse_owner(label: str) -> Owner | None:
    """Gives the owner that a label names, or `None` for a label that is none of ours."""
    try:
        values = json.loads(label)
    except (ValueError, RecursionError):
        return None
    match values:
        case {"pid": int(pid), "start": str(start), "boot": str(boot), "namespace": str(namespace), **rest} if not rest:
            return Owner(pid, start, boot, namespace)
        case _:
            return None


def judge(owner: Owner | None, look: OwnerLook) -> Verdict:
    """Gives the verdict for one container."""
    if owner is None or not owner.start or not owner.boot:
        return Verdict.UNKNOWN
    if owner.boot != look.boot:
        return Verdict.LEFT_OVER
    if owner.namespace != look.namespace:
        return Verdict.UNKNOWN
    return Verdict.ALIVE if owner.start == look.start else Verdict.LEFT_OVER

"""What a lock file says, and when another process may take it over. Pure.

- A lock file is JSON, `{ pid, token, acquiredAt }`, and what identifies its holder across PID namespaces:
  `pidNamespace`, `processStart`, `bootId`. Its modification time is the last sign of life.
- A lease is over when that sign is older than the lease. A sign from the future says nothing: whoever meets one dates
  it anew, so that a clock that was set back delays a takeover by one lease and not for ever.
- A takeover needs both: the lease is over, and the holder is not known to live.
- A pid proves something only in the PID namespace that it was given in, on the boot that it was given in. Elsewhere
  only the lease decides. In the same namespace another start time means another process: the holder is gone.
- A process knows its own locks: one that names this very process, with a token that it does not hold, was leaked by it.
- A lock with a pid only (another program's) is judged by its pid here, as long as the process with that pid is old
  enough to have made it. One of ours whose maker could not tell its namespace has empty fields, and proves nothing.
- A file that is no such JSON (empty, cut short, foreign) has no known holder: only the lease decides.

Source: `spec/project-memory.md`, "Cross-process locks and atomic publishing"; `design.md`, "The memory engine".
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum, StrEnum

from pi_sandbox.project_memory.limits import (
    BEAT_SECONDS,
    BEATS_A_LEASE,
    CLOCK_SLACK_SECONDS,
    DREAM_LOCK_SECONDS,
    EXTRACT_LOCK_SECONDS,
    LAST_DREAM_AT_LOCK_SECONDS,
    RECOVER_LOCK_SECONDS,
)

RECOVER_SUFFIX = ".recover"


class LockName(StrEnum):
    """The lock files of a memory root."""

    EXTRACT = "extract.lock"
    DREAM = "dream.lock"
    LAST_DREAM_AT = "last-dream-at.lock"


@dataclass(frozen=True, slots=True)
class Terms:
    """How long a sign of life counts: of the holder of a lock, and of who arbitrates a takeover. Seconds."""

    lease: float
    arbitration: float = RECOVER_LOCK_SECONDS


TERMS = {
    LockName.EXTRACT: Terms(EXTRACT_LOCK_SECONDS),
    LockName.DREAM: Terms(DREAM_LOCK_SECONDS),
    LockName.LAST_DREAM_AT: Terms(LAST_DREAM_AT_LOCK_SECONDS),
}


@dataclass(frozen=True, slots=True)
class Identity:
    """A process as others can check it. A field that the system does not tell is empty and proves nothing."""

    pid: int
    pid_namespace: str
    process_start: str
    boot_id: str


@dataclass(frozen=True, slots=True)
class LockRecord:
    """The content of a lock file. `acquired_at` is in milliseconds since the epoch.

    `pid_only`: it has none of the keys that identify a holder, because another program wrote it.
    """

    token: str
    acquired_at: int
    holder: Identity
    pid_only: bool = False


@dataclass(frozen=True, slots=True)
class HolderLook:
    """What the looking process sees: its own namespace and boot, and the process that has the holder's pid here.

    `process_start` is `None` without such a process; `started_at` is the same in milliseconds since the epoch, `None`
    where it is not known.
    """

    pid_namespace: str
    boot_id: str
    process_start: str | None
    started_at: int | None = None


@dataclass(frozen=True, slots=True)
class Own:
    """The looking process itself, and the tokens of the locks that it holds."""

    identity: Identity
    tokens: frozenset[str]


class Life(Enum):
    """What is known of a holder."""

    LIVES = "lives"
    GONE = "gone"
    UNKNOWN = "unknown"


def render(record: LockRecord) -> bytes:
    """Give the bytes of a lock file."""
    holder = record.holder
    values = {
        "pid": holder.pid,
        "token": record.token,
        "acquiredAt": record.acquired_at,
        "pidNamespace": holder.pid_namespace,
        "processStart": holder.process_start,
        "bootId": holder.boot_id,
    }
    return json.dumps(values).encode() + b"\n"


def parse(data: bytes | None) -> LockRecord | None:
    """Give what a lock file says, `None` if it is not one."""
    try:
        values = json.loads(data or b"")
    except (ValueError, RecursionError):
        return None
    match values:
        case {"pid": int(pid), "token": str(token), "acquiredAt": int(at) | float(at)} if token and 0 < pid < 2**31:
            if isinstance(pid, bool) or isinstance(at, bool) or not 0 <= at < 2**53:
                return None
            keys = ("pidNamespace", "processStart", "bootId")
            namespace, start, boot = (text if isinstance(text := values.get(key), str) else "" for key in keys)
            return LockRecord(token, int(at), Identity(pid, namespace, start, boot), not values.keys() & set(keys))
        case _:
            return None


def life(record: LockRecord | None, look: HolderLook, own: Own | None = None) -> Life:
    """Give what the look proves about the holder of a lock, and what a process knows of its own locks."""
    if record is None:
        return Life.UNKNOWN
    holder = record.holder
    if record.pid_only:
        return _life_by_pid(record, look)
    if not (holder.pid_namespace and holder.boot_id and holder.process_start):
        return Life.UNKNOWN
    if (holder.boot_id, holder.pid_namespace) != (look.boot_id, look.pid_namespace):
        return Life.UNKNOWN
    if own is not None and holder == own.identity and record.token not in own.tokens:
        return Life.GONE
    return Life.LIVES if holder.process_start == look.process_start else Life.GONE


def is_from_the_future(sign: int, now: int) -> bool:
    """Whether a sign of life is later than now, beyond what clocks and file systems round. Milliseconds."""
    return sign > now + CLOCK_SLACK_SECONDS * 1000


def lease_is_over(sign: int, now: int, seconds: float) -> bool:
    """Whether the last sign of life is older than the lease. Milliseconds since the epoch, and seconds."""
    return now - sign > seconds * 1000


def seconds_between_beats(lease: float) -> float:
    """Give how long a holder waits between two signs of life."""
    return min(BEAT_SECONDS, lease / BEATS_A_LEASE)


def _life_by_pid(record: LockRecord, look: HolderLook) -> Life:
    if look.process_start is None:
        return Life.UNKNOWN
    if look.started_at is None:
        return Life.LIVES
    younger = look.started_at > record.acquired_at + CLOCK_SLACK_SECONDS * 1000
    return Life.UNKNOWN if younger else Life.LIVES

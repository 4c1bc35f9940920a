"""What the stress run writes and how it is judged: files that carry their own checksum, and a ledger of lines. Pure.

The ledger is changed by reading it, adding a line and publishing the result. What keeps another writer away in between
is the lock that all share, so that two owners at a time cost a line; or, where each writer has a lock of its own, the
check of what was read, so that a change between that check and the rename costs one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from pi_sandbox.errors import PiSandboxError
from pi_sandbox.exit_codes import ExitCode

_SEAL = b"sealed "


@dataclass(frozen=True, slots=True)
class StressPlan:
    """A run: so many kills, and then on until so many lines are acknowledged. Times in seconds.

    `with_lock` is off only in the control run, which has to find something. `independent`: each writer has a lock of
    its own and checks what it read, as extraction and dream do, and a main session that is not killed writes in place.
    """

    writers: int = 8
    kills: int = 200
    lines: int = 100
    namespaces: int = 2
    lease: float = 3.0
    arbitration: float = 3.0
    pause: float = 0.2
    seed: int = 1
    with_lock: bool = True
    independent: bool = False


@dataclass(frozen=True, slots=True)
class StressResult:
    """What came of a run. `lost`, `torn`, `stuck`, `overlaps` and `unexplained` are to be 0.

    `acknowledged` lines were published in the eyes of their writer, `looks` is how often a file was read and its
    checksum compared, `overlaps` how often two writers were inside at once, `unexplained` how many entries of the
    journal nobody can say anything of. `overwritten` lines are gone because the main session had read the ledger before
    they came and wrote it after: no writer can keep it from that. In an `independent` run the main session's writes
    stand in no journal, so an interrupted change before one of them may stay `unexplained`.
    """

    writers: int
    kills: int
    namespaces: int
    seconds: float
    acknowledged: int
    looks: int
    lost: int
    torn: int
    stuck: int
    overlaps: int
    unexplained: int
    overwritten: int = 0
    independent: bool = False

    @property
    def passed(self) -> bool:
        """Whether nothing went wrong, and enough happened to say so."""
        wrong = self.lost + self.torn + self.stuck + self.overlaps + (0 if self.independent else self.unexplained)
        return wrong == 0 and self.acknowledged > 0 and self.looks > 0

    def summary(self) -> str:
        """Give the result in two lines."""
        return (
            f"{self.writers} writers, {self.kills} kills, namespaces: {self.namespaces}, {self.seconds:.0f} s, "
            f"{self.acknowledged} lines acknowledged, {self.looks} looks at files\n"
            f"lost {self.lost}, torn {self.torn}, stuck {self.stuck}, "
            f"overlaps {self.overlaps}, unexplained {self.unexplained}"
            + (f", overwritten by the main session {self.overwritten}" if self.overwritten else "")
        )


class StressFailedError(PiSandboxError):
    """A stress run lost, tore or blocked something."""

    exit_code = ExitCode.FINDINGS


def seal(body: bytes) -> bytes:
    """Give the body with its checksum in the last line."""
    return body + _SEAL + sha256(body).hexdigest().encode() + b"\n"


def unsealed(data: bytes) -> bytes | None:
    """Give the body of a whole file, `None` if it is not what one writer wrote."""
    body, _, digest = data.rpartition(_SEAL)
    return body if data == seal(body) and digest else None


def with_line(ledger: bytes, line: str) -> bytes:
    """Give the ledger with one more line; an empty one begins anew."""
    return seal((unsealed(ledger) or b"") + line.encode() + b"\n")


def lost_lines(acknowledged: Iterable[str], ledger: bytes) -> list[str]:
    """Give the acknowledged lines that do not stand in the ledger exactly once."""
    there = Counter((unsealed(ledger) or b"").decode().splitlines())
    return [line for line in acknowledged if there[line] != 1]


@dataclass(frozen=True, slots=True)
class Span:
    """A time from the begin of an action to its end, in nanoseconds of the machine's clock that never goes back."""

    begin: int
    end: int

    def meets(self, other: Span) -> bool:
        """Whether the two have a moment in common."""
        return self.begin <= other.end and other.begin <= self.end


def overwritten_lines(lost: Iterable[str], published: Mapping[str, Span], main_writes: Iterable[Span]) -> list[str]:
    """Give the lost lines that were published while the main session was between its reading and its writing."""
    spans = list(main_writes)
    return [line for line in lost if line in published and any(published[line].meets(span) for span in spans)]

"""One entry of the journal: what a background task changed, and whether the change happened. Pure.

An entry is written before the change and marked as done after it. One that was never marked (its process was killed in
between) is judged by what stands there: what the change wanted, or what was before it, now or when the next change of
the same file began.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from pi_sandbox.project_memory.file_states import NOTHING, Mark, same_content

UNDO = "undo"
"""The kind of the task that takes changes back for a person."""

_DIGEST = re.compile(r"[0-9a-f]{64}")
_LINK_BYTES = 4_096
_MODES = 0o7777


class Outcome(StrEnum):
    """What became of a change."""

    DONE = "done"
    WITHOUT_EFFECT = "without effect"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Task:
    """Who changes the memory: the kind of task (`extract`, `dream`, `undo`), which one, and of which session.

    An undo from a command line has no session, and neither has an entry of a version that did not write it down.
    """

    kind: str
    id: str
    session: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one file, `path` below the memory directory. Bytes of it that are no UTF-8 are lone surrogates."""

    task: Task
    path: str
    before: Mark
    after: Mark

    @property
    def action(self) -> str:
        """The change in a word."""
        if same_content(self.after, NOTHING):
            return "delete"
        return "create" if same_content(self.before, NOTHING) else "write"


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A change with its id, its time (milliseconds since the epoch), and whether it was marked as done."""

    id: str
    at: int
    change: Change
    marked_done: bool


def outcome(entry: JournalEntry, later: Sequence[JournalEntry], now: Mark) -> Outcome:
    """Judge an entry by the later ones, oldest first, and by what stands under its name now."""
    if entry.marked_done:
        return Outcome.DONE
    after_it = next((each.change.before for each in later if each.change.path == entry.change.path), now)
    if same_content(after_it, entry.change.before):
        return Outcome.WITHOUT_EFFECT
    return Outcome.DONE if same_content(after_it, entry.change.after) else Outcome.UNKNOWN


def render_entry(entry: JournalEntry) -> bytes:
    """Give the bytes of an entry's file."""
    change = entry.change
    values = {
        "at": entry.at,
        "task": {name: each for name, each in asdict(change.task).items() if each is not None},
        "path": change.path,
        "before": _mark_values(change.before),
        "after": _mark_values(change.after),
    }
    return json.dumps(values).encode() + b"\n"


def parse_entry(identity: str, data: bytes, *, marked_done: bool) -> JournalEntry | None:
    """Give the entry in a file, `None` if it is none."""
    try:
        values = json.loads(data)
    except (ValueError, RecursionError):
        return None
    match values:
        case {
            "at": int(at),
            "task": {"kind": str(kind), "id": str(task), **rest},
            "path": str(path),
            "before": dict(before),
            "after": dict(after),
        }:
            old, new = _mark(before), _mark(after)
            if old is None or new is None:
                return None
            session = rest.get("session")
            by = Task(kind, task, session if isinstance(session, str) else None)
            return JournalEntry(identity, at, Change(by, path, old, new), marked_done)
        case _:
            return None


def _mark_values(mark: Mark) -> dict[str, object]:
    values = {"sha256": mark.digest, "size": mark.size, "mode": mark.mode, "link": mark.leads_to}
    return {name: value for name, value in values.items() if value is not None}


def _mark(values: dict[str, object]) -> Mark | None:
    """Give a mark, `None` for what no entry of ours says: another digest or mode, an odd link, or both at once."""
    digest, size, mode, link = (values.get(key) for key in ("sha256", "size", "mode", "link"))
    if not isinstance(digest, str | None) or not isinstance(link, str | None) or not isinstance(mode, int | None):
        return None
    if digest is not None and (link is not None or not _DIGEST.fullmatch(digest)):
        return None
    if not 0 <= (mode or 0) <= _MODES or (link is not None and not _can_be_a_link(link)):
        return None
    return Mark(digest, size if isinstance(size, int) else 0, mode, link)


def _can_be_a_link(link: str) -> bool:
    try:
        return 0 < len(link.encode("utf-8", "surrogateescape")) < _LINK_BYTES and "\0" not in link
    except UnicodeEncodeError:
        return False

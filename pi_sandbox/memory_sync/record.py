"""What the syncs of a store did: the commits that they made, what they last pushed where, and what they fetched.

It lies in a folder of our own that no session sees, so a commit that stands in it was made by a sync, and by
nobody else.
"""

import json
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.system.files import atomic_write, read_regular_file

_LIMIT_BYTES = 64 * 1024 * 1024
_VERSION = 1


@dataclass(frozen=True)
class Push:
    """A commit that a sync pushed, or found on the remote. `time` is in UTC, as `2026-01-31T12:00:00Z`."""

    commit: str
    branch: str
    url: str
    time: str


@dataclass(frozen=True)
class SyncRecord:
    """The record of one store."""

    commits: tuple[str, ...] = ()
    last_push: Push | None = None
    fetched: str | None = None
    """The commit of the remote that a sync left in the store for the owner to join with."""

    def with_commit(self, commit: str) -> "SyncRecord":
        """Gives the record with one more commit that a sync made."""
        return replace(self, commits=tuple(dict.fromkeys((*self.commits, commit))))


def push_now(commit: str, branch: str, url: str) -> Push:
    """Gives the record of a commit that the remote has at this moment."""
    return Push(commit, branch, url, datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))


def record_path(folder: Path, store: str) -> Path:
    """Gives where the record of a store lies."""
    return folder / f"{store}.json"


def read_record(path: Path) -> SyncRecord:
    """Gives the record, an empty one where there is none yet; raises `FilesError` for one that cannot be read."""
    content = read_regular_file(path, limit=_LIMIT_BYTES)
    if content is None:
        return SyncRecord()
    try:
        values = json.loads(content.data)
        if values["version"] != _VERSION:
            raise ValueError
        commits = tuple(_text(commit) for commit in values["commits"])
        push = values["last_push"]
        last = None if push is None else Push(*(_text(push[name]) for name in ("commit", "branch", "url", "time")))
        fetched = None if values.get("fetched") is None else _text(values["fetched"])
    except (ValueError, KeyError, TypeError) as error:
        raise FilesError(
            f"the record of the syncs, {quoted(path.name)}, cannot be read",
            "remove it from state/.sync in the home: earlier commits will then count as not made by memory-sync",
        ) from error
    return SyncRecord(commits, last, fetched)


def write_record(path: Path, record: SyncRecord) -> None:
    """Writes the record whole or not at all; raises `FilesError`."""
    values = {"version": _VERSION, **asdict(record)}
    try:
        atomic_write(path, json.dumps(values, indent=1).encode("ascii") + b"\n")
    except OSError as error:
        what = f"the record of the syncs cannot be written: {error.strerror}"
        raise FilesError(what, "make room, and see who owns state/.sync in the home") from error


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value

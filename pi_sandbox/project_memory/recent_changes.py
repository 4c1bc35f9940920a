"""What was done to each file of a memory a moment ago, by whichever session or task: when, and the lines it added.

    recent/<24 digits of the SHA-256 of the name>.<the same of who did it>.json

- One file a name and author, which only the author writes: no word is lost to another's at the same moment. It is a
  hint for who writes the same file then; what cannot be written or read is no reason to fail.
- An author's last `RECENT_CHANGES` of a file are kept. What is older than a minute helps nobody and goes when a session
  begins.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from pi_sandbox.errors import FilesError
from pi_sandbox.project_memory.limits import RECENT_CHANGE_BYTES, RECENT_CHANGE_SECONDS, RECENT_CHANGES
from pi_sandbox.project_memory.namespace import short_digest
from pi_sandbox.system.files import atomic_write, make_private_folders, read_regular_file


@dataclass(frozen=True, slots=True)
class RecentChange:
    """When a change was seen to be done (milliseconds since the epoch), and the lines that it added."""

    at: int
    added: tuple[str, ...]


class RecentChanges:
    """The recent changes of one memory, in a folder of its own that is made when first needed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._noted: dict[Path, tuple[RecentChange, ...]] = {}

    def note(self, name: str, author: str, change: RecentChange) -> None:
        """Write down that this author (a session's main agent or a task) has changed a file."""
        path = self._folder / f"{_digest(name)}.{_digest(author)}.json"
        with self._lock, contextlib.suppress(OSError):
            changes = (*self._noted.get(path, ()), change)[-RECENT_CHANGES:]
            self._noted[path] = changes
            make_private_folders(self._folder)
            atomic_write(path, _rendered(changes))

    def of_others(self, name: str, author: str, since: int) -> tuple[RecentChange, ...]:
        """Give what any other author has done to a file at that time or later, the oldest first."""
        mine = f"{_digest(name)}.{_digest(author)}.json"
        with contextlib.suppress(OSError):
            with os.scandir(self._folder) as entries:
                paths = [Path(each.path) for each in entries if each.name.startswith(f"{_digest(name)}.")]
            found = (change for path in paths if path.name != mine for change in _changes_in(path))
            return tuple(sorted((each for each in found if each.at >= since), key=lambda each: each.at))
        return ()

    def sweep(self) -> None:
        """Remove what is old."""
        with contextlib.suppress(OSError):
            for each in os.scandir(self._folder):
                with contextlib.suppress(OSError):
                    if abs(time.time() - each.stat(follow_symlinks=False).st_mtime) > RECENT_CHANGE_SECONDS:
                        Path(each.path).unlink()


def _digest(text: str) -> str:
    return short_digest(os.fsencode(text))


def _rendered(changes: tuple[RecentChange, ...]) -> bytes:
    """Give the bytes of the changes, without their lines where those are too long."""
    data = json.dumps([asdict(each) for each in changes]).encode()
    if len(data) <= RECENT_CHANGE_BYTES:
        return data
    return json.dumps([{"at": each.at, "added": []} for each in changes]).encode()


def _changes_in(path: Path) -> Iterator[RecentChange]:
    try:
        content = read_regular_file(path, limit=RECENT_CHANGE_BYTES)
        values = None if content is None else json.loads(content.data)
    except (FilesError, ValueError, RecursionError):
        return
    for value in values if isinstance(values, list) else ():
        match value:
            case {"at": int(at), "added": list(added)}:
                yield RecentChange(at, tuple(line for line in added if isinstance(line, str)))

"""What was last done to each file of a memory, by whichever session: of which bytes, and the lines that it added.

    recent/<24 digits of the SHA-256 of the name>.json

- One file a name, replaced whole by whoever comes last. It is a hint for who writes the same file at that moment: what
  cannot be written or read is no reason to fail.
- What is older than a minute helps nobody and goes when a session begins.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from pi_sandbox.errors import FilesError
from pi_sandbox.project_memory.limits import RECENT_CHANGE_BYTES, RECENT_CHANGE_SECONDS
from pi_sandbox.project_memory.namespace import short_digest
from pi_sandbox.system.files import atomic_write, make_private_folders, read_regular_file


@dataclass(frozen=True, slots=True)
class RecentChange:
    """Who did it (a session's main agent or a task), the digests before and after, and the lines that were added."""

    by: str
    before: str | None
    after: str | None
    added: tuple[str, ...]


class RecentChanges:
    """The recent changes of one memory, in a folder of its own that is made when first needed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def note(self, name: str, change: RecentChange) -> None:
        """Write down the last change of a file."""
        data = json.dumps(asdict(change)).encode()
        if len(data) > RECENT_CHANGE_BYTES:
            data = json.dumps({**asdict(change), "added": []}).encode()
        with contextlib.suppress(OSError):
            make_private_folders(self._folder)
            atomic_write(self._path(name), data)

    def last(self, name: str) -> RecentChange | None:
        """Give the last change of a file, `None` if none is known."""
        try:
            content = read_regular_file(self._path(name), limit=RECENT_CHANGE_BYTES)
            values = None if content is None else json.loads(content.data)
        except (FilesError, ValueError, RecursionError):
            return None
        match values:
            case {
                "by": str(by),
                "before": str() | None as before,
                "after": str() | None as after,
                "added": list(added),
            }:
                return RecentChange(by, before, after, tuple(line for line in added if isinstance(line, str)))
            case _:
                return None

    def sweep(self) -> None:
        """Remove what is old."""
        with contextlib.suppress(OSError):
            for each in os.scandir(self._folder):
                with contextlib.suppress(OSError):
                    if abs(time.time() - each.stat(follow_symlinks=False).st_mtime) > RECENT_CHANGE_SECONDS:
                        Path(each.path).unlink()

    def _path(self, name: str) -> Path:
        return self._folder / f"{short_digest(os.fsencode(name))}.json"

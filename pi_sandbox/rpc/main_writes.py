"""What the main session's own `edit` and `write` lost in a race with another session."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path

from pi_sandbox.errors import FilesError
from pi_sandbox.note_format.names import INDEX_NAME
from pi_sandbox.project_memory.limits import SHOWN_FILE_BYTES, SHOWN_FILES
from pi_sandbox.project_memory.lost_lines import (
    MainWrite,
    added_lines,
    lost_lines_notice,
    others_lost_lines,
    own_lost_lines,
    unseen_lost_lines,
)
from pi_sandbox.project_memory.memory_files import SeenFile, read_for_baseline
from pi_sandbox.project_memory.recent_changes import RecentChange
from pi_sandbox.rpc.memory_access import MemoryAccess, load_secret_detectors


class MainWrites:
    """What this session was shown of each memory file, and what stood in those that it is about to write."""

    def __init__(self, access: MemoryAccess) -> None:
        self._access = access
        self._lock = threading.Lock()
        self._shown: dict[str, str] = {}
        self._before: dict[str, SeenFile | None] = {}

    def begins(self, file: Path) -> None:
        """Keep what stands in a file that a tool is about to write."""
        load_secret_detectors()
        seen = _standing(file)
        with self._lock:
            self._before[self._access.name_of(file)] = seen

    def was_shown(self, file: Path) -> None:
        """Keep what a tool has shown of a file as a whole."""
        load_secret_detectors()
        seen = _standing(file)
        if seen is not None:
            self._keep(self._access.name_of(file), seen)

    def ended(self, file: Path, now: SeenFile | None, write: MainWrite, prompt: Iterable[str]) -> str:
        """Give what the model is told of a race that its write lost, nothing where it lost none.

        `now`: what stands there. `prompt`: the index as the session's prompt shows it.
        """
        name = self._access.name_of(file)
        with self._lock:
            looked, before = name in self._before, self._before.pop(name, None)
            shown = [self._shown[name]] if name in self._shown else []
        if now is None or not looked:
            return ""
        shown += prompt if name == INDEX_NAME else []
        old = None if before is None else before.text
        lost = [*unseen_lost_lines(write, old, shown, now.text), *self._taken_from_others(name, before, now, write)]
        own = own_lost_lines(write, now.text)
        if not own:
            self._note(name, before, now)
        self._keep(name, now)
        return lost_lines_notice(name, own, tuple(dict.fromkeys(lost)))

    @property
    def _me(self) -> str:
        return f"session {self._access.session_id}"

    def _taken_from_others(
        self, name: str, before: SeenFile | None, now: SeenFile, write: MainWrite
    ) -> tuple[str, ...]:
        """Give what somebody else added to the bytes that this write began with, and that it has taken away."""
        last = self._access.recent.last(name)
        if last is None or last.by == self._me or last.before != _digest(before) or last.after == now.version.digest:
            return ()
        return others_lost_lines(write, last.added, now.text)

    def _note(self, name: str, before: SeenFile | None, now: SeenFile) -> None:
        added = added_lines(now.text, None if before is None else before.text)
        change = RecentChange(self._me, _digest(before), now.version.digest, added)
        if not self._access.read_only:
            self._access.recent.note(name, change)

    def _keep(self, name: str, seen: SeenFile) -> None:
        with self._lock:
            self._shown.pop(name, None)
            if len(seen.data) <= SHOWN_FILE_BYTES:
                self._shown[name] = seen.text
            if len(self._shown) > SHOWN_FILES:
                del self._shown[next(iter(self._shown))]


def _standing(file: Path) -> SeenFile | None:
    """Give what a file holds; what is none, or cannot be read, holds nothing here."""
    try:
        return read_for_baseline(file)
    except FilesError:
        return None


def _digest(seen: SeenFile | None) -> str | None:
    return None if seen is None else seen.version.digest

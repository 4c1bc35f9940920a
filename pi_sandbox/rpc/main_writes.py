"""What the main session's own `edit` and `write` lost in a race with another session."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pi_sandbox.errors import FilesError
from pi_sandbox.memory_text.javascript_text import utf8_bytes
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
from pi_sandbox.rpc.memory_access import MemoryAccess, load_secret_detectors, now_ms


@dataclass(frozen=True, slots=True)
class _Beginning:
    """When a tool was about to write a file, and what stood in it."""

    at: int
    seen: SeenFile | None


class MainWrites:
    """What this session was shown of each memory file, and what stood in those that it is about to write."""

    def __init__(self, access: MemoryAccess) -> None:
        self._access = access
        self._lock = threading.Lock()
        self._shown: dict[str, str] = {}
        self._before: dict[str, _Beginning] = {}

    def begins(self, file: Path) -> None:
        """Keep what stands in a file that a tool is about to write."""
        load_secret_detectors()
        beginning = _Beginning(now_ms(), _standing(file))
        with self._lock:
            self._before[self._access.name_of(file)] = beginning

    def was_shown(self, file: Path, text: str) -> None:
        """Keep the text that a tool has shown of a file as a whole: what stands there by now may be another one."""
        load_secret_detectors()
        self._keep(self._access.name_of(file), text)

    def done(self, file: Path, write: MainWrite) -> None:
        """Leave word of a write, before it is looked whether it still stands there.

        Who writes after that look reads this word; who wrote before it is seen by the look.
        """
        name = self._access.name_of(file)
        with self._lock:
            began = self._before.get(name)
        if began is None or self._access.read_only:
            return
        before = None if began.seen is None else began.seen.text
        self._access.recent.note(name, self._me, RecentChange(now_ms(), added_lines(write.text, before)))

    def ended(self, file: Path, now: SeenFile | None, write: MainWrite, prompt: Iterable[str]) -> str:
        """Give what the model is told of a race that its write lost, nothing where it lost none.

        `now`: what stands there. `prompt`: the index as the session's prompt shows it.
        """
        name = self._access.name_of(file)
        with self._lock:
            began = self._before.pop(name, None)
            shown = [self._shown[name]] if name in self._shown else []
        if now is None or began is None:
            return ""
        before = None if began.seen is None else began.seen.text
        seen = [*shown, *(prompt if name == INDEX_NAME else [])]
        lost = [*unseen_lost_lines(write, before, seen, now.text), *self._taken_from_others(name, began.at, now, write)]
        own = own_lost_lines(write, now.text)
        self._keep(name, "\n".join([*shown, write.text]) if write.content is None else write.text)
        return lost_lines_notice(name, own, tuple(dict.fromkeys(lost)))

    @property
    def _me(self) -> str:
        return f"session {self._access.session_id}"

    def _taken_from_others(self, name: str, since: int, now: SeenFile, write: MainWrite) -> tuple[str, ...]:
        """Give what others have added since this write began, and that it has taken away."""
        added = [line for each in self._access.recent.of_others(name, self._me, since) for line in each.added]
        return others_lost_lines(write, added, now.text)

    def _keep(self, name: str, text: str) -> None:
        with self._lock:
            self._shown.pop(name, None)
            if utf8_bytes(text) <= SHOWN_FILE_BYTES:
                self._shown[name] = text
            if len(self._shown) > SHOWN_FILES:
                del self._shown[next(iter(self._shown))]


def _standing(file: Path) -> SeenFile | None:
    """Give what a file holds; what is none, or cannot be read, holds nothing here."""
    try:
        return read_for_baseline(file)
    except FilesError:
        return None

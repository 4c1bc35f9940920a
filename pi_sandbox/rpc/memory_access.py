"""What both halves of a session work with: the places, the configuration, and the one writer of this process."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from pi_sandbox.project_memory.captures import Captures
from pi_sandbox.project_memory.configuration import Configuration
from pi_sandbox.project_memory.configuration_file import ConfigurationFile
from pi_sandbox.project_memory.holder import SystemWitness
from pi_sandbox.project_memory.journal import Journal
from pi_sandbox.project_memory.lint import SecretLines, lint_file, lint_reminder, looked_at
from pi_sandbox.project_memory.path_queue import PathQueue
from pi_sandbox.project_memory.publish import MemoryWriter, Published
from pi_sandbox.project_memory.recent_changes import RecentChanges
from pi_sandbox.project_memory.storage import ProjectStorage
from pi_sandbox.project_memory.tool_paths import memory_file, tool_file
from pi_sandbox.project_memory.topics import topic_of


@dataclass(frozen=True, slots=True)
class MemoryAccess:
    """One session's memory. `read_only`: nothing can be written, so there are no tasks and no journal.

    `auto_memory_directory` is the value of that key of which `storage` was made.
    """

    agent_folder: Path
    storage: ProjectStorage
    configuration_file: ConfigurationFile
    auto_memory_directory: str | None
    working_directory: Path
    home: Path
    session_id: str
    read_only: bool
    witness: SystemWitness = field(default_factory=SystemWitness)
    writer: MemoryWriter = field(init=False)
    captures: Captures = field(init=False)
    recent: RecentChanges = field(init=False)

    def __post_init__(self) -> None:
        journal = Journal(self.storage.root_folder / "journal")
        writer = MemoryWriter(self.storage.memory_root, journal, self.witness, PathQueue())
        object.__setattr__(self, "writer", writer)
        object.__setattr__(self, "captures", Captures(self.storage.memory_root))
        object.__setattr__(self, "recent", RecentChanges(self.storage.root_folder / "recent"))

    @property
    def configuration(self) -> Configuration:
        """The values in force now; raises `PiSandboxError` while `config.json` has a fault."""
        return self.configuration_file.current()

    def memory_file(self, path: str, *, reads: bool = False) -> Path | None:
        """Give the memory file that a tool's path means, `None` for any other. `reads`: the tool is `read`."""
        return memory_file(path, self.working_directory, self.home, self.storage.memory_root, reads=reads)

    def topic_read(self, path: str) -> str | None:
        """Give the name of the topic that `read` has shown by a path outside of the memory, `None` if it is none."""
        file = tool_file(path, self.working_directory, self.home, reads=True)
        return None if file is None else topic_of(self.storage.memory_root, file)

    def name_of(self, file: Path) -> str:
        """Give the name of a memory file: its path below the memory folder."""
        return file.relative_to(self.storage.memory_root).as_posix()

    def reminder_of(self, file: Path, text: str, known: SecretLines | None = None) -> str | None:
        """Give what lint says of a saved file, `None` where it is fine. `known`: its `secret_lines`."""
        name = self.name_of(file)
        detector = secret_lines if known is None else lambda _: known
        return lint_reminder(name, lint_file(name, text, detector)) or None

    def note(self, published: Published) -> None:
        """Know a change as this session's own."""
        change = published.entry.change
        self.captures.noted(change.path, change.after.digest)


def now_ms() -> int:
    """Give the time in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


@cache
def load_secret_detectors() -> None:
    """Begin to import what `secret_lines` needs, and wait for nothing: a file that is read is often written next."""
    threading.Thread(target=secret_lines, args=("",), name="detectors", daemon=True).start()


def secret_lines(text: str) -> SecretLines:
    """Give the lines that look like a secret, by the detectors of the memory check, and those too long for them."""
    from pi_sandbox.memory_check.findings import TOO_DENSE
    from pi_sandbox.memory_check.memory_file import lines_of
    from pi_sandbox.memory_check.secret_scan import scan_text

    hits = scan_text(lines_of(looked_at(text)))
    found = frozenset(hit.line for hit in hits if hit.category != TOO_DENSE)
    return SecretLines(found, frozenset(hit.line for hit in hits) - found)


def added_secrets(lines: SecretLines, text: str, before: str) -> list[int]:
    """Give the lines with a secret that did not stand in the text before. `lines`: the `secret_lines` of the text."""
    from pi_sandbox.memory_check.memory_file import lines_of

    if not lines.found:
        return []
    known, written = set(lines_of(before)), lines_of(text)
    return [number for number in sorted(lines.found) if written[number - 1] not in known]

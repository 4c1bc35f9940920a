"""The configuration of a user while sessions run: what stands there now is in force, from the next look on.

- The file is looked at whenever somebody asks, by its bytes, so that no change is missed for having the size and the
  time of what was there before. It is parsed only when they are others.
- Without a file the defaults hold. A link that leads nowhere is no missing file: whoever made it meant something.
- Where the place of the memory is fixed, the file cannot name another folder; and without a place memory is off.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

from pi_sandbox.errors import SettingsError, quoted
from pi_sandbox.project_memory.configuration import Configuration, parse_configuration
from pi_sandbox.project_memory.fixed_place import FixedPlace
from pi_sandbox.system.files import read_regular_file

CONFIGURATION_BYTES = 1024 * 1024


class ConfigurationFile:
    """One file, which need not exist, and the place that is fixed, if it is. May be used from several threads."""

    def __init__(self, path: Path, place: FixedPlace | None = None) -> None:
        self.path = path if place is None else place.configuration
        self.place = place
        self._lock = threading.Lock()
        self._parsed: tuple[bytes | None, Configuration] | None = None

    @property
    def what_turned_off(self) -> str:
        """Say what turns memory off where the values in force do, as the end of a sentence."""
        if self.place is not None and self.place.memory is None:
            return "off: its domain has no store in this session"
        return f"turned off in {self.path.name}"

    def current(self) -> Configuration:
        """Give the values in force now; raises `FilesError`, and `SettingsError` for a file with a fault in it."""
        content = read_regular_file(self.path, limit=CONFIGURATION_BYTES, follow_links=True)
        if content is None and self.path.is_symlink():
            raise SettingsError(
                f"{quoted(self.path)} is a link that leads nowhere from here", "put the file itself there"
            )
        data = None if content is None else content.data
        with self._lock:
            if self._parsed is None or self._parsed[0] != data:
                self._parsed = data, self._parse(data)
            return self._parsed[1]

    def _parse(self, data: bytes | None) -> Configuration:
        given = parse_configuration(data, self.path)
        if self.place is None:
            return given
        if given.auto_memory_directory is not None:
            raise SettingsError(
                f"{quoted(self.path)}: autoMemoryDirectory cannot be set in the sandbox, where the memory lies in the "
                "domain's store",
                "take it out of pi-config/agent/project-memory.json",
            )
        return replace(given, enabled=given.enabled and self.place.memory is not None)

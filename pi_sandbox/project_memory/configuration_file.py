"""The `config.json` of a user while sessions run: what stands there now is in force, from the next look on.

The file is looked at whenever somebody asks, by its bytes, so that no change is missed for having the size and the time
of what was there before. It is parsed only when they are others.
"""

from __future__ import annotations

import threading
from pathlib import Path

from pi_sandbox.project_memory.configuration import Configuration, parse_configuration
from pi_sandbox.system.files import read_regular_file

CONFIGURATION_BYTES = 1024 * 1024


class ConfigurationFile:
    """One `config.json`, which need not exist. May be used from several threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._parsed: tuple[bytes | None, Configuration] | None = None

    def current(self) -> Configuration:
        """Give the values in force now; raises `FilesError`, and `SettingsError` for a file with a fault in it."""
        content = read_regular_file(self.path, limit=CONFIGURATION_BYTES, follow_links=True)
        data = None if content is None else content.data
        with self._lock:
            if self._parsed is None or self._parsed[0] != data:
                self._parsed = data, parse_configuration(data, self.path)
            return self._parsed[1]

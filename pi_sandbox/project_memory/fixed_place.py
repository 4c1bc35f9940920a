"""The place of a memory and of its configuration where the surroundings fix both, as the sandbox does.

- Both variables are set, or neither; a path in them is absolute. An empty folder means that there is none for this
  project, and memory is off.
- `config.json` of the agent folder then counts for nothing, and a folder in the configuration is refused.
- The folder has no link on its path: what a session leaves in a store must not lead another one's memory elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pi_sandbox.errors import SettingsError, quoted
from pi_sandbox.session.memory_place import CONFIGURATION_VARIABLE, FOLDER_VARIABLE

_HINT = "unset both, or start the session by pi-sandbox"


@dataclass(frozen=True, slots=True)
class FixedPlace:
    """The file of the configuration, which need not exist, and the folder of the memory, `None` without one."""

    configuration: Path
    memory: Path | None

    def check(self) -> None:
        """Raise `SettingsError` where a link leads the memory elsewhere, and `OSError`."""
        if self.memory is not None and _leads_elsewhere(self.memory):
            raise SettingsError(
                f"the memory folder {quoted(self.memory)} leads elsewhere through a link",
                "look at what the store holds there, and remove the link",
            )


def _leads_elsewhere(path: Path) -> bool:
    try:
        return path.resolve() != path
    except RuntimeError:  # a link that leads to itself
        return True


def fixed_place(environ: Mapping[str, str]) -> FixedPlace | None:
    """Give the place that the variables name, `None` without them; raises `SettingsError`."""
    configuration, memory = environ.get(CONFIGURATION_VARIABLE), environ.get(FOLDER_VARIABLE)
    if configuration is None and memory is None:
        return None
    if configuration is None or memory is None:
        raise SettingsError(f"one of {CONFIGURATION_VARIABLE} and {FOLDER_VARIABLE} is set without the other", _HINT)
    for name, value in ((CONFIGURATION_VARIABLE, configuration), (FOLDER_VARIABLE, memory or "/")):
        if not value.startswith("/"):
            raise SettingsError(f"{name} is {quoted(value)}, which is not an absolute path", _HINT)
    return FixedPlace(Path(configuration), Path(memory) if memory else None)

"""The `state.json` files: small JSON objects with a version, changed by compare-and-swap.

- A state is `{ "version": n, … }`; a file that is not there is version 0 and empty.
- `swap` writes version n + 1 only while the file still holds version n. Between the look and the rename nobody else may
  write, so the caller holds the lock of that state (`last-dream-at.lock` for the shared one): `still_held` tells.
- Keys that this version does not know are kept. A file that is no such object is an error that names it, never a reason
  to start from nothing: the time of the last dream and the sessions since would be forgotten without a word.
- The shared state begins with the `lastDreamAt` of the project's own `state.json` where an earlier version left one.

Times are milliseconds since the epoch, as the extension's JavaScript counts them.
Source: `spec/project-memory.md`, "Shared consolidation state and locks".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.project_memory.storage import ProjectStorage
from pi_sandbox.system.files import atomic_write, read_regular_file

STATE_BYTES = 1024 * 1024
"""More than any state holds; a larger file is not one of ours, and none is written."""

LAST_DREAM_AT = "lastDreamAt"


class StateTooLargeError(FilesError):
    """A state would not be read again if it were written."""


@dataclass(frozen=True, slots=True)
class State:
    """What a state file holds: its version, 0 where there is no file, and its other keys."""

    version: int = 0
    values: Mapping[str, object] = field(default_factory=dict)

    def with_value(self, key: str, value: object) -> State:
        """Give the state with one key set, or removed where the value is `None`."""
        values = {name: each for name, each in self.values.items() if name != key}
        return State(self.version, values if value is None else {**values, key: value})


def read_state(path: Path) -> State:
    """Give the state in a file; raises `FilesError` for a file that is no state."""
    content = read_regular_file(path, limit=STATE_BYTES)
    if content is None:
        return State()
    try:
        data = json.loads(content.data)
    except (ValueError, RecursionError) as error:
        raise _not_a_state(path) from error
    if not isinstance(data, dict):
        raise _not_a_state(path)
    version = data.pop("version", 0)
    if not isinstance(version, int) or isinstance(version, bool) or version < 0:
        raise _not_a_state(path)
    return State(version, data)


def read_shared_state(storage: ProjectStorage) -> State:
    """Give the state that all projects with this memory share; where there is none yet, what earlier versions left."""
    state = read_state(storage.shared_state)
    if state.version or state.values:
        return state
    legacy = last_dream_at(read_state(storage.legacy_state))
    return State(0, {} if legacy is None else {LAST_DREAM_AT: legacy})


def swap(path: Path, expected: State, wanted: State, still_held: Callable[[], bool]) -> bool:
    """Write `wanted` one version after `expected` if the file still holds `expected`'s version, and say whether it did.

    `still_held` is asked right before the file is replaced. Raises `FilesError` (`StateTooLargeError` for one that
    could not be read again, before anything is written) and `OSError`.
    """
    if read_state(path).version != expected.version:
        return False
    data = json.dumps({"version": expected.version + 1, **wanted.values}, sort_keys=True).encode() + b"\n"
    if len(data) > STATE_BYTES:
        raise StateTooLargeError(
            f"the new content of {quoted(path)} is larger than {STATE_BYTES} bytes", "look at what is in the file"
        )
    if not still_held():
        return False
    atomic_write(path, data)
    return True


def last_dream_at(state: State) -> int | None:
    """Give the time of the last attempt at a dream in milliseconds since the epoch, `None` if there was none."""
    value = state.values.get(LAST_DREAM_AT)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**53:
        return None
    return int(value)


def _not_a_state(path: Path) -> FilesError:
    return FilesError(
        f"{quoted(path)} is not a JSON object with a version", "move it away to begin with an empty state"
    )

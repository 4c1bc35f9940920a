"""Where the memory of a project and what belongs to it lie, below pi's agent folder.

    project-memory/
    ├── config.json
    ├── projects/<projectId>/            .project-root, state.json, memory/, stores/<memoryRootId>/state.json
    └── memory-roots/<memoryRootId>/     state.json, locks/, journal/

- `projectId` is the project's name in `namespace`. The folder belongs to the project whose root its `.project-root`
  holds, byte for byte. That marker is made exclusively and whole; where another project's stands, the name with the
  digest is taken.
- `memoryRootId` is the digest of the memory folder's canonical path, so that the default folder, a folder from
  `autoMemoryDirectory` and every link to either share one interval and one set of locks.
- `locate` only computes and reads; `reserve` makes folders and the marker, for its owner alone (0700, 0600).

Source: `spec/project-memory.md`, "Storage and state layout".
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.project_memory.namespace import fallback_namespace, namespace_of, short_digest
from pi_sandbox.system.files import create_file, read_regular_file

FOLDER = "project-memory"
MARKER = ".project-root"
STATE = "state.json"
_PATH_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class ProjectStorage:
    """The places of one project. `memory` may be a link; `memory_root` is where it leads."""

    project_root: Path
    project_folder: Path
    memory: Path
    memory_root: Path
    root_folder: Path

    @property
    def project_id(self) -> str:
        """The name of the project's folder."""
        return self.project_folder.name

    @property
    def memory_root_id(self) -> str:
        """The name of the folder that everybody shares who uses the same memory."""
        return self.root_folder.name

    @property
    def locks(self) -> Path:
        """The folder of the lock files."""
        return self.root_folder / "locks"

    @property
    def shared_state(self) -> Path:
        """What all projects with this memory share: `lastDreamAt`."""
        return self.root_folder / STATE

    @property
    def legacy_state(self) -> Path:
        """Where earlier versions kept `lastDreamAt`; read once, while there is no shared state, and never written."""
        return self.project_folder / STATE

    @property
    def store_state(self) -> Path:
        """What this project alone knows about this memory: the sessions since the last dream."""
        return self.project_folder / "stores" / self.memory_root_id / STATE


def locate(agent_folder: Path, project_root: Path, memory: Path | None = None) -> ProjectStorage:
    """Give the places of a project without making any of them.

    `project_root` is the value of `identity.project_root`; `memory` is the folder from `autoMemoryDirectory`. Raises
    `FilesError` if a marker cannot be read.
    """
    base = agent_folder / FOLDER
    root = os.fsencode(project_root)
    folder = base / "projects" / namespace_of(root)
    if _owner(folder) not in (None, root):
        folder = folder.with_name(fallback_namespace(root))
    at = folder / "memory" if memory is None else memory
    memory_root = at.resolve()
    shared = base / "memory-roots" / short_digest(os.fsencode(memory_root))
    return ProjectStorage(project_root, folder, at, memory_root, shared)


def reserve(agent_folder: Path, project_root: Path, memory: Path | None = None) -> ProjectStorage:
    """Make the folders of a project and its marker, and give its places; raises `FilesError`.

    Whoever comes second for the same plain name gets the name with the digest, however close the two are in time.
    """
    root = os.fsencode(project_root)
    plain = agent_folder / FOLDER / "projects" / namespace_of(root)
    folder = next((each for each in (plain, plain.with_name(fallback_namespace(root))) if _claim(each, root)), None)
    if folder is None:
        raise FilesError(
            f"{quoted(plain.with_name(fallback_namespace(root)) / MARKER)} names another project than its folder",
            f"look at both; if the folder belongs to {quoted(project_root)}, remove the marker",
        )
    storage = locate(agent_folder, project_root, memory)
    for each in (storage.memory, storage.store_state.parent, storage.locks):
        _make_folder(each)
    return locate(agent_folder, project_root, memory)


def _claim(folder: Path, root: bytes) -> bool:
    """Whether the folder is this project's, after an attempt to make it so."""
    _make_folder(folder)
    try:
        made = create_file(folder / MARKER, root, mode=0o600)
    except OSError as error:
        raise FilesError(
            f"{quoted(folder / MARKER)} could not be made: {error.strerror}", "check the folder's permissions"
        ) from error
    return made or _owner(folder) == root


def _owner(folder: Path) -> bytes | None:
    """Give the project root that a folder's marker holds, `None` without a marker."""
    content = read_regular_file(folder / MARKER, limit=_PATH_BYTES)
    return None if content is None else content.data


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise FilesError(f"{quoted(folder)} could not be made: {error.strerror}", "check its permissions") from error

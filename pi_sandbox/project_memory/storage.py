"""Where the memory of a project and what belongs to it lie, below pi's agent folder.

    project-memory/
    ├── config.json
    ├── projects/<projectId>/            .project-root, state.json, memory/, stores/<memoryRootId>/state.json
    └── memory-roots/<memoryRootId>/     state.json, locks/, journal/

- `projectId` is the project's name in `namespace`. The folder belongs to the project whose root its `.project-root`
  holds, byte for byte (a line end after it is an editor's). That marker is made exclusively, whole and lastingly; where
  another project's stands, the name with the digest is taken.
- An empty marker, or one of blanks only, is nobody's: whoever comes first replaces it, one at a time, unless the folder
  with the digest is that project's already.
- `memoryRootId` is the digest of the memory folder's canonical path, so that the default folder, a folder from
  `autoMemoryDirectory` and every link to either share one interval and one set of locks.
- `locate` only computes and reads; `reserve` makes folders and the marker, for its owner alone (0700, 0600).

Source: `spec/project-memory.md`, "Storage and state layout".
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.project_memory.namespace import fallback_namespace, namespace_of, short_digest
from pi_sandbox.system.files import atomic_write, create_file, make_private_folders, read_regular_file

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
    def name_was_taken(self) -> bool:
        """Whether another project has the plain name, so that this one has the name with the digest."""
        return self.project_id != namespace_of(os.fsencode(self.project_root))

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
    `FilesError` if a marker cannot be read, and for a memory folder that is a link to itself.
    """
    base = agent_folder / FOLDER
    root = os.fsencode(project_root)
    folder = _folders(base, root)[0]
    at = folder / "memory" if memory is None else memory
    try:
        memory_root = at.resolve()
    except RuntimeError as error:
        raise FilesError(f"{quoted(at)} is a link that leads to itself", "remove the link") from error
    shared = base / "memory-roots" / short_digest(os.fsencode(memory_root))
    return ProjectStorage(project_root, folder, at, memory_root, shared)


def reserve(
    agent_folder: Path, project_root: Path, memory: Path | None = None, *, make_memory: bool = True
) -> ProjectStorage:
    """Make the folders of a project and its marker, and give its places; raises `FilesError`.

    Whoever comes second for the same plain name gets the name with the digest, however close the two are in time.
    """
    root = os.fsencode(project_root)
    _make_folder(agent_folder / FOLDER / "projects")
    folders = _folders(agent_folder / FOLDER, root)
    if not any(_claim(each, root) for each in folders):
        raise FilesError(
            f"{quoted(folders[-1] / MARKER)} names another project than its folder",
            f"look at both; if the folder belongs to {quoted(project_root)}, remove the marker",
        )
    storage = locate(agent_folder, project_root, memory)
    for each in (storage.store_state.parent, storage.locks, *((storage.memory,) if make_memory else ())):
        _make_folder(each)
    return locate(agent_folder, project_root, memory)


def _folders(base: Path, root: bytes) -> tuple[Path, ...]:
    """Give the folders that a project may have, in the order in which it tries them."""
    plain = base / "projects" / namespace_of(root)
    fallback = plain.with_name(fallback_namespace(root))
    owner = _owner(plain)
    at_home_elsewhere = _is_of(_owner(fallback), root) if owner is None else not _is_of(owner, root)
    return (fallback,) if at_home_elsewhere else (plain, fallback)


def _claim(folder: Path, root: bytes) -> bool:
    """Whether the folder is this project's, after an attempt to make it so."""
    _make_folder(folder)
    marker = folder / MARKER
    try:
        if create_file(marker, root, mode=0o600, lasting=True):
            return True
        if _owner(folder) is None:
            with _alone(folder):
                if _owner(folder) is None:
                    atomic_write(marker, root)
    except OSError as error:
        raise FilesError(
            f"{quoted(marker)} could not be made: {error.strerror}", "check the folder's permissions"
        ) from error
    return _is_of(_owner(folder), root)


def _owner(folder: Path) -> bytes | None:
    """Give what a folder's marker holds, `None` without a marker or with one that names nobody."""
    content = read_regular_file(folder / MARKER, limit=_PATH_BYTES)
    return content.data if content is not None and content.data.strip() else None


def _is_of(owner: bytes | None, root: bytes) -> bool:
    return owner in (root, root + b"\n", root + b"\r\n")


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Have the folder alone for the time of the block, where its file system has kernel locks."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _make_folder(folder: Path) -> None:
    try:
        make_private_folders(folder)
    except OSError as error:
        raise FilesError(f"{quoted(folder)} could not be made: {error.strerror}", "check its permissions") from error

"""Looks at the disk once for a plan: the stores, the levels that are not this project's, the owner's pi settings, the
domain's login, the repositories inside the project.

Nothing is created or followed. Of the stores nothing is read beyond the names on the project's own path, so the time
does not depend on their size; it grows with the project's number of folders and files, up to a bound (folder_walk.py,
hard_links.py).
"""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from pi_sandbox.errors import FilesError
from pi_sandbox.launch.git_places import find_git
from pi_sandbox.launch.hard_links import LinkCount
from pi_sandbox.note_format.names import AUTO, NOTES
from pi_sandbox.session.disk_look import DiskLook, LoginLook, StoreLook, StoreState
from pi_sandbox.session.login import LOGIN_BYTES, LoginRefused, parse_login
from pi_sandbox.session.project_key import project_key
from pi_sandbox.settings.domains import CORE, DomainName
from pi_sandbox.settings.folders import Folders
from pi_sandbox.system.files import read_regular_file
from pi_sandbox.system.folder_access import closed_place, opening
from pi_sandbox.system.mount_table import mount_points
from pi_sandbox.system.sight import is_closed
from pi_sandbox.workspace.workspace import GitEntry, Workspace

_OWN_FOLDERS = frozenset({NOTES, ".git"})
"""What a level holds besides other levels (design.md, "Note format"); the store's `.git` has a mask of its own."""


def look_at_disk(folders: Folders, workspace: Workspace, opt_in: DomainName | None) -> DiskLook:
    """Gives what a plan for `workspace` has to know of the disk."""
    inner = mount_points()
    config = folders.agent_config
    links = LinkCount()
    git = find_git(workspace.project, links=links)
    key = project_key(workspace.levels[-1])
    own = (workspace.project, folders.history(workspace.domain, key), folders.memory_state(workspace.domain, key))
    return DiskLook(
        core=_store(folders, CORE, (), inner),
        domain=_store(folders, workspace.domain, workspace.levels, inner),
        opt_in=None if opt_in is None else _store(folders, opt_in, (), inner),
        agent_config=config if config.is_dir() else None,
        instructions=(config / "AGENTS.md").is_file(),
        login=_login(folders.login(workspace.domain)),
        git=git,
        project_mounts=_below(workspace.project, inner),
        closed=tuple(dict.fromkeys(closed_place(folder) for folder in own if is_closed_folder(folder))),
        linked=links.found(all_folders=not git.unseen),
    )


def look_at_levels(folders: Folders, workspace: Workspace) -> StoreLook:
    """Gives what there is to know of the store of a project's domain, with the levels beside the project's path."""
    return _store(folders, workspace.domain, workspace.levels, mount_points())


def look_at_store(folders: Folders, name: str) -> StoreLook:
    """Gives what there is to know of one store, without the levels in it."""
    return _store(folders, name, (), mount_points())


def _store(folders: Folders, name: str, levels: tuple[str, ...], inner: tuple[Path, ...]) -> StoreLook:
    path = Path(os.path.realpath(folders.store(name)))
    state, git_entry = _state(path)
    beside = look_beside(path, levels) if levels and state is StoreState.PRESENT else Beside((), ())
    opens = (
        opening(closed_place(path if is_closed_folder(path) else path / ".git")) if state is StoreState.CLOSED else ""
    )
    return StoreLook(name, path, state, git_entry, beside.levels, _below(path, inner), beside.closed, opens)


def _state(path: Path) -> tuple[StoreState, GitEntry]:
    if not os.path.lexists(path):
        shut = closed_place(path)
        return StoreState.CLOSED if shut != path and is_closed_folder(shut) else StoreState.ABSENT, GitEntry.NONE
    if not is_real_folder(path):
        return StoreState.NO_FOLDER, GitEntry.NONE
    git = path / ".git"
    if is_closed_folder(path) or (is_real_folder(git) and is_closed_folder(git)):
        return StoreState.CLOSED, GitEntry.NONE
    if _is_file(git / "HEAD") and not git.is_symlink():
        return StoreState.PRESENT, GitEntry.FOLDER
    if _is_file(git) and not git.is_symlink():
        return StoreState.PRESENT, GitEntry.FILE
    return StoreState.NO_REPOSITORY, GitEntry.NONE


@dataclass(frozen=True)
class Beside:
    """The levels beside a project's path, relative to the store, and those on it that may not be read."""

    levels: tuple[str, ...]
    closed: tuple[Path, ...]


def look_beside(store: Path, levels: tuple[str, ...]) -> Beside:
    """Gives the folders beside the path of `levels`, at every step.

    Links are no folders: what they name stays hidden. An `auto` is the memory of one project: that of another one on
    the way is beside the path.
    """
    beside: list[str] = []
    for outer, wanted in zip(("", *levels), (*levels, None), strict=True):
        folder = store / outer
        if not is_real_folder(folder):
            break
        own = _OWN_FOLDERS | {AUTO if wanted is None else Path(wanted).name}
        if outer:
            own -= {".git"}
        names = _inner_folders(folder)
        if names is None:
            return Beside(tuple(beside), (folder,))
        beside += (f"{outer}/{name}".lstrip("/") for name in names if name not in own)
    return Beside(tuple(beside), ())


def _inner_folders(folder: Path) -> list[str] | None:
    """Gives the names of the folders in one, `None` where they cannot be told."""
    if is_closed_folder(folder):
        return None
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return None


def _login(path: Path) -> LoginLook:
    try:
        content = read_regular_file(path, limit=LOGIN_BYTES)
    except FilesError as error:
        return LoginLook(path, error.message, ())
    try:
        login = parse_login(b"" if content is None else content.data)
    except LoginRefused as refusal:
        return LoginLook(path, str(refusal), ())
    return LoginLook(path, "", login.reasons)


def is_real_folder(path: Path) -> bool:
    """Whether there is a folder, and no link to one."""
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def is_closed_folder(path: Path) -> bool:
    """Whether there is a folder that may not be listed and entered (system/sight.py)."""
    try:
        return is_closed(path.stat()) or not os.access(path, os.R_OK | os.X_OK)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True


def _below(folder: Path, inner: tuple[Path, ...]) -> tuple[Path, ...]:
    return tuple(point for point in inner if point != folder and point.is_relative_to(folder))

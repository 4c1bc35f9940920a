"""Looks at what a session may write, before it and after it (session/left_behind.py says what came of it).

Every folder that the plan mounts to write is looked at, whole, but for what is masked in it. What is mounted read-only
counts: a folder above such a mount can be renamed, and another one made in its place. Links are not followed.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from pi_sandbox.launch.git_named_files import named_files
from pi_sandbox.launch.git_places import find_git, join_looks
from pi_sandbox.launch.look import is_real_folder, look_beside
from pi_sandbox.session.container_spec import Mount
from pi_sandbox.session.disk_look import DiskLook, GitLook, StoreState
from pi_sandbox.session.left_behind import Scene
from pi_sandbox.session.reach import WritableFolder, writable_folders
from pi_sandbox.workspace.level_names import is_git_name
from pi_sandbox.workspace.workspace import Workspace


def reach_of(mounts: Sequence[Mount]) -> tuple[WritableFolder, ...]:
    """Gives the folders that are looked at for a session, at their real places; a single file holds no repository."""
    folders = (_at_its_real_place(folder) for folder in writable_folders(mounts))
    return tuple(folder for folder in folders if is_real_folder(folder.path))


def scene_before(reach: Sequence[WritableFolder], workspace: Workspace, look: DiskLook) -> Scene:
    """Gives the scene; `look` is the one of the plan, so that nothing falls between plan and scene."""
    return _scene(reach, workspace, look, {workspace.project: look.git})


def scene_after(reach: Sequence[WritableFolder], workspace: Workspace, look: DiskLook) -> Scene:
    """Gives the scene at the end of the session."""
    return _scene(reach, workspace, look, {})


def _scene(reach: Sequence[WritableFolder], workspace: Workspace, look: DiskLook, known: dict[Path, GitLook]) -> Scene:
    looks = [known.get(folder.path) or find_git(folder.path, closed=folder.masked) for folder in reach]
    led = [named_files(folder.path, found.places) for folder, found in zip(reach, looks, strict=True)]
    git = join_looks([*looks, *(GitLook((), each.unseen) for each in led)])
    named = tuple(file for each in led for file in each.files)
    if look.domain.state is not StoreState.PRESENT:
        return Scene(git, frozenset(), named)
    beside = look_beside(look.domain.path, workspace.levels)
    levels = (look.domain.path / level for level in beside.levels if not is_git_name(Path(level).name))
    return Scene(git, frozenset(levels), named)


def _at_its_real_place(folder: WritableFolder) -> WritableFolder:
    real = Path(os.path.realpath(folder.path))
    closed, masked = (
        frozenset(real / place.relative_to(folder.path) for place in places)
        for places in (folder.closed, folder.masked)
    )
    return WritableFolder(real, closed, masked)

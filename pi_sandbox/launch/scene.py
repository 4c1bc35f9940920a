"""Looks at what a session may write, before it and after it (session/left_behind.py says what came of it).

Of the stores only the folders on the project's path and their notes are looked at, and folders that are new beside it;
all of the domain's store where the session may see all of it.
"""

from collections.abc import Iterator
from pathlib import Path

from pi_sandbox.launch.git_places import find_git, join_looks
from pi_sandbox.launch.look import is_real_folder, other_levels
from pi_sandbox.session.disk_look import DiskLook, GitLook, StoreState
from pi_sandbox.session.left_behind import Scene
from pi_sandbox.workspace.workspace import Workspace

_OWN_FOLDERS = ("notes", "auto")


def scene_before(workspace: Workspace, look: DiskLook, *, domain_wide: bool) -> Scene:
    """Gives the scene; `look` is the one of the plan, so that nothing falls between plan and scene."""
    return _scene(workspace, look, look.git, None, domain_wide=domain_wide)


def scene_after(workspace: Workspace, look: DiskLook, before: Scene, *, domain_wide: bool) -> Scene:
    """Gives the scene at the end of the session."""
    return _scene(workspace, look, find_git(workspace.project), before.levels, domain_wide=domain_wide)


def _scene(
    workspace: Workspace, look: DiskLook, project: GitLook, known: frozenset[Path] | None, *, domain_wide: bool
) -> Scene:
    """`known` are the folders beside the path that were there before; `None` before the session."""
    looks = [project]
    if look.core.state is StoreState.PRESENT:
        looks += _folders_of_a_level(look.core.path)
    if look.domain.state is not StoreState.PRESENT:
        return Scene(join_looks(looks), frozenset())
    store = look.domain.path
    levels = frozenset(
        store / level for level in other_levels(store, workspace.levels) if Path(level).name.casefold() != ".git"
    )
    if domain_wide:
        looks.append(find_git(store))
    else:
        for folder in _path_folders(store, workspace.levels):
            looks += _folders_of_a_level(folder)
        looks += [find_git(folder) for folder in sorted(levels - known)] if known is not None else []
    return Scene(join_looks(looks), levels)


def _path_folders(store: Path, levels: tuple[str, ...]) -> Iterator[Path]:
    """The store and the levels on the path, up to the first that is no folder: a link leads to where nobody looks."""
    for folder in (store, *(store / level for level in levels)):
        if not is_real_folder(folder):
            return
        yield folder


def _folders_of_a_level(level: Path) -> Iterator[GitLook]:
    yield find_git(level, below=False)
    for name in _OWN_FOLDERS:
        if is_real_folder(level / name):
            yield find_git(level / name)

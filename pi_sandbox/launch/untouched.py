"""Whether a store is still as `init` made it, so that its remote's memory may take its place and nothing is lost."""

from pathlib import Path

from pi_sandbox.errors import PiSandboxError
from pi_sandbox.git_access.repository import read_repository
from pi_sandbox.launch.folder_walk import FolderWalk
from pi_sandbox.launch.home import read_home_templates
from pi_sandbox.launch.home_plan import store_piece
from pi_sandbox.launch.look import is_real_folder
from pi_sandbox.system.files import read_regular_file

_FILE_BYTES = 64 * 1024
_OF_THE_SYSTEM = frozenset({".DS_Store"})


def is_untouched(place: Path, store: str) -> bool:
    """Whether there is nothing but the template's files, byte for byte, and a repository without any object or ref."""
    if not is_real_folder(place):
        return False
    try:
        repository = read_repository(place)
        if repository.head is not None or any(_has_file(place / ".git" / name) for name in ("objects", "refs")):
            return False
        wanted = {str(file.path): file.content for file in store_piece(store, read_home_templates()).files}
        return _contents(place) == wanted
    except (PiSandboxError, OSError):
        return False


def _has_file(folder: Path) -> bool:
    """Whether there is anything but folders, or something that cannot be looked at."""
    if not is_real_folder(folder):
        return False
    walk = FolderWalk(folder)
    folders = walk.folders(lambda each: each.folder_names)
    return any(len(each.entries) > len(each.folder_names) for each in folders) or bool(walk.unseen)


def _contents(place: Path) -> dict[str, bytes | None] | None:
    """Gives what every file outside `.git` holds, None for what is no file or too large for one of the template's.

    None for the whole where a folder cannot be looked at: nobody knows what would be lost there.
    """
    found: dict[str, bytes | None] = {}
    walk = FolderWalk(place)
    for folder in walk.folders(lambda each: each.folder_names if each.names else set(each.folder_names) - {".git"}):
        for entry in folder.entries:
            if entry.is_dir(follow_symlinks=False) or entry.name in _OF_THE_SYSTEM:
                continue
            path = folder.path / entry.name
            content = None if entry.is_symlink() else read_regular_file(path, limit=_FILE_BYTES)
            found[str(path.relative_to(place))] = None if content is None else content.data
    return None if walk.unseen else found

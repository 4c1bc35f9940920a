"""Which projects there are, for somebody who stands in the wrong place."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from pi_sandbox.settings.domains import DomainName
from pi_sandbox.settings.folders import Folders

_MOST_FOLDERS = 2_000
"""So many folders are looked at: enough for any workspace with git checkouts, over in a moment."""
_DEEPEST = 8


def find_projects(folders: Folders, domains: Iterable[DomainName], most: int) -> tuple[tuple[Path, ...], bool]:
    """Gives the first git checkouts of the domains, by name, and whether there may be more of them."""
    looked_at = 0
    found: list[Path] = []
    for domain in domains:
        for folder, is_project in _walk(folders.domain_workspace(domain), 0):
            looked_at += 1
            if looked_at > _MOST_FOLDERS or len(found) > most:
                return tuple(found[:most]), True
            if is_project:
                found.append(folder)
    return tuple(found[:most]), len(found) > most


def _walk(folder: Path, depth: int) -> Iterator[tuple[Path, bool]]:
    """Gives the folders below one, a project but nothing in it; links are not followed."""
    try:
        inner = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False))
    except OSError:
        return
    for name in inner:
        place = folder / name
        is_project = os.path.lexists(place / ".git")
        yield place, is_project
        if not is_project and depth < _DEEPEST:
            yield from _walk(place, depth + 1)

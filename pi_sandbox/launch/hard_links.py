"""Counts the files of a project that have names outside it too: whatever is written into one is written there as well.

- Package stores make such files (pnpm, uv, ccache). A file all of whose names were found in the project is none.
- Only files that the user owns, or that everybody may write, count: a session can write to no others.
- Names in folders that hold nothing but what can be made again are found, and never told of by themselves.
"""

import os
import stat
from pathlib import Path

from pi_sandbox.launch.folder_walk import OpenFolder
from pi_sandbox.session.disk_look import LinkedFiles

MOST_FILES = 20_000
"""Files that are looked at, the nearest first: about a tenth of a second."""

_CACHES = frozenset(
    {"__pycache__", ".cache", ".ccache", ".gradle", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".sccache"}
)
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_NAMED = 3


class LinkCount:
    """What was found so far, folder by folder."""

    def __init__(self, most_files: int = MOST_FILES) -> None:
        self._files_left = most_files
        self._is_whole = True
        self._names: dict[tuple[int, int], int] = {}
        self._links: dict[tuple[int, int], int] = {}
        self._first: dict[tuple[int, int], Path] = {}

    def take(self, folder: OpenFolder) -> None:
        """Looks at the files right in one folder."""
        left = self._files_left
        for entry in folder.entries:
            try:
                if not entry.is_file(follow_symlinks=False):
                    continue
                if left == 0:
                    self._is_whole = False
                    break
                left -= 1
                found = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            if found.st_nlink > 1:
                self._note(folder, entry.name, found)
        self._files_left = left

    def _note(self, folder: OpenFolder, name: str, found: os.stat_result) -> None:
        key = (found.st_dev, found.st_ino)
        self._names[key] = self._names.get(key, 0) + 1
        self._links[key] = found.st_nlink
        is_writable = found.st_uid == os.geteuid() or found.st_mode & _OTHERS_WRITE
        if is_writable and key not in self._first and _CACHES.isdisjoint(folder.names):
            self._first[key] = folder.path / name

    def found(self, *, all_folders: bool) -> LinkedFiles:
        """Gives the files that have more names than were found; `all_folders` says that no folder was left out."""
        outside = sorted(path for key, path in self._first.items() if self._names[key] < self._links[key])
        return LinkedFiles(tuple(outside[:_NAMED]), len(outside), self._is_whole and all_folders)

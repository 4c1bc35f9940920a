"""The folders of a store, each opened out of the one that holds it, so that no link is followed on the way to a file.

A folder that was looked at is the same one whenever it is looked at again: whoever swaps it for another one, or for a
link, meanwhile, ends the run. So what is read lies in the folders that were listed.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pi_sandbox.errors import FilesError, quoted

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class OpenFolders:
    """Gives descriptors of folders. Those on the way to the last one asked for stay open for the next."""

    def __init__(self, root: int) -> None:
        self._way: list[tuple[str, int]] = [("", root)]
        self._seen: dict[str, tuple[int, int]] = {}

    def descriptor(self, folder: str) -> int:
        """Gives the descriptor of a folder, by its path in the store (`""` is the store itself).

        Raises `OSError` for one that cannot be opened, and `FilesError` for one that is another than before.
        """
        names = folder.split("/") if folder else []
        self._leave([name for name, _ in self._way[1:]], names)
        while len(self._way) <= len(names):
            name = names[len(self._way) - 1]
            opened = os.open(name, _FOLDER, dir_fd=self._way[-1][1])
            self._way.append((name, opened))
            self._refuse_another("/".join(names[: len(self._way) - 1]), opened)
        return self._way[-1][1]

    def close(self) -> None:
        """Closes everything."""
        while self._way:
            os.close(self._way.pop()[1])

    def _leave(self, here: list[str], names: list[str]) -> None:
        common = 0
        while common < min(len(here), len(names)) and here[common] == names[common]:
            common += 1
        while len(self._way) > common + 1:
            os.close(self._way.pop()[1])

    def _refuse_another(self, folder: str, opened: int) -> None:
        status = os.fstat(opened)
        identity = (status.st_dev, status.st_ino)
        if self._seen.setdefault(folder, identity) != identity:
            raise FilesError(
                f"the folder {quoted(folder)} was replaced while it was read",
                "run the command again when it is at rest",
            )


@contextmanager
def open_folders(store: Path) -> Iterator[OpenFolders]:
    """Gives the folders of a store for as long as the block lasts; raises `FilesError` for the store's own folder."""
    try:
        root = os.open(store, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise FilesError(f"the store cannot be listed: {error.strerror}", "see who owns its folder") from error
    folders = OpenFolders(root)
    try:
        yield folders
    finally:
        folders.close()

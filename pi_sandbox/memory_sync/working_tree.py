"""Lists and reads a store's files itself, so that no index flag, attribute or filter leaves one out.

- Every name in every folder counts, except the store's own `.git`. Links are not followed, nested repositories, bare
  ones too, are not entered; both are named.
- A file is read through a descriptor that was opened without following links, out of the folder that was listed, and
  read again if it changed meanwhile.
- What is too much for a list ends the listing, as it does with a tree.
"""

import os
import stat
import unicodedata
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.git_access.discovery import entries_of, repositories_in
from pi_sandbox.git_access.trees import DEPTH_LIMIT, ENTRIES_LIMIT, PATHS_LIMIT_CHARACTERS
from pi_sandbox.memory_check.memory_file import FileKind
from pi_sandbox.memory_check.shown_names import shown_path
from pi_sandbox.memory_sync.open_folders import OpenFolders
from pi_sandbox.workspace.level_names import folded_name

FILE_LIMIT_BYTES = 100 * 1024 * 1024
"""Above it a file is named as too large to be checked; it is also what the large forges refuse (docs of GitHub)."""

_ATTEMPTS = 3
_SHOWN_PATH = 80


@dataclass(frozen=True)
class ListedFile:
    """One name in the working tree. `path` is the name on the disk, relative to the store."""

    path: str
    kind: FileKind
    executable: bool


@dataclass(frozen=True)
class ReadFile:
    """The content as it was read, or the kind that keeps it from being read."""

    content: bytes
    kind: FileKind


def list_files(folders: OpenFolders) -> list[ListedFile]:
    """Gives everything in the store's folder but its `.git`, by path; raises `FilesError` where that is too much."""
    return sorted(_listed(folders), key=lambda file: os.fsencode(file.path))


def repository_names(listed: Set[str], tracked: Set[str], *, ignores_case: bool, composes: bool) -> Mapping[str, str]:
    """Gives, for each name on the disk that the repository spells otherwise, the repository's spelling.

    The same name can be composed in the one and decomposed in the other, because macOS hands out what it was given and
    git there keeps the composed form, also of a new name (`composes`); on a disk that ignores case the letters may
    differ too. Two names that are both there stay two.
    """
    spellings: dict[str, str] = {}
    taken = set(listed)
    missing = {_same_name(path, ignores_case): path for path in tracked - listed}
    for path in sorted(listed - tracked):
        known = missing.pop(_same_name(path, ignores_case), None)
        if known is not None:
            spellings[path] = known
        elif composes and (composed := unicodedata.normalize("NFC", path)) not in taken:
            spellings[path] = composed
            taken.add(composed)
    return spellings


def read_listed(folders: OpenFolders, file: ListedFile) -> ReadFile:
    """Reads one listed file; raises `FilesError` if it, or a folder on the way to it, does not stay what it is."""
    if file.kind not in (FileKind.SYMLINK, FileKind.FILE):
        return ReadFile(b"", file.kind)
    folder, _, name = file.path.rpartition("/")
    try:
        within = folders.descriptor(folder)
    except OSError as error:
        raise _restless(file.path) from error
    if file.kind is FileKind.SYMLINK:
        try:
            return ReadFile(os.fsencode(os.readlink(name, dir_fd=within)), FileKind.SYMLINK)
        except OSError:
            return ReadFile(b"", FileKind.SYMLINK)
    for _ in range(_ATTEMPTS):
        found = _read_once(name, within)
        if found is not None:
            return found
    raise _restless(file.path)


def _restless(path: str) -> FilesError:
    return FilesError(f"{quoted(path)} is being written to", "run the command again when it is at rest")


def _same_name(path: str, ignores_case: bool) -> str:
    return folded_name(path) if ignores_case else unicodedata.normalize("NFC", path)


def _listed(folders: OpenFolders) -> Iterator[ListedFile]:
    waiting = [""]
    room = _Room()
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folders.descriptor(folder)) as entries:
                found = [entry for entry in entries if room.takes(folder, entry.name)]
                inner = [entry for entry in found if entry.is_dir(follow_symlinks=False)]
                files = [_file(folder, entry) for entry in found if not entry.is_dir(follow_symlinks=False)]
        except OSError:
            yield ListedFile(folder, FileKind.UNREADABLE, False)
            continue
        if folder and repositories_in(entries_of(found)):
            yield ListedFile(folder, FileKind.GITLINK, False)
            continue
        yield from files
        waiting += (_below(folder, entry.name) for entry in inner)


@dataclass
class _Room:
    """Counts what is listed against the limits that a tree has too."""

    entries: int = 0
    characters: int = 0

    def takes(self, folder: str, name: str) -> bool:
        """Whether the name is to be listed; raises `FilesError` at a limit."""
        if not folder and name == ".git":
            return False
        self.entries += 1
        self.characters += len(folder) + 1 + len(name)
        too_deep = _below(folder, name).count("/") + 1 > DEPTH_LIMIT
        if too_deep or self.entries > ENTRIES_LIMIT or self.characters > PATHS_LIMIT_CHARACTERS:
            shown = _whole_names(shown_path(folder))
            raise FilesError(
                "the store holds too many files or folders to be looked at"
                f" (more than {ENTRIES_LIMIT:,}, or very long paths); the listing ended in {quoted(shown or '.')}",
                "take out of the store what is no memory",
            )
        return True


def _whole_names(path: str) -> str:
    """Gives the beginning of a long path: no name in it is cut, since half of a credential is not known for one."""
    if len(path) <= _SHOWN_PATH:
        return path
    whole = path[:_SHOWN_PATH].rpartition("/")[0] or path.partition("/")[0]
    return f"{whole}/…"


def _below(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _file(folder: str, entry: "os.DirEntry[str]") -> ListedFile:
    path = _below(folder, entry.name)
    return ListedFile(path, FileKind.SYMLINK, False) if entry.is_symlink() else _plain(path, entry)


def _plain(path: str, entry: "os.DirEntry[str]") -> ListedFile:
    try:
        mode = entry.stat(follow_symlinks=False).st_mode
    except OSError:
        return ListedFile(path, FileKind.UNREADABLE, False)
    kind = FileKind.FILE if stat.S_ISREG(mode) else FileKind.SPECIAL
    return ListedFile(path, kind, bool(mode & stat.S_IXUSR))


def _read_once(name: str, folder: int) -> ReadFile | None:
    """Gives what was read, None where the file changed while it was."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return ReadFile(b"", FileKind.UNREADABLE)
    with os.fdopen(descriptor, "rb") as file:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            return ReadFile(b"", FileKind.SPECIAL)
        if before.st_size > FILE_LIMIT_BYTES:
            return ReadFile(b"", FileKind.TOO_LARGE)
        try:
            content = file.read(FILE_LIMIT_BYTES + 1)
        except OSError:
            return ReadFile(b"", FileKind.UNREADABLE)
        after = os.fstat(descriptor)
    same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns) and len(content) == after.st_size
    return ReadFile(content, FileKind.FILE) if same else None

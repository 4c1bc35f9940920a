"""One immutable picture of a store: each file is read once, and what was read is what is scanned, shown and pushed.

A file whose content the repository already has is not stored again. Every other content is staged in a file of our own
under the id that it will have, and written as it was staged, with no filter and no line-end conversion of git's.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pi_sandbox.errors import FilesError
from pi_sandbox.git_access.object_data import GITLINK, TreeEntry, object_id
from pi_sandbox.git_access.objects import READ_AT_ONCE_BYTES, read_objects
from pi_sandbox.git_access.private_git import PrivateGit
from pi_sandbox.git_access.repository import Repository
from pi_sandbox.git_access.trees import tree_entries
from pi_sandbox.memory_check.memory_file import FileKind, MemoryFile, is_too_large
from pi_sandbox.memory_sync.ignored_files import Pattern, sort_files
from pi_sandbox.memory_sync.line_ends import with_committed_line_ends
from pi_sandbox.memory_sync.log_history import is_log
from pi_sandbox.memory_sync.open_folders import OpenFolders, open_folders
from pi_sandbox.memory_sync.store_index import IndexEntry, index_entries, refuse_left_out
from pi_sandbox.memory_sync.working_tree import (
    FILE_LIMIT_BYTES,
    ListedFile,
    list_files,
    read_listed,
    repository_names,
)

_FILE, _PROGRAM = "100644", "100755"
_NO_ID = ""


@dataclass(frozen=True)
class _Waiting:
    """A file that was read and whose committed version may have other line ends."""

    file: ListedFile
    name: str
    content: bytes
    kind: FileKind


@dataclass
class Snapshot:
    """Takes the picture: `files()` is gone through once, after that `entries` is the whole tree."""

    repository: Repository
    git: PrivateGit
    keep: bool
    """Whether contents are staged, to be written as objects."""
    committed: Mapping[str, TreeEntry] = field(init=False)
    entries: list[TreeEntry] = field(default_factory=list)
    ignored: tuple[str, ...] = ()
    """The untracked files that git ignores, so that they are not looked at and not pushed."""
    hidden: Mapping[str, Pattern] = field(default_factory=dict)
    """The files that git ignores on this machine alone."""
    logs: dict[str, bytes] = field(default_factory=dict)
    """The contents of the logs, for comparing them with the remote's."""
    unmerged: list[str] = field(default_factory=list)
    """The files of which git holds two versions that it could not join."""
    _staged: dict[str, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.committed = tree_entries(self.git, self.repository.head)

    def files(self) -> Iterator[MemoryFile]:
        """Yields every file as it would be pushed; raises `FilesError` or `RepositoryRefusedError`."""
        index = index_entries(self.repository, self.git)
        with open_folders(self.repository.folder) as folders:
            yield from self._files(folders, index)

    def _files(self, folders: OpenFolders, index: Mapping[str, IndexEntry]) -> Iterator[MemoryFile]:
        tracked = self.committed.keys() | index.keys()
        listed = list_files(folders)
        refuse_left_out(index, {file.path for file in listed})
        names = repository_names(
            {file.path for file in listed},
            tracked,
            ignores_case=self.repository.ignores_case,
            composes=self.repository.composes_names,
        )
        known = {path for path, name in names.items() if name in tracked}
        found = sort_files(self.git, listed, tracked | known)
        self.ignored, self.hidden = found.ignored, found.hidden
        nested = {file.path for file in found.kept if file.kind is FileKind.GITLINK}
        for path, entry in sorted(index.items()):
            if entry.unmerged:
                self.unmerged.append(path)
            if entry.mode == GITLINK and path not in nested:
                yield MemoryFile(path, kind=FileKind.GITLINK)
        yield from self._read(folders, found.kept, names)

    @property
    def changed(self) -> bool:
        """Whether the picture differs from the last commit."""
        return {entry.path: entry for entry in self.entries} != dict(self.committed)

    def changed_paths(self) -> list[str]:
        """Gives the paths that differ from the last commit."""
        now = {entry.path: entry for entry in self.entries}
        return sorted(path for path in now.keys() | self.committed.keys() if now.get(path) != self.committed.get(path))

    def write_tree(self) -> str:
        """Writes the picture as objects of the private git directory and gives the tree's id; raises `FilesError`."""
        self._write_contents()
        variables = {"GIT_INDEX_FILE": str(self.git.folder / "index")}
        lines = "".join(f"{entry.mode} {entry.id}\t{entry.path}\0" for entry in self.entries)
        given = lines.encode("utf-8", "surrogateescape")
        self.git.run("update-index", "-z", "--index-info", standard_input=given, variables=variables)
        tree = self.git.run("write-tree", "--missing-ok", variables=variables).strip()
        if tree_entries(self.git, tree) != {entry.path: entry for entry in self.entries}:
            raise FilesError(
                "git made another tree than the files that were looked at", "look at the names of the files"
            )
        return tree

    def _write_contents(self) -> None:
        if not self._staged:
            return
        names = "".join(f"{path}\n" for path in self._staged.values())
        output = self.git.run(
            "hash-object",
            "-w",
            "--no-filters",
            "--stdin-paths",
            standard_input=names.encode("utf-8", "surrogateescape"),
        )
        if output.split() != list(self._staged):
            raise FilesError("git stored other contents than those that were looked at", "run the command again")

    def _read(
        self, folders: OpenFolders, files: Sequence[ListedFile], names: Mapping[str, str]
    ) -> Iterator[MemoryFile]:
        waiting: list[_Waiting] = []
        held = 0
        for file in files:
            found = read_listed(folders, file)
            waiting.append(_Waiting(file, names.get(file.path, file.path), found.content, found.kind))
            held += len(found.content)
            if held > READ_AT_ONCE_BYTES:
                yield from self._taken(waiting)
                waiting, held = [], 0
        yield from self._taken(waiting)

    def _taken(self, waiting: list[_Waiting]) -> Iterator[MemoryFile]:
        committed = self._committed_contents(waiting)
        for item in waiting:
            if item.kind is not FileKind.FILE:
                yield MemoryFile(item.name, item.content, item.kind)
                continue
            earlier = committed.get(item.name)
            content = item.content if earlier is None else with_committed_line_ends(item.content, earlier)
            self._take(item, content)
            if is_log(item.name) and not is_too_large(content):
                self.logs[item.name] = content
            yield MemoryFile(item.name, content)

    def _committed_contents(self, waiting: list[_Waiting]) -> Mapping[str, bytes]:
        """The committed content of the files that differ from it."""
        differing = {
            item.name: entry.id
            for item in waiting
            if item.kind is FileKind.FILE
            and (entry := self.committed.get(item.name)) is not None
            and entry.mode in (_FILE, _PROGRAM)
            and self._id(item.content) != entry.id
        }
        contents = read_objects(self.git, list(differing.values()), size_limit=FILE_LIMIT_BYTES, from_store=True)
        return {path: content for path, (_, content) in zip(differing, contents, strict=True) if content is not None}

    def _take(self, item: _Waiting, content: bytes) -> None:
        name = self._id(content)
        earlier = self.committed.get(item.name)
        if self.keep and (earlier is None or earlier.id != name) and name not in self._staged:
            place = self.git.staging / name
            place.write_bytes(content)
            self._staged[name] = place
        self.entries.append(TreeEntry(item.name, self._mode(item, earlier), name))

    def _mode(self, item: _Waiting, earlier: TreeEntry | None) -> str:
        if not self.repository.has_file_modes:
            return earlier.mode if earlier is not None and earlier.mode == _PROGRAM else _FILE
        return _PROGRAM if item.file.executable else _FILE

    def _id(self, content: bytes) -> str:
        return object_id("blob", content, self.git.object_format)

"""Fills a new, empty store with what its remote holds (`memory-clone`, `domain add --clone`).

- The wrapper made the repository, so its configuration is ours; of the remote come objects and nothing else.
- Files are written from the objects themselves: no filter, no attribute and no hook has a part in it. A tree that holds
  anything but ordinary files under ordinary names is refused before the first file is written.
- The wrapper puts the store in its place only if all of this ended well.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.git_access.discovery import entries_of_paths, is_git_directory
from pi_sandbox.git_access.object_data import TreeEntry
from pi_sandbox.git_access.objects import read_objects, total_size
from pi_sandbox.git_access.private_git import PrivateGit, git_in_store
from pi_sandbox.git_access.repository import Repository, read_repository
from pi_sandbox.git_access.trees import tree_entries
from pi_sandbox.memory_sync.console import Console
from pi_sandbox.memory_sync.fetched import carry_objects
from pi_sandbox.memory_sync.outcome import SyncFailedError
from pi_sandbox.memory_sync.push_access import Network, PushAccess
from pi_sandbox.memory_sync.record import push_now, read_record, record_path, write_record
from pi_sandbox.memory_sync.remote import RemoteState, reached_remote
from pi_sandbox.memory_sync.working_tree import FILE_LIMIT_BYTES
from pi_sandbox.system.files import create_file
from pi_sandbox.workspace.level_names import is_git_name

CLONE_LIMIT_BYTES = 512 * 1024 * 1024
"""Far above what notes of at most 1 MiB come to."""

_ORDINARY = {"100644": 0o644, "100755": 0o755}
_USUAL_BRANCH = "main"


def clone_store(
    store: str, folder: Path, access: PushAccess, network: Network, records: Path, console: Console
) -> str | None:
    """Fills the store and gives the commit that it has now, None for a remote without any.

    That the remote has this commit is recorded, as after a sync: nothing of it counts as unpushed.

    Raises an error with exit code 30, or `FilesError`.
    """
    repository = read_repository(folder)
    if repository.head is not None or any(path.name != ".git" for path in folder.iterdir()):
        raise SyncFailedError("the store is not empty", "clone into a new one")
    with reached_remote(repository, access, network, console) as remote:
        state = remote.state()
        if not state.branches:
            return None
        branch = _branch(state)
        if len(state.branches[branch]) != remote.git.id_length:
            raise SyncFailedError("the remote names objects by SHA-256", "clone it by hand on the host")
        if not remote.fetch(branch):
            raise SyncFailedError(f"the branch {quoted(branch)} could not be fetched", "look at the remote, then retry")
        commit = remote.git.run("rev-parse", "--verify", f"{remote.fetched}^{{commit}}").strip()
        entries = tree_entries(remote.git, commit)
        _refuse_extraordinary(entries)
        _refuse_too_much(remote.git, entries)
        carry_objects(remote.git.git_dir / "objects", repository.git_dir / "objects")
        _write_files(remote.git, folder, entries)
        _set_branch(repository, branch, commit)
        path = record_path(records, store)
        write_record(path, replace(read_record(path), last_push=push_now(commit, branch, access.url)))
        return commit


def _branch(state: RemoteState) -> str:
    if state.default is not None:
        return state.default
    if _USUAL_BRANCH in state.branches:
        return _USUAL_BRANCH
    if len(state.branches) == 1:
        return next(iter(state.branches))
    what = f"the remote has no default branch; it has {state.names()}"
    raise SyncFailedError(what, "set one on the remote, then retry")


def _refuse_extraordinary(entries: Mapping[str, TreeEntry]) -> None:
    for path, entry in entries.items():
        names = path.split("/")
        if entry.mode not in _ORDINARY:
            raise SyncFailedError(
                f"the remote holds {quoted(path)}, which is a link or another repository and no file",
                "take it out of the remote, then retry",
            )
        if any(name in ("", ".", "..") or "\0" in name or is_git_name(name) for name in names):
            raise SyncFailedError(
                f"the remote holds {quoted(path)}, a path that git treats specially",
                "take it out of the remote, then retry",
            )
    for folder, listed in entries_of_paths(entries).items():
        if is_git_directory(listed):
            raise SyncFailedError(
                f"the remote holds {quoted(folder or '.')}, a folder that git takes for a repository of its own (HEAD "
                "beside refs or commondir) and would run programs from",
                "take it out of the remote, then retry",
            )


def _refuse_too_much(git: PrivateGit, entries: Mapping[str, TreeEntry]) -> None:
    """One content under many names is small on the way here and large on the disk."""
    size = total_size(git, [entry.id for entry in entries.values()])
    if size > CLONE_LIMIT_BYTES:
        raise SyncFailedError(
            f"the remote's files are {size:,} bytes together, more than {CLONE_LIMIT_BYTES:,}; nothing was written",
            "take out of the remote what is no memory, then retry",
        )


def _write_files(git: PrivateGit, folder: Path, entries: Mapping[str, TreeEntry]) -> None:
    ids = [entry.id for entry in entries.values()]
    for entry, (_, content) in zip(entries.values(), read_objects(git, ids, size_limit=FILE_LIMIT_BYTES), strict=True):
        if content is None:
            raise SyncFailedError(f"{quoted(entry.path)} is too large", "take it out of the remote, then retry")
        place = folder / entry.path
        place.parent.mkdir(parents=True, exist_ok=True)
        if not create_file(place, content, mode=_ORDINARY[entry.mode]):
            raise FilesError(
                f"{quoted(entry.path)} is there already: the disk takes two names of the remote for one",
                "rename one of them on the remote, then retry",
            )


def _set_branch(repository: Repository, branch: str, commit: str) -> None:
    git_in_store(repository, "update-ref", f"refs/heads/{branch}", commit)
    git_in_store(repository, "symbolic-ref", "HEAD", f"refs/heads/{branch}")
    git_in_store(repository, "read-tree", commit)

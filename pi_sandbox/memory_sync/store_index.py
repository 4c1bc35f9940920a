"""Reads the store's index as a copy of our own, so that no flag and no cache of git's reaches what is looked at."""

from collections.abc import Mapping, Set
from dataclasses import dataclass

from pi_sandbox.errors import quoted
from pi_sandbox.git_access.private_git import PrivateGit
from pi_sandbox.git_access.push_rules import joining_hint
from pi_sandbox.git_access.repository import Repository, RepositoryRefusedError
from pi_sandbox.git_access.trees import ENTRIES_LIMIT
from pi_sandbox.system.files import read_regular_file

_INDEX_BYTES = 64 * 1024 * 1024
"""All of an index together. Far above what the most files that are looked at need: some hundred bytes each."""

_LISTED_BYTES = 32 * 1024 * 1024
_NEW_INDEX = "on the host, in the store: git reset (it makes the index anew and leaves the files alone)"
_JOINED = "0"
_MOST_NAMED = 5


@dataclass(frozen=True)
class IndexEntry:
    """What the store's index says of a path.

    `left_out` is git's skip-worktree flag, `unmerged` whether git holds two versions that it could not join.
    """

    mode: str
    left_out: bool
    unmerged: bool


def index_entries(repository: Repository, git: PrivateGit) -> Mapping[str, IndexEntry]:
    """Gives each path in the store's index; raises `RepositoryRefusedError` for one that cannot be read."""
    content = read_regular_file(repository.git_dir / "index", limit=_INDEX_BYTES)
    if content is None:
        return {}
    (git.folder / "store-index").write_bytes(content.data)
    room = _INDEX_BYTES - len(content.data)
    for shared in repository.git_dir.glob("sharedindex.*"):
        data = read_regular_file(shared, limit=room)
        content_of_shared = b"" if data is None else data.data
        room -= len(content_of_shared)
        (git.git_dir / shared.name).write_bytes(content_of_shared)
    result = git.attempt(
        "ls-files", "--stage", "-v", "-z", "--full-name", variables={"GIT_INDEX_FILE": str(git.folder / "store-index")}
    )
    if result.output.count(b"\0") > ENTRIES_LIMIT or len(result.output) > _LISTED_BYTES:
        raise RepositoryRefusedError("the store's .git/index names too many files to be looked at", _NEW_INDEX)
    if result.status != 0:
        raise RepositoryRefusedError(
            f"the store's .git/index cannot be read: {' '.join(result.errors.split())}", _NEW_INDEX
        )
    records = [record for record in result.output.decode("utf-8", "surrogateescape").split("\0") if record]
    return dict(_entry(record) for record in records)


def refuse_left_out(index: Mapping[str, IndexEntry], listed: Set[str]) -> None:
    """A file that git was told to leave out of the checkout would pass for removed, and could not be looked at."""
    left_out = [path for path, entry in index.items() if entry.left_out and path not in listed]
    if left_out:
        raise RepositoryRefusedError(
            f"{len(left_out)} files of the store are not checked out (sparse checkout), {quoted(left_out[0])} is one",
            "on the host, in the store: git sparse-checkout disable",
        )


def refuse_unmerged(index: Mapping[str, IndexEntry], shown_folder: str) -> None:
    """What git could not join is the owner's to decide, and a new index would hide that it was ever open."""
    unmerged = [path for path, entry in sorted(index.items()) if entry.unmerged]
    if unmerged:
        more = f" and {len(unmerged) - _MOST_NAMED} more" if len(unmerged) > _MOST_NAMED else ""
        raise RepositoryRefusedError(
            f"the store cannot be synced: git could not join {', '.join(map(quoted, unmerged[:_MOST_NAMED]))}{more}",
            f"{joining_hint(shown_folder)}\nyour own side is still in the stash if `git -C {shown_folder} stash list` "
            f"shows it; once it is joined:\n  git -C {shown_folder} stash drop",
        )


def _entry(record: str) -> tuple[str, IndexEntry]:
    header, _, path = record.partition("\t")
    tag, mode, _, stage = header.split(" ")
    return path, IndexEntry(mode, tag in "Ss", stage != _JOINED)

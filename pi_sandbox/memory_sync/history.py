"""The commits that a push would send, and everything in them: contents, messages, names and addresses."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from pi_sandbox.git_access.objects import (
    GITLINK,
    LINK,
    CommitData,
    TreeEntry,
    read_commits,
    read_objects,
    tree_entries,
)
from pi_sandbox.git_access.private_git import PrivateGit
from pi_sandbox.memory_check.memory_file import FileKind, MemoryFile
from pi_sandbox.memory_sync.working_tree import FILE_LIMIT_BYTES

_COMMIT_LIMIT_BYTES = 4 * 1024 * 1024
_SHOWN_ID = 12
_TREES_REMEMBERED = 8

MESSAGE_FILE = "message"
IDENTITY_FILE = "author"


@dataclass(frozen=True)
class UnpushedCommit:
    """One commit that is not on the remote, oldest first in a sequence."""

    data: CommitData
    new_entries: tuple[TreeEntry, ...]
    """What its tree holds that the trees of its parents do not."""

    @property
    def short(self) -> str:
        """Enough of the id to find the commit by."""
        return self.data.id[:_SHOWN_ID]


def unpushed_commits(git: PrivateGit, tip: str | None, on_remote: Sequence[str]) -> tuple[UnpushedCommit, ...]:
    """Gives the commits of `tip` that none of `on_remote` has, oldest first; raises `RepositoryRefusedError`."""
    if tip is None:
        return ()
    excluded = [f"^{commit}" for commit in on_remote]
    ids = git.run("rev-list", "--topo-order", "--reverse", tip, *excluded, "--").split()
    commits = read_commits(git, ids, size_limit=_COMMIT_LIMIT_BYTES)
    trees: dict[str, frozenset[TreeEntry]] = {}
    return tuple(UnpushedCommit(commit, _new_entries(git, commit, trees)) for commit in commits)


def identities_on_remote(git: PrivateGit, on_remote: Sequence[str]) -> frozenset[str]:
    """Gives every author and committer of the commits that the remote has, as `name <address>`."""
    if not on_remote:
        return frozenset()
    output = git.run("log", "-z", "--format=%an <%ae>%x00%cn <%ce>", *on_remote, "--")
    return frozenset(output.split("\0"))


def files_of_commit(git: PrivateGit, commit: UnpushedCommit, without: Set[TreeEntry]) -> Iterator[MemoryFile]:
    """Yields what a commit adds and its message as files; entries in `without` are left out."""
    other = "\n".join((commit.data.message, *commit.data.other_headers))
    yield MemoryFile(MESSAGE_FILE, other.encode("utf-8", "surrogateescape"))
    entries = [entry for entry in commit.new_entries if entry not in without]
    plain = [entry for entry in entries if entry.mode not in (LINK, GITLINK)]
    for entry in entries:
        if entry.mode == LINK:
            yield MemoryFile(entry.path, kind=FileKind.SYMLINK)
        elif entry.mode == GITLINK:
            yield MemoryFile(entry.path, kind=FileKind.GITLINK)
    contents = read_objects(git, [entry.id for entry in plain], size_limit=FILE_LIMIT_BYTES)
    for entry, (_, content) in zip(plain, contents, strict=True):
        yield MemoryFile(entry.path, kind=FileKind.TOO_LARGE) if content is None else MemoryFile(entry.path, content)


def identity_lines(commit: UnpushedCommit) -> list[str]:
    """Gives the author and the committer, once if they are the same."""
    return list(dict.fromkeys(commit.data.identities))


def _new_entries(git: PrivateGit, commit: CommitData, trees: dict[str, frozenset[TreeEntry]]) -> tuple[TreeEntry, ...]:
    """`trees` remembers the trees of the last commits, because the next one is most likely a child of theirs."""
    inherited: frozenset[TreeEntry] = frozenset().union(
        *(trees.get(parent) or frozenset(tree_entries(git, parent).values()) for parent in commit.parents)
    )
    own = frozenset(tree_entries(git, commit.id).values())
    if len(trees) > _TREES_REMEMBERED:
        trees.clear()
    trees[commit.id] = own
    return tuple(sorted(own - inherited, key=lambda entry: entry.path))

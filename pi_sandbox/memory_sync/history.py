"""The commits that a push would send, and everything in them: contents, messages, names and addresses."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from pi_sandbox.git_access.object_copy import copy_contents, copy_trees
from pi_sandbox.git_access.object_data import GITLINK, LINK, CommitData, TreeEntry
from pi_sandbox.git_access.objects import read_commits, read_objects
from pi_sandbox.git_access.private_git import PrivateGit
from pi_sandbox.memory_check.memory_file import FileKind, MemoryFile
from pi_sandbox.memory_sync.review import short_id
from pi_sandbox.memory_sync.working_tree import FILE_LIMIT_BYTES

_COMMIT_LIMIT_BYTES = 4 * 1024 * 1024
_NO_MODE = "000000"

MESSAGE_FILE = "message"
IDENTITY_FILE = "author"


@dataclass(frozen=True)
class UnpushedCommit:
    """One commit that is not on the remote, oldest first in a sequence."""

    data: CommitData
    new_entries: tuple[TreeEntry, ...]
    """What its tree holds that the trees of its parents do not."""
    too_large: frozenset[str] = frozenset()
    """The contents that are too large to be looked at."""

    @property
    def short(self) -> str:
        """Enough of the id to find the commit by."""
        return short_id(self.data.id)


def unpushed_commits(git: PrivateGit, tip: str | None, on_remote: Sequence[str]) -> tuple[UnpushedCommit, ...]:
    """Gives the commits of `tip` that none of `on_remote` has, oldest first; raises `RepositoryRefusedError`.

    The commits must have been copied. Copies what they and the commits before them hold besides.
    """
    if tip is None:
        return ()
    excluded = [f"^{commit}" for commit in on_remote]
    ids = git.run("rev-list", "--topo-order", "--reverse", tip, *excluded, "--").split()
    commits = tuple(read_commits(git, ids, size_limit=_COMMIT_LIMIT_BYTES))
    parents = (parent for commit in commits for parent in commit.parents)
    copy_trees(git, [tip, *ids, *parents, *on_remote])
    added, changed = _differences(git, ids)
    too_large = copy_contents(git, changed, size_limit=FILE_LIMIT_BYTES)
    return tuple(UnpushedCommit(commit, added[commit.id], too_large) for commit in commits)


def read_new_commit(git: PrivateGit, commit: str) -> CommitData:
    """Gives what a commit that was just made says, as it will arrive; raises `RepositoryRefusedError`."""
    (data,) = read_commits(git, [commit], size_limit=_COMMIT_LIMIT_BYTES)
    return data


def identities_on_remote(git: PrivateGit, on_remote: Sequence[str]) -> frozenset[str]:
    """Gives every author and committer of the commits that the remote has, as `name <address>`."""
    if not on_remote:
        return frozenset()
    output = git.run("log", "-z", "--format=%an <%ae>%x00%cn <%ce>", *on_remote, "--")
    return frozenset(line for line in output.split("\0") if line)


def files_of_commits(
    git: PrivateGit, commits: Sequence[UnpushedCommit], without: Set[TreeEntry]
) -> Iterator[tuple[UnpushedCommit, list[MemoryFile]]]:
    """Yields each commit with its message and what it adds as files, in this order.

    An entry in `without`, or that an earlier one of the commits added, is left out. The contents of many commits come
    from one run of git.
    """
    done = set(without)
    added = []
    for commit in commits:
        added.append([entry for entry in commit.new_entries if entry not in done])
        done.update(commit.new_entries)
    plain = [
        [entry for entry in entries if entry.mode not in (LINK, GITLINK) and entry.id not in commit.too_large]
        for commit, entries in zip(commits, added, strict=True)
    ]
    contents = read_objects(git, [entry.id for entries in plain for entry in entries], size_limit=FILE_LIMIT_BYTES)
    for commit, entries, read in zip(commits, added, plain, strict=True):
        other = "\n".join((commit.data.message, *commit.data.other_headers))
        files = [MemoryFile(MESSAGE_FILE, other.encode("utf-8", "surrogateescape"))]
        files += (MemoryFile(entry.path, kind=kind) for entry in entries if (kind := _kind(commit, entry)) is not None)
        for entry in read:
            _, content = next(contents)
            files.append(
                MemoryFile(entry.path, kind=FileKind.TOO_LARGE) if content is None else MemoryFile(entry.path, content)
            )
        yield commit, files


def _kind(commit: UnpushedCommit, entry: TreeEntry) -> FileKind | None:
    """Gives the kind of an entry that is not read, None for one that is."""
    if entry.id in commit.too_large:
        return FileKind.TOO_LARGE
    return {LINK: FileKind.SYMLINK, GITLINK: FileKind.GITLINK}.get(entry.mode)


def identity_lines(commit: UnpushedCommit) -> list[str]:
    """Gives the author and the committer, once if they are the same."""
    return list(dict.fromkeys(commit.data.identities))


def _differences(
    git: PrivateGit, commits: Sequence[str]
) -> tuple[Mapping[str, tuple[TreeEntry, ...]], Mapping[str, None]]:
    """Gives, by commit, the entries of its tree that none of its parents' trees has (git-diff-tree(1), raw format).

    Beside them, every content that a commit and one of its parents differ in.
    """
    options = ("--stdin", "-r", "-z", "-m", "--root", "--no-renames", "--full-index", "--no-abbrev")
    given = "".join(f"{commit}\n" for commit in commits)
    output = git.run("diff-tree", *options, standard_input=given.encode("ascii")) if commits else ""
    contents: dict[str, None] = {}
    by_parent: dict[str, list[set[TreeEntry]]] = {commit: [] for commit in commits}
    fields = iter(output.split("\0")[:-1])
    for field in fields:
        if not field.startswith(":"):
            current: set[TreeEntry] = set()
            by_parent[field].append(current)
            continue
        old_mode, mode, old_name, name, status = field.removeprefix(":").split(" ")
        path = next(fields)
        sides = ((old_mode, old_name), (mode, name))
        contents.update((one, None) for kind, one in sides if kind not in (GITLINK, _NO_MODE))
        if status != "D":
            current.add(TreeEntry(path, mode, name))
    added = {
        commit: tuple(sorted(set.intersection(*parents), key=lambda entry: entry.path)) if parents else ()
        for commit, parents in by_parent.items()
    }
    return added, contents

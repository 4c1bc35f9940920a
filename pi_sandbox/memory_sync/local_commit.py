"""Makes the commit of a sync, and after the owner's yes carries it into the store.

- The commit is made in the private git directory, so that it has its id before the question; a no leaves nothing.
- Into the store go its objects, then the branch (only from the commit that was looked at), then the index. The files
  are not touched, whatever was written to them meanwhile.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.git_access.config_rules import last_value, remote_names
from pi_sandbox.git_access.private_git import PrivateGit, git_in_store
from pi_sandbox.git_access.push_rules import refuse_unless_pushable
from pi_sandbox.git_access.repository import Repository, RepositoryRefusedError, read_repository
from pi_sandbox.git_access.runner import GitFailedError
from pi_sandbox.memory_sync.outcome import SyncFailedError
from pi_sandbox.system.files import create_file

OWN_NAME = "pi-sandbox"
OWN_ADDRESS = "pi-sandbox@localhost"

_LONGEST_NAME = 200
_OBJECT_MODE = 0o444
_FOLDER_MODE = 0o777
_REFLOG = "memory-sync"


@dataclass(frozen=True)
class Identity:
    """Who a commit is by: the store's own user.name and user.email, else a fixed one that is nobody's."""

    name: str
    address: str

    def __str__(self) -> str:
        return f"{self.name} <{self.address}>"

    def variables(self) -> Mapping[str, str]:
        """The variables that git takes it from."""
        roles = ("AUTHOR", "COMMITTER")
        return {
            name: value
            for role in roles
            for name, value in ((f"GIT_{role}_NAME", self.name), (f"GIT_{role}_EMAIL", self.address))
        }


def identity_of(repository: Repository) -> Identity:
    """Gives who the commits of a sync are by; raises `RepositoryRefusedError` for a name or address that is none."""
    values = []
    for key, usual in (("user.name", OWN_NAME), ("user.email", OWN_ADDRESS)):
        value = last_value(repository.config, key) or usual
        if len(value) > _LONGEST_NAME:
            raise RepositoryRefusedError(
                f"{key} in the store's .git/config is longer than {_LONGEST_NAME} characters: it is no name or address",
                f"on the host, in the store: git config {key} followed by the right one",
            )
        values.append(value)
    return Identity(*values)


def subject(domain: str, date: str) -> str:
    """Gives the subject of sandbox.md, "Sync", step 6."""
    return f"chore(memory): sync {domain} {date}"


def make_commit(git: PrivateGit, tree: str, parent: str | None, message: str, identity: Identity) -> str:
    """Makes a commit in the private git directory and gives its id."""
    parents = () if parent is None else ("-p", parent)
    output = git.run("commit-tree", *parents, "-m", message, tree, variables=identity.variables())
    return output.strip()


def take_over(repository: Repository, git: PrivateGit, commit: str, identity: Identity, shown_folder: str) -> None:
    """Moves the store's branch to the commit and its index with it.

    Raises `RepositoryRefusedError` or `SyncFailedError`, with nothing changed, if the store is not as it was looked at.
    """
    current = read_repository(repository.folder)
    refuse_unless_pushable(current, shown_folder)
    if (current.branch, current.head) != (repository.branch, repository.head):
        raise _moved(repository)
    _carry_objects(git.git_dir / "objects", repository.git_dir / "objects")
    old = repository.head or "0" * git.id_length
    ref = f"refs/heads/{repository.branch}"
    try:
        git_in_store(repository, "update-ref", "-m", _REFLOG, ref, commit, old, variables=identity.variables())
    except GitFailedError as error:
        now = read_repository(repository.folder)
        if (now.branch, now.head) != (repository.branch, repository.head):
            raise _moved(repository) from error
        raise SyncFailedError(
            f"git could not move the branch of the store: {' '.join(error.message.split())}; nothing was pushed",
            "look at the store's .git/config and at who owns .git",
        ) from error
    _read_index(repository, commit)


def note_push(repository: Repository, url: str, commit: str, identity: Identity) -> None:
    """Moves the remote-tracking branch of a remote that has the same URL, as `git push` does; a failure is no loss."""
    for name in remote_names(repository.config, url):
        fetch = last_value(repository.config, f"remote.{name}.fetch")
        if fetch == f"+refs/heads/*:refs/remotes/{name}/*":
            ref = f"refs/remotes/{name}/{repository.branch}"
            with suppress(GitFailedError):
                git_in_store(repository, "update-ref", "-m", _REFLOG, ref, commit, variables=identity.variables())


def _moved(repository: Repository) -> SyncFailedError:
    return SyncFailedError(
        f"the branch {quoted(repository.branch)} of the store changed while it was reviewed; nothing was pushed",
        "sync again",
    )


def _read_index(repository: Repository, commit: str) -> None:
    """Keeps what the old index knows of the files' times, where it can be merged; else makes the index anew."""
    try:
        git_in_store(repository, "read-tree", "-m", commit)
    except GitFailedError:
        git_in_store(repository, "read-tree", commit)


def _carry_objects(source: Path, target: Path) -> None:
    """Copies each new object whole under its name; what is there already is the same by its name."""
    try:
        for folder in sorted(path for path in source.iterdir() if len(path.name) == 2):
            place = target / folder.name
            place.mkdir(mode=_FOLDER_MODE, exist_ok=True)
            for file in folder.iterdir():
                create_file(place / file.name, file.read_bytes(), mode=_OBJECT_MODE)
    except OSError as error:
        raise FilesError(
            f"the new objects could not be written to the store: {error.strerror}; nothing was pushed",
            "make room, and see who owns .git/objects",
        ) from error

"""Leaves in the store what was fetched of its remote: objects, and one ref to find them by.

The owner rebases on it with git's own commands, without a remote, a credential or a certificate on the host. No branch,
no index and no file of the store changes.
"""

from pathlib import Path

from pi_sandbox.errors import for_a_shell
from pi_sandbox.git_access.private_git import git_in_store
from pi_sandbox.git_access.push_rules import refuse_unless_pushable
from pi_sandbox.git_access.repository import Repository, read_repository
from pi_sandbox.memory_sync.remote import Remote
from pi_sandbox.system.files import create_file

NAMESPACE = "pi-sandbox"
"""What stands where git has the name of a remote: `pi-sandbox/main`."""

_OBJECT_MODE = 0o444


def keep_fetched(remote: Remote, repository: Repository, branch: str, shown_folder: str) -> str:
    """Carries what `Remote.fetch` fetched into the store and gives the words by which a shell and git know it.

    Raises `RepositoryRefusedError` for a store that changed meanwhile, and `FilesError`.
    """
    commit = remote.git.run("rev-parse", "--verify", f"{remote.fetched}^{{commit}}").strip()
    refuse_unless_pushable(read_repository(repository.folder), shown_folder)
    carry_objects(remote.git.git_dir / "objects", repository.git_dir / "objects")
    git_in_store(repository, "update-ref", f"refs/remotes/{NAMESPACE}/{branch}", commit)
    return for_a_shell(f"{NAMESPACE}/{branch}")


def carry_objects(source: Path, target: Path) -> None:
    """Copies loose objects and packs, each whole under its name. The alternates of the source stay behind."""
    for file in sorted(source.rglob("*")):
        place = target / file.relative_to(source)
        if file.is_file() and file.parent.name != "info":
            place.parent.mkdir(parents=True, exist_ok=True)
            create_file(place, file.read_bytes(), mode=_OBJECT_MODE)

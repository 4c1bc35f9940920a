"""The memory check of one store's working tree, without writing to the store and without a network.

It sees exactly the files that a sync would push. A repository that cannot be read is a finding that blocks: what was
not looked at is not clean.
"""

from pathlib import Path

from pi_sandbox.errors import FilesError
from pi_sandbox.git_access.private_git import private_git
from pi_sandbox.git_access.repository import NoRepositoryError, RepositoryRefusedError, read_repository
from pi_sandbox.memory_check.check import StoreResult, check_store
from pi_sandbox.memory_check.findings import Finding, Severity
from pi_sandbox.memory_check.report import StoreReport
from pi_sandbox.memory_sync.findings_of_push import store_kind
from pi_sandbox.memory_sync.snapshot import Snapshot
from pi_sandbox.memory_text.visible import visible


def check_folder(store: str, folder: Path | None) -> StoreReport:
    """Gives the report on one store; `folder` is None for a store that is missing."""
    if folder is None:
        return StoreReport(store, None)
    try:
        repository = read_repository(folder)
        with private_git(repository) as git:
            files = Snapshot(repository, git, keep=False).files()
            return StoreReport(store, check_store(files, store=store, store_kind=store_kind(store)))
    except NoRepositoryError:
        return StoreReport(store, None)
    except (RepositoryRefusedError, FilesError) as error:
        message = visible(f"nothing was checked: {' '.join(error.message.split())}")
        finding = Finding(".git", None, Severity.BLOCKING, "repository", message)
        return StoreReport(store, StoreResult(store, (finding,), 0, 0))

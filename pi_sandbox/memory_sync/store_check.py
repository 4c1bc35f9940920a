"""The memory check of one store, without writing to it and without a network.

It sees exactly the files that a sync would push, and the commits that are not on the remote as far as is known here,
from the record of the syncs. A repository that cannot be read is a finding that
blocks: what was not looked at is not clean.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.git_access.private_git import PrivateGit, private_git
from pi_sandbox.git_access.repository import (
    NoRepositoryError,
    Repository,
    RepositoryRefusedError,
    read_repository,
)
from pi_sandbox.git_access.trees import tree_entries
from pi_sandbox.memory_check.check import StoreResult, check_store
from pi_sandbox.memory_check.findings import Finding, MadeIn, Severity
from pi_sandbox.memory_check.report import StoreReport, shown_report
from pi_sandbox.memory_check.shown_names import shown_path, shown_text
from pi_sandbox.memory_sync.findings_of_push import IN_COMMIT, NewCommit, findings_of_history, store_kind
from pi_sandbox.memory_sync.history import identities_on_remote, unpushed_commits
from pi_sandbox.memory_sync.ignored_files import hidden_findings
from pi_sandbox.memory_sync.local_commit import identity_of
from pi_sandbox.memory_sync.log_history import log_findings
from pi_sandbox.memory_sync.record import SyncRecord, read_record, record_path
from pi_sandbox.memory_sync.snapshot import Snapshot
from pi_sandbox.memory_text.visible import visible


def check_folder(store: str, folder: Path | None, records: Path) -> StoreReport:
    """Gives the report on one store; `folder` is None for a store that is missing."""
    if folder is None:
        return StoreReport(store, None)
    try:
        record = read_record(record_path(records, store))
        repository = read_repository(folder)
        with private_git(repository) as git:
            snapshot = Snapshot(repository, git, keep=False)
            return check_repository(store, repository, git, snapshot, commits_on_remote(git, record))
    except NoRepositoryError:
        return StoreReport(store, None)
    except (RepositoryRefusedError, FilesError) as error:
        return not_checked(store, error.message)
    except OSError as error:
        return not_checked(store, failed_file(error))


def not_checked(store: str, why: str) -> StoreReport:
    """Gives the report on a store that could not be looked at, which blocks."""
    message = visible(f"nothing was checked: {shown_text(' '.join(why.split()))}")
    finding = Finding(".git", None, Severity.BLOCKING, "repository", message)
    return StoreReport(store, StoreResult(store, (finding,), 0, 0))


def failed_file(error: OSError) -> str:
    """Gives what the system says and of which file, for the owner."""
    what = error.strerror or type(error).__name__
    return f"{what}: {quoted(os.fsdecode(error.filename))}" if isinstance(error.filename, str | bytes) else what


def check_repository(
    store: str, repository: Repository, git: PrivateGit, snapshot: Snapshot, on_remote: Sequence[str]
) -> StoreReport:
    """Gives the report on the files and on the commits that none of `on_remote` has."""
    result = check_snapshot(store, snapshot)
    history = findings_of_history(
        git,
        unpushed_commits(git, repository.head, on_remote),
        store=store,
        checked=set(snapshot.entries),
        known_identities=identities_on_remote(git, on_remote),
        live_secrets=(),
        new=NewCommit((str(identity_of(repository)),)) if snapshot.changed else None,
    )
    logs = (
        item
        for commit in on_remote
        if git.attempt("merge-base", "--is-ancestor", commit, repository.head or "HEAD").status == 0
        for item in log_findings(git, tree_entries(git, commit), snapshot.logs)
    )
    findings = (*result.findings, *(item.finding for item in (*logs, *history)))
    return shown_report(StoreReport(store, replace(result, findings=findings)))


def check_snapshot(store: str, snapshot: Snapshot, live_secrets: Sequence[str] = ()) -> StoreResult:
    """Gives what is found in the files of a picture, and in how git treats them."""
    result = check_store(snapshot.files(), store=store, store_kind=store_kind(store), live_secrets=live_secrets)
    besides = (
        *hidden_findings(snapshot.hidden),
        *map(_unmerged, snapshot.unmerged),
        *_branch_findings(snapshot.repository.branch or "", live_secrets),
    )
    return replace(result, findings=(*besides, *result.findings), ignored=snapshot.ignored)


def _unmerged(path: str) -> Finding:
    message = "git could not join two versions of it (git status); put it right and git add it"
    return Finding(path, None, Severity.BLOCKING, "unmerged", message)


def _branch_findings(branch: str, live_secrets: Sequence[str]) -> Iterator[Finding]:
    """The name of the branch is pushed like everything else."""
    shown = shown_path(branch, live_secrets)
    if shown != branch:
        message = f"the name of the branch, {quoted(shown)}, holds a secret; rename it: git branch -m"
        yield Finding(".git/HEAD", None, Severity.BLOCKING, "secret", message, made_in=MadeIn.OTHER)


def next_steps(report: StoreReport, folder: str) -> Iterator[str]:
    """Yields a line for each thing to do about a report; `folder` is how the owner names the store's folder."""
    blocking = [finding for finding in report.findings if finding.severity is Severity.BLOCKING]
    if any(not _is_in_commit(finding) for finding in blocking):
        yield f"next, {report.store}: mend what is blocking, in {folder}; until then nothing of it is pushed"
    if any(_is_in_commit(finding) for finding in blocking):
        yield f"next, {report.store}: what is blocking in an unpushed commit: memory-sync names the command to drop it"
    if not blocking and any(finding.severity is Severity.CONFIRM for finding in report.findings):
        yield f"next, {report.store}: memory-sync asks about each line to confirm that is not on the remote yet"


def _is_in_commit(finding: Finding) -> bool:
    return finding.path.startswith(IN_COMMIT)


def commits_on_remote(git: PrivateGit, record: SyncRecord) -> tuple[str, ...]:
    """Gives the commits that the remote was last seen to have, as far as the store has them too.

    Only the record of the syncs says so: the store's own remote-tracking refs are lines in a file that everybody who
    writes to the store can write.
    """
    pushed = None if record.last_push is None else record.last_push.commit
    seen = dict.fromkeys(commit for commit in (pushed, record.fetched) if commit is not None)
    return tuple(commit for commit in seen if git.attempt("cat-file", "-e", f"{commit}^{{commit}}").status == 0)

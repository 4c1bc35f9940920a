"""How a store stands, as this machine knows: what is unpushed, what the check says, when it was last synced."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pi_sandbox.errors import PiSandboxError
from pi_sandbox.git_access.private_git import PrivateGit, private_git
from pi_sandbox.git_access.repository import NoRepositoryError, Repository, read_repository
from pi_sandbox.memory_check.findings import Severity
from pi_sandbox.memory_check.report import StoreReport
from pi_sandbox.memory_check.shown_names import shown_path, shown_text
from pi_sandbox.memory_sync.record import Push, SyncRecord, read_record, record_path
from pi_sandbox.memory_sync.review import short_id
from pi_sandbox.memory_sync.snapshot import Snapshot
from pi_sandbox.memory_sync.store_check import check_repository, commits_on_remote, failed_file


@dataclass(frozen=True)
class StoreStanding:
    """How one store stands. `problem` says why nothing more is known; no number of unpushed commits: not known yet."""

    store: str
    branch: str | None = None
    unpushed_commits: int | None = None
    changed_files: int = 0
    check: StoreReport | None = None
    last_push: Push | None = None
    problem: str | None = None


def standing(store: str, folder: Path | None, records: Path) -> StoreStanding:
    """Gives how a store stands; `folder` is None for a store that is missing."""
    if folder is None:
        return StoreStanding(store, problem="missing")
    try:
        record = read_record(record_path(records, store))
        repository = read_repository(folder)
        with private_git(repository) as git:
            return _standing(store, repository, git, record)
    except NoRepositoryError:
        return StoreStanding(store, problem="missing")
    except PiSandboxError as error:
        return StoreStanding(store, problem=shown_text(" ".join(error.message.split())))
    except OSError as error:
        return StoreStanding(store, problem=shown_text(failed_file(error)))


def standing_lines(one: StoreStanding) -> Iterator[str]:
    """Yields the lines for a terminal."""
    if one.problem is not None:
        yield f"== {one.store}: {one.problem}"
        return
    branch = f"on {one.branch}" if one.branch is not None else "on no branch (detached HEAD)"
    files, unpushed = _count(one.changed_files, "changed file"), one.unpushed_commits
    commits = "unpushed commits unknown until a sync" if unpushed is None else _count(unpushed, "unpushed commit")
    yield f"== {one.store}: {files}, {commits} ({branch})"
    yield f"check: {_check_words(one.check)}"
    last = one.last_push
    yield (
        "last synced: never"
        if last is None
        else f"last synced: {last.time}, commit {short_id(last.commit)} to {last.url}"
    )


def standing_values(one: StoreStanding) -> dict[str, Any]:
    """Gives the same for JSON."""
    last = one.last_push
    return {
        "store": one.store,
        "problem": one.problem,
        "branch": one.branch,
        "changed_files": one.changed_files,
        "unpushed_commits": one.unpushed_commits,
        "check": None if one.check is None else str(one.check.status),
        "findings": {} if one.check is None else _severities(one.check),
        "last_push": None if last is None else {"commit": last.commit, "branch": last.branch, "time": last.time},
    }


def _standing(store: str, repository: Repository, git: PrivateGit, record: SyncRecord) -> StoreStanding:
    snapshot = Snapshot(repository, git, keep=False)
    on_remote = commits_on_remote(git, record)
    report = check_repository(store, repository, git, snapshot, on_remote)
    return StoreStanding(
        store,
        None if repository.branch is None else shown_path(repository.branch),
        _unpushed(repository, git, on_remote),
        len(snapshot.changed_paths()),
        report,
        record.last_push,
    )


def _unpushed(repository: Repository, git: PrivateGit, on_remote: Sequence[str]) -> int | None:
    """Counts from what a sync saw on the remote; without that nothing here can be believed about it."""
    if repository.head is None:
        return 0
    if not on_remote:
        return None
    known = [f"^{commit}" for commit in on_remote]
    return int(git.run("rev-list", "--count", repository.head, *known, "--"))


def _check_words(report: StoreReport | None) -> str:
    if report is None:
        return "nothing was checked"
    counts = _severities(report)
    words = {Severity.BLOCKING: "blocking", Severity.CONFIRM: "to confirm"}
    shown = [f"{counts[severity]} {word}" for severity, word in words.items() if severity in counts]
    if warnings := counts.get(Severity.WARNING):
        shown.append(_count(warnings, "warning"))
    return str(report.status) + (f" ({', '.join(shown)})" if shown else "")


def _severities(report: StoreReport) -> dict[str, int]:
    """Gives how many findings there are of each severity, the worst first."""
    counts = Counter(finding.severity for finding in report.findings)
    return {str(severity): counts[severity] for severity in Severity if counts[severity]}


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"

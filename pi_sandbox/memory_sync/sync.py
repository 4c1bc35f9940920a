"""The six steps for one store, in the order of sandbox.md, "Sync: review and push".

One tree and one commit id are made before anything is shown; what is scanned, shown, confirmed and pushed is that.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pi_sandbox.git_access.object_copy import copy_commits, copy_contents
from pi_sandbox.git_access.object_data import GITLINK, CommitData
from pi_sandbox.git_access.private_git import PrivateGit
from pi_sandbox.git_access.push_rules import refuse_unless_pushable
from pi_sandbox.git_access.repository import Repository, RepositoryRefusedError, read_repository
from pi_sandbox.git_access.trees import tree_entries
from pi_sandbox.memory_check.check import StoreResult
from pi_sandbox.memory_check.findings import Severity
from pi_sandbox.memory_check.report import StoreReport, finding_line, shown_report, status_line, summary_line
from pi_sandbox.memory_check.shown_names import shown_patch
from pi_sandbox.memory_sync.console import Console
from pi_sandbox.memory_sync.findings_of_push import (
    NewCommit,
    PushFinding,
    findings_of_history,
    findings_of_tree,
    question,
    to_confirm,
)
from pi_sandbox.memory_sync.history import UnpushedCommit, identities_on_remote, read_new_commit, unpushed_commits
from pi_sandbox.memory_sync.known_text import RemoteText
from pi_sandbox.memory_sync.local_commit import Identity, identity_of, make_commit, note_push, subject, take_over
from pi_sandbox.memory_sync.log_history import CATEGORY as LOG_REWRITTEN
from pi_sandbox.memory_sync.log_history import log_findings
from pi_sandbox.memory_sync.outcome import PushInterrupted, StoreOutcome, SyncFailedError
from pi_sandbox.memory_sync.patches import patches_of
from pi_sandbox.memory_sync.push_access import Network, PushAccess
from pi_sandbox.memory_sync.record import SyncRecord, push_now, read_record, record_path, write_record
from pi_sandbox.memory_sync.remote import Remote, reached_remote
from pi_sandbox.memory_sync.remote_agreement import RemoteAheadError, commit_on_remote
from pi_sandbox.memory_sync.review import Own, Review, ReviewedCommit, changed_lines, review_parts, short_id
from pi_sandbox.memory_sync.snapshot import Snapshot
from pi_sandbox.memory_sync.store_check import check_snapshot
from pi_sandbox.memory_sync.store_index import index_entries, refuse_unmerged
from pi_sandbox.memory_sync.working_tree import FILE_LIMIT_BYTES
from pi_sandbox.system.template_files import render_template


@dataclass(frozen=True)
class StoreSync:
    """One store to sync, and everything that is known about it beforehand."""

    store: str
    folder: Path
    shown_folder: str
    """How the owner names the folder, for commands that can be copied."""
    access: PushAccess
    network: Network
    records: Path
    live_secrets: tuple[str, ...]
    domain: str
    date: str


@dataclass(frozen=True)
class _Candidate:
    """What would be pushed: the picture of the files, perhaps as a new commit, and the commits before it."""

    snapshot: Snapshot
    new_commit: CommitData | None
    commits: tuple[UnpushedCommit, ...]


def sync_store(request: StoreSync, console: Console) -> StoreOutcome:
    """Syncs one store with the owner's answers.

    Raises an error with exit code 30, or `FilesError`, for a store that failed. Local changes are always kept.
    """
    repository = read_repository(request.folder)
    refuse_unless_pushable(repository, request.shown_folder)
    record = read_record(record_path(request.records, request.store))
    with reached_remote(repository, request.access, request.network, console) as remote:
        return _Sync(request, console, repository, record, remote).run()


@dataclass(frozen=True)
class _Sync:
    request: StoreSync
    console: Console
    repository: Repository
    record: SyncRecord
    remote: Remote

    def run(self) -> StoreOutcome:
        refuse_unmerged(index_entries(self.repository, self._git), self.request.shown_folder)
        self._say(f"asking the remote, {self.request.access.url}")
        copy_commits(self._git, self.repository.head)
        on_remote = self._commit_on_remote()
        candidate = self._checked(on_remote)
        if candidate is None:
            return StoreOutcome.SKIPPED
        if candidate.new_commit is None and not candidate.commits:
            self._say("nothing to push")
            if on_remote is not None:
                self._note_remote(on_remote)
            return StoreOutcome.NOTHING
        review = self._review(candidate)
        for part in review_parts(review):
            if isinstance(part, Own):
                self.console.name(part.text)
            elif not self.console.show(shown_patch(part.text, self.request.live_secrets).split("\n")):
                raise SyncFailedError("what the push would send cannot all be shown, so nothing is pushed")
        self.console.say(render_template("review.txt.j2", {"folder": self.request.shown_folder}).rstrip("\n"))
        if not self.console.ask(f"push {self.request.store}? [y/N]"):
            self._say("skipped, changes stay local")
            return StoreOutcome.SKIPPED
        self._commit(candidate)
        self._push(review.tip)
        return StoreOutcome.PUSHED

    @property
    def _branch(self) -> str:
        if self.repository.branch is None:
            raise RepositoryRefusedError("the store's HEAD is detached", "check out a branch")
        return self.repository.branch

    @property
    def _git(self) -> PrivateGit:
        return self.remote.git

    @property
    def _identity(self) -> Identity:
        return identity_of(self.repository)

    def _say(self, text: str) -> None:
        self.console.name(f"{self.request.store}: {text}")

    def _commit_on_remote(self) -> str | None:
        """Step 2. What was fetched is recorded: once the owner joined it, it counts as the remote's and not as new."""
        try:
            return commit_on_remote(
                self.remote,
                self.repository,
                self._branch,
                self.record.last_push,
                store=self.request.store,
                folder=self.request.shown_folder,
            )
        except RemoteAheadError as error:
            self._write_record(replace(self.record, fetched=error.fetched))
            raise

    def _checked(self, on_remote: str | None) -> _Candidate | None:
        """Step 3. Gives what may be shown, None where the owner did not confirm; raises if the check blocks."""
        before = [] if on_remote is None else [on_remote]
        self._say("looking at the files and at the commits that the remote lacks")
        commits = unpushed_commits(self._git, self.repository.head, before)
        snapshot = Snapshot(self.repository, self._git, keep=True)
        result = check_snapshot(self.request.store, snapshot, self.request.live_secrets)
        blocked = any(finding.severity is Severity.BLOCKING for finding in result.findings)
        new_commit = self._new_commit(snapshot) if snapshot.changed and not blocked else None
        besides = self._findings_besides(snapshot, commits, new_commit, before)
        remote_tree = tree_entries(self._git, on_remote)
        logs = log_findings(self._git, remote_tree, snapshot.logs)
        findings = [*findings_of_tree(result, snapshot.entries), *logs, *besides]
        self._report(result, findings)
        if any(item.finding.severity is Severity.BLOCKING for item in findings):
            raise self._blocked(findings, on_remote)
        remote_text = RemoteText(self._git, remote_tree)
        for item in to_confirm(self._git, findings, remote_text):
            if not self.console.show(item.lines) or not self.console.ask(question(item.finding)):
                what = "change of the log" if item.finding.category == LOG_REWRITTEN else "personal data"
                self._say(f"skipped ({what} not confirmed)")
                return None
        return _Candidate(snapshot, new_commit, commits)

    def _findings_besides(
        self,
        snapshot: Snapshot,
        commits: Sequence[UnpushedCommit],
        new: CommitData | None,
        before: Sequence[str],
    ) -> Iterator[PushFinding]:
        return findings_of_history(
            self._git,
            commits,
            store=self.request.store,
            checked=set(snapshot.entries),
            known_identities=identities_on_remote(self._git, before),
            live_secrets=self.request.live_secrets,
            new=self._words_of(new) if snapshot.changed else None,
        )

    def _words_of(self, new: CommitData | None) -> NewCommit:
        """What the new commit says, as it was read back; before it can be made, the identity that it would get."""
        if new is None:
            return NewCommit((str(self._identity),))
        return NewCommit(new.identities, "\n".join((*new.other_headers, new.message)))

    def _report(self, result: StoreResult, findings: Sequence[PushFinding]) -> None:
        every = replace(result, findings=tuple(item.finding for item in findings))
        report = shown_report(StoreReport(self.request.store, every), self.request.live_secrets)
        self.console.say(status_line(report))
        if report.findings:
            self.console.name("\n".join(f"  {finding_line(finding)}" for finding in report.findings))
        self.console.name(summary_line([report]))

    def _blocked(self, findings: Sequence[PushFinding], on_remote: str | None) -> SyncFailedError:
        hint = ""
        if any(item.finding.severity is Severity.BLOCKING and item.in_history for item in findings):
            git = f"git -C {self.request.shown_folder}"
            way = f"reset --soft {short_id(on_remote)}" if on_remote is not None else "update-ref -d HEAD"
            hint = f"to drop the unpushed commits, but not the files, on the host:\n  {git} {way}"
        return SyncFailedError("blocked by the memory check (fix the listed lines)", hint)

    def _new_commit(self, snapshot: Snapshot) -> CommitData:
        message = subject(self.request.domain, self.request.date)
        made = make_commit(self._git, snapshot.write_tree(), self.repository.head, message, self._identity)
        return read_new_commit(self._git, made)

    def _review(self, candidate: _Candidate) -> Review:
        patches = patches_of(self._git, [commit.data for commit in candidate.commits])
        commits = tuple(
            ReviewedCommit(commit.data, patches[commit.data.id], commit.data.id in self.record.commits)
            for commit in candidate.commits
        )
        snapshot = candidate.snapshot
        earlier = (snapshot.committed.get(path) for path in snapshot.changed_paths())
        replaced = [entry.id for entry in earlier if entry is not None and entry.mode != GITLINK]
        copy_contents(self._git, replaced, size_limit=FILE_LIMIT_BYTES)
        new = candidate.new_commit
        reviewed = None if new is None else ReviewedCommit(new, patches_of(self._git, [new])[new.id], True)
        live = self.request.live_secrets
        changes = changed_lines(snapshot.committed, {entry.path: entry for entry in snapshot.entries}, live)
        return Review(self.request.store, self._branch, reviewed, changes, commits)

    def _commit(self, candidate: _Candidate) -> None:
        """The record comes first: a commit that is in the store and not in it would count as somebody else's."""
        if candidate.new_commit is None:
            return
        self._write_record(self.record.with_commit(candidate.new_commit.id))
        take_over(self.repository, self._git, candidate.new_commit.id, self._identity, self.request.shown_folder)

    def _push(self, commit: str) -> None:
        self._say(f"pushing {short_id(commit)}")
        try:
            self.remote.push(commit, self._branch)
            found = self._seen_on_remote()
        except KeyboardInterrupt as interruption:
            raise PushInterrupted from interruption
        if found != commit:
            raise SyncFailedError(
                f"the remote took the push and did not move its branch (it has {short_id(found) if found else 'none'}, "
                f"not {short_id(commit)})",
                "the commit stays local; ask whoever runs the remote",
            )
        self._say(f"pushed {short_id(commit)} to {self._branch}")
        note_push(self.repository, self.request.access.url, commit, self._identity)
        self._note_remote(commit)

    def _seen_on_remote(self) -> str | None:
        try:
            return self.remote.state().branches.get(self._branch)
        except SyncFailedError as error:
            raise SyncFailedError(
                f"the remote took the push, but whether it arrived could not be seen: {error.message}",
                "run the sync again: it tells what the remote has",
            ) from error

    def _note_remote(self, commit: str) -> None:
        """Records that the remote has this commit, unless that is known."""
        current = read_record(record_path(self.request.records, self.request.store))
        place = (commit, self._branch, self.request.access.url)
        last = current.last_push
        if last is None or (last.commit, last.branch, last.url) != place:
            last = push_now(*place)
        if (record := replace(current, last_push=last, fetched=None)) != current:
            self._write_record(record)

    def _write_record(self, record: SyncRecord) -> None:
        write_record(record_path(self.request.records, self.request.store), record)

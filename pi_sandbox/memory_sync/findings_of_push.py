"""The memory check of everything that a push would send: the files as they are now, and the history before them."""

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace

from pi_sandbox.git_access.object_data import TreeEntry
from pi_sandbox.git_access.objects import read_objects
from pi_sandbox.git_access.private_git import PrivateGit
from pi_sandbox.memory_check.check import StoreResult, check_store
from pi_sandbox.memory_check.findings import Finding, Severity
from pi_sandbox.memory_check.format_rules import StoreKind
from pi_sandbox.memory_check.memory_file import MemoryFile, decode_content, lines_of
from pi_sandbox.memory_check.report import visible_path
from pi_sandbox.memory_sync.history import (
    IDENTITY_FILE,
    UnpushedCommit,
    files_of_commit,
    identity_lines,
)
from pi_sandbox.memory_sync.known_text import RemoteText
from pi_sandbox.memory_sync.working_tree import FILE_LIMIT_BYTES

IN_COMMIT = "commit "
"""What begins the place of a finding that was made in a commit, and not in the files as they are now."""

_IDENTITY = "author or committer"
"""How a question names what is no file: who made a commit."""


@dataclass(frozen=True)
class PushFinding:
    """A finding, and the blob and path that it was made in; no blob but the lines for a message or an identity."""

    finding: Finding
    blob: str | None
    path: str
    lines: tuple[str, ...] = ()

    @property
    def in_history(self) -> bool:
        """Whether it was made in a commit, and not in the files as they are now."""
        return self.path != self.finding.path


@dataclass(frozen=True)
class ToConfirm:
    """Possible personal data that the owner has to confirm, and the lines that it stands in, as they are."""

    finding: Finding
    lines: tuple[str, ...]


def store_kind(store: str) -> StoreKind:
    """Gives which of the two formats a store has."""
    return StoreKind.CORE if store == StoreKind.CORE else StoreKind.DOMAIN


def findings_of_tree(result: StoreResult, entries: Iterable[TreeEntry]) -> list[PushFinding]:
    """Joins the findings of the working tree with the contents they were made in."""
    blobs = {entry.path: entry.id for entry in entries}
    return [PushFinding(finding, blobs.get(finding.path), finding.path) for finding in result.findings]


def findings_of_history(
    git: PrivateGit,
    commits: Sequence[UnpushedCommit],
    *,
    store: str,
    checked: Set[TreeEntry],
    known_identities: frozenset[str],
    live_secrets: Sequence[str],
) -> Iterator[PushFinding]:
    """Yields what blocks or has to be asked in the commits; what is in `checked` was looked at already.

    The format of a note that is no longer there does not matter any more, so warnings are left out.
    """
    done = set(checked)
    for commit in commits:
        blobs = {entry.path: entry.id for entry in commit.new_entries}
        message, *files = files_of_commit(git, commit, done)
        done |= set(commit.new_entries)
        text = lines_of(decode_content(message.content).readings[0])
        for finding in _findings([message], store, live_secrets):
            yield _in_commit(finding, commit.short, None, text)
        for finding in _findings(files, store, live_secrets):
            yield _in_commit(finding, commit.short, blobs.get(finding.path), ())
        lines = identity_lines(commit)
        for finding in _findings([_as_file(IDENTITY_FILE, lines)], store, live_secrets):
            line = lines[finding.line - 1] if finding.line else ""
            if finding.severity is Severity.BLOCKING or line not in known_identities:
                yield _in_commit(replace(finding, line=None, path=_IDENTITY), commit.short, None, [line])
                known_identities |= {line}


def blocking_in_identity(identity: str, store: str, live_secrets: Sequence[str]) -> Iterator[PushFinding]:
    """Yields what must not stand in the name and address that a new commit gets."""
    for finding in _findings([_as_file(IDENTITY_FILE, [identity])], store, live_secrets):
        if finding.severity is Severity.BLOCKING:
            yield PushFinding(replace(finding, path="user.name and user.email"), None, IDENTITY_FILE)


def to_confirm(git: PrivateGit, findings: Iterable[PushFinding], remote: RemoteText) -> Iterator[ToConfirm]:
    """Yields the possible personal data that is not on the remote yet."""
    for item in findings:
        if item.finding.severity is not Severity.CONFIRM or (item.blob is not None and remote.has_content(item.blob)):
            continue
        readings = _readings(git, item)
        if readings is None or not _is_known(item, readings, remote):
            yield ToConfirm(item.finding, _lines_of_finding(item, readings))


def question(finding: Finding) -> str:
    """Gives the question of sandbox.md, "Sync", step 3."""
    place = visible_path(finding.path) + (f":{finding.line}" if finding.line is not None else "")
    return f"confirm {place} {finding.category}? [y/N]"


def _findings(files: Sequence[MemoryFile], store: str, live_secrets: Sequence[str]) -> tuple[Finding, ...]:
    if not files:
        return ()
    result = check_store(files, store=store, store_kind=store_kind(store), live_secrets=live_secrets)
    return tuple(finding for finding in result.findings if finding.severity is not Severity.WARNING)


def _as_file(path: str, lines: Sequence[str]) -> MemoryFile:
    return MemoryFile(path, "\n".join(lines).encode("utf-8", "surrogateescape"))


def _in_commit(finding: Finding, commit: str, blob: str | None, text: Sequence[str]) -> PushFinding:
    shown = replace(finding, path=f"{IN_COMMIT}{commit} {finding.path}")
    lines = tuple(text) if finding.line is None else tuple(_around(text, finding))
    return PushFinding(shown, blob, finding.path, lines)


@dataclass(frozen=True)
class _Readings:
    """What a content can be read as. `certain` is whether there is no other reading of it."""

    texts: tuple[tuple[str, ...], ...]
    certain: bool


def _readings(git: PrivateGit, item: PushFinding) -> _Readings | None:
    """Gives how the content of a finding reads, None where there is none or it is too large."""
    if item.blob is None:
        return None
    ((_, content),) = read_objects(git, [item.blob], size_limit=FILE_LIMIT_BYTES, from_store=True)
    if content is None:
        return None
    decoded = decode_content(content)
    return _Readings(tuple(tuple(lines_of(text)) for text in decoded.readings), not decoded.others)


def _lines_of_finding(item: PushFinding, readings: _Readings | None) -> tuple[str, ...]:
    if readings is None or item.finding.line is None:
        return item.lines
    return tuple(dict.fromkeys(line for text in readings.texts for line in _around(text, item.finding)))


def _around(lines: Sequence[str], finding: Finding) -> Sequence[str]:
    """Gives the lines that belong to a finding."""
    if finding.line is None:
        return ()
    return lines[finding.line - 1 - finding.before : finding.line + finding.after]


def _is_known(item: PushFinding, readings: _Readings, remote: RemoteText) -> bool:
    if item.finding.line is None:
        return readings.certain and remote.has_path(item.path)
    return any(remote.has_lines(_around(text, item.finding)) for text in readings.texts)

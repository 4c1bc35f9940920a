"""The memory check of everything that a push would send: the files as they are now, and the history before them."""

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace

from pi_sandbox.git_access.object_data import TreeEntry
from pi_sandbox.git_access.objects import read_objects
from pi_sandbox.git_access.private_git import PrivateGit
from pi_sandbox.memory_check.check import StoreResult, check_store
from pi_sandbox.memory_check.collected import OF_A_SEVERITY
from pi_sandbox.memory_check.findings import Finding, MadeIn, Severity
from pi_sandbox.memory_check.format_rules import StoreKind
from pi_sandbox.memory_check.memory_file import MemoryFile, decode_content, lines_of
from pi_sandbox.memory_check.report import visible_path
from pi_sandbox.memory_check.shown_names import shown_path
from pi_sandbox.memory_sync.history import (
    IDENTITY_FILE,
    UnpushedCommit,
    files_of_commits,
    identity_lines,
)
from pi_sandbox.memory_sync.known_text import RemoteText
from pi_sandbox.memory_sync.working_tree import FILE_LIMIT_BYTES

IN_COMMIT = "commit "
"""What begins the place of a finding that was made in a commit, and not in the files as they are now."""

_IDENTITY = "author or committer"
"""How a question names what is no file: who made a commit."""

_OWN_IDENTITY = "user.name and user.email"
_OWN_MESSAGE = "message of the new commit"


@dataclass(frozen=True)
class NewCommit:
    """What the commit that a sync makes says beside its files: by whom it is, and everything else."""

    identities: tuple[str, ...]
    text: str = ""


@dataclass(frozen=True)
class PushFinding:
    """A finding, and the blob and path that it was made in; no blob but the lines for a message or an identity.

    `in_history` is whether it was made in an unpushed commit, and not in what is to be pushed on top of those.
    """

    finding: Finding
    blob: str | None
    path: str
    lines: tuple[str, ...] = ()
    in_history: bool = False


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
    new: NewCommit | None = None,
) -> Iterator[PushFinding]:
    """Yields what blocks or has to be asked in the commits; what is in `checked` was looked at already.

    `new` is the commit that would come after them, whose files are among those looked at. An identity is asked about
    once, and not at all if the remote has it: whoever may write to the store's configuration chooses the owner's.
    The format of a note that is no longer there does not matter any more, so warnings are left out.
    """
    every = _every_finding(git, commits, store, checked, set(known_identities), live_secrets, new)
    for number, finding in enumerate(every):
        if number >= OF_A_SEVERITY:
            more = Finding(
                f"{IN_COMMIT}{commits[-1].short if commits else ''}",
                None,
                Severity.BLOCKING,
                "too-many-findings",
                f"more than {OF_A_SEVERITY} findings in the unpushed commits; the rest is not listed",
                made_in=MadeIn.OTHER,
            )
            yield PushFinding(more, None, "", in_history=True)
            return
        yield finding


def _every_finding(
    git: PrivateGit,
    commits: Sequence[UnpushedCommit],
    store: str,
    done: Set[TreeEntry],
    known: set[str],
    live_secrets: Sequence[str],
    new: NewCommit | None,
) -> Iterator[PushFinding]:
    identities = _Identities(store, live_secrets, known)
    for commit, (message, *files) in files_of_commits(git, commits, done):
        blobs = {entry.path: entry.id for entry in commit.new_entries}
        text = lines_of(decode_content(message.content).readings[0])
        for finding in _findings([message], store, live_secrets):
            yield _in_commit(finding, commit.short, None, text)
        for finding in _findings(files, store, live_secrets):
            yield _in_commit(finding, commit.short, blobs.get(finding.path), ())
        for finding, line in identities.findings(identity_lines(commit)):
            yield _in_commit(replace(finding, path=_IDENTITY), commit.short, None, [line])
    if new is not None:
        text = lines_of(new.text)
        for finding in _findings([_as_file(_OWN_MESSAGE, text)], store, live_secrets):
            yield PushFinding(finding, None, finding.path, tuple(_around(text, finding)))
        for finding, line in identities.findings(dict.fromkeys(new.identities)):
            yield PushFinding(replace(finding, path=_OWN_IDENTITY), None, _OWN_IDENTITY, (line,))


@dataclass
class _Identities:
    """What is found in who made a commit; the same few make all of them, so each is looked at once."""

    store: str
    live_secrets: Sequence[str]
    known: set[str]
    _found: dict[str, tuple[Finding, ...]] = field(default_factory=dict)

    def findings(self, identities: Iterable[str]) -> Iterator[tuple[Finding, str]]:
        """Yields each finding with its identity, which is shown as a whole: so one question is enough, and it is known
        from then on. What is known can only block."""
        for identity in identities:
            if identity not in self._found:
                self._found[identity] = _findings([_as_file(IDENTITY_FILE, [identity])], self.store, self.live_secrets)
            for finding in self._found[identity]:
                if finding.severity is Severity.BLOCKING:
                    yield replace(finding, line=None), identity
                elif identity not in self.known:
                    self.known.add(identity)
                    yield replace(finding, line=None), identity


def to_confirm(git: PrivateGit, findings: Iterable[PushFinding], remote: RemoteText) -> Iterator[ToConfirm]:
    """Yields the possible personal data that is not on the remote yet."""
    for item in findings:
        if item.finding.severity is not Severity.CONFIRM:
            continue
        if item.finding.made_in is MadeIn.PATH:
            if not remote.has_path(item.path):
                yield ToConfirm(item.finding, (item.path,))
            continue
        if item.blob is not None and remote.has_content(item.blob):
            continue
        texts = _texts(git, item)
        if not any(_is_known(remote, item, text) for text in texts):
            yield ToConfirm(item.finding, _lines_of_finding(item, texts))


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
    shown = replace(finding, path=f"{IN_COMMIT}{commit} {shown_path(finding.path)}")
    lines = tuple(text) if finding.line is None else tuple(_around(text, finding))
    return PushFinding(shown, blob, finding.path, lines, in_history=True)


def _texts(git: PrivateGit, item: PushFinding) -> tuple[tuple[str, ...], ...]:
    """Gives the lines that the content of a finding reads as, nothing where there is none or it is too large."""
    if item.blob is None:
        return ()
    ((_, content),) = read_objects(git, [item.blob], size_limit=FILE_LIMIT_BYTES, from_store=True)
    if content is None:
        return ()
    return tuple(tuple(lines_of(text)) for text in decode_content(content).readings)


def _lines_of_finding(item: PushFinding, texts: Sequence[Sequence[str]]) -> tuple[str, ...]:
    if not texts or item.finding.line is None:
        return item.lines
    return tuple(dict.fromkeys(line for text in texts for line in _around(text, item.finding)))


def _is_known(remote: RemoteText, item: PushFinding, lines: Sequence[str]) -> bool:
    finding = item.finding
    if finding.line is None:
        return False
    return remote.has_lines(item.path, lines, finding.line - 1 - finding.before, finding.line + finding.after)


def _around(lines: Sequence[str], finding: Finding) -> Sequence[str]:
    """Gives the lines that belong to a finding."""
    if finding.line is None:
        return ()
    return lines[finding.line - 1 - finding.before : finding.line + finding.after]

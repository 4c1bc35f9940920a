"""Checks one store: every file that a push would send is scanned, or is itself a finding that blocks.

- Files come one by one, and their readings are looked at in batches, so a large store needs little memory.
- Nothing looked at is a failure, not a clean result.
- Nothing is asked about a line that is blocked already.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from pi_sandbox.git_access.discovery import entries_of_paths, is_git_directory
from pi_sandbox.memory_check.collected import Collected
from pi_sandbox.memory_check.conflict_markers import conflict_findings
from pi_sandbox.memory_check.findings import TOO_DENSE, Finding, Hit, MadeIn, Severity
from pi_sandbox.memory_check.format_rules import FormatCheck, StoreKind
from pi_sandbox.memory_check.memory_file import FileKind, MemoryFile, decode_content, is_too_large, lines_of
from pi_sandbox.memory_check.personal_data import find_personal_in
from pi_sandbox.memory_check.prefilter import TextBatch
from pi_sandbox.memory_check.secret_scan import CATEGORY as SECRET
from pi_sandbox.memory_check.secret_scan import scan_texts
from pi_sandbox.memory_check.text_views import name_readings
from pi_sandbox.workspace.level_names import is_git_name, is_other_repository, name_on_any_disk

_BATCH_CHARACTERS = 1_500_000
"""Characters whose different words are held at once; a longer text is its own batch."""

_KIND_MESSAGES = {
    FileKind.SYMLINK: ("symlink", "a link is not followed and may lead out of the store; replace it by a file"),
    FileKind.GITLINK: (
        "nested-repository",
        "a repository inside the store (.git, or HEAD beside refs or commondir): git runs what its settings name, and "
        "its files would not be pushed; move it out",
    ),
    FileKind.UNREADABLE: ("unreadable", "the file cannot be read, so it cannot be checked"),
    FileKind.TOO_LARGE: (
        "too-large",
        "more than 1 MiB or 100,000 lines cannot be checked; split the file or take it out",
    ),
    FileKind.SPECIAL: ("special-file", "neither a file nor a folder"),
}
_GIT_MODULES = frozenset({".gitmodules", "gitmod~1"})
_FILTERING = re.compile(r"(?:^|\s)(?:filter|working-tree-encoding|ident|conflict-marker-size)(?:=|\s|$)")
_HIDING = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class StoreResult:
    """The findings of one store, and how much was looked at."""

    store: str
    findings: tuple[Finding, ...]
    files: int
    bytes: int
    ignored: tuple[str, ...] = ()
    """The files that git ignores; they are not among those looked at."""


@dataclass(frozen=True)
class _Reading:
    """One reading of one file, waiting to be scanned. Only the lines of its text mean something to a reader."""

    path: str
    lines: list[str]
    made_in: MadeIn = MadeIn.TEXT


_IN_NAME = " (in the name of the file)"
_IN_HIDDEN_NAME = " (in the name of the file, of which each ? is one character)"


def check_store(
    files: Iterable[MemoryFile], *, store: str, store_kind: StoreKind, live_secrets: Sequence[str] = ()
) -> StoreResult:
    """Gives everything found in the files of one store; `live_secrets` are credentials in use that must not stand in
    them."""
    findings = Collected()
    format_check = FormatCheck(store_kind)
    waiting: list[_Reading] = []
    paths: list[str] = []
    size = characters = 0
    for file in files:
        paths.append(file.path)
        size += len(file.content)
        if is_too_large(file.content):
            file = replace(file, content=b"", kind=FileKind.TOO_LARGE)
        findings.add(_path_findings(file))
        for reading in _readings(file, findings, format_check):
            waiting.append(reading)
            characters += sum(map(len, reading.lines))
            if characters > _BATCH_CHARACTERS:
                findings.add(_scan(waiting, live_secrets))
                waiting, characters = [], 0
    findings.add(_scan(waiting, live_secrets))
    findings.add(_repositories(paths))
    findings.add(format_check.of_store() if paths else [_nothing_looked_at()])
    return StoreResult(store, _in_order(findings), len(paths), size)


def _repositories(paths: Sequence[str]) -> Iterator[Finding]:
    """Files that make their folder a repository: in a commit no folder was there to be told from its own names."""
    category, message = _KIND_MESSAGES[FileKind.GITLINK]
    for folder, entries in entries_of_paths(paths).items():
        if is_git_directory(entries):
            yield Finding(folder or ".", None, Severity.BLOCKING, category, message)


def _nothing_looked_at() -> Finding:
    return Finding(".", None, Severity.BLOCKING, "nothing-checked", "the store holds no file, so nothing was checked")


def _readings(file: MemoryFile, findings: Collected, format_check: FormatCheck) -> Iterator[_Reading]:
    yield from (_Reading(file.path, [reading], MadeIn.PATH) for reading in name_readings(file.path))
    if file.kind is not FileKind.FILE:
        yield _Reading(file.path, lines_of(file.content.decode("latin-1")), MadeIn.OTHER)
        return
    decoded = decode_content(file.content)
    if not decoded.certain:
        findings.add(
            [
                Finding(
                    file.path,
                    None,
                    Severity.BLOCKING,
                    "undecodable",
                    "the content is not text, so it cannot be checked",
                )
            ]
        )
    likeliest = lines_of(decoded.readings[0])
    findings.add(format_check.of_file(file.path, likeliest, file.content))
    findings.add(conflict_findings(file.path, likeliest))
    findings.add(_hiding_findings(file.path, likeliest) if decoded.certain else ())
    yield _Reading(file.path, likeliest)
    yield from (_Reading(file.path, lines_of(text)) for text in decoded.readings[1:])
    yield from (_Reading(file.path, lines_of(text), MadeIn.OTHER) for text in decoded.others)


def _hiding_findings(path: str, lines: Sequence[str]) -> Iterator[Finding]:
    for number, line in enumerate(lines, 1):
        if not line.isprintable() and _HIDING.search(line):
            yield Finding(
                path,
                number,
                Severity.WARNING,
                "format-control-characters",
                "control characters that hide or reorder text",
            )


def _path_findings(file: MemoryFile) -> Iterator[Finding]:
    if file.kind in _KIND_MESSAGES:
        category, message = _KIND_MESSAGES[file.kind]
        yield Finding(file.path, None, Severity.BLOCKING, category, message)
    names = file.path.split("/")
    yield from _other_repository(names[:-1])
    last = name_on_any_disk(names[-1])
    if last in _GIT_MODULES or any(is_git_name(name) for name in names):
        yield Finding(file.path, None, Severity.BLOCKING, "git-path", "git would treat this path specially")
    elif last == ".gitattributes" and any(_FILTERING.search(line) for line in lines_of(file.content.decode("latin-1"))):
        yield Finding(
            file.path,
            None,
            Severity.BLOCKING,
            "git-attributes",
            "an attribute makes git push other bytes than those checked, or mark a conflict as nobody looks for it",
        )


def _other_repository(folders: Sequence[str]) -> Iterator[Finding]:
    for depth, name in enumerate(folders, 1):
        if is_other_repository(name):
            path, kind = "/".join(folders[:depth]), name_on_any_disk(name)
            message = f"what works with {kind} runs what is set in it (hooks, extensions); move it out"
            yield Finding(path, None, Severity.BLOCKING, "nested-repository", message)
            return


def _scan(readings: Sequence[_Reading], live_secrets: Sequence[str]) -> Iterator[Finding]:
    batch = TextBatch.of(reading.lines for reading in readings)
    for category_hits, severity in (
        (scan_texts(batch, live_secrets), Severity.BLOCKING),
        (find_personal_in(batch), Severity.CONFIRM),
    ):
        for reading, hits in zip(readings, category_hits, strict=True):
            for hit in hits:
                yield _finding(reading, hit, Severity.BLOCKING if hit.category == TOO_DENSE else severity)


def _finding(reading: _Reading, hit: Hit, severity: Severity) -> Finding:
    line = hit.line if reading.made_in is MadeIn.TEXT else None
    in_name = _IN_HIDDEN_NAME if hit.category == SECRET else _IN_NAME
    message = f"{hit.message}{in_name}" if reading.made_in is MadeIn.PATH else hit.message
    return Finding(reading.path, line, severity, hit.category, message, hit.before, hit.after, reading.made_in)


def _in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    different = set(findings)
    blocked = {
        (finding.path, finding.line) for finding in different if finding.severity is Severity.BLOCKING and finding.line
    }
    kept = [
        finding
        for finding in different
        if finding.severity is not Severity.CONFIRM or (finding.path, finding.line) not in blocked
    ]
    return tuple(sorted(kept, key=lambda finding: (finding.path, finding.line or 0, finding.category, finding.message)))

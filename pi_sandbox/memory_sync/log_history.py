"""Finds entries of a `log.md` that the remote has and the files do not: a log only grows at its end.

Whether that was meant nobody can tell but the owner, so it is asked about, with the entries, until it is pushed.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pi_sandbox.git_access.object_data import TreeEntry
from pi_sandbox.git_access.objects import read_objects
from pi_sandbox.git_access.private_git import PrivateGit
from pi_sandbox.memory_check.findings import Finding, MadeIn, Severity
from pi_sandbox.memory_check.memory_file import TEXT_LIMIT_BYTES, decode_content, lines_of
from pi_sandbox.memory_check.shown_names import shown_lines
from pi_sandbox.memory_sync.findings_of_push import PushFinding

CATEGORY = "log-rewritten"

_LOG = "log.md"
_MOST_SHOWN = 50


def is_log(path: str) -> bool:
    """Whether a file is the log of the store or of a level."""
    return path.rpartition("/")[2] == _LOG


def log_findings(git: PrivateGit, remote: Mapping[str, TreeEntry], logs: Mapping[str, bytes]) -> Iterator[PushFinding]:
    """Yields a finding for each log of the remote whose entries are not all in `logs`, in their order.

    `logs` are the contents of the logs as they would be pushed, by path.
    """
    older = {path: entry.id for path, entry in remote.items() if is_log(path)}
    contents = read_objects(git, list(older.values()), size_limit=TEXT_LIMIT_BYTES, from_store=True)
    for path, (_, content) in zip(older, contents, strict=True):
        before, after = _entries(content or b""), _entries(logs.get(path, b""))
        gone = list((Counter(before) - Counter(after)).elements())
        if gone:
            message = f"{len(gone)} lines that the remote has are gone or changed; a log only grows at its end"
        elif not _in_this_order(before, after):
            message = "lines that the remote has stand in another order; a log only grows at its end"
        else:
            continue
        more = [f"(and {len(gone) - _MOST_SHOWN} more)"] if len(gone) > _MOST_SHOWN else []
        finding = Finding(path, None, Severity.CONFIRM, CATEGORY, message, made_in=MadeIn.OTHER)
        yield PushFinding(finding, None, path, (*shown_lines(gone[:_MOST_SHOWN]), *more))


def _entries(content: bytes) -> Sequence[str]:
    return [line.rstrip() for line in lines_of(decode_content(content).readings[0]) if line.strip()]


def _in_this_order(before: Iterable[str], after: Iterable[str]) -> bool:
    rest = iter(after)
    return all(line in rest for line in before)

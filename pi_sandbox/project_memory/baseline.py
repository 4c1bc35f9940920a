"""What a background task has read, and whether it may therefore overwrite or edit (project-memory.md, "Read Baseline").

What always holds:

- A file that does not exist needs no baseline. One that exists is changed only by a task that read it before.
- A page that was read counts as much as the whole file, as long as the reading tool did not cut it by itself; what was
  cut, and an image, takes the baseline away. What a task writes is its new baseline; what it deletes has none.
- The content is always compared, byte by byte through its hash. The specification compares only when the floored
  modification time is later; that would let through what was changed within one tick, or with its time set back.
- An edit of a file that changed meanwhile goes through when each of its old texts still stands there exactly once.

Not handled here: reading files, and finding out which file a path means. `path` is a resolved path throughout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType


class BaselineRule(StrEnum):
    """The rule that decided."""

    NEW_FILE = "new-file"
    UNCHANGED = "unchanged-since-read"
    RECOVERED = "old-texts-still-unique"
    NOT_READ = "not-read-in-this-task"
    CHANGED = "changed-since-read"


@dataclass(frozen=True, slots=True)
class FileVersion:
    """One state of a file: the SHA-256 of its bytes, and its modification time in whole milliseconds."""

    digest: str
    modified_ms: int


@dataclass(frozen=True, slots=True)
class BaselineDecision:
    """Whether the change may go on, by which rule, and what a model is told if not."""

    rule: BaselineRule
    reason: str = ""

    @property
    def allowed(self) -> bool:
        return not self.reason


@dataclass(frozen=True, slots=True)
class Baselines:
    """The versions that one task has seen, by resolved path."""

    versions: Mapping[str, FileVersion] = field(default_factory=lambda: MappingProxyType({}))

    def after_read(self, path: str, seen: FileVersion, *, truncated: bool, image: bool) -> Baselines:
        """Gives the baselines after a successful `read` of a page or of the whole file.

        `truncated`: the tool cut the page by its default limit (`details.truncation`). A page that the model asked for
        with `offset` and `limit` is not truncated.
        """
        return self.without(path) if truncated or image else self.with_version(path, seen)

    def with_version(self, path: str, version: FileVersion) -> Baselines:
        """Gives the baselines after the task itself wrote this version."""
        return Baselines(MappingProxyType({**self.versions, path: version}))

    def without(self, path: str) -> Baselines:
        """Gives the baselines after the file was deleted, or shown in part only."""
        return Baselines(MappingProxyType({known: seen for known, seen in self.versions.items() if known != path}))


def judge_write(baselines: Baselines, path: str, current: FileVersion | None) -> BaselineDecision:
    """Tells whether the task may overwrite the file, which is now in this version (`None`: there is none)."""
    if current is None:
        return BaselineDecision(BaselineRule.NEW_FILE)
    seen = baselines.versions.get(path)
    if seen is None:
        return BaselineDecision(
            BaselineRule.NOT_READ,
            "This file exists and was not read completely in this task. Read it with `read` first, in pages if it is "
            "cut off, then write it.",
        )
    if seen.digest == current.digest:
        return BaselineDecision(BaselineRule.UNCHANGED)
    return BaselineDecision(
        BaselineRule.CHANGED, "This file has changed since it was read in this task. Read it again, then write it."
    )


def judge_edit(
    baselines: Baselines, path: str, current: FileVersion | None, text: str, old_texts: Sequence[str]
) -> BaselineDecision:
    """Tells whether the task may replace these texts in the file, whose current content is `text`."""
    decision = judge_write(baselines, path, current)
    if decision.rule is BaselineRule.CHANGED and old_texts and all(_stands_once(old, text) for old in old_texts):
        return BaselineDecision(BaselineRule.RECOVERED)
    return decision


def _stands_once(old: str, text: str) -> bool:
    """Compares with line ends as LF and without a byte order mark, as pi's `edit` does; overlapping places are two."""
    old, text = _with_plain_line_ends(old), _with_plain_line_ends(text.removeprefix("\ufeff"))
    first = text.find(old) if old else -1
    return first != -1 and text.find(old, first + 1) == -1


def _with_plain_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")

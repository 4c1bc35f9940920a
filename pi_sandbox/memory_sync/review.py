"""What the owner sees before answering, as values. Pure: nothing here reads or prints.

Own words and foreign text are told apart by type, so that a note, a file name, a commit message or a remote cannot pose
as a question.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pi_sandbox.git_access.object_data import CommitData, TreeEntry
from pi_sandbox.memory_check.report import visible_path
from pi_sandbox.memory_check.shown_names import shown_paths

_SHOWN_ID = 12
"""Characters of a commit's id that people read: enough to find it by (gitrevisions(7))."""


@dataclass(frozen=True)
class Own:
    """A line of our own."""

    text: str


@dataclass(frozen=True)
class Foreign:
    """Text that comes from the repository."""

    text: str


Part = Own | Foreign


@dataclass(frozen=True)
class ReviewedCommit:
    """A commit that is not on the remote, with its patch, and whether a sync made it."""

    data: CommitData
    patch: str
    made_by_sync: bool


@dataclass(frozen=True)
class Review:
    """Everything that one push would send, seen from the owner's side."""

    store: str
    branch: str
    new_commit: ReviewedCommit | None
    changes: tuple[str, ...]
    commits: tuple[ReviewedCommit, ...]

    @property
    def tip(self) -> str:
        """The commit that is pushed."""
        return (self.new_commit or self.commits[-1]).data.id


def short_id(commit: str) -> str:
    """Gives what people read of a commit's id."""
    return commit[:_SHOWN_ID]


def changed_lines(
    before: Mapping[str, TreeEntry], after: Mapping[str, TreeEntry], live_secrets: Sequence[str] = ()
) -> tuple[str, ...]:
    """Gives one line a changed file: added, changed or removed, and its name with every character visible."""
    changed = [path for path in sorted(before.keys() | after.keys()) if before.get(path) != after.get(path)]
    shown = shown_paths(changed, live_secrets)
    return tuple(f"{_change(before.get(path), after.get(path))} {visible_path(shown[path])}" for path in changed)


def review_parts(review: Review) -> Iterator[Part]:
    """Yields the review in the order of sandbox.md, "Sync", step 4."""
    if review.new_commit is not None:
        name = short_id(review.new_commit.data.id)
        yield Own(f"{review.store}: changed files, for the new commit {name}")
        yield Own("\n".join(f"  {line}" for line in review.changes))
        yield Own(f"{review.store}: full diff")
        yield Foreign(review.new_commit.patch)
        yield Own(f"{review.store}: what the new commit {name} says")
        yield _words_of(review.new_commit)
    if review.commits:
        yield Own(f"{review.store}: unpushed commits ({len(review.commits)}), each with its patch")
    for commit in review.commits:
        yield from _commit_parts(commit)
    count = len(review.commits) + (review.new_commit is not None)
    yield Own(
        f"{review.store}: the push would send {count} commit{'' if count == 1 else 's'}, up to {short_id(review.tip)}"
    )


def _commit_parts(commit: ReviewedCommit) -> Iterator[Part]:
    yield Own(f"commit {short_id(commit.data.id)}")
    if not commit.made_by_sync:
        yield Own(f"warning: commit {short_id(commit.data.id)} was not made by memory-sync")
    yield _words_of(commit)
    yield Foreign(commit.patch)


def _words_of(commit: ReviewedCommit) -> Foreign:
    return Foreign(f"{commit.data.header}\n\n{commit.data.message}")


def _change(before: TreeEntry | None, after: TreeEntry | None) -> str:
    if before is None:
        return "added"
    if after is None:
        return "removed"
    return "changed" if before.id != after.id else f"mode {before.mode} to {after.mode}"

"""The patches of commits as the review shows them, many from one run of git."""

from collections.abc import Iterator, Mapping, Sequence

from pi_sandbox.git_access.object_data import CommitData
from pi_sandbox.git_access.private_git import PrivateGit
from pi_sandbox.git_access.runner import GitFailedError

_AT_ONCE = 50
"""Patches of one run of git, whose output is bounded as a whole."""

_OPTIONS = (
    "--stdin",
    "--always",
    "--root",
    "-p",
    "-r",
    "--text",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-renames",
    "--full-index",
)


def patches_of(git: PrivateGit, commits: Sequence[CommitData]) -> Mapping[str, str]:
    """Gives for each commit what it changes against its first parent; raises `GitFailedError`."""
    patches: dict[str, str] = {}
    for at in range(0, len(commits), _AT_ONCE):
        some = commits[at : at + _AT_ONCE]
        given = "".join(f"{' '.join((commit.id, *commit.parents[:1]))}\n" for commit in some)
        output = git.run("diff-tree", *_OPTIONS, standard_input=given.encode("ascii"))
        patches.update(_split(output, [commit.id for commit in some]))
    return patches


def _split(output: str, ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """A line that is an id and nothing else begins the patch of that commit; no line of a patch is one: each begins
    with a word of git's or a sign (git-diff(1), "Generating patch text with -p")."""
    lines = output.split("\n")
    starts = []
    waiting = iter(ids)
    wanted = next(waiting, None)
    for number, line in enumerate(lines):
        if line == wanted:
            starts.append(number)
            wanted = next(waiting, None)
    if wanted is not None:
        raise GitFailedError("git did not show the patch of every commit", "look at the store with `git fsck`")
    for name, start, end in zip(ids, starts, [*starts[1:], len(lines)], strict=True):
        yield name, "\n".join(lines[start + 1 : end]).rstrip("\n")

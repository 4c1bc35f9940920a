"""What a session left that would act later: repositories that git runs programs from, memory for other levels.

The sentences are for the owner, who reads them right after the session. Another session of the domain, and the owner,
may have been at work at the same time, so none of them says who it was.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pi_sandbox.errors import quoted
from pi_sandbox.session.disk_look import GitLook, GitPlace, NamedFile, Unseen
from pi_sandbox.session.reach import is_below
from pi_sandbox.session.remedies import shown

MOST_LINES = 20
"""So many things of one kind are named; of the rest the number is said."""


@dataclass(frozen=True)
class Scene:
    """What lies where a session may write. `levels` are folders in the store that are not on the project's path.

    `named` is what the settings of the repositories there name to git.
    """

    git: GitLook
    levels: frozenset[Path]
    named: tuple[NamedFile, ...] = ()


def left_behind(before: Scene, after: Scene, read_only: frozenset[Path]) -> tuple[str, ...]:
    """Gives one sentence for each thing that appeared or changed; `read_only` are places that the session could not."""
    return (
        *_at_most(
            tuple(_git_changes(before.git, after.git, read_only)),
            "places that git takes for a repository appeared or changed during the session; pi-sandbox plan lists those"
            " in the project, memory-check those in the memory",
        ),
        *_at_most(
            tuple(_named_changes(before, after, read_only)),
            "files that git is led to appeared or changed during the session; look at what the settings of these "
            "repositories name",
        ),
        *_at_most(
            tuple(_new_levels(before, after)),
            "folders in the memory appeared during the session; pi-sandbox plan lists them as other levels",
        ),
        *_at_most(
            tuple(_unseen(before.git, after.git)),
            "places could not be looked at after the session; once these are mended, the next end names others",
        ),
    )


def _git_changes(before: GitLook, after: GitLook, read_only: frozenset[Path]) -> Iterator[str]:
    known = {place.path: place for place in before.places}
    for place in after.places:
        if what := _change(known.get(place.path), place, before.unseen, is_below(place.path, read_only)):
            yield (
                f"{shown(place.path)}, {place.kind.value}, {what} during the session: look at its config and hooks, "
                "or remove it, before you use git there"
            )


def _change(before: GitPlace | None, after: GitPlace, unseen: tuple[Unseen, ...], read_only: bool) -> str:
    if before is None:
        return _appeared(after.path, unseen)
    if (before.kind, before.identity) != (after.kind, after.identity):
        return "was replaced"
    return "was changed" if before.code != after.code and not read_only else ""


def _appeared(path: Path, unseen: tuple[Unseen, ...]) -> str:
    was_seen = not any(path.is_relative_to(part.path) for part in unseen)
    return "appeared" if was_seen else "lies where not all was looked at before, and perhaps appeared"


def _named_changes(before: Scene, after: Scene, read_only: frozenset[Path]) -> Iterator[str]:
    known = {named.path: named.state for named in before.named}
    for named in after.named:
        if known.get(named.path) != named.state and not is_below(named.path, read_only):
            what = "was changed" if named.path in known else _appeared(named.path, before.git.unseen)
            yield (
                f"{shown(named.path)}, which the settings of {shown(named.by)} name to git, {what} during the session: "
                "look at it before you use git there"
            )


def _new_levels(before: Scene, after: Scene) -> Iterator[str]:
    for folder in sorted(after.levels - before.levels):
        yield (
            f"{quoted(folder)} appeared in the memory during the session: a session of a project there would take it "
            "for its own; look at it, or remove it"
        )


def unseen_before(before: GitLook, told: GitLook) -> tuple[str, ...]:
    """Gives one sentence for each thing that was not looked at before the session and is not `told` of already."""
    lines = tuple(
        f"{shown(part.path)} {part.reason}, so not everything there was looked at for repositories before the session; "
        f"the end of the session cannot tell what is new there{_first(part)}"
        for part in before.unseen
        if part not in told.unseen
    )
    return _at_most(lines, "places could not be looked at before the session")


def _unseen(before: GitLook, after: GitLook) -> Iterator[str]:
    """What could not be looked at before the session either may hide something new all the same; it comes last."""
    known = frozenset(before.unseen)
    for part in sorted(after.unseen, key=lambda part: part in known):
        when = (
            ", as before the session, so not everything there was looked at"
            if part in known
            else (", so not everything there was looked at after the session")
        )
        yield f"{shown(part.path)} {part.reason}{when}; look into it before you use git there{_first(part)}"


def _first(part: Unseen) -> str:
    return f"; first: {part.remedy}" if part.remedy else ""


def _at_most(lines: tuple[str, ...], rest: str) -> tuple[str, ...]:
    """Gives the lines, or the first of them and the number of the others with `rest`, what those are."""
    if len(lines) <= MOST_LINES:
        return lines
    return (*lines[:MOST_LINES], f"{len(lines) - MOST_LINES} more {rest}")

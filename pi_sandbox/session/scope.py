"""What one session may see of the memory: planned on the host, handed to the container as JSON, read by its entry.

- The project's level carries all outer levels in itself, so that they cannot disagree and the JSON stays short.
- Access follows from the scope (sandbox.md, "Scope per session"; design.md, "Mounts of an agent session"): core and
  the domain are read-write, the opt-in store is read-only, a missing store is an empty, read-only placeholder, and so
  is a closed one, which may not be read on the host: its memory is still there, so it is told from a missing one.
- Names of levels may hold anything a file name can; whoever shows one makes it harmless.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate
from pathlib import PurePosixPath
from typing import TypeVar

from pi_sandbox.errors import UsageError, quoted
from pi_sandbox.settings.domains import CORE, DomainName, parse_domain_name
from pi_sandbox.workspace.level_names import is_git_name

T = TypeVar("T")

BRAIN = PurePosixPath("/brain")


class Access(Enum):
    """What a session may do with a store."""

    READ_WRITE = "read-write"
    READ_ONLY = "read-only"
    MISSING = "missing"
    CLOSED = "closed"


class GitMode(Enum):
    """What a session has of the project's git: nothing to have, all of it to read, or a directory out of its reach."""

    NONE = "none"
    READ_ONLY = "read-only"
    OUT_OF_REACH = "out of reach"


@dataclass(frozen=True)
class SessionScope:
    """One session's view. `project` is its path in the container, which is the host's own.

    `project_level` is the project's path relative to its domain's workspace, and so to its domain's store.
    `missing` and `closed` name the stores (`core` or a domain) that have a placeholder, and why. Raises `UsageError`
    where the parts do not fit together.
    """

    domain: DomainName
    project: PurePosixPath
    project_level: str
    opt_in: DomainName | None
    missing: frozenset[str]
    closed: frozenset[str]
    domain_wide: bool
    git: GitMode

    def __post_init__(self) -> None:
        _check_project(self.project)
        _check_level(self.project_level)
        if self.opt_in == self.domain:
            raise UsageError(
                f"the session's own domain {quoted(self.domain)} cannot be its opt-in domain",
                "leave the option out, or name another domain",
            )
        if unknown := sorted(self.placeholders - set(self.stores)):
            raise UsageError(f"{quoted(unknown[0])} is not a store of this session", _HINT)
        if both := sorted(self.missing & self.closed):
            raise UsageError(f"{quoted(both[0])} cannot be missing and closed", _HINT)

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels relative to the domain's store, outermost first, the project last."""
        return tuple(accumulate(self.level_names, lambda outer, name: f"{outer}/{name}"))

    @property
    def level_names(self) -> tuple[str, ...]:
        """The names of the folders on the way to the project, without their outer ones, the project last."""
        return tuple(self.project_level.split("/"))

    @property
    def stores(self) -> tuple[str, ...]:
        """The names of the stores in this session: `core`, the domain, the opt-in domain if there is one."""
        return (CORE, self.domain) if self.opt_in is None else (CORE, self.domain, self.opt_in)

    @property
    def placeholders(self) -> frozenset[str]:
        """The stores in whose place the session has an empty folder that it can only read."""
        return self.missing | self.closed

    def access(self, store: str) -> Access:
        """Gives what the session may do with one of its stores."""
        if store in self.missing:
            return Access.MISSING
        if store in self.closed:
            return Access.CLOSED
        return Access.READ_ONLY if store == self.opt_in else Access.READ_WRITE

    def to_json(self) -> str:
        """Gives the scope as one line of ASCII JSON; `from_json` reads it back."""
        return json.dumps(
            {
                "domain": self.domain,
                "project": str(self.project),
                "project_level": self.project_level,
                "opt_in": self.opt_in,
                "missing": sorted(self.missing),
                "closed": sorted(self.closed),
                "domain_wide": self.domain_wide,
                "git": self.git.value,
            },
            separators=(",", ":"),
        )

    @classmethod
    def from_json(cls, text: str) -> "SessionScope":
        """Reads what `to_json` wrote. Raises `UsageError` for an unknown, missing, doubled or half-valid member."""
        members = _object(text)
        return cls(
            domain=parse_domain_name(_member(members, "domain", str)),
            project=PurePosixPath(_member(members, "project", str)),
            project_level=_member(members, "project_level", str),
            opt_in=None if members["opt_in"] is None else parse_domain_name(_member(members, "opt_in", str)),
            missing=_names(members, "missing"),
            closed=_names(members, "closed"),
            domain_wide=_member(members, "domain_wide", bool),
            git=_git_mode(_member(members, "git", str)),
        )


def store_path(store: str) -> PurePosixPath:
    """Gives the place of a store (`core` or a domain) in the container."""
    return BRAIN / store


_HINT = "the wrapper and the image may differ in version: run `pi-sandbox image build`"
_MEMBERS = frozenset({"domain", "project", "project_level", "opt_in", "missing", "closed", "domain_wide", "git"})


def _object(text: str) -> Mapping[str, object]:
    try:
        members = json.loads(text, object_pairs_hook=_without_doubles)
    except (ValueError, RecursionError) as error:
        raise UsageError("the session's scope is not readable JSON", _HINT) from error
    if not isinstance(members, dict) or set(members) != _MEMBERS:
        raise UsageError("the session's scope does not have exactly the members that it must have", _HINT)
    return members


def _without_doubles(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member is given twice")
    return members


def _member(members: Mapping[str, object], name: str, kind: type[T]) -> T:
    value = members[name]
    if not isinstance(value, kind):
        raise UsageError(f"{quoted(name)} in the session's scope has the wrong type", _HINT)
    return value


def _names(members: Mapping[str, object], name: str) -> frozenset[str]:
    values = _member(members, name, list)
    names = [value for value in values if isinstance(value, str)]
    if len(names) != len(values) or len(set(names)) != len(names):
        raise UsageError(f"{quoted(name)} in the session's scope must hold different names", _HINT)
    return frozenset(names)


def _git_mode(text: str) -> GitMode:
    try:
        return GitMode(text)
    except ValueError as error:
        raise UsageError(f"{quoted(text)} is not a git mode", _HINT) from error


def _check_project(project: PurePosixPath) -> None:
    if not project.is_absolute() or ".." in project.parts or "\0" in str(project):
        raise UsageError(f"{quoted(project)} is not an absolute path without `..`", _HINT)


def _check_level(level: str) -> None:
    for name in level.split("/"):
        if name in {"", ".", ".."} or "\0" in name:
            raise UsageError(f"{quoted(level)} is not the relative path of a level", _HINT)
        if is_git_name(name):
            raise UsageError(
                f"{quoted(level)} leads through a git directory", "start the session in the project that it belongs to"
            )

"""What a path inside `ws/` means: its domain, its project and the levels between them (design.md, "Words")."""

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from pi_sandbox.settings.domains import DomainName


class GitEntry(Enum):
    """What `<project>/.git` is. Nothing behind it is read here."""

    NONE = "none"
    FOLDER = "folder"
    FILE = "file"


@dataclass(frozen=True)
class Workspace:
    """One project and its place.

    `project` is the real path (links resolved, spelling as on disk). `levels` are the paths relative to the domain's
    workspace, outermost first, the project last: `("host", "host/group", "host/group/repo")`. They are at the same
    time the levels' paths relative to the domain store, and their scopes.
    """

    domain: DomainName
    project: Path
    levels: tuple[str, ...]
    git_entry: GitEntry

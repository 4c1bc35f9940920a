"""What the plan has to know of the disk, as values. `launch/look.py` looks; `mount_plan.py` decides."""

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from pi_sandbox.workspace.workspace import GitEntry


class StoreState(Enum):
    """Whether a store can be mounted, and if not, why (the value is what the warning says)."""

    PRESENT = "present"
    ABSENT = "does not exist"
    NO_FOLDER = "is not a folder"
    NO_REPOSITORY = "is not a git repository"


@dataclass(frozen=True)
class StoreLook:
    """One store on the disk. `path` has its links resolved.

    `hidden` are folders inside it, relative to it, that a session of this project must not see: the other levels.
    `inner_mounts` are places below it where another file system is mounted.
    """

    name: str
    path: Path
    state: StoreState
    git_entry: GitEntry
    hidden: tuple[str, ...]
    inner_mounts: tuple[Path, ...]


@dataclass(frozen=True)
class DiskLook:
    """Everything a plan depends on besides settings, workspace and engine, read once."""

    core: StoreLook
    domain: StoreLook
    opt_in: StoreLook | None
    agent_config: Path | None
    project_git_mounts: tuple[Path, ...]

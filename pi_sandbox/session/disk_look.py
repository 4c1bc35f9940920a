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
    CLOSED = "may not be read"


@dataclass(frozen=True)
class StoreLook:
    """One store on the disk. `path` has its links resolved.

    `hidden` are folders inside it, relative to it, that a session of this project must not see: the other levels.
    `inner_mounts` are places below it where another file system is mounted. `closed` are levels on the project's path
    that may not be read, so that it is not known what lies in them. `opening` opens a store that may not be read.
    """

    name: str
    path: Path
    state: StoreState
    git_entry: GitEntry
    hidden: tuple[str, ...]
    inner_mounts: tuple[Path, ...]
    closed: tuple[Path, ...] = ()
    opening: str = ""

    @property
    def remedy(self) -> str:
        """What to do about a store that is missing."""
        if self.state is StoreState.CLOSED:
            return self.opening
        anew = (
            f"pi-sandbox init makes a new one, and pi-sandbox memory-clone {self.name} fills it from its remote if it "
            "has one"
        )
        if self.state is StoreState.ABSENT:
            return anew
        return f"move it away; {anew}; then move the notes of the old one into it"


class PlaceKind(Enum):
    """What git would take for a repository (the value is what a message calls it)."""

    FOLDER = "a git folder"
    FILE = "a git file"
    LINK = "a link in place of a git folder"
    BARE = "a bare repository"
    LED_TO = "a folder that a repository leads git to"


@dataclass(frozen=True)
class GitPlace:
    """One of them. `identity` is that of the entry itself, `code` a digest over what in it makes git run programs."""

    path: Path
    kind: PlaceKind
    identity: str
    code: str


@dataclass(frozen=True)
class NamedFile:
    """A file or folder that the settings of the repository `by` name to git; `state` is a digest of its state."""

    path: Path
    by: Path
    state: str


@dataclass(frozen=True)
class Unseen:
    """Something that was not looked at, or not all of it. `reason` is what a sentence says of it after its path.

    `remedy` is the command that mends it, empty where there is none.
    """

    path: Path
    reason: str
    remedy: str = ""


@dataclass(frozen=True)
class GitLook:
    """The places below some folder, and what was not looked at."""

    places: tuple[GitPlace, ...]
    unseen: tuple[Unseen, ...]


@dataclass(frozen=True)
class NamedLook:
    """What the repositories below some folder name to git, and what was not looked at for it."""

    files: tuple[NamedFile, ...]
    unseen: tuple[Unseen, ...]


@dataclass(frozen=True)
class LinkedFiles:
    """Files of the project with names outside it too: some of them, their number, and whether all were looked at."""

    some: tuple[Path, ...]
    number: int
    is_whole: bool


NO_LINKED_FILES = LinkedFiles((), 0, True)


@dataclass(frozen=True)
class LoginLook:
    """The domain's login: why it is not used at all (else empty), and of which entries pi gets nothing."""

    path: Path
    refused: str
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class DiskLook:
    """Everything a plan depends on besides settings, workspace and engine, read once.

    `agent_config` is the folder with the owner's pi settings, `instructions` whether `AGENTS.md` is in it.
    `git` are the repositories in the project, its own included. `project_mounts` are places below the project where
    another file system is mounted. `closed` are folders of the project's own, itself or what pi keeps of it, that
    may not be read. `linked` are its files that have names outside it.
    """

    core: StoreLook
    domain: StoreLook
    opt_in: StoreLook | None
    agent_config: Path | None
    instructions: bool
    login: LoginLook
    git: GitLook
    project_mounts: tuple[Path, ...]
    closed: tuple[Path, ...] = ()
    linked: LinkedFiles = NO_LINKED_FILES

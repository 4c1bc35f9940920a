"""Which folders of the host a session sees, where, and whether it may write there.

Always:
- a session sees one project, core, that project's domain and at most one opt-in store, which it cannot write
  (sandbox.md, "Scope per session");
- the git directory of a store is never visible: whoever reads it reads every other level's memory out of the history,
  and whoever writes it runs programs on the owner's host;
- folders of other levels in the domain's store are hidden, unless the owner asked for the whole domain; the levels that
  hold hidden ones are mount points too, since a folder with masks in it can be renamed, into the next session's view,
  and a mount point cannot (rename(2), EBUSY);
- every repository inside the project, and not only the project's own, has its `.git` read-only, and so is a folder that
  is one without a `.git`, or that one leads git to;
- a missing store is an empty, read-only placeholder; nothing is created on the host, so every mask lies on something
  that is there;
- everything of pi that can carry code comes from the owner's `pi-config`, read-only; only the login, per domain, and,
  per project, the session history and the state of the memory persist. A journal of the memory holds what stood in the
  notes, so it is no more another project's business than they are.

Not handled here: what appears while a session runs. A level that is first made during a session is visible to it, and a
folder with a read-only `.git` somewhere below it can be renamed and made anew without one; launch/left_behind.py looks
for both at the end.
"""

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from pi_sandbox.errors import UsageError, quoted
from pi_sandbox.session.container_spec import Mount, MountKind
from pi_sandbox.session.disk_look import DiskLook, GitPlace, PlaceKind, StoreLook, StoreState
from pi_sandbox.session.project_key import project_key
from pi_sandbox.session.reach import is_below
from pi_sandbox.session.remedies import opening_alone, removal, removal_of_empty
from pi_sandbox.session.scope import GitMode, SessionScope, store_path
from pi_sandbox.settings.folders import Folders
from pi_sandbox.workspace.workspace import GitEntry, Workspace

AGENT_CONFIG = PurePosixPath("/run/pi-config")
MARKERS = PurePosixPath("/run/pi-marker")
"""This session's marker file; those of other sessions are not visible."""
LOGIN = PurePosixPath("/run/pi-login/auth.json")
AGENT_FOLDER = PurePosixPath("/home/pi/.pi/agent")
MEMORY_STATE = AGENT_FOLDER / "project-memory"

MOST_REPOSITORIES = 200
"""Repositories inside a project that are mounted read-only; each mount costs some milliseconds at the start."""

MOST_HIDDEN = 1_000
"""Folders of other levels that are hidden from one session; each mask is a mount too."""

_MOUNTABLE_BYTES = 3_000
"""A longer path is not mounted: in the engine's own folders it must stay within 4,095 bytes (limits.h, PATH_MAX)."""

WHOLE_FOLDERS = (PlaceKind.BARE, PlaceKind.LED_TO)
"""Places that may hold a project's own files beside git's: a session can write none of them."""

_NOTHING = Path("/dev/null")
"""Shown in place of a git *file*: the engine's own machine always has it, and it is empty."""

_RESERVED = tuple(
    PurePosixPath(place)
    for place in (
        "/brain",
        "/dev",
        "/etc",
        "/home/pi/.pi",
        "/opt/pi",
        "/opt/pi-sandbox",
        "/proc",
        "/run/pi-config",
        "/run/pi-identity",
        "/run/pi-login",
        "/run/pi-marker",
        "/run/pi-session",
        "/sys",
    )
)


def git_mode(workspace: Workspace) -> GitMode:
    """Gives what a session has of the project's git: a folder to read, a git file that leads out of reach, or none."""
    match workspace.git_entry:
        case GitEntry.NONE:
            return GitMode.NONE
        case GitEntry.FOLDER:
            return GitMode.READ_ONLY
        case GitEntry.FILE:
            return GitMode.OUT_OF_REACH


def plan_mounts(
    scope: SessionScope, workspace: Workspace, folders: Folders, look: DiskLook, session_id: str
) -> tuple[Mount, ...]:
    """Gives the mounts of one session, outer before inner.

    Raises `UsageError` where the project's own path would lie over a place that the container needs, and where another
    file system inside a read-only folder would stay writable (older engines do not pass read-only on to it), and where
    what lies in a store cannot be hidden.
    """
    _check_place(PurePosixPath(workspace.project))
    _refuse_closed(look.closed, "the session could not work in it")
    mounts = [
        *_project(workspace, look),
        *_store(look.core, scope, hidden=(), read_only=False),
        *_store(look.domain, scope, hidden=() if scope.domain_wide else look.domain.hidden, read_only=False),
    ]
    if look.opt_in is not None:
        mounts += _store(look.opt_in, scope, hidden=(), read_only=True)
    mounts += _agent(scope, folders, look)
    mounts.append(marker_mount(folders, session_id))
    return _outer_first(mounts)


def marker_mount(folders: Folders, session_id: str) -> Mount:
    """Gives the mount of the one marker that belongs to this container."""
    return _bind(MARKERS, folders.markers / session_id, True, "proves that the engine sees this machine's files")


def probe_targets(folders: Folders, stores: Sequence[StoreLook], session_id: str) -> tuple[Mount, ...]:
    """Gives the mounts of a container that only looks: every store that is there, and the marker."""
    present = [store for store in stores if store.state is StoreState.PRESENT]
    return (
        *(_bind(store_path(store.name), store.path, False, f"the memory of {store.name}") for store in present),
        *(_hidden_git(store, store_path(store.name)) for store in present),
        marker_mount(folders, session_id),
    )


def _check_place(project: PurePosixPath) -> None:
    for place in _RESERVED:
        if project.is_relative_to(place) or place.is_relative_to(project):
            raise UsageError(
                f"the project {quoted(project)} would lie over {place}, which the container needs for itself",
                "move the workspace to another place, or set PI_SANDBOX_HOME to one",
            )


def _project(workspace: Workspace, look: DiskLook) -> list[Mount]:
    mounts = [_bind(PurePosixPath(workspace.project), workspace.project, False, "the project")]
    own = workspace.project / ".git"
    purposes = {} if workspace.git_entry is GitEntry.NONE else {own: "the project's git, to read"}
    for repository in read_only_places(workspace.project, look):
        purposes.setdefault(repository.path, "the git of a repository inside the project, to read")
    for place, purpose in purposes.items():
        refuse_inner_mounts(place, tuple(point for point in look.project_mounts if point.is_relative_to(place)))
        mounts.append(_bind(PurePosixPath(place), place, True, purpose))
    return mounts


def read_only_places(project: Path, look: DiskLook) -> tuple[GitPlace, ...]:
    """Gives the outermost of those that can be mounted, the nearest up to a bound.

    A link cannot, nor a name that the engine's API cannot carry, the project itself, or a whole folder that holds
    another file system; with a `.git` that does, the plan is refused.
    """
    chosen: dict[Path, GitPlace] = {}
    for place in sorted(look.git.places, key=lambda place: len(place.path.parts)):
        if (
            len(chosen) < MOST_REPOSITORIES
            and _may_be_mounted(place, project, look)
            and not is_below(place.path, chosen)
        ):
            chosen[place.path] = place
    return tuple(chosen.values())


def _may_be_mounted(place: GitPlace, project: Path, look: DiskLook) -> bool:
    if place.kind in WHOLE_FOLDERS:
        holds_another = any(point.is_relative_to(place.path) for point in look.project_mounts)
        return place.path != project and not holds_another and is_mountable(place.path)
    return place.kind is not PlaceKind.LINK and is_mountable(place.path)


def is_mountable(path: Path | PurePosixPath) -> bool:
    """Whether the engine can take the path: its API is JSON, and so UTF-8, and the system bounds the length."""
    text = str(path)
    return len(os.fsencode(text)) <= _MOUNTABLE_BYTES and not any("\udc80" <= each <= "\udcff" for each in text)


def _store(store: StoreLook, scope: SessionScope, *, hidden: tuple[str, ...], read_only: bool) -> list[Mount]:
    target = store_path(store.name)
    if store.state is not StoreState.PRESENT:
        return [_mask(target, f"placeholder: the store {store.name} {store.state.value}")]
    if not scope.domain_wide:
        _refuse_closed(store.closed, "what lies in it cannot be hidden from the session")
    _refuse_unmountable(store, hidden)
    if read_only:
        refuse_inner_mounts(store.path, store.inner_mounts)
    purpose = f"the memory of {store.name}" + (", for this run" if store.name == scope.opt_in else "")
    return [
        _bind(target, store.path, read_only, purpose),
        _hidden_git(store, target),
        *(
            _bind(target / level, store.path / level, read_only, "a level, held in its place")
            for level in _holders(hidden)
        ),
        *(_mask(target / folder, "another level, hidden") for folder in hidden),
    ]


def _refuse_closed(folders: Sequence[Path], why: str) -> None:
    for folder in folders:
        raise UsageError(f"{quoted(folder)} may not be read, so {why}", f"open it: {opening_alone(folder)}")


def _refuse_unmountable(store: StoreLook, hidden: tuple[str, ...]) -> None:
    for folder in hidden:
        place = store.path / folder
        if not is_mountable(place):
            raise UsageError(
                f"{quoted(place)} has a name that is no UTF-8 or too long, so it cannot be hidden from the session",
                f"rename it, or look at it and remove it: {removal(place)}",
            )
    if len(hidden) > MOST_HIDDEN:
        crowded = Counter(str(PurePosixPath(folder).parent) for folder in hidden).most_common(1)[0][0]
        place = store.path / crowded
        raise UsageError(
            f"{quoted(place)} holds more folders than can be hidden from a session (at most {MOST_HIDDEN})",
            f"remove those that are no memory; the empty ones: {removal_of_empty(place)}",
        )


def _holders(hidden: tuple[str, ...]) -> tuple[str, ...]:
    """Gives the levels that hold hidden ones, relative to the store."""
    parents = {str(parent) for folder in hidden for parent in PurePosixPath(folder).parents}
    return tuple(sorted(parents - {"."}))


def _hidden_git(store: StoreLook, target: PurePosixPath) -> Mount:
    if store.git_entry is GitEntry.FILE:
        return _bind(target / ".git", _NOTHING, True, "the store's git, hidden")
    return _mask(target / ".git", "the store's git, hidden")


def _agent(scope: SessionScope, folders: Folders, look: DiskLook) -> list[Mount]:
    key = project_key(scope.project_level)
    mounts = [
        _bind(LOGIN, folders.login(scope.domain), False, "pi's login, per domain; pi gets a checked copy"),
        _bind(
            AGENT_FOLDER / "sessions", folders.history(scope.domain, key), False, "pi's session history, per project"
        ),
        _memory_state(folders, scope, read_only=False),
    ]
    if look.agent_config is not None:
        mounts.append(_agent_config(look.agent_config))
    return mounts


def project_memory_mounts(
    scope: SessionScope,
    folders: Folders,
    store: StoreLook,
    agent_config: Path | None,
    session_id: str,
    *,
    has_state: bool,
    writes: bool,
) -> tuple[Mount, ...]:
    """Gives the mounts of a container that looks into one project's memory: a session's, without all that is not that.

    Raises `UsageError` where what lies in the store cannot be hidden, or would stay writable.
    """
    mounts = _store(store, scope, hidden=store.hidden, read_only=not writes)
    if has_state:
        mounts.append(_memory_state(folders, scope, read_only=not writes))
    if agent_config is not None:
        mounts.append(_agent_config(agent_config))
    mounts.append(marker_mount(folders, session_id))
    return _outer_first(mounts)


def _memory_state(folders: Folders, scope: SessionScope, *, read_only: bool) -> Mount:
    """Gives the mount of the state of one project's memory: one folder for all sessions of the project."""
    source = folders.memory_state(scope.domain, project_key(scope.project_level))
    return _bind(MEMORY_STATE, source, read_only, "locks and journal of the project's memory")


def _agent_config(folder: Path) -> Mount:
    return _bind(AGENT_CONFIG, folder, True, "the owner's settings of pi, copied at the start")


def _outer_first(mounts: Sequence[Mount]) -> tuple[Mount, ...]:
    return tuple(sorted(mounts, key=lambda mount: (len(mount.target.parts), str(mount.target))))


def refuse_inner_mounts(folder: Path, inner: tuple[Path, ...]) -> None:
    """Raises `UsageError` where another file system lies inside a folder that the container gets read-only."""
    if inner:
        raise UsageError(
            f"another file system is mounted at {quoted(inner[0])}, inside {quoted(folder)}, which the container gets "
            "read-only; it would stay writable",
            "unmount it, or move it out of that folder",
        )


def _bind(target: PurePosixPath, source: Path, read_only: bool, purpose: str) -> Mount:
    return Mount(target, MountKind.BIND, source, read_only, purpose)


def _mask(target: PurePosixPath, purpose: str) -> Mount:
    return Mount(target, MountKind.MASK, None, True, purpose)

"""Which folders of the host a session sees, where, and whether it may write there.

Always:
- a session sees one project, core, that project's domain and at most one opt-in store, which it cannot write
  (sandbox.md, "Scope per session");
- the git directory of a store is never visible: whoever reads it reads every other level's memory out of the history,
  and whoever writes it runs programs on the owner's host;
- folders of other levels in the domain's store are hidden, unless the owner asked for the whole domain; the levels that
  hold hidden ones are mount points too, since a folder with masks in it can be renamed, into the next session's view,
  and a mount point cannot (rename(2), EBUSY);
- a missing store is an empty, read-only placeholder; nothing is created on the host, so every mask lies on something
  that is there;
- everything of pi that can carry code comes from the owner's `pi-config`, read-only; only the login, per domain, and
  the session history, per project, persist.

Not handled here: what appears in a store while the session runs. A level that is first made during a session is
visible to it.
"""

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from pi_sandbox.errors import UsageError, quoted
from pi_sandbox.session.container_spec import Mount, MountKind
from pi_sandbox.session.disk_look import DiskLook, StoreLook, StoreState
from pi_sandbox.session.history_key import history_key
from pi_sandbox.session.scope import GitMode, SessionScope, store_path
from pi_sandbox.settings.folders import Folders
from pi_sandbox.workspace.workspace import GitEntry, Workspace

AGENT_CONFIG = PurePosixPath("/run/pi-config")
MARKERS = PurePosixPath("/run/pi-marker")
"""This session's marker file; those of other sessions are not visible."""
AGENT_FOLDER = PurePosixPath("/home/pi/.pi/agent")

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
    file system inside a read-only folder would stay writable (older engines do not pass read-only on to it).
    """
    _check_place(PurePosixPath(workspace.project))
    mounts = [
        *_project(workspace, look),
        *_store(look.core, scope, hidden=()),
        *_store(look.domain, scope, hidden=() if scope.domain_wide else look.domain.hidden),
    ]
    if look.opt_in is not None:
        mounts += _opt_in_store(look.opt_in, scope)
    mounts += _agent(scope, folders, look)
    mounts.append(marker_mount(folders, session_id))
    return tuple(sorted(mounts, key=lambda mount: (len(mount.target.parts), str(mount.target))))


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
    git = workspace.project / ".git"
    if workspace.git_entry is not GitEntry.NONE:
        refuse_inner_mounts(git, look.project_git_mounts)
        mounts.append(_bind(PurePosixPath(git), git, True, "the project's git, to read"))
    return mounts


def _store(store: StoreLook, scope: SessionScope, *, hidden: tuple[str, ...]) -> list[Mount]:
    target = store_path(store.name)
    if store.state is not StoreState.PRESENT:
        return [_mask(target, f"placeholder: the store {store.name} {store.state.value}")]
    read_only = store.name == scope.opt_in
    purpose = f"the memory of {store.name}" + (", for this run" if read_only else "")
    return [
        _bind(target, store.path, read_only, purpose),
        _hidden_git(store, target),
        *(
            _bind(target / level, store.path / level, read_only, "a level, held in its place")
            for level in _holders(hidden)
        ),
        *(_mask(target / folder, "another level, hidden") for folder in hidden),
    ]


def _holders(hidden: tuple[str, ...]) -> tuple[str, ...]:
    """Gives the levels that hold hidden ones, relative to the store."""
    parents = {str(parent) for folder in hidden for parent in PurePosixPath(folder).parents}
    return tuple(sorted(parents - {"."}))


def _opt_in_store(store: StoreLook, scope: SessionScope) -> list[Mount]:
    if store.state is StoreState.PRESENT:
        refuse_inner_mounts(store.path, store.inner_mounts)
    return _store(store, scope, hidden=())


def _hidden_git(store: StoreLook, target: PurePosixPath) -> Mount:
    if store.git_entry is GitEntry.FILE:
        return _bind(target / ".git", _NOTHING, True, "the store's git, hidden")
    return _mask(target / ".git", "the store's git, hidden")


def _agent(scope: SessionScope, folders: Folders, look: DiskLook) -> list[Mount]:
    history = folders.history(scope.domain, history_key(scope.project_level))
    mounts = [
        _bind(AGENT_FOLDER / "auth.json", folders.login(scope.domain), False, "pi's login, per domain"),
        _bind(AGENT_FOLDER / "sessions", history, False, "pi's session history, per project"),
    ]
    if look.agent_config is not None:
        mounts.append(_bind(AGENT_CONFIG, look.agent_config, True, "the owner's settings of pi, copied at the start"))
    return mounts


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

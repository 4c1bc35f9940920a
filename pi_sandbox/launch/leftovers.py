"""Finds what earlier sessions of this home left at the engine, ends what nobody watches any more, and says so."""

from collections.abc import Callable
from dataclasses import dataclass

from pi_sandbox.containers.engine import ContainerSummary, Engine
from pi_sandbox.launch.markers import remove_lost_markers
from pi_sandbox.session.ownership import OwnerLook, Verdict, judge, parse_owner
from pi_sandbox.session.plan import HOME_LABEL, OWNER_LABEL, PROJECT_LABEL, SESSION_LABEL
from pi_sandbox.settings.folders import Folders
from pi_sandbox.system.process_identity import boot_identity, pid_namespace, process_start

STOP_SECONDS = 10
"""How long a container that nobody watches has to end; it was told to save its memory when its wrapper went."""


@dataclass(frozen=True)
class Session:
    """One container of this home and what its owner label says about it."""

    container: ContainerSummary
    session_id: str
    project: str
    verdict: Verdict


def sessions_of(engine: Engine, folders: Folders) -> tuple[Session, ...]:
    """Gives every container of this home that the engine has, live or not."""
    return tuple(_session(container) for container in engine.ours({HOME_LABEL: str(folders.home)}))


def end_leftovers(engine: Engine, folders: Folders, say: Callable[[str], None]) -> tuple[Session, ...]:
    """Stops and removes the containers whose wrapper is gone, names each, and gives the live ones."""
    sessions = sessions_of(engine, folders)
    for session in sessions:
        if session.verdict is Verdict.LEFT_OVER:
            say(f"ending the session {session.session_id} of {session.project}: its wrapper is gone{_unseen(session)}")
            engine.stop(session.container.container_id, seconds=STOP_SECONDS)
            engine.remove(session.container.container_id)
    remove_lost_markers(folders)
    return tuple(session for session in sessions if session.verdict is not Verdict.LEFT_OVER)


def _unseen(session: Session) -> str:
    """Nobody compared what such a session left with what was there before it (session/left_behind.py)."""
    if not session.project.startswith("/"):
        return ""
    return "; look for new .git entries in that project before you use git there"


def _session(container: ContainerSummary) -> Session:
    owner = parse_owner(container.labels.get(OWNER_LABEL, ""))
    look = OwnerLook(boot_identity(), pid_namespace(), None if owner is None else process_start(owner.pid))
    return Session(
        container,
        container.labels.get(SESSION_LABEL, container.name),
        container.labels.get(PROJECT_LABEL, "an unknown project"),
        judge(owner, look),
    )

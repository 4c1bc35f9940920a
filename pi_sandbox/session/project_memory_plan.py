"""The plan of a container that looks into the memory that pi keeps of one project: `pi-sandbox memory`.

Always:
- of the domain's store it sees what a session of the project sees: no git, and no other level;
- memory, journal and the owner's configuration lie where they lie in a session, so that the ids are the same;
- only taking a change back may write, and nothing has a network, a credential, the project or anything of pi's.
"""

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from pi_sandbox.session.container_spec import ContainerSpec, StandingPart
from pi_sandbox.session.disk_look import StoreLook
from pi_sandbox.session.memory_place import memory_variables
from pi_sandbox.session.mount_plan import git_mode, project_memory_mounts
from pi_sandbox.session.plan import EngineView, HostFacts, standing_at
from pi_sandbox.session.scope import SessionScope
from pi_sandbox.session.store_plan import ENTRY, command_environment, command_labels
from pi_sandbox.settings.folders import Folders
from pi_sandbox.settings.settings import Settings
from pi_sandbox.workspace.workspace import Workspace

COMMAND = "project-memory"
"""What the entry of the container is told to run: the memory engine, with the arguments that follow."""


@dataclass(frozen=True)
class MemoryRequest:
    """One of the engine's commands for people, with its options and arguments."""

    command: Literal["log", "undo", "show", "search"]
    options: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()

    @property
    def writes(self) -> bool:
        return self.command == "undo"

    @property
    def words(self) -> tuple[str, ...]:
        """The engine's command line; what a person looks for may begin with a hyphen."""
        return (self.command, *self.options, "--", *self.arguments)


@dataclass(frozen=True)
class MemoryLook:
    """What there is on the disk: the domain's store, the owner's settings of pi, and the state of the memory."""

    store: StoreLook
    agent_config: Path | None
    has_state: bool


def plan_project_memory(
    request: MemoryRequest,
    workspace: Workspace,
    settings: Settings,
    look: MemoryLook,
    standing: StandingPart,
    host: HostFacts,
    engine: EngineView,
    session_id: str,
    *,
    tty: bool,
) -> ContainerSpec:
    """Gives the plan; raises `UsageError` where what lies in the store cannot be hidden."""
    scope = SessionScope(
        domain=workspace.domain,
        project=PurePosixPath(workspace.project),
        project_level=workspace.levels[-1],
        opt_in=None,
        missing=frozenset(),
        closed=frozenset(),
        domain_wide=False,
        git=git_mode(workspace),
    )
    return ContainerSpec(
        name=f"pi-sandbox-{session_id}",
        image=engine.image,
        command=(*ENTRY, COMMAND, *request.words),
        user="0:0" if engine.rootless else f"{host.uid}:{host.gid}",
        working_dir=PurePosixPath("/home/pi"),
        environment=(*command_environment(host), *memory_variables(scope).items()),
        labels=command_labels(
            f"memory {request.command}",
            workspace.domain if request.writes else None,
            settings,
            host,
            session_id,
        ),
        mounts=project_memory_mounts(
            scope,
            Folders(settings.home),
            look.store,
            look.agent_config,
            session_id,
            has_state=look.has_state,
            writes=request.writes,
        ),
        tty=tty,
        runtime=settings.runtime,
        standing=standing_at(engine, standing),
    )

"""The plan of one session: from settings, workspace, a look at the disk and the engine's facts to one frozen value.

- it is complete: whatever the container is started with stands in it, except values that must never be written down
  (provider keys, proxy settings with a password, the CA bundle), of which it holds the names;
- nothing that lies in a project can change it.
"""

import json
from dataclasses import asdict, dataclass, replace
from pathlib import PurePosixPath

from pi_sandbox import __version__
from pi_sandbox.session.container_spec import ContainerSpec, Mount, StandingPart
from pi_sandbox.session.disk_look import DiskLook, StoreState
from pi_sandbox.session.mount_plan import git_mode, plan_mounts
from pi_sandbox.session.plan_warnings import plan_warnings
from pi_sandbox.session.scope import SessionScope
from pi_sandbox.settings.domains import DomainName
from pi_sandbox.settings.folders import Folders
from pi_sandbox.settings.settings import Settings
from pi_sandbox.workspace.workspace import Workspace

ENTRY = ("/opt/pi-sandbox/venv/bin/python", "-I", "-m", "pi_sandbox.inside.session")
BRIDGE = ("/opt/pi-sandbox/venv/bin/python", "-I", "-S", "/opt/pi-sandbox/lib/pi_sandbox/inside/control_bridge.py")

LABEL_PREFIX = "dev.pi-sandbox."
DOMAIN_LABEL = LABEL_PREFIX + "domain"
HOME_LABEL = LABEL_PREFIX + "home"
OWNER_LABEL = LABEL_PREFIX + "owner"
PROJECT_LABEL = LABEL_PREFIX + "project"
SESSION_LABEL = LABEL_PREFIX + "session"
VERSION_LABEL = LABEL_PREFIX + "version"


@dataclass(frozen=True)
class Owner:
    """The wrapper's process, so that a later one can tell whether it still lives. `start` is in the system's own ticks.

    A pid means something only within one boot and one PID namespace (pid_namespaces(7)).
    """

    pid: int
    start: str
    boot: str
    namespace: str

    def to_label(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))


@dataclass(frozen=True)
class HostFacts:
    """What the plan takes from the machine of the user: ids, terminal type, time zone, and the owner process."""

    uid: int
    gid: int
    term: str | None
    colour: str | None
    time_zone: str | None
    owner: Owner


@dataclass(frozen=True)
class EngineView:
    """What the plan takes from the engine: the image's id, whether it is rootless, whether it can filter system calls,
    and its number of processors.
    """

    image: str
    rootless: bool
    seccomp: bool
    cpus: int | None


@dataclass(frozen=True)
class Agent:
    """Start pi with these arguments."""

    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Shell:
    """Start this command in place of pi; an empty one means an interactive shell."""

    command: tuple[str, ...]


@dataclass(frozen=True)
class SessionRequest:
    """What the user asked for on the command line."""

    program: Agent | Shell
    opt_in: DomainName | None
    domain_wide: bool
    tty: bool


@dataclass(frozen=True)
class SessionPlan:
    """The whole session. `channel_names` are the variables that go in over the control channel, by name."""

    workspace: Workspace
    scope: SessionScope
    container: ContainerSpec
    channel_names: tuple[str, ...]
    warnings: tuple[str, ...]


def plan_session(
    request: SessionRequest,
    workspace: Workspace,
    settings: Settings,
    look: DiskLook,
    standing: StandingPart,
    host: HostFacts,
    engine: EngineView,
    session_id: str,
) -> SessionPlan:
    """Gives the plan of one session; raises `UsageError` where the project cannot be mounted safely."""
    folders = Folders(settings.home)
    scope = session_scope(request, workspace, look)
    container = ContainerSpec(
        name=f"pi-sandbox-{session_id}",
        image=engine.image,
        command=(*ENTRY, *_program(request.program)),
        user="0:0" if engine.rootless else f"{host.uid}:{host.gid}",
        working_dir=PurePosixPath(workspace.project),
        environment=_environment(scope, host),
        labels=_labels(workspace, settings, host, session_id),
        mounts=plan_mounts(scope, workspace, folders, look, session_id),
        tty=request.tty,
        runtime=settings.runtime,
        standing=standing_at(engine, standing),
    )
    warnings = plan_warnings(scope, look, standing.cpus, container.standing.cpus)
    return SessionPlan(workspace, scope, container, channel_names(settings), warnings)


def standing_at(engine: EngineView, standing: StandingPart) -> StandingPart:
    """Gives the standing half as this engine can take it: no more processors than it has, where it says how many, and
    no filter of system calls where it has none.
    """
    cpus = min(standing.cpus, float(engine.cpus)) if engine.cpus else standing.cpus
    return replace(standing, cpus=cpus, seccomp=standing.seccomp if engine.seccomp else None)


def plan_probe(
    mounts: tuple[Mount, ...],
    settings: Settings,
    standing: StandingPart,
    host: HostFacts,
    engine: EngineView,
    session_id: str,
) -> ContainerSpec:
    """Gives a container that runs nothing but the entry's first half: it says what it sees (`pi-sandbox doctor`)."""
    return ContainerSpec(
        name=f"pi-sandbox-{session_id}",
        image=engine.image,
        command=(*ENTRY, "shell", "true"),
        user="0:0" if engine.rootless else f"{host.uid}:{host.gid}",
        working_dir=PurePosixPath("/home/pi"),
        environment=(("HOME", "/home/pi"), ("LANG", "C.UTF-8")),
        labels=(
            (SESSION_LABEL, session_id),
            (PROJECT_LABEL, "pi-sandbox doctor"),
            (HOME_LABEL, str(settings.home)),
            (VERSION_LABEL, __version__),
            (OWNER_LABEL, host.owner.to_label()),
        ),
        mounts=mounts,
        tty=False,
        runtime=settings.runtime,
        standing=standing_at(engine, standing),
    )


def session_scope(request: SessionRequest, workspace: Workspace, look: DiskLook) -> SessionScope:
    """Gives what the session may see of the memory."""
    stores = [store for store in (look.core, look.domain, look.opt_in) if store is not None]
    return SessionScope(
        domain=workspace.domain,
        project=PurePosixPath(workspace.project),
        project_level=workspace.levels[-1],
        opt_in=request.opt_in,
        missing=frozenset(store.name for store in stores if store.state not in (StoreState.PRESENT, StoreState.CLOSED)),
        closed=frozenset(store.name for store in stores if store.state is StoreState.CLOSED),
        domain_wide=request.domain_wide,
        git=git_mode(workspace),
    )


def channel_names(settings: Settings) -> tuple[str, ...]:
    """Gives the names of the variables that the session gets over the control channel, never by its configuration."""
    return (*settings.pass_secrets, *settings.proxies.variables())


def _program(program: Agent | Shell) -> tuple[str, ...]:
    match program:
        case Agent(arguments):
            return ("agent", *arguments)
        case Shell(command):
            return ("shell", *command)


def _environment(scope: SessionScope, host: HostFacts) -> tuple[tuple[str, str], ...]:
    fixed = (
        ("HOME", "/home/pi"),
        ("LANG", "C.UTF-8"),
        ("PI_OFFLINE", "1"),
        ("PI_SKIP_VERSION_CHECK", "1"),
        ("PI_TELEMETRY", "0"),
        ("PI_SANDBOX_SCOPE", scope.to_json()),
    )
    chosen = (("TERM", host.term), ("COLORTERM", host.colour), ("TZ", host.time_zone))
    return (*fixed, *((name, value) for name, value in chosen if value is not None))


def _labels(workspace: Workspace, settings: Settings, host: HostFacts, session_id: str) -> tuple[tuple[str, str], ...]:
    return (
        (SESSION_LABEL, session_id),
        (PROJECT_LABEL, str(workspace.project)),
        (DOMAIN_LABEL, workspace.domain),
        (HOME_LABEL, str(settings.home)),
        (VERSION_LABEL, __version__),
        (OWNER_LABEL, host.owner.to_label()),
    )

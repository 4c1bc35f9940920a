"""Ready-made parts of a plan for tests, each complete, so that a test names only what it is about."""

from pathlib import Path

from pi_sandbox.session.container_spec import SeccompProfile, StandingPart, Ulimit
from pi_sandbox.session.disk_look import DiskLook, GitLook, GitPlace, LoginLook, PlaceKind, StoreLook, StoreState
from pi_sandbox.session.plan import Agent, EngineView, HostFacts, Owner, SessionRequest
from pi_sandbox.settings.domains import DomainName
from pi_sandbox.settings.load import load_settings
from pi_sandbox.settings.settings import Settings
from pi_sandbox.workspace.workspace import GitEntry, Workspace

HOME = Path("/home/ada/pi")
PRIVATE = DomainName("private")
WORK = DomainName("work")
PROJECT = HOME / "ws/private/git.example.org/group/repo"


def settings(**environ: str) -> Settings:
    return load_settings(environ, Path("/home/ada"), lambda path: None)


def workspace(git_entry: GitEntry = GitEntry.FOLDER, project: Path = PROJECT) -> Workspace:
    levels = ("git.example.org", "git.example.org/group", "git.example.org/group/repo")
    return Workspace(PRIVATE, project, levels, git_entry)


def store(
    name: str,
    state: StoreState = StoreState.PRESENT,
    git_entry: GitEntry = GitEntry.FOLDER,
    hidden: tuple[str, ...] = (),
    inner_mounts: tuple[Path, ...] = (),
) -> StoreLook:
    return StoreLook(name, HOME / f"brain/pi-memory-{name}", state, git_entry, hidden, inner_mounts)


def look(
    core: StoreLook | None = None,
    domain: StoreLook | None = None,
    opt_in: StoreLook | None = None,
    agent_config: Path | None = HOME / "pi-config/agent",
    instructions: bool = True,
    login: LoginLook | None = None,
    git: GitLook | None = None,
    project_mounts: tuple[Path, ...] = (),
) -> DiskLook:
    return DiskLook(
        core or store("core"),
        domain or store("private"),
        opt_in,
        agent_config,
        instructions,
        login or LoginLook(HOME / "state/private/auth.json", "", ()),
        git or GitLook((), ()),
        project_mounts,
    )


def git_place(path: str, kind: PlaceKind = PlaceKind.FOLDER, identity: str = "1:1", code: str = "") -> GitPlace:
    return GitPlace(PROJECT / path, kind, identity, code)


def request(opt_in: DomainName | None = None, *, domain_wide: bool = False, tty: bool = True) -> SessionRequest:
    return SessionRequest(Agent(("--version",)), opt_in, domain_wide, tty)


def host() -> HostFacts:
    return HostFacts(1000, 1000, "xterm-256color", "truecolor", "Europe/Berlin", Owner(42, "77", "boot", "pid:[1]"))


def engine(*, rootless: bool = False, seccomp: bool = True, cpus: int | None = 8) -> EngineView:
    return EngineView("sha256:abc", rootless, seccomp, cpus)


def standing() -> StandingPart:
    return StandingPart(
        init=True,
        read_only_root=True,
        drop_capabilities=("ALL",),
        security_options=("no-new-privileges:true",),
        seccomp=SeccompProfile(Path("/opt/pi-sandbox/compose/seccomp.json"), "{}"),
        network="pi-sandbox",
        memory_bytes=4 * 1024**3,
        cpus=2.0,
        processes=1024,
        shared_memory_bytes=64 * 1024**2,
        ulimits=(Ulimit("core", 0, 0),),
        tmpfs=(),
        log_driver="none",
        stop_seconds=75,
        hostname="pi-sandbox",
    )

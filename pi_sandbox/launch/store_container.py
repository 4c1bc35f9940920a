"""What the commands on memory have in common: home → engine → image → stores → one container."""

import os
import secrets
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pi_sandbox.containers.compose_files import load_standing_part
from pi_sandbox.containers.docker_engine import DockerEngine, connect
from pi_sandbox.containers.engine import TerminalSize
from pi_sandbox.containers.image_inputs import Target
from pi_sandbox.containers.terminal import Terminal
from pi_sandbox.errors import PiSandboxError, quoted
from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.git_access.runner import make_repository
from pi_sandbox.launch.attached_session import SessionEnd, run_attached
from pi_sandbox.launch.engine_view import view_of
from pi_sandbox.launch.home import make_home
from pi_sandbox.launch.home_plan import store_command_pieces
from pi_sandbox.launch.host_facts import host_facts
from pi_sandbox.launch.images import usable_image
from pi_sandbox.launch.leftovers import Session, end_leftovers
from pi_sandbox.launch.look import look_at_store
from pi_sandbox.launch.markers import marker_for
from pi_sandbox.launch.reports import Reports
from pi_sandbox.session.container_spec import ContainerSpec
from pi_sandbox.session.control_messages import LIMITS, Start
from pi_sandbox.session.disk_look import StoreLook, StoreState
from pi_sandbox.session.store_plan import SYNC, StoreRequest, plan_stores
from pi_sandbox.settings.domains import CORE
from pi_sandbox.settings.folders import Folders
from pi_sandbox.settings.settings import Settings
from pi_sandbox.system.signals import Signals

MakeStart = Callable[[TerminalSize | None], Start]

ID_BYTES = 6
_KILLED = 128 + signal.SIGKILL


class NoHomeError(PiSandboxError):
    """There is no home, and so no store."""

    exit_code = ExitCode.STORE_FAILED


@dataclass(frozen=True)
class Ground:
    """What a command on stores stands on. `live` are the containers of this home that are running."""

    settings: Settings
    folders: Folders
    engine: DockerEngine
    image: str
    live: tuple[Session, ...]


def prepare_ground(
    settings: Settings, environ: Mapping[str, str], reports: Reports, *, image: Target = "sync"
) -> Ground:
    """Finds the engine and the image, and makes what is missing of our own folders in the home.

    Raises `NoHomeError`, `EngineError`, `ImageError` or `FilesError`.
    """
    folders = Folders(settings.home)
    if not folders.home.is_dir():
        raise NoHomeError(f"there is no home {quoted(folders.home)}, and so no store", "pi-sandbox init")
    engine = connect(environ)
    live = end_leftovers(engine, folders, reports.warn)
    found = usable_image(engine, image, settings, reports.note, reports.build)
    make_home(folders.home, store_command_pieces(), make_repository)
    return Ground(settings, folders, engine, found, live)


def look_at_stores(folders: Folders, names: Iterable[str], warn: Callable[[str], None]) -> tuple[StoreLook, ...]:
    """Gives what there is of each store, after a warning for one that is missing."""
    stores = tuple(look_at_store(folders, name) for name in names)
    for store in stores:
        if store.state is not StoreState.PRESENT:
            warn(f"{store.path} {store.state.value}: the store {store.name} is missing; {store.remedy}")
    return stores


def shown_places(names: Iterable[str], folders: Folders) -> Mapping[str, str]:
    """Gives the variables by which messages inside name the folders of the stores: by their places here."""
    return {f"{store_prefix(name)}_FOLDER": str(folders.store(name)) for name in names}


def store_prefix(store: str) -> str:
    """Gives what the names of a store's variables begin with in the container (sandbox.md, "Credentials")."""
    return "BRAIN_CORE" if store == CORE else "BRAIN_DOMAIN"


def run_on_stores(
    ground: Ground,
    request: StoreRequest,
    stores: Sequence[StoreLook],
    terminal: Terminal,
    reports: Reports,
    make_start: MakeStart,
) -> int:
    """Runs the container and gives the exit code of that; raises what `plan_stores` and `run_attached` raise."""
    session_id = secrets.token_hex(ID_BYTES)
    container = plan_stores(
        request,
        stores,
        ground.settings,
        load_standing_part(request.service, ground.settings.limits),
        host_facts(os.environ),
        view_of(ground.engine.facts(), ground.image),
        session_id,
        tty=terminal.is_interactive,
    )
    return run_on_ground(ground, container, session_id, request.command, terminal, reports, make_start)


def run_on_ground(
    ground: Ground,
    container: ContainerSpec,
    session_id: str,
    command: str,
    terminal: Terminal,
    reports: Reports,
    make_start: MakeStart,
) -> int:
    """Runs the container of a command and gives its exit code; raises what `run_attached` raises."""
    with Signals() as signals, marker_for(ground.folders, session_id) as marker:
        end = run_attached(ground.engine, container, terminal, signals, marker, make_start, reports.warn)
        end = end_for_owner(command, end)
        for note in end.notes:
            reports.warn(note)
    return end.code


def end_for_owner(command: str, end: SessionEnd) -> SessionEnd:
    """Gives the end as the owner reads it: one by force (signal(7), SIGKILL) is a failure of the stores, with a
    sentence that says what may be left of it."""
    if end.code != _KILLED:
        return end
    others = tuple(note for note in end.notes if note != LIMITS["memory"])
    cause = "at its memory limit" if len(others) < len(end.notes) else "by force, and by nobody here"
    rest = (
        "; a push may have arrived: see pi-sandbox memory-status, then sync again"
        if command == SYNC
        else "; what it printed is not the whole report"
    )
    return SessionEnd(ExitCode.STORE_FAILED, (f"{command} was ended {cause}{rest}", *others))

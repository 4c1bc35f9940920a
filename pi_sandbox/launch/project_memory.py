"""The workflow of `memory log`, `undo`, `show` and `search`: one project's memory, in a container without a network."""

import secrets
from collections.abc import Mapping

from pi_sandbox.containers.compose_files import load_standing_part
from pi_sandbox.containers.engine import TerminalSize
from pi_sandbox.containers.terminal import Terminal
from pi_sandbox.errors import PiSandboxError, quoted
from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.launch.engine_view import view_of
from pi_sandbox.launch.host_facts import host_facts
from pi_sandbox.launch.look import look_at_levels
from pi_sandbox.launch.reports import Reports
from pi_sandbox.launch.store_container import ID_BYTES, prepare_ground, run_on_ground
from pi_sandbox.session.control_messages import Start
from pi_sandbox.session.disk_look import StoreState
from pi_sandbox.session.project_key import project_key
from pi_sandbox.session.project_memory_plan import MemoryLook, MemoryRequest, plan_project_memory
from pi_sandbox.settings.folders import Folders
from pi_sandbox.settings.settings import Settings
from pi_sandbox.workspace.workspace import Workspace


class NoMemoryError(PiSandboxError):
    """The project's domain has no store, and so the project no memory."""

    exit_code = ExitCode.STORE_FAILED


def look_into_project_memory(
    request: MemoryRequest,
    workspace: Workspace,
    settings: Settings,
    environ: Mapping[str, str],
    terminal: Terminal,
    reports: Reports,
) -> int:
    """Runs a command of the memory engine and gives its exit code; raises `NoMemoryError` and what its parts raise."""
    look = look_at_memory(Folders(settings.home), workspace)
    ground = prepare_ground(settings, environ, reports, image="agent")
    session_id = secrets.token_hex(ID_BYTES)
    container = plan_project_memory(
        request,
        workspace,
        settings,
        look,
        load_standing_part("check", settings.limits),
        host_facts(environ),
        view_of(ground.engine.facts(), ground.image),
        session_id,
        tty=terminal.is_interactive,
    )

    def make_start(size: TerminalSize | None) -> Start:
        return Start({}, None, 0 if size is None else size.rows, 0 if size is None else size.columns)

    return run_on_ground(ground, container, session_id, f"memory {request.command}", terminal, reports, make_start)


def look_at_memory(folders: Folders, workspace: Workspace) -> MemoryLook:
    """Gives what there is on the disk; raises `NoMemoryError` without a store of the domain."""
    store = look_at_levels(folders, workspace)
    if store.state is not StoreState.PRESENT:
        raise NoMemoryError(f"{quoted(store.path)} {store.state.value}, so the project has no memory", store.remedy)
    config = folders.agent_config
    state = folders.memory_state(workspace.domain, project_key(workspace.levels[-1]))
    return MemoryLook(store, config if config.is_dir() else None, state.is_dir())

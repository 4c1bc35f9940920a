"""The workflow of `run` and `shell`: settings → engine → image → plan → container, attached to the terminal; then what
the session left that would act later. From before the container to the end of that report no signal ends us.
"""

import contextlib
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pi_sandbox.containers.docker_engine import connect
from pi_sandbox.containers.engine import TerminalSize
from pi_sandbox.containers.terminal import Terminal
from pi_sandbox.credentials.keyring_call import system_keychain
from pi_sandbox.credentials.pass_secrets import PassedSecrets, collect_pass_secrets
from pi_sandbox.errors import for_a_shell
from pi_sandbox.launch.attached_session import run_attached
from pi_sandbox.launch.certificates import ca_bundle
from pi_sandbox.launch.domain_state import make_domain_state
from pi_sandbox.launch.engine_view import view_of
from pi_sandbox.launch.folder_walk import Bounds, FolderWalk
from pi_sandbox.launch.images import usable_image
from pi_sandbox.launch.leftovers import Session, end_leftovers
from pi_sandbox.launch.look import look_at_disk
from pi_sandbox.launch.markers import marker_for
from pi_sandbox.launch.memory_limit import above_memory
from pi_sandbox.launch.planning import plan_from
from pi_sandbox.launch.reports import Reports
from pi_sandbox.launch.scene import reach_of, scene_after, scene_before
from pi_sandbox.session.agent_arguments import has_screen, keeps_history
from pi_sandbox.session.container_spec import Mount
from pi_sandbox.session.control_messages import Start
from pi_sandbox.session.disk_look import DiskLook
from pi_sandbox.session.left_behind import left_behind, unseen_before
from pi_sandbox.session.plan import DOMAIN_LABEL, Agent, SessionPlan, SessionRequest
from pi_sandbox.session.project_key import project_key
from pi_sandbox.session.reach import closed_places
from pi_sandbox.settings.folders import Folders
from pi_sandbox.settings.settings import Settings
from pi_sandbox.system.signals import Signals, command_is_over
from pi_sandbox.workspace.workspace import Workspace

_ID_BYTES = 6
_MOST_HISTORY_FOLDERS = 200


def launch(
    request: SessionRequest,
    workspace: Workspace,
    settings: Settings,
    environ: Mapping[str, str],
    terminal: Terminal,
    reports: Reports,
) -> int:
    """Runs one session and gives the exit code: the agent's own, or 128 + signal where the wrapper was ended by one."""
    said: list[str] = []
    shown, reports = reports, _remembering(reports, said)
    folders = Folders(settings.home)
    engine = connect(environ)
    live = end_leftovers(engine, folders, reports.warn)
    image = usable_image(engine, "agent", settings, reports.note, reports.build)
    session_id = secrets.token_hex(_ID_BYTES)
    look = look_at_disk(folders, workspace, request.opt_in)
    facts = engine.facts()
    plan = plan_from(look, request, workspace, settings, view_of(facts, image), session_id)
    _say_before(plan, live, reports)
    if above := above_memory(settings.limits, facts):
        reports.warn(f"{above}; lower PI_SANDBOX_MEMORY")
    make_domain_state(folders, workspace.domain, workspace.levels[-1])
    passed = collect_pass_secrets(settings.pass_secrets, environ, system_keychain(environ, attended=request.tty))
    for name, reason in passed.missing:
        reports.warn(f"{name} is not passed: {reason}")
    make_start = _start_maker(settings, passed)
    with Signals() as signals:
        with (
            _saying_what_is_left(workspace, look, plan.container.mounts, shown),
            marker_for(folders, session_id) as marker,
        ):
            end = run_attached(engine, plan.container, terminal, signals, marker, make_start, reports.warn)
            for warning in (*(said if _wipes_screen(request) else ()), *end.notes):
                shown.warn(warning)
        if end.code == 0 and (how := _how_to_continue(request, workspace, folders)):
            shown.note(how)
        command_is_over()
    return end.code


def _remembering(reports: Reports, said: list[str]) -> Reports:
    """Gives reports that put every warning into `said` too: pi's screen wipes what stood on the terminal before it."""

    def warn(text: str) -> None:
        said.append(text)
        reports.warn(text)

    return replace(reports, warn=warn)


def _wipes_screen(request: SessionRequest) -> bool:
    return request.tty and isinstance(request.program, Agent) and has_screen(request.program.arguments)


def _how_to_continue(request: SessionRequest, workspace: Workspace, folders: Folders) -> str:
    """Says how the session goes on, where there was one on pi's screen and something of it was kept."""
    if not _wipes_screen(request) or not isinstance(request.program, Agent):
        return ""
    history = folders.history(workspace.domain, project_key(workspace.levels[-1]))
    if not keeps_history(request.program.arguments) or not _has_a_session(history):
        return ""
    place = "" if _stands_in(workspace.project) else f"{for_a_shell(workspace.project)} "
    return f"to go on with this session: pi-sandbox run {place}-- --continue"


def _stands_in(folder: Path) -> bool:
    try:
        return Path.cwd().is_relative_to(folder)
    except OSError:
        return False


def _has_a_session(history: Path) -> bool:
    """Whether pi kept something; it keeps it near, and the session may have put anything beside it."""
    walk = FolderWalk(history, Bounds(folders=_MOST_HISTORY_FOLDERS))
    return any(
        entry.name.endswith(".jsonl")
        for folder in walk.folders(lambda folder: folder.folder_names)
        for entry in folder.entries
    )


@contextlib.contextmanager
def _saying_what_is_left(
    workspace: Workspace, look: DiskLook, mounts: Sequence[Mount], reports: Reports
) -> Iterator[None]:
    """Compares what the session may write after the block with what was there before it, however the block ends."""
    reach = reach_of(mounts)
    before = scene_before(reach, workspace, look)
    for line in unseen_before(before.git, told=look.git):
        reports.warn(line)
    try:
        yield
    finally:
        after = scene_after(reach, workspace, look)
        for line in left_behind(before, after, closed_places(reach)):
            reports.warn(line)


def _start_maker(settings: Settings, passed: PassedSecrets) -> Callable[[TerminalSize | None], Start]:
    found = ca_bundle(settings)
    bundle = None if found is None else found.decode("utf-8")

    def make_start(size: TerminalSize | None) -> Start:
        variables = {name: secret.reveal() for name, secret in passed.values.items()}
        rows, columns = (0, 0) if size is None else (size.rows, size.columns)
        return Start({**settings.proxies.variables(), **variables}, bundle, rows, columns)

    return make_start


def _say_before(plan: SessionPlan, live: Sequence[Session], reports: Reports) -> None:
    for warning in plan.warnings:
        reports.warn(warning)
    for session in live:
        labels = session.container.labels
        if labels.get(DOMAIN_LABEL) == plan.workspace.domain:
            reports.warn(f"the session {session.session_id} of {session.project} uses the same memory at the same time")

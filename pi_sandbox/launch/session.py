"""The workflow of `run` and `shell`: settings → engine → image → plan → container, attached to the terminal."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pi_sandbox.containers.docker_engine import connect
from pi_sandbox.containers.engine import TerminalSize
from pi_sandbox.containers.terminal import Terminal
from pi_sandbox.credentials.keyring_call import system_keychain
from pi_sandbox.credentials.pass_secrets import PassedSecrets, collect_pass_secrets
from pi_sandbox.launch.attached_session import run_attached
from pi_sandbox.launch.certificates import ca_bundle
from pi_sandbox.launch.domain_state import make_domain_state
from pi_sandbox.launch.engine_view import view_of
from pi_sandbox.launch.images import usable_image
from pi_sandbox.launch.leftovers import Session, end_leftovers
from pi_sandbox.launch.markers import marker_for
from pi_sandbox.launch.planning import make_plan
from pi_sandbox.launch.reports import Reports
from pi_sandbox.session.control_messages import Start
from pi_sandbox.session.plan import DOMAIN_LABEL, SessionPlan, SessionRequest
from pi_sandbox.settings.folders import Folders
from pi_sandbox.settings.settings import Settings
from pi_sandbox.workspace.workspace import GitEntry, Workspace

_ID_BYTES = 6


def launch(
    request: SessionRequest,
    workspace: Workspace,
    settings: Settings,
    environ: Mapping[str, str],
    terminal: Terminal,
    reports: Reports,
) -> int:
    """Runs one session and gives the exit code: the agent's own, or 128 + signal where the wrapper was ended by one."""
    folders = Folders(settings.home)
    engine = connect(environ)
    live = end_leftovers(engine, folders, reports.warn)
    image = usable_image(engine, "agent", settings, reports.note, reports.build)
    session_id = secrets.token_hex(_ID_BYTES)
    plan = make_plan(request, workspace, settings, view_of(engine.facts(), image), session_id)
    _say_before(plan, live, reports)
    make_domain_state(folders, workspace.domain, workspace.levels[-1])
    passed = collect_pass_secrets(settings.pass_secrets, environ, system_keychain(environ, attended=request.tty))
    for name, reason in passed.missing:
        reports.warn(f"{name} is not passed: {reason}")
    with marker_for(folders, session_id) as marker:
        end = run_attached(engine, plan.container, terminal, marker, _start_maker(settings, passed), reports.warn)
    for note in (*end.notes, *_new_git(workspace)):
        reports.warn(note)
    return end.code


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


def _new_git(workspace: Workspace) -> tuple[str, ...]:
    """A repository that the session made where there was none would run its hooks at the owner's next git command."""
    git = Path(workspace.project, ".git")
    if workspace.git_entry is GitEntry.NONE and git.exists():
        return (f"the session made {git}: look at its config and hooks before you use git there",)
    return ()

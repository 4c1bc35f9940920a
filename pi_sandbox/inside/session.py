"""The entry of the agent container: shows what it sees, makes the context page, then becomes the agent's guardian.

In this order, and nothing of it is skipped: an identity for the uid; one control connection; what the mounts look like
from here (the wrapper compares); only then the values that never stand in the plan; the owner's pi settings; the
context page; the agent. Without a page there is no agent.
"""

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from pi_sandbox.errors import PiSandboxError, UsageError
from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.inside.agent_folder import fill_agent_folder
from pi_sandbox.inside.certificates import trust
from pi_sandbox.inside.control import Control, ControlClosed, accept_control
from pi_sandbox.inside.identity import write_identity
from pi_sandbox.inside.limits import reached_limits
from pi_sandbox.inside.supervisor import run_child, set_size
from pi_sandbox.session.briefings import read_briefings
from pi_sandbox.session.context import render_context
from pi_sandbox.session.control_messages import Ended, Failed, Look, MessageRefused, Seen, Start, Started
from pi_sandbox.session.mount_plan import AGENT_CONFIG, AGENT_FOLDER, MARKERS
from pi_sandbox.session.scope import SessionScope, store_path
from pi_sandbox.system.files import create_file
from pi_sandbox.system.sight import look_at
from pi_sandbox.system.template_files import render_template

CONTEXT_FILE = Path("/run/pi-session/context.md")

_TMPFS = ("/tmp", "/home/pi", "/home/pi/.pi/agent", "/run/pi-session")  # noqa: S108 - the container's own tmpfs
_OWN_COMMANDS = frozenset({"install", "remove", "uninstall", "update", "list", "config", "auth", "mcp"})
"""pi's own subcommands (its docs/cli.md); they are no session and take no system prompt."""

_TERMINFO = ("/lib/terminfo", "/usr/share/terminfo", "/etc/terminfo")
_FALLBACK_TERM = "xterm-256color"


def main(arguments: Sequence[str]) -> int:
    """Runs one session and gives the container's exit code."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    write_identity()
    try:
        control = accept_control()
        start = _until_start(control)
    except (ControlClosed, MessageRefused):
        sys.stderr.write("pi-sandbox: this image is started by `pi-sandbox run` and found nobody at the other end\n")
        return ExitCode.INTERNAL
    try:
        command, environment = _prepare(arguments, start)
    except PiSandboxError as error:
        return _fail(control, Failed(error.message, error.hint, error.exit_code))
    except OSError as error:
        reason = f"the session could not be prepared: {error.strerror}: {error.filename}"
        return _fail(control, Failed(reason, "look at the limits and at the folder named", ExitCode.FILES))
    except Exception as error:  # noqa: BLE001 - the boundary: the wrapper must be told, whatever it was
        reason = f"the session could not be prepared ({type(error).__name__}: {error})"
        return _fail(control, Failed(reason, "build the image again: `pi-sandbox image build`", ExitCode.INTERNAL))
    set_size(start.rows, start.columns)
    control.send(Started())
    code = run_child(command, environment, control)
    control.send(Ended(code, reached_limits(_TMPFS)))
    return code


def _until_start(control: Control) -> Start:
    while True:
        match control.receive():
            case Look(targets, marker):
                control.send(_seen(targets, marker))
            case Start() as start:
                return start
            case _:
                raise MessageRefused


def _seen(targets: Sequence[str], marker: str) -> Seen:
    sights = [look_at(Path(target)) for target in targets]
    try:
        found = Path(MARKERS, marker).read_text(encoding="ascii")
    except (OSError, ValueError):
        found = None
    return Seen(tuple(sight.content for sight in sights), tuple(sight.writable for sight in sights), found)


def _fail(control: Control, failure: Failed) -> int:
    control.send(failure)
    return failure.code


def _prepare(arguments: Sequence[str], start: Start) -> tuple[Sequence[str], Mapping[str, str]]:
    environment = dict(os.environ)
    scope = SessionScope.from_json(environment.pop("PI_SANDBOX_SCOPE", ""))
    environment.update(start.variables)
    environment.update(_terminal(environment))
    if start.ca_bundle is not None:
        environment.update(trust(start.ca_bundle))
    fill_agent_folder(Path(AGENT_CONFIG), Path(AGENT_FOLDER))
    _write_context(scope)
    return _command(arguments), environment


def _write_context(scope: SessionScope) -> None:
    roots = {store: Path(store_path(store)) for store in scope.stores}
    document = render_context(scope, read_briefings(scope, roots), render_template)
    create_file(CONTEXT_FILE, document.text.encode("utf-8"), mode=0o644)


def _command(arguments: Sequence[str]) -> Sequence[str]:
    match list(arguments):
        case ["agent", first, *rest] if first in _OWN_COMMANDS:
            return ["pi", first, *rest]
        case ["agent", *rest]:
            return ["pi", "--append-system-prompt", str(CONTEXT_FILE), *rest]
        case ["shell"]:
            return ["bash"]
        case ["shell", *command]:
            return command
        case _:
            raise UsageError(
                "the image was started with arguments that it does not know", "start it by `pi-sandbox run`"
            )


def _terminal(environment: Mapping[str, str]) -> Mapping[str, str]:
    """A terminal type that the image does not know falls back to the one that most terminals understand."""
    term = environment.get("TERM")
    if term is None or _is_known(term):
        return {}
    return {"TERM": _FALLBACK_TERM}


def _is_known(term: str) -> bool:
    return term.isprintable() and "/" not in term and any(Path(place, term[:1], term).is_file() for place in _TERMINFO)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The entry of the agent container: the common opening, pi's settings and login, the context page, the agent.

- Without a page there is no agent.
- pi gets our extension for the project memory in each session.
- The page is appended to pi's instructions before whatever pi appends by its own rule: the user's own options, or else
  the file that our option would switch off, for which an extension of ours asks pi whether it trusts the project.
"""

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from pi_sandbox.errors import UsageError
from pi_sandbox.inside.agent_folder import fill_agent_folder
from pi_sandbox.inside.certificates import trust
from pi_sandbox.inside.compiled_modules import find_compiled_modules, hand_out_extension_modules
from pi_sandbox.inside.login_keeper import LoginKeeper
from pi_sandbox.inside.opening import open_and_run
from pi_sandbox.inside.supervisor import Child
from pi_sandbox.session.agent_arguments import APPEND_OPTION, APPENDED_FILE, OWN_COMMANDS, appends_files
from pi_sandbox.session.briefings import read_briefings
from pi_sandbox.session.context import render_context
from pi_sandbox.session.control_messages import Start
from pi_sandbox.session.memory_place import memory_variables
from pi_sandbox.session.mount_plan import AGENT_CONFIG, AGENT_FOLDER, LOGIN
from pi_sandbox.session.scope import SessionScope, store_path
from pi_sandbox.system.files import create_file
from pi_sandbox.system.template_files import render_template

CONTEXT_FILE = Path("/run/pi-session/context.md")
APPEND_EXTENSION = Path("/opt/pi-sandbox/extension/src/append-system.ts")
MEMORY_EXTENSION = Path("/opt/pi-sandbox/extension/src/project-memory.ts")

_TMPFS = ("/tmp", "/home/pi", "/home/pi/.pi/agent", "/run/pi-session")  # noqa: S108 - the container's own tmpfs
_TERMINFO = ("/lib/terminfo", "/usr/share/terminfo", "/etc/terminfo")
_FALLBACK_TERM = "xterm-256color"


def main(arguments: Sequence[str]) -> int:
    """Runs one session and gives the container's exit code."""
    return open_and_run(lambda start: _prepare(arguments, start), _TMPFS)


def _prepare(arguments: Sequence[str], start: Start) -> Child:
    environment = dict(os.environ)
    scope = SessionScope.from_json(environment.pop("PI_SANDBOX_SCOPE", ""))
    environment.update(start.variables)
    environment.update(memory_variables(scope))
    environment.update(_terminal(environment))
    if start.ca_bundle is not None:
        environment.update(trust(start.ca_bundle))
    fill_agent_folder(Path(AGENT_CONFIG), Path(AGENT_FOLDER))
    keeper = LoginKeeper(Path(LOGIN), Path(AGENT_FOLDER, "auth.json"))
    keeper.open()
    _write_context(scope)
    if arguments[:1] == ["agent"]:
        environment.update(find_compiled_modules(os.getuid()))
        hand_out_extension_modules()
    farewell = signal.SIGHUP if list(arguments) == ["shell"] else signal.SIGTERM
    return Child(_command(arguments), environment, farewell, keeper.keep, keeper.close)


def _write_context(scope: SessionScope) -> None:
    roots = {store: Path(store_path(store)) for store in scope.stores}
    document = render_context(scope, read_briefings(scope, roots), render_template)
    create_file(CONTEXT_FILE, document.text.encode("utf-8"), mode=0o644)


def _command(arguments: Sequence[str]) -> Sequence[str]:
    match list(arguments):
        case ["agent", first, *rest] if first in OWN_COMMANDS:
            return ["pi", first, *rest]
        case ["agent", *rest]:
            return ["pi", "--extension", str(MEMORY_EXTENSION), *_instructions(rest, Path.cwd()), *rest]
        case ["shell"]:
            return ["bash"]
        case ["shell", *command]:
            return command
        case _:
            raise UsageError(
                "the image was started with arguments that it does not know", "start it by `pi-sandbox run`"
            )


def _instructions(arguments: Sequence[str], project: Path) -> Sequence[str]:
    """Gives pi's options for the page, and for the file that they switch off where there is one."""
    page = [APPEND_OPTION, str(CONTEXT_FILE)]
    places = (Path(AGENT_FOLDER), project / ".pi")
    if appends_files(arguments) and any((place / APPENDED_FILE).exists() for place in places):
        return [*page, "--extension", str(APPEND_EXTENSION)]
    return page


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

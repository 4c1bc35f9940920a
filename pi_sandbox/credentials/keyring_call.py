"""Asks the keyring in a child process with a time limit, so that a keyring that hangs cannot hang us.

- The child gets the request over a pipe; neither its arguments nor its environment hold a value.
- Nothing in the current directory is imported or read: the child starts in `/`, where a relative folder on its path
  leads nowhere, and `-P` adds none.
"""

import sys
from collections.abc import Mapping
from typing import Final

from pi_sandbox.credentials.keychain import Keychain
from pi_sandbox.credentials.keyring_protocol import (
    Answer,
    Outcome,
    Request,
    decode_answer,
    decode_waiting,
    encode_request,
)
from pi_sandbox.system.processes import ProcessError, TimeLimitError, run

# A person needs time to find the window and type; without anybody to ask, waiting is of no use.
PROMPT_SECONDS: Final = 60.0
UNATTENDED_SECONDS: Final = 10.0

# What the child may know: where the user's session, its bus and its files are. No secret of ours or anybody's.
_PASSED_ON: Final = (
    "HOME", "USER", "LOGNAME", "PATH", "LANG", "LANGUAGE", "TZ", "TMPDIR", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
    "DESKTOP_SESSION", "VIRTUAL_ENV", "PYTHONPATH", "SSH_CONNECTION", "PYTHON_KEYRING_BACKEND", "KEYCHAIN_PATH",
    "GNUPGHOME", "PASSWORD_STORE_DIR", "__CF_USER_TEXT_ENCODING", "SECURITYSESSIONID",
)  # fmt: skip
_PASSED_ON_PREFIXES: Final = ("XDG_", "DBUS_", "LC_", "KDE_", "GNOME_KEYRING_", "KEYRING_PROPERTY_")


def system_keychain(environ: Mapping[str, str], *, attended: bool) -> Keychain:
    """Gives the keyring of this user. `attended` says whether there is a terminal, and so perhaps a person to ask."""
    seconds = PROMPT_SECONDS if attended or _has_display(environ) else UNATTENDED_SECONDS
    return Keychain(lambda request: ask_child_process(request, environ, seconds))


def ask_child_process(request: Request, environ: Mapping[str, str], seconds: float) -> Answer:
    """Asks the keyring in a child process that is ended after the given time, or with us."""
    arguments = [sys.executable, "-P", "-m", "pi_sandbox.credentials.keyring_process", request.action.value]
    try:
        finished = run(
            arguments,
            environment=child_environment(environ),
            seconds=seconds,
            standard_input=encode_request(request),
        )
    except TimeLimitError as error:
        waiting = decode_waiting(error.stdout)
        if waiting is not None:
            return Answer(waiting.outcome, f"{waiting.detail}, and nobody answered within {seconds:g} seconds")
        return Answer(Outcome.TIMED_OUT, f"within {seconds:g} seconds")
    except ProcessError as error:
        return Answer(Outcome.FAILED, error.message)
    return decode_answer(finished.stdout) or Answer(
        Outcome.FAILED, f"the process that asks the keyring ended with code {finished.code}"
    )


def child_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Gives what the child may see of the user's environment."""
    return {
        name: value for name, value in environ.items() if name in _PASSED_ON or name.startswith(_PASSED_ON_PREFIXES)
    }


def _has_display(environ: Mapping[str, str]) -> bool:
    if sys.platform == "darwin":
        return "SSH_CONNECTION" not in environ
    return bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))

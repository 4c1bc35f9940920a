"""What a session needs of our own on the disk, made where it is missing: login of the domain, history of the project.

pi runs a key of `auth.json` that begins with `!` as a shell command (its docs/providers.md). A session may write that
file, so such a key would carry code from one session into the next; it is refused. What the owner wants to run belongs
into `PI_SANDBOX_PASS_SECRETS`, which takes a value from the environment or the keyring.
"""

import json
from collections.abc import Iterator

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.git_access.runner import make_repository
from pi_sandbox.launch.home import make_home
from pi_sandbox.launch.home_plan import state_pieces
from pi_sandbox.session.history_key import history_key
from pi_sandbox.settings.domains import DomainName
from pi_sandbox.settings.folders import Folders
from pi_sandbox.system.files import read_regular_file

LOGIN_BYTES = 1024 * 1024


def make_domain_state(folders: Folders, domain: DomainName, project_level: str) -> None:
    """Makes what is missing; raises `FilesError`, also for a login that holds a command."""
    make_home(folders.home, state_pieces(domain, history_key(project_level)), make_repository)
    _refuse_commands(folders, domain)


def _refuse_commands(folders: Folders, domain: DomainName) -> None:
    login = folders.domain_state(domain) / "auth.json"
    content = read_regular_file(login.resolve(), limit=LOGIN_BYTES)
    data = b"" if content is None else content.data.strip()
    if not data:
        return
    try:
        texts = list(_texts(json.loads(data)))
    except (ValueError, RecursionError) as error:
        raise FilesError(
            f"pi's login {quoted(login)} is not readable JSON", "mend it, or remove it and log in again"
        ) from error
    if any(text.lstrip().startswith("!") for text in texts):
        raise FilesError(
            f"pi's login {quoted(login)} holds a command in place of a key; a session may have put it there",
            "remove that entry; pass a key with PI_SANDBOX_PASS_SECRETS instead",
        )


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for item in value.values():
                yield from _texts(item)
        case list():
            for item in value:
                yield from _texts(item)

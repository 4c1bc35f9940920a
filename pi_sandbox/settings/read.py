"""The edge of the settings: who the user is, and the bytes of `.env`."""

import os
import pwd
from collections.abc import Mapping
from pathlib import Path

from pi_sandbox.errors import FilesError, SettingsError, for_a_shell, quoted
from pi_sandbox.settings.domains import CORE
from pi_sandbox.settings.env_file import MAX_FILE_BYTES
from pi_sandbox.settings.folders import Folders
from pi_sandbox.settings.load import load_settings
from pi_sandbox.settings.settings import Settings
from pi_sandbox.settings.values import parse_absolute_path
from pi_sandbox.system.files import FileContent, read_regular_file

_OTHERS = 0o077
_ROOT = 0


def read_settings(environ: Mapping[str, str]) -> Settings:
    """Gives the settings of this user; raises `SettingsError`."""
    settings = load_settings(environ, user_home(environ), read_env_file)
    _refuse_among_projects(settings.home)
    return settings


def _refuse_among_projects(home: Path) -> None:
    """Refuses a home among the projects of another one, where a session could write it its settings.

    Its `.env` may name commands that run on the host.
    """
    real = Path(os.path.realpath(home))
    for outer in real.parents:
        if real.is_relative_to(Folders(outer).workspace) and Folders(outer).store(CORE).is_dir():
            raise SettingsError(
                f"the home {quoted(home)} lies among the projects of the home {quoted(outer)}, where a session could "
                "change its settings",
                "set PI_SANDBOX_HOME to a place outside of every other home",
            )


def user_home(environ: Mapping[str, str]) -> Path:
    """Gives the user's own folder: `HOME`, or the system's list of users where that is missing or empty."""
    named = environ.get("HOME", "") or _listed_home()
    try:
        return parse_absolute_path(named)
    except ValueError as error:
        raise SettingsError(f"the user's home folder {quoted(named)} {error}", "set HOME or PI_SANDBOX_HOME") from error


def read_env_file(path: Path) -> bytes | None:
    """Gives the bytes of `.env`, `None` if there is none; refuses a file that others could have read or written."""
    home = path.parent
    if os.path.lexists(home) and not home.is_dir():
        raise SettingsError(
            f"the home {quoted(home)} is not a folder", "move it away, or set PI_SANDBOX_HOME to another place"
        )
    try:
        content = read_regular_file(path, limit=MAX_FILE_BYTES)
    except FilesError as error:
        raise SettingsError(error.message, error.hint) from error
    if content is None:
        return None
    _refuse_shared(path, content)
    return content.data


def _refuse_shared(path: Path, content: FileContent) -> None:
    if content.owner not in (os.geteuid(), _ROOT):
        raise SettingsError(
            f"{quoted(path)} belongs to another user (id {content.owner})", "settings are only taken from your own file"
        )
    if content.mode & _OTHERS:
        raise SettingsError(
            f"{quoted(path)} is open to other users (mode {content.mode:04o})", f"run: chmod 600 -- {for_a_shell(path)}"
        )


def _listed_home() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError as error:
        raise SettingsError(
            f"there is no home folder: HOME is not set and user id {os.getuid()} is not in the list of users",
            "set HOME or PI_SANDBOX_HOME",
        ) from error

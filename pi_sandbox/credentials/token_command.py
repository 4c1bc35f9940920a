"""Runs the user's `BRAIN_<ID>_TOKEN_CMD` and takes its one line of output.

- The text is split into arguments once, by the rules of POSIX shell quoting (`shlex.split`): blanks separate, quotes
  and backslashes group. It is not given to a shell: `$X`, `~`, `*`, `|`, `#` and `$(…)` are ordinary characters.
- The program is a name on the `PATH` or an absolute path. Relative ones are refused, and the command runs in the user's
  home folder, so that nothing in the current directory can take a program's place.
- It has the user's environment, because password managers keep their session there, and the user's terminal for
  questions. Its standard output is captured, never shown and never written anywhere.
- It has a time limit, and whatever ends it ends its children too. Not handled: a child that makes itself a daemon.
"""

import os
import re
import shlex
import shutil
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from pi_sandbox.credentials.credential import StoreCredentialError, parse_token_text
from pi_sandbox.credentials.secret import Secret
from pi_sandbox.credentials.sources import CommandSource
from pi_sandbox.errors import quoted
from pi_sandbox.system.foreground import Foreground, user_terminal
from pi_sandbox.system.processes import (
    Finished,
    OutputLimitError,
    ProcessError,
    TimeLimitError,
    run,
    run_on_terminal,
)

TERMINAL_SECONDS: Final = 120.0
UNATTENDED_SECONDS: Final = 30.0
OUTPUT_LIMIT_BYTES: Final = 64 * 1024

_Terminal = Callable[[], AbstractContextManager[Foreground | None]]


def read_token_command(
    source: CommandSource,
    environ: Mapping[str, str],
    *,
    terminal: _Terminal = user_terminal,
    terminal_seconds: float = TERMINAL_SECONDS,
    unattended_seconds: float = UNATTENDED_SECONDS,
) -> Secret:
    """Gives the line that the command prints.

    Raises `StoreCredentialError`, which names the setting and never shows output, and `KeyboardInterrupt` for Ctrl-C.
    """
    arguments = token_arguments(source, environ)
    with terminal() as foreground:
        seconds = unattended_seconds if foreground is None else terminal_seconds
        finished = _run(source, arguments, environ, foreground, seconds)
    if finished.signal_name is not None:
        raise StoreCredentialError(
            f"the command of {source.variable} was ended by {finished.signal_name}", _try_it(finished)
        )
    if finished.code != 0:
        raise StoreCredentialError(
            f"the command of {source.variable} failed with exit code {finished.code}",
            f"{_try_it(finished)}{_of_a_shell(source.command)}",
        )
    return _one_line(source, finished.stdout)


def token_arguments(source: CommandSource, environ: Mapping[str, str]) -> list[str]:
    """Gives the words of the command with its program found; runs nothing. Raises `StoreCredentialError`."""
    try:
        name, *rest = shlex.split(source.command)
    except ValueError as error:
        raise StoreCredentialError(
            f"the command of {source.variable} cannot be split into words", "give it a program and close every quote"
        ) from error
    return [_program(source, name, environ), *rest]


def _program(source: CommandSource, name: str, environ: Mapping[str, str]) -> str:
    if Path(name).is_absolute():
        return name
    if "/" in name:
        raise StoreCredentialError(
            f"the command of {source.variable} starts with the relative path {quoted(name)}",
            "give the program's absolute path, or its name alone if it is on the PATH (~ is not expanded)",
        )
    folders = environ.get("PATH", os.defpath).split(os.pathsep)
    found = shutil.which(name, path=os.pathsep.join(folder for folder in folders if Path(folder).is_absolute()))
    if found is None:
        raise StoreCredentialError(
            f"the command of {source.variable} names the program {quoted(name)}, which is not there",
            "install it, or give its absolute path",
        )
    return found


def _run(
    source: CommandSource,
    arguments: list[str],
    environ: Mapping[str, str],
    foreground: Foreground | None,
    seconds: float,
) -> Finished:
    folder = _folder(environ)
    try:
        if foreground is None:
            return run(arguments, environment=environ, seconds=seconds, folder=folder, output_limit=OUTPUT_LIMIT_BYTES)
        return run_on_terminal(
            arguments,
            environment=environ,
            seconds=seconds,
            foreground=foreground,
            folder=folder,
            output_limit=OUTPUT_LIMIT_BYTES,
        )
    except TimeLimitError as error:
        asks = "without a terminal nobody can answer it; " if foreground is None else ""
        raise StoreCredentialError(
            f"the command of {source.variable} did not end within {seconds:g} seconds and was ended",
            f"{asks}unlock the password manager and try again",
        ) from error
    except OutputLimitError as error:
        raise StoreCredentialError(
            f"the command of {source.variable} printed more than {OUTPUT_LIMIT_BYTES // 1024} KiB", _LINE_HINT
        ) from error
    except ProcessError as error:
        raise StoreCredentialError(f"the command of {source.variable}: {error.message}", error.hint) from error


def _folder(environ: Mapping[str, str]) -> Path:
    home = Path(environ.get("HOME", "/"))
    return home if home.is_absolute() and home.is_dir() else Path("/")


def _one_line(source: CommandSource, output: bytes) -> Secret:
    try:
        return parse_token_text(output.decode("utf-8"))
    except UnicodeDecodeError:
        reason = "is not UTF-8 text"
    except ValueError as error:
        reason = str(error)
    raise StoreCredentialError(f"the output of {source.variable} {reason}", _LINE_HINT)


def _try_it(finished: Finished) -> str:
    return f"run it yourself to see what it says{_MEANINGS.get(finished.code, '')}"


def _of_a_shell(command: str) -> str:
    """What a shell would have done with the command, and nobody did."""
    if not _SHELL_SIGNS.search(command) or command.startswith(("sh -c ", "bash -c ")):
        return ""
    return "; no shell runs it, so ~, $, *, | and ` in it are ordinary characters: write sh -c '…' where they are meant"


_SHELL_SIGNS = re.compile(r"(?:^|\s)~|[$*|`]")
_LINE_HINT = "the command must print one line: username:token, or the token alone"

# What a command that starts others says about one that it could not start (POSIX shell, "Exit Status for Commands").
_MEANINGS = {126: " (126: a program cannot be started)", 127: " (127: a program was not found)"}

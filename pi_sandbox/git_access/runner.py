"""The only door to git. Every call gets an environment and options that are built here and nothing of the caller's.

- the environment starts empty (`env -i`), because GitPython hands down everything the parent has: no `GIT_DIR`,
  `GIT_CONFIG_PARAMETERS`, `GIT_TRACE…` or `GIT_SSH_COMMAND` of the user reaches git, and no alias, hook path or
  credential helper of the user's or the system's configuration;
- hooks, the file system monitor and prompts are off; there is no pager and no editor;
- a call is a list of arguments, never a shell line, has no terminal, and has a time limit that ends its children too.
"""

import contextlib
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pi_sandbox.errors import FilesError, quoted

if TYPE_CHECKING:
    from git.cmd import Git

SECONDS_ALLOWED = 60
"""Far above what a local command on a memory store takes."""

_FIXED_ENVIRONMENT = {
    "GIT_ASKPASS": "false",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_EDITOR": "false",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "HOME": os.devnull,
    "LC_ALL": "C",
    "SSH_ASKPASS": "false",
}
_FIXED_OPTIONS = (
    "--no-pager",
    "-c",
    f"core.hooksPath={os.devnull}",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "protocol.ext.allow=never",
)


class GitMissingError(FilesError):
    """There is no git on this machine."""


class GitFailedError(FilesError):
    """A git command did not do what it was asked for."""


@dataclass(frozen=True)
class GitResult:
    """How a git command ended. `errors` is what git said, for a message and for telling kinds of failure apart."""

    status: int
    output: bytes
    errors: str
    timed_out: bool = False


def run_git(
    folder: Path,
    *arguments: str,
    seconds: float = SECONDS_ALLOWED,
    standard_input: bytes = b"",
    variables: Mapping[str, str] | None = None,
) -> str:
    """Runs git in `folder` and gives its output; raises `GitMissingError`, or `GitFailedError` unless it ended well.

    Bytes of the output that are no UTF-8 become lone surrogates, as in Python's paths.
    """
    result = try_git(folder, *arguments, seconds=seconds, standard_input=standard_input, variables=variables)
    if result.status != 0:
        raise GitFailedError(
            f"git {quoted(arguments[0])} failed in {quoted(folder)}: {quoted(result.errors.strip())}",
            "look at the repository on this machine",
        )
    return result.output.decode("utf-8", "surrogateescape")


def try_git(
    folder: Path,
    *arguments: str,
    seconds: float = SECONDS_ALLOWED,
    standard_input: bytes = b"",
    variables: Mapping[str, str] | None = None,
) -> GitResult:
    """Runs git in `folder` and gives its result, whatever its status; raises `GitMissingError`.

    `variables` are added to the environment and stand in the process's arguments for a moment: never a secret.
    """
    program = git_program()
    from git.cmd import Git
    from git.exc import GitCommandNotFound

    environment = {**_FIXED_ENVIRONMENT, "PATH": _search_path(), **(variables or {})}
    pairs = [f"{name}={value}" for name, value in environment.items()]
    command = ["env", "-i", *pairs, program, *_FIXED_OPTIONS, *arguments]
    with tempfile.TemporaryFile() as stream:
        stream.write(standard_input)
        stream.seek(0)
        try:
            started = Git(folder).execute(command, istream=stream, as_process=True, start_new_session=True)
        except GitCommandNotFound as error:
            raise GitMissingError("the program env, with which git is started, was not found", "check PATH") from error
        return _result(started, seconds)


def _result(started: "Git.AutoInterrupt", seconds: float) -> GitResult:
    """Waits for the process within its time. Whatever happens, nothing of its process group is left running."""
    process = started.proc
    if process is None:
        raise GitFailedError("git was not started", "run the command again")
    late = threading.Event()
    watchdog = threading.Timer(seconds, _end_group, (process.pid, late))
    watchdog.start()
    try:
        output, errors = process.communicate()
    finally:
        watchdog.cancel()
        if process.poll() is None:
            _end_group(process.pid)
            process.wait()
    return GitResult(process.returncode, output, errors.decode("utf-8", "replace"), late.is_set())


def _end_group(leader: int, late: threading.Event | None = None) -> None:
    if late is not None:
        late.set()
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def git_program() -> str:
    """Gives the path of git; raises `GitMissingError` where there is none."""
    program = shutil.which("git")
    if program is None:
        raise GitMissingError(
            "git was not found on this machine; the memory stores are git repositories",
            "install git (Debian: apt install git, macOS: xcode-select --install) and run the command again",
        )
    return program


def make_repository(folder: Path) -> None:
    """Makes an empty repository with the branch `main` in an existing folder; raises as `run_git` does."""
    result = try_git(folder, "init", "--quiet", "--initial-branch=main", "--template=", "--", ".")
    if result.status != 0:
        raise GitFailedError(
            f"git could not make a repository in {quoted(folder.parent)}: {quoted(result.errors.strip())}",
            "check the free space and the permissions there, and that git is 2.28 or newer",
        )


def _search_path() -> str:
    return os.environ.get("PATH", os.defpath)

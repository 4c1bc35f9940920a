"""The only door to git. Every call gets an environment and options that are built here and nothing of the caller's.

- the environment starts empty (`env -i`), because GitPython hands down everything the parent has: no `GIT_DIR`,
  `GIT_CONFIG_PARAMETERS`, `GIT_TRACE…` or `GIT_SSH_COMMAND` of the user reaches git, and no alias, hook path or
  credential helper of the user's or the system's configuration;
- hooks, the file system monitor and prompts are off; there is no pager and no editor;
- a call is a list of arguments, never a shell line, has no terminal, and has a time limit that ends its children too;
- what git and the remote behind it may say is bounded: too much output ends the call, too many messages lose their
  middle.
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
from typing import IO, TYPE_CHECKING

from pi_sandbox.errors import FilesError, quoted

if TYPE_CHECKING:
    from git.cmd import Git

SECONDS_ALLOWED = 60
"""Far above what a local command on a memory store takes."""

OUTPUT_BYTES = 256 * 1024 * 1024
"""Twice the largest object that is read at once, and what the container has room for."""

MESSAGE_BYTES = 64 * 1024
"""How much is kept of the beginning of what git says for people, and as much again of its end."""

_PART_BYTES = 1024 * 1024
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
    """How a git command ended. `errors` is what git said, for a message and for telling kinds of failure apart.

    With `too_much` the command was ended for its output, of which only the beginning is here.
    """

    status: int
    output: bytes
    errors: str
    timed_out: bool = False
    too_much: bool = False


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
    if process is None or process.stdout is None or process.stderr is None:
        raise GitFailedError("git was not started", "run the command again")
    late, full = threading.Event(), threading.Event()
    messages = _Messages()
    listener = threading.Thread(target=messages.read, args=(process.stderr,), daemon=True)
    watchdog = threading.Timer(seconds, _end_group, (process.pid, late))
    listener.start()
    watchdog.start()
    try:
        output = _read_bounded(process.stdout)
        if len(output) > OUTPUT_BYTES:
            _end_group(process.pid, full)
        listener.join()
        process.wait()
    finally:
        watchdog.cancel()
        if process.poll() is None or listener.is_alive():
            _end_group(process.pid)
            process.wait()
        listener.join()
        process.stdout.close()
        process.stderr.close()
    errors = messages.text()
    if full.is_set():
        errors += f"\nended for more output than {OUTPUT_BYTES // 1024**2} MiB"
    elif late.is_set():
        errors += f"\nended after {seconds:g} seconds"
    elif process.returncode == -signal.SIGKILL:
        errors += "\nended by force, as the kernel does at a memory limit"
    return GitResult(process.returncode, output[:OUTPUT_BYTES], errors, late.is_set(), full.is_set())


def _read_bounded(stream: IO[bytes]) -> bytes:
    """Reads to the end of the stream, or until it is certain that there is more than allowed."""
    parts: list[bytes] = []
    size = 0
    while size <= OUTPUT_BYTES and (part := os.read(stream.fileno(), _PART_BYTES)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


class _Messages:
    """The beginning and the end of what a process says, in whole lines, however much that is."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._left_out = 0

    def read(self, stream: IO[bytes]) -> None:
        """Reads to the end of the stream, so that nobody who writes has to wait."""
        while data := os.read(stream.fileno(), MESSAGE_BYTES):
            room = MESSAGE_BYTES - len(self._head)
            self._head += data[:room]
            self._tail += data[room:]
            surplus = len(self._tail) - MESSAGE_BYTES
            if surplus > 0:
                del self._tail[:surplus]
                self._left_out += surplus

    def text(self) -> str:
        """Gives what was kept, and says where something is left out."""
        head, tail = bytes(self._head), bytes(self._tail)
        if self._left_out:
            head, tail = head[: head.rfind(b"\n") + 1], tail[tail.find(b"\n") + 1 :]
            head += b"(more was said here than is kept)\n"
        return (head + tail).decode("utf-8", "replace")


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

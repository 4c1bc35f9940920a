"""The only door to other programs.

- A program gets an argument list and an environment that the caller built; never a shell string, never a default.
- Every run has a time limit and a limit on what it may print.
- A run is over when its own process is over. What it started and left behind is ended with it, also when the run is
  given up (time limit, too much output, Ctrl-C or any other exception): first SIGTERM, then SIGKILL.
- `run` has no terminal: a session of its own, no controlling terminal, an input that ends.
- `run_on_terminal` lends the user's terminal to the program (input and messages; its output is captured): a process
  group of its own is in the foreground while it runs, Ctrl-C and Ctrl-Z work, and the terminal is put back as it was.

Not handled: a process that leaves its group or session on purpose (a daemon) is not ours to end.
"""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pi_sandbox.errors import PiSandboxError, quoted
from pi_sandbox.system.foreground import Foreground

OUTPUT_LIMIT_BYTES = 16 * 1024 * 1024
_POLL_SECONDS = 0.05
_TIDY_POLL_SECONDS = 0.01
_GRACE_SECONDS = 1.0
_READ_BYTES = 65536


@dataclass(frozen=True)
class Finished:
    """How a program ended: `code` is 0 to 255, and 128 + n where signal n ended it. Its output stays out of `repr`."""

    code: int
    signal_name: str | None
    stdout: bytes = field(repr=False)
    stderr: bytes = field(repr=False)


class ProcessError(PiSandboxError):
    """Base of what can go wrong with starting and running a program; rooms turn it into an error of their own."""


class ProgramMissingError(ProcessError):
    """There is no such program."""


class ProgramUnusableError(ProcessError):
    """The program is there and cannot be started (no permission, wrong format, too many processes)."""


class TimeLimitError(ProcessError):
    """The program ran into its time limit and was ended. `stdout` is what it had printed until then."""

    def __init__(self, message: str, hint: str = "", *, stdout: bytes = b"") -> None:
        super().__init__(message, hint)
        self.stdout = stdout


class OutputLimitError(ProcessError):
    """The program printed more than the caller wanted and was ended."""


def run(
    arguments: Sequence[str],
    *,
    environment: Mapping[str, str],
    seconds: float,
    standard_input: bytes = b"",
    folder: Path = Path("/"),
    output_limit: int = OUTPUT_LIMIT_BYTES,
) -> Finished:
    """Runs a program without a terminal and gives how it ended and what it printed.

    `output_limit` counts bytes of each of the two streams. Raises `ProgramMissingError`, `ProgramUnusableError`,
    `TimeLimitError` or `OutputLimitError`; an exit code other than 0 is a result, not an error.
    """
    process = _start(
        arguments,
        environment=environment,
        folder=folder,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    with _ended_with_its_group(process.pid, process):
        return _collect(_Run(arguments[0], process, seconds, output_limit, standard_input))


def run_on_terminal(
    arguments: Sequence[str],
    *,
    environment: Mapping[str, str],
    seconds: float,
    foreground: Foreground,
    folder: Path = Path("/"),
    output_limit: int = OUTPUT_LIMIT_BYTES,
) -> Finished:
    """Runs a program on the user's terminal and captures what it prints to standard output only.

    Raises what `run` raises, and `KeyboardInterrupt` for Ctrl-C and Ctrl-\\ even if the program ignores them.
    """
    with _group_leader() as leader, foreground.lent_to(leader.pid):
        process = _start(
            arguments,
            environment=environment,
            folder=folder,
            stdin=foreground.terminal,
            stderr=foreground.terminal,
            process_group=leader.pid,
        )
        with _ended_with_its_group(leader.pid, process, leader):
            return _collect(_Run(arguments[0], process, seconds, output_limit, watch=_Watch(leader, foreground)))


@dataclass(frozen=True)
class _Watch:
    """What tells of Ctrl-C and Ctrl-Z while another process group has the terminal."""

    leader: "subprocess.Popen[bytes]"
    foreground: Foreground


@dataclass(frozen=True)
class _Run:
    """One running program and its limits."""

    name: str
    process: "subprocess.Popen[bytes]"
    seconds: float
    output_limit: int
    standard_input: bytes = b""
    watch: _Watch | None = None


@contextlib.contextmanager
def _group_leader() -> "Iterator[subprocess.Popen[bytes]]":
    """Starts the first member of a new process group; it stays until its input ends, and then ends the group.

    It is there for three things: keys that interrupt go to the foreground group, so its death tells us of them even
    when the program ignores them; the group's number cannot be given to strangers while it lives; and if this process
    is killed, it ends the group in its place.
    """
    script = 'trap "" HUP; read -r end; trap "" TERM; kill -TERM 0; sleep 1; kill -KILL 0'
    leader = subprocess.Popen(
        ["/bin/sh", "-c", script],
        env={"PATH": os.defpath},
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,
    )
    try:
        yield leader
    finally:
        leader.kill()
        leader.wait()
        _close_pipes(leader)


def _start(
    arguments: Sequence[str],
    *,
    environment: Mapping[str, str],
    folder: Path,
    stdin: int,
    stderr: int,
    start_new_session: bool = False,
    process_group: int | None = None,
) -> "subprocess.Popen[bytes]":
    try:
        return subprocess.Popen(
            list(arguments),
            env=dict(environment),
            cwd=str(folder),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            bufsize=0,
            start_new_session=start_new_session,
            process_group=process_group,
        )
    except FileNotFoundError as error:
        if error.filename == str(folder):
            raise ProgramUnusableError(f"the folder {quoted(folder)} does not exist", "make the folder") from error
        raise ProgramMissingError(
            f"there is no program {quoted(arguments[0])}", "install it or correct its name"
        ) from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ProgramUnusableError(
            f"the program {quoted(arguments[0])} cannot be started: {reason}", "see that it can be run by you"
        ) from error


def _collect(running: _Run) -> Finished:
    """Moves input and output until the process is over, within the limits."""
    process = running.process
    stdout, stderr = bytearray(), bytearray()
    deadline = time.monotonic() + running.seconds
    with selectors.DefaultSelector() as selector:
        for stream, buffer in ((process.stdout, stdout), (process.stderr, stderr)):
            if stream is not None:
                os.set_blocking(stream.fileno(), False)
                selector.register(stream.fileno(), selectors.EVENT_READ, buffer)
        if process.stdin is not None:
            os.set_blocking(process.stdin.fileno(), False)
            selector.register(process.stdin.fileno(), selectors.EVENT_WRITE, bytearray(running.standard_input))
        while (status := process.returncode) is None:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                message = f"{quoted(running.name)} did not end within {running.seconds:g} seconds"
                raise TimeLimitError(message, stdout=bytes(stdout))
            _move(selector, running, min(remaining, _POLL_SECONDS))
            deadline += _poll(running)
        # What the ended process had written; a child of it that keeps the pipe open does not hold us.
        while _move(selector, running, 0):
            continue
    return _finished(status, bytes(stdout), bytes(stderr))


def _move(selector: selectors.BaseSelector, running: _Run, seconds: float) -> bool:
    """Moves what can be moved within the time; tells whether anything came out of the process."""
    if not selector.get_map():
        time.sleep(min(seconds, _TIDY_POLL_SECONDS))
        return False
    came = False
    for key, _ in selector.select(seconds):
        if key.events == selectors.EVENT_WRITE:
            _write(selector, running.process, key.fd, key.data)
            continue
        data = os.read(key.fd, _READ_BYTES)
        came = came or bool(data)
        key.data.extend(data)
        if not data:
            selector.unregister(key.fd)
        if len(key.data) > running.output_limit:
            raise OutputLimitError(f"{quoted(running.name)} printed more than {running.output_limit} bytes")
    return came


def _write(
    selector: selectors.BaseSelector, process: "subprocess.Popen[bytes]", descriptor: int, rest: bytearray
) -> None:
    try:
        if rest:
            del rest[: os.write(descriptor, rest)]
    except BrokenPipeError:
        rest.clear()
    if not rest and process.stdin is not None:
        selector.unregister(descriptor)
        process.stdin.close()


def _finished(status: int, stdout: bytes, stderr: bytes) -> Finished:
    if status >= 0:
        return Finished(status, None, stdout, stderr)
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return Finished(128 - status, name, stdout, stderr)


def _poll(running: _Run) -> float:
    """Sets the process's `returncode` once it is over; gives for how many seconds it was stopped just now."""
    process, watch = running.process, running.watch
    if watch is None:
        process.poll()
        return 0.0
    pid, status = os.waitpid(process.pid, os.WNOHANG | os.WUNTRACED)
    if pid and os.WIFSTOPPED(status):
        return watch.foreground.stop_with(watch.leader.pid)
    if pid:
        process.returncode = os.waitstatus_to_exitcode(status)
    if {watch.leader.poll(), process.returncode} & {-signal.SIGINT, -signal.SIGQUIT}:
        raise KeyboardInterrupt
    return 0.0


@contextlib.contextmanager
def _ended_with_its_group(group: int, *ours: "subprocess.Popen[bytes]") -> Iterator[None]:
    """Ends the whole process group when the block is left, however it is left; `ours` are our own children in it."""
    try:
        yield
    finally:
        _end_group(group, ours)
        for process in ours:
            _close_pipes(process)


def _close_pipes(process: "subprocess.Popen[bytes]") -> None:
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def _end_group(group: int, ours: "Sequence[subprocess.Popen[bytes]]") -> None:
    """Sends SIGTERM, gives the members a moment to tidy up, sends SIGKILL, and reaps our own children."""
    if _signal_group(group, signal.SIGTERM):
        _signal_group(group, signal.SIGCONT)
        deadline = time.monotonic() + _GRACE_SECONDS
        while time.monotonic() < deadline:
            for process in ours:
                process.poll()
            if not _signal_group(group, 0):
                break
            time.sleep(_TIDY_POLL_SECONDS)
        _signal_group(group, signal.SIGKILL)
    for process in ours:
        # A program that runs as another user (sudo) may be out of our reach.
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_SECONDS)


def _signal_group(group: int, number: int) -> bool:
    """Tells whether there was somebody to signal."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True

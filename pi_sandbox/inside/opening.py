"""The opening that every container of pi-sandbox has in common: it shows what it sees before it is told anything.

In this order, and nothing of it is skipped: an identity for the uid; one control connection; what the mounts look like
from here and whether system calls are filtered (the wrapper compares); only then the values that never stand in the
plan; the caller's own preparation; the child, watched over until its end. What goes wrong before the child runs is told
to the wrapper.
"""

import ctypes
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from pi_sandbox.errors import PiSandboxError
from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.inside.control import Control, ControlClosed, accept_control
from pi_sandbox.inside.control_bridge import guard_this_process
from pi_sandbox.inside.identity import write_identity
from pi_sandbox.inside.limits import reached_limits
from pi_sandbox.inside.supervisor import Child, run_child, set_size
from pi_sandbox.session.control_messages import Ended, Failed, Look, MessageRefused, Seen, Start, Started
from pi_sandbox.session.mount_plan import MARKERS
from pi_sandbox.system.sight import look_at

_TIMEX_BYTES = 512
"""More than `struct timex` has; without a bit set in it, the call changes nothing (adjtimex(2))."""

Prepare = Callable[[Start], Child]
"""From what the wrapper sent to the child."""


def open_and_run(prepare: Prepare, tmpfs: Sequence[str]) -> int:
    """Runs one container from its first moment to its last and gives its exit code.

    `tmpfs` are the temporary folders that are named, should one be full at the end.
    """
    guard_this_process()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    write_identity()
    try:
        control = accept_control()
        start = _until_start(control)
    except (ControlClosed, MessageRefused):
        sys.stderr.write("pi-sandbox: this image is started by `pi-sandbox` and found nobody at the other end\n")
        return ExitCode.INTERNAL
    try:
        child = prepare(start)
    except PiSandboxError as error:
        return _fail(control, Failed(error.message, error.hint, error.exit_code))
    except OSError as error:
        reason = f"the container could not be prepared: {error.strerror}: {error.filename}"
        return _fail(control, Failed(reason, "look at the limits and at the folder named", ExitCode.FILES))
    except Exception as error:  # noqa: BLE001 - the boundary: the wrapper must be told, whatever it was
        reason = f"the container could not be prepared ({type(error).__name__}: {error})"
        return _fail(control, Failed(reason, "build the image again: `pi-sandbox image build`", ExitCode.INTERNAL))
    set_size(start.rows, start.columns)
    control.send(Started())
    code = run_child(child, control)
    control.send(Ended(code, (*reached_limits(tmpfs), *child.finish())))
    return code


def _until_start(control: Control) -> Start:
    while True:
        match control.receive():
            case Look(targets):
                control.send(_seen(targets))
            case Start() as start:
                return start
            case _:
                raise MessageRefused


def _seen(targets: Sequence[str]) -> Seen:
    sights = [look_at(Path(target)) for target in targets]
    return Seen(
        tuple(sight.content for sight in sights),
        tuple(sight.writable for sight in sights),
        tuple(sight.identity for sight in sights),
        _word(Path(MARKERS)),
        look_at(Path(MARKERS)).identity,
        _reached(),
    )


def _reached() -> tuple[str, ...]:
    """Two calls that the plan's list refuses, made so that they change nothing: does the kernel itself answer?

    Every Linux lets everybody read its clock's state, and the engines' own lists do. gVisor knows neither.
    """
    reached = []
    try:
        socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).close()
        reached.append("AF_VSOCK")
    except OSError:
        pass
    if ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES)) >= 0:
        reached.append("adjtimex")
    return tuple(reached)


def _word(marker: Path) -> str | None:
    try:
        return marker.read_text(encoding="ascii")
    except (OSError, ValueError):
        return None


def _fail(control: Control, failure: Failed) -> int:
    control.send(failure)
    return failure.code

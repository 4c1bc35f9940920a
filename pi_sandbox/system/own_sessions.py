"""Programs that run beside this one, each in a session of its own, until they end or are killed with all they started.

For programs whose result is awaited there is `processes`.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

from pi_sandbox.errors import FilesError, quoted

_OUTPUT = os.O_WRONLY | os.O_CREAT | os.O_APPEND


def start(arguments: Sequence[str], *, environment: Mapping[str, str], output: Path) -> int:
    """Start a program without input, its output appended to a file, and give its process id; raises `FilesError`."""
    try:
        return os.posix_spawn(
            arguments[0],
            list(arguments),
            dict(environment),
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, str(output), _OUTPUT, 0o600),
                (os.POSIX_SPAWN_DUP2, 1, 2),
            ],
            setsid=True,
        )
    except OSError as error:
        raise FilesError(f"{quoted(arguments[0])} cannot be started: {error.strerror}", "check it") from error


def kill(pid: int) -> None:
    """Kill a program of `start` with its whole session's process group, and wait for it; one that ended is fine."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)

"""Hands what the wrapper sent, credentials and proxies with passwords, from the entry to its command over a pipe.

A variable of a process stands in /proc/<pid>/environ as long as the process lives (proc(5)), whatever it does to its
own environment. A pipe is empty once it was read.
"""

import fcntl
import json
import os
from collections.abc import Mapping

VARIABLE = "PI_SANDBOX_HANDOVER"
"""The variable with the number of the descriptor that the command reads from."""

_LEAST_BYTES = 4096


def hand_over(values: Mapping[str, str]) -> int:
    """Gives the descriptor of a pipe that holds the values, for a child to inherit; raises `OSError` above 1 MiB."""
    content = json.dumps(dict(values)).encode("ascii")
    reading, writing = os.pipe()
    try:
        with os.fdopen(writing, "wb") as pipe:
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, max(len(content), _LEAST_BYTES))
            pipe.write(content)
    except OSError:
        os.close(reading)
        raise
    os.set_inheritable(reading, True)
    return reading


def with_received(environ: Mapping[str, str]) -> dict[str, str]:
    """Gives the environment with what was handed over besides, which is nowhere else from now on."""
    every = dict(environ)
    descriptor = every.pop(VARIABLE, None)
    if descriptor is not None:
        with os.fdopen(int(descriptor), "rb") as pipe:
            every.update(json.loads(pipe.read()))
    return every

"""Runs one container to its end on a real engine, for tests that look at what its program saw."""

import contextlib
import select
import time
from collections.abc import Iterator
from dataclasses import dataclass

from pi_sandbox.containers.docker_engine import DockerEngine
from pi_sandbox.containers.engine import ByteChannel
from pi_sandbox.session.container_spec import ContainerSpec

SECONDS = 60


@dataclass(frozen=True)
class Outcome:
    out: str
    err: str
    code: int
    out_of_memory: bool


@contextlib.contextmanager
def started(engine: DockerEngine, spec: ContainerSpec) -> Iterator[tuple[str, ByteChannel]]:
    """Creates, attaches and starts a container; removes it after the block."""
    container_id = engine.create(spec)
    try:
        channel = engine.attach(container_id, tty=spec.tty)
        try:
            engine.start(container_id)
            yield container_id, channel
        finally:
            channel.close()
    finally:
        engine.remove(container_id)


def run(engine: DockerEngine, spec: ContainerSpec, given: bytes = b"") -> Outcome:
    """Runs the container with some input and gives what it said and how it ended."""
    with started(engine, spec) as (container_id, channel):
        channel.send(given)
        channel.close_input()
        found = read(channel)
        status = engine.wait(container_id)
    return Outcome(found[1].decode(), found[2].decode(), status.code, status.out_of_memory)


def read(channel: ByteChannel, *, until: bytes | None = None, seconds: float = SECONDS) -> dict[int, bytes]:
    """Gives what comes up to the end, or up to some bytes on standard output."""
    found = {1: b"", 2: b""}
    deadline = time.monotonic() + seconds
    while until is None or until not in found[1]:
        assert time.monotonic() < deadline, found
        channel.flush()
        if not select.select([channel], [], [], 0.2)[0]:
            continue
        pieces = channel.receive()
        if pieces is None:
            return found
        for stream, data in pieces:
            found[stream] += data
    return found

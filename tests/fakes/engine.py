"""A container engine in memory: its containers are Python functions in threads, over real socket pairs.

`programs` maps a command to a function that takes a `FakeProcess` and gives the exit code. The contract tests hold it
to what the real engines do.
"""

import itertools
import queue
import socket
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pi_sandbox.containers.creation import creation_body
from pi_sandbox.containers.engine import (
    ByteChannel,
    ContainerSummary,
    Difference,
    EngineFacts,
    ExitStatus,
    NameTaken,
    NoSuchContainer,
    NotRunning,
    TerminalSize,
)
from pi_sandbox.containers.streams import SocketChannel
from pi_sandbox.errors import EngineError, quoted
from pi_sandbox.session.container_spec import ContainerSpec
from tests.fakes.container_specs import FACTS

SIGNAL_NUMBERS = {"SIGHUP": 1, "SIGINT": 2, "SIGQUIT": 3, "SIGKILL": 9, "SIGTERM": 15}


class Killed(Exception):
    """The process was ended by a signal that it does not handle."""


class FakeProcess:
    """What a program sees: its streams, the size of its terminal, and the signals that it says it handles."""

    def __init__(self, connection: socket.socket, *, tty: bool) -> None:
        self._connection = connection
        self._tty = tty
        self.size = TerminalSize(0, 0)
        self.handled: set[str] = set()
        self.signals: queue.Queue[str] = queue.Queue()
        self._killed_by: str | None = None

    def read(self, size: int = 65536) -> bytes:
        """Gives input as it comes, `b""` at its end."""
        try:
            data = self._connection.recv(size)
        except OSError:
            data = b""
        self._end_if_killed()
        return data

    def write(self, data: bytes, stream: int = 1) -> None:
        self._end_if_killed()
        try:
            self._connection.sendall(data if self._tty else struct.pack(">BxxxL", stream, len(data)) + data)
        except OSError:
            self._end_if_killed()

    def wait_for_signal(self) -> str:
        """Waits for a handled signal and gives its name."""
        name = self.signals.get()
        self._end_if_killed()
        return name

    def deliver(self, name: str) -> None:
        """Does with a signal what the program asked for, or ends it."""
        if name not in self.handled or name == "SIGKILL":
            self._killed_by = name
            self.close()
        self.signals.put(name)

    def close(self) -> None:
        try:
            self._connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            return

    def discard(self) -> None:
        """Closes the stream of a process that was never run."""
        self._connection.close()

    def run(self, program: "Program") -> int:
        """Runs the program to its end and gives its exit code, 128 + number for one that a signal ended."""
        try:
            return program(self)
        except Killed:
            return 128 + SIGNAL_NUMBERS[self._killed_by or "SIGKILL"]
        finally:
            self._connection.close()

    def _end_if_killed(self) -> None:
        if self._killed_by is not None:
            raise Killed


Program = Callable[[FakeProcess], int]


def _cat(process: FakeProcess) -> int:
    while data := process.read():
        process.write(data)
    return 0


def _both_streams(process: FakeProcess) -> int:
    process.write(b"to out\n")
    process.write(b"to err\n", 2)
    return 0


def _sleep(process: FakeProcess) -> int:
    process.wait_for_signal()
    return 0


def _trap(process: FakeProcess) -> int:
    process.handled.add("SIGTERM")
    process.write(b"ready\n")
    process.wait_for_signal()
    return 5


def _size(process: FakeProcess) -> int:
    process.read(1)
    process.write(f"{process.size.rows} {process.size.columns}\r\n".encode())
    return 0


CAT = ("cat",)
EXIT_7 = ("sh", "-c", "exit 7")
BOTH_STREAMS = ("sh", "-c", "echo to out; echo to err >&2")
SLEEP = ("sleep", "600")
TRAP_TERM = ("sh", "-c", "trap 'exit 5' TERM; echo ready; while true; do sleep 0.1; done")
TERMINAL_SIZE = ("sh", "-c", "stty raw -echo; dd bs=1 count=1 2>/dev/null >/dev/null; stty size; echo")

PROGRAMS: Mapping[tuple[str, ...], Program] = {
    CAT: _cat,
    EXIT_7: lambda process: 7,
    BOTH_STREAMS: _both_streams,
    SLEEP: _sleep,
    TRAP_TERM: _trap,
    TERMINAL_SIZE: _size,
}


@dataclass
class _Container:
    container_id: str
    spec: ContainerSpec
    process: FakeProcess
    near: socket.socket
    others: list[FakeProcess] = field(default_factory=list)
    state: str = "created"
    code: int = 0
    ended: threading.Event = field(default_factory=threading.Event)


class FakeEngine:
    """See the module. `created` keeps every spec that was asked for, and `facts_given` may be replaced by a test."""

    def __init__(
        self, programs: Mapping[tuple[str, ...], Program] = PROGRAMS, facts: EngineFacts = FACTS, image: str = ""
    ) -> None:
        self.programs = programs
        self.facts_given = facts
        self.image = image or "sha256:" + "0" * 64
        self.created: list[ContainerSpec] = []
        self.found_differences: list[Difference] = []
        self._containers: dict[str, _Container] = {}
        self._numbers = itertools.count(1)

    def facts(self) -> EngineFacts:
        return self.facts_given

    def create(self, spec: ContainerSpec, size: TerminalSize | None = None) -> str:
        creation_body(spec, self.facts_given, size)
        for mount in spec.mounts:
            if mount.source is not None and not mount.source.exists():
                raise EngineError(f"the container engine does not see {quoted(mount.source)}: no such folder", "test")
        if spec.image != self.image:
            raise EngineError(f"the container engine does not have the image: No such image: {spec.image}", "test")
        if any(container.spec.name == spec.name for container in self._containers.values()):
            raise NameTaken("the container's name is already in use: test", "test")
        near, far = socket.socketpair()
        container = _Container(f"{next(self._numbers):064x}", spec, FakeProcess(far, tty=spec.tty), near)
        self._containers[container.container_id] = container
        self.created.append(spec)
        return container.container_id

    def differences(self, container_id: str, spec: ContainerSpec) -> Sequence[Difference]:
        self._get(container_id)
        return self.found_differences

    def attach(self, container_id: str, *, tty: bool) -> ByteChannel:
        return SocketChannel(self._get(container_id).near.dup(), tty=tty)

    def start(self, container_id: str) -> None:
        container = self._get(container_id)
        container.near.close()
        container.state = "running"
        threading.Thread(target=self._run, args=(container,), daemon=True).start()

    def _run(self, container: _Container) -> None:
        container.code = container.process.run(self.programs[container.spec.command])
        for other in container.others:
            other.deliver("SIGKILL")
        container.state = "exited"
        container.ended.set()

    def execute(self, container_id: str, command: Sequence[str], user: str) -> ByteChannel:
        container = self._running(container_id)
        near, far = socket.socketpair()
        process = FakeProcess(far, tty=False)
        container.others.append(process)
        threading.Thread(target=process.run, args=(self.programs[tuple(command)],), daemon=True).start()
        return SocketChannel(near, tty=False)

    def resize(self, container_id: str, size: TerminalSize) -> None:
        self._running(container_id).process.size = size

    def kill(self, container_id: str, signal_name: str) -> None:
        self._running(container_id).process.deliver(signal_name)

    def stop(self, container_id: str, *, seconds: int) -> None:
        container = self._containers.get(container_id)
        if container is not None and container.state == "running":
            container.process.deliver("SIGTERM")
            if not container.ended.wait(seconds):
                container.process.deliver("SIGKILL")
                container.ended.wait()

    def wait(self, container_id: str) -> ExitStatus:
        container = self._get(container_id)
        container.ended.wait()
        return ExitStatus(container.code, out_of_memory=False)

    def remove(self, container_id: str) -> None:
        container = self._containers.pop(container_id, None)
        if container is None:
            return
        if container.state == "running":
            container.process.deliver("SIGKILL")
            container.ended.wait()
        if container.state == "created":
            container.process.discard()
        container.near.close()

    def ours(self, labels: Mapping[str, str]) -> Sequence[ContainerSummary]:
        summaries = (
            ContainerSummary(item.container_id, item.spec.name, item.state, dict(item.spec.labels))
            for item in self._containers.values()
        )
        return tuple(summary for summary in summaries if labels.items() <= summary.labels.items())

    def _get(self, container_id: str) -> _Container:
        try:
            return self._containers[container_id]
        except KeyError:
            raise NoSuchContainer(f"the container is gone: No such container: {container_id}") from None

    def _running(self, container_id: str) -> _Container:
        container = self._get(container_id)
        if container.state != "running":
            raise NotRunning(f"the container does not run: Container {container_id} is not running")
        return container

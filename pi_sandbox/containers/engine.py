"""What we ask of a container engine, in our words. `docker_engine.py` answers with a real one, tests with a fake."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pi_sandbox.errors import EngineError
from pi_sandbox.session.container_spec import ContainerSpec


@dataclass(frozen=True)
class EngineFacts:
    """What the engine says about itself. `endpoint` names the socket or address and how it was found.

    `seccomp` tells whether it can filter system calls. `cpus` and `memory_bytes` are those of its machine, 0 where it
    does not say.
    """

    endpoint: str
    product: str
    version: str
    api_version: str
    rootless: bool
    remaps_users: bool
    selinux: bool
    seccomp: bool
    cpus: int
    runtimes: tuple[str, ...]
    memory_bytes: int = 0


@dataclass(frozen=True)
class TerminalSize:
    """The size of a terminal in characters."""

    rows: int
    columns: int


@dataclass(frozen=True)
class ExitStatus:
    """How a container ended: its code (0 to 255), and whether the kernel killed it for its memory limit."""

    code: int
    out_of_memory: bool


@dataclass(frozen=True)
class Difference:
    """One field that is not as planned. `is_limit` tells that the container runs, but without this limit."""

    field: str
    planned: str
    found: str
    is_limit: bool

    def __str__(self) -> str:
        return f"{self.field}: planned {self.planned}, the engine has {self.found}"


@dataclass(frozen=True)
class ContainerSummary:
    """One container that carries our labels. `state` is the engine's word: created, running, exited, …"""

    container_id: str
    name: str
    state: str
    labels: Mapping[str, str]


class ByteChannel(Protocol):
    """A two-way stream to something inside a container.

    `fileno` is readable when `receive` has something or has ended. `receive` gives at most one read's worth of bytes
    as pairs (stream, data) with stream 1 for standard output and 2 for standard error, an empty list when a frame is
    not complete yet, and `None` at the end. `send` never blocks: what does not go at once waits, `pending` says how
    much, and `flush` tries again. `close_input` tells the other side that nothing more comes, once everything has gone.
    """

    def fileno(self) -> int: ...
    def send(self, data: bytes) -> None: ...
    def pending(self) -> int: ...
    def flush(self) -> None: ...
    def receive(self) -> Sequence[tuple[int, bytes]] | None: ...
    def close_input(self) -> None: ...
    def close(self) -> None: ...


class NameTaken(EngineError):
    """A container of that name exists already."""


class NoSuchContainer(EngineError):
    """The container, or the program in it, is gone."""


class NotRunning(EngineError):
    """The container exists but does not run (any more)."""


class NoAnswer(EngineError):
    """The engine did not answer in time; it may do what it was asked all the same."""


class Engine(Protocol):
    """A container engine. Every method raises `EngineError` with one clear sentence, never a foreign exception.

    `create` makes the network of the plan where the engine does not have it yet. It takes the size of the terminal,
    which newer engines give the container from its first moment on; `resize` right after `start` does it for the
    others. `differences` compares what the engine has made with the plan. `resize` and `kill` raise `NotRunning` for a
    container that has ended, and wait neither for that end nor for somebody to read a stream. `wait` is for a container
    whose stream has ended.
    """

    def facts(self) -> EngineFacts: ...
    def create(self, spec: ContainerSpec, size: TerminalSize | None = None) -> str: ...
    def differences(self, container_id: str, spec: ContainerSpec) -> Sequence[Difference]: ...
    def attach(self, container_id: str, *, tty: bool) -> ByteChannel: ...
    def start(self, container_id: str) -> None: ...
    def execute(self, container_id: str, command: Sequence[str], user: str) -> ByteChannel: ...
    def resize(self, container_id: str, size: TerminalSize) -> None: ...
    def kill(self, container_id: str, signal_name: str) -> None: ...
    def stop(self, container_id: str, *, seconds: int) -> None: ...
    def wait(self, container_id: str) -> ExitStatus: ...
    def remove(self, container_id: str) -> None: ...
    def ours(self, labels: Mapping[str, str]) -> Sequence[ContainerSummary]: ...

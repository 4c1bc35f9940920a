"""The complete description of one container: what is printed by `plan`, given to the engine and compared with it."""

import hashlib
from dataclasses import dataclass
from enum import Enum
from pathlib import Path, PurePosixPath


class MountKind(Enum):
    """`BIND` shows a folder or file of the host; `MASK` is an empty, read-only tmpfs over what stays hidden."""

    BIND = "bind"
    MASK = "mask"


@dataclass(frozen=True)
class Mount:
    """One planned mount. `source` is `None` exactly for a mask. `purpose` is for the reader of the plan."""

    target: PurePosixPath
    kind: MountKind
    source: Path | None
    read_only: bool
    purpose: str


@dataclass(frozen=True)
class Tmpfs:
    """One standing tmpfs with its mount options, such as `size=1g,mode=1777,nosuid,nodev`."""

    target: PurePosixPath
    options: str


@dataclass(frozen=True)
class Ulimit:
    name: str
    soft: int
    hard: int


@dataclass(frozen=True)
class SeccompProfile:
    """The system calls that a container may make: the file, for people and for an engine that reads it by itself, and
    its content as JSON on one line.
    """

    file: Path
    rules: str

    @property
    def digest(self) -> str:
        return f"sha256:{hashlib.sha256(self.rules.encode()).hexdigest()}"


@dataclass(frozen=True)
class StandingPart:
    """The fixed, reviewed half of a container, as `compose/*.yaml` has it. Sizes in bytes, times in seconds.

    `seccomp` is `None` on an engine that filters no system calls.
    """

    init: bool
    read_only_root: bool
    drop_capabilities: tuple[str, ...]
    security_options: tuple[str, ...]
    seccomp: SeccompProfile | None
    network: str
    memory_bytes: int
    cpus: float
    processes: int
    shared_memory_bytes: int
    ulimits: tuple[Ulimit, ...]
    tmpfs: tuple[Tmpfs, ...]
    log_driver: str
    stop_seconds: int
    hostname: str


@dataclass(frozen=True)
class ContainerSpec:
    """The fixed half and this run's half. `image` is an image id (`sha256:…`) once the engine was asked.

    `user` is `uid:gid`; `environment` and `labels` are pairs in the order in which they are given.
    """

    name: str
    image: str
    command: tuple[str, ...]
    user: str
    working_dir: PurePosixPath
    environment: tuple[tuple[str, str], ...]
    labels: tuple[tuple[str, str], ...]
    mounts: tuple[Mount, ...]
    tty: bool
    runtime: str | None
    standing: StandingPart

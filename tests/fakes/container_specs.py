"""Small complete container specs for tests."""

import uuid
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from pi_sandbox.containers.engine import EngineFacts
from pi_sandbox.containers.seccomp_profile import load_profile
from pi_sandbox.session.container_spec import ContainerSpec, Mount, MountKind, StandingPart, Tmpfs, Ulimit

MEBIBYTE = 1 << 20

STANDING = StandingPart(
    init=True,
    read_only_root=True,
    drop_capabilities=("ALL",),
    security_options=("no-new-privileges:true",),
    seccomp=load_profile(),
    network="none",
    memory_bytes=256 * MEBIBYTE,
    cpus=1.0,
    processes=64,
    shared_memory_bytes=16 * MEBIBYTE,
    ulimits=(Ulimit("core", 0, 0),),
    tmpfs=(Tmpfs(PurePosixPath("/tmp"), "size=16m,mode=1777,nosuid,nodev"),),
    log_driver="none",
    stop_seconds=5,
    hostname="box",
)

FACTS = EngineFacts(
    endpoint="unix:///run/engine.sock (DOCKER_HOST)",
    product="Docker",
    version="20.10.24",
    api_version="1.41",
    rootless=False,
    remaps_users=False,
    selinux=False,
    seccomp=True,
    cpus=2,
    runtimes=("runc",),
)


def make_spec(*command: str, standing: dict[str, Any] | None = None, **changes: Any) -> ContainerSpec:
    """Gives a spec with a name of its own; `changes` replace its fields, `standing` those of its standing part."""
    spec = ContainerSpec(
        name=f"pi-sandbox-test-{uuid.uuid4().hex[:12]}",
        image="sha256:" + "0" * 64,
        command=command or ("true",),
        user="1000:1000",
        working_dir=PurePosixPath("/"),
        environment=(("WORD", "a=b c"),),
        labels=(("dev.pi-sandbox.test", "1"),),
        mounts=(),
        tty=False,
        runtime=None,
        standing=replace(STANDING, **(standing or {})),
    )
    return replace(spec, **changes)


def bind(source: Path, target: str, *, read_only: bool = False) -> Mount:
    return Mount(PurePosixPath(target), MountKind.BIND, source, read_only, "test")


def mask(target: str) -> Mount:
    return Mount(PurePosixPath(target), MountKind.MASK, None, True, "test")

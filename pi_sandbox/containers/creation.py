"""A container's description in the engine's words, and what the engine must report of it.

Rules (Docker Engine API, `POST /containers/create`):

- Mounts are structured, never colon-joined text, so a path is a path whatever is in it, and a missing source is an
  error instead of a new folder. Nothing propagates between host and container (`rprivate`).
- Read-only reaches mounts below a source by itself from API 1.44 on (with Linux 5.12 and a runtime that can). It is not
  forced, which would refuse older kernels and gVisor outright: the plan refuses sources with mounts below them.
- A mask is a read-only tmpfs that holds nothing.
- Memory plus swap equals memory: the limit is the limit.
- The image's start command, health check and log settings never apply; only what the plan says.
- `UsernsMode: host` on an engine that remaps users, or the owner of every file would be someone else.
- `label=disable` on an engine with SELinux: structured mounts cannot relabel, and relabelling a home folder is worse.

`differences` compares the engine's own report with the plan, field by field.
"""

from collections.abc import Mapping
from typing import Any

from pi_sandbox.containers.engine import EngineFacts, TerminalSize
from pi_sandbox.session.container_spec import ContainerSpec, Mount, MountKind

MASK_SIZE_BYTES = 4096
MASK_MODE = 0o555
NANO = 1_000_000_000
CONSOLE_SIZE_SINCE = (1, 42)
NO_MOUNT_POINT_SINCE = (1, 42)


def api_number(version: str) -> tuple[int, int]:
    """Reads `1.41` as (1, 41); raises `ValueError` for anything else."""
    major, minor = version.split(".")
    return int(major), int(minor)


def creation_body(spec: ContainerSpec, facts: EngineFacts, size: TerminalSize | None = None) -> dict[str, Any]:
    """Gives the request body for the container: the plan, and nothing that is not in the plan."""
    return {
        "Image": spec.image,
        "Entrypoint": list(spec.command),
        "Cmd": [],
        "User": spec.user,
        "WorkingDir": str(spec.working_dir),
        "Env": [f"{name}={value}" for name, value in spec.environment],
        "Labels": dict(spec.labels),
        "Hostname": spec.standing.hostname,
        "Tty": spec.tty,
        "OpenStdin": True,
        "StdinOnce": True,
        "AttachStdin": True,
        "AttachStdout": True,
        "AttachStderr": True,
        "StopTimeout": spec.standing.stop_seconds,
        "Healthcheck": {"Test": ["NONE"]},
        "HostConfig": _host_config(spec, facts, size),
    }


def _host_config(spec: ContainerSpec, facts: EngineFacts, size: TerminalSize | None) -> dict[str, Any]:
    standing = spec.standing
    config: dict[str, Any] = {
        "Mounts": [_mount(mount, api_number(facts.api_version)) for mount in spec.mounts],
        "Tmpfs": {str(tmpfs.target): tmpfs.options for tmpfs in standing.tmpfs},
        "ReadonlyRootfs": standing.read_only_root,
        "CapDrop": list(standing.drop_capabilities),
        "SecurityOpt": list(security_options(spec, facts)),
        "Init": standing.init,
        "PidsLimit": standing.processes,
        "Memory": standing.memory_bytes,
        "MemorySwap": standing.memory_bytes,
        "NanoCpus": round(standing.cpus * NANO),
        "Ulimits": [{"Name": limit.name, "Soft": limit.soft, "Hard": limit.hard} for limit in standing.ulimits],
        "ShmSize": standing.shared_memory_bytes,
        "NetworkMode": standing.network,
        "IpcMode": "private",
        "LogConfig": {"Type": standing.log_driver, "Config": {}},
        "AutoRemove": False,
        "Privileged": False,
    }
    if facts.remaps_users:
        config["UsernsMode"] = "host"
    if spec.runtime is not None:
        config["Runtime"] = spec.runtime
    if spec.tty and size is not None and api_number(facts.api_version) >= CONSOLE_SIZE_SINCE:
        config["ConsoleSize"] = [size.rows, size.columns]
    return config


def security_options(spec: ContainerSpec, facts: EngineFacts) -> tuple[str, ...]:
    """Gives the plan's security options, and what this engine needs for binds to be readable at all."""
    needed = ("label=disable",) if facts.selinux and "label=disable" not in spec.standing.security_options else ()
    return (*spec.standing.security_options, *needed)


def _mount(mount: Mount, api: tuple[int, int]) -> dict[str, Any]:
    if mount.kind is MountKind.MASK:
        return {
            "Type": "tmpfs",
            "Target": str(mount.target),
            "ReadOnly": True,
            "TmpfsOptions": {"SizeBytes": MASK_SIZE_BYTES, "Mode": MASK_MODE},
        }
    options: dict[str, Any] = {"Propagation": "rprivate"}
    if api >= NO_MOUNT_POINT_SINCE:
        options["CreateMountpoint"] = False
    return {
        "Type": "bind",
        "Source": str(mount.source),
        "Target": str(mount.target),
        "ReadOnly": mount.read_only,
        "BindOptions": options,
    }


def differences(spec: ContainerSpec, inspected: Mapping[str, Any]) -> list[str]:
    raise NotImplementedError

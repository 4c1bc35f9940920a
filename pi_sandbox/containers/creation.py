"""A container's description in the engine's words, and what the engine must report of it.

Rules (Docker Engine API, `POST /containers/create`):

- Mounts are structured, never colon-joined text, so a path is a path whatever is in it, and a missing source is an
  error instead of a new folder. Nothing propagates between host and container (`rprivate`).
- Read-only reaches mounts below a source by itself from API 1.44 on (with Linux 5.12 and a runtime that can). It is not
  forced, which would refuse older kernels and gVisor outright: the plan refuses sources with mounts below them.
- A mask is a read-only tmpfs that holds nothing.
- Memory plus swap equals memory: the limit is the limit.
- The image's start command never applies; only what the plan says.
- `UsernsMode: host` on an engine that remaps users, or the owner of every file would be someone else.
- The system calls that are allowed are told in full. Podman is told the file, which it reads itself.
- Podman puts such mounts together as text after all, and fills a tmpfs with what lies under it: there a mask is a tmpfs
  with `notmpcopyup`, and a path with a character of that text's syntax is refused.

`creation_check.py` compares the engine's own report with the plan, field by field.
"""

from typing import Any

from pi_sandbox.containers.engine import EngineFacts, TerminalSize
from pi_sandbox.containers.network import PODMAN, engine_network
from pi_sandbox.containers.seccomp_profile import OPTION
from pi_sandbox.errors import EngineError, quoted
from pi_sandbox.session.container_spec import ContainerSpec, Mount, MountKind, SeccompProfile

MASK_SIZE_BYTES = 4096
MASK_MODE = 0o555
MASK_OPTIONS = f"ro,size={MASK_SIZE_BYTES},mode=0{MASK_MODE:o},nosuid,nodev,noexec"
PODMAN_SYNTAX = ',"\r\n'
PODMAN_MASK_SYNTAX = PODMAN_SYNTAX + ":"
NANO = 1_000_000_000
CONSOLE_SIZE_SINCE = (1, 42)
NO_MOUNT_POINT_SINCE = (1, 42)


def api_number(version: str) -> tuple[int, int]:
    """Reads `1.41` as (1, 41); raises `ValueError` for anything else."""
    major, minor = version.split(".")
    return int(major), int(minor)


def creation_body(spec: ContainerSpec, facts: EngineFacts, size: TerminalSize | None = None) -> dict[str, Any]:
    """Gives the request body for the container: the plan, and nothing that is not in the plan.

    Raises `EngineError` for a path that this engine cannot mount as itself.
    """
    for mount in spec.mounts:
        refuse_unmountable(mount, facts)
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
        "HostConfig": _host_config(spec, facts, size),
    }


def _host_config(spec: ContainerSpec, facts: EngineFacts, size: TerminalSize | None) -> dict[str, Any]:
    standing = spec.standing
    mounts = [mount for mount in spec.mounts if mount.kind is MountKind.BIND or facts.product != PODMAN]
    config: dict[str, Any] = {
        "Mounts": [_mount(mount, api_number(facts.api_version)) for mount in mounts],
        "Tmpfs": _tmpfs(spec, facts),
        "ReadonlyRootfs": standing.read_only_root,
        "CapDrop": list(standing.drop_capabilities),
        "SecurityOpt": [*standing.security_options, *_seccomp(standing.seccomp, facts)],
        "Init": standing.init,
        "PidsLimit": standing.processes,
        "Memory": standing.memory_bytes,
        "MemorySwap": standing.memory_bytes,
        "NanoCpus": round(standing.cpus * NANO),
        "Ulimits": [{"Name": limit.name, "Soft": limit.soft, "Hard": limit.hard} for limit in standing.ulimits],
        "ShmSize": standing.shared_memory_bytes,
        "NetworkMode": engine_network(standing.network, facts),
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


def _seccomp(profile: SeccompProfile | None, facts: EngineFacts) -> list[str]:
    if profile is None:
        return []
    return [f"{OPTION}{profile.file if facts.product == PODMAN else profile.rules}"]


def refuse_unmountable(mount: Mount, facts: EngineFacts) -> None:
    """Raises `EngineError` for a path that this engine would take for another one."""
    syntax = "" if facts.product != PODMAN else PODMAN_MASK_SYNTAX if mount.kind is MountKind.MASK else PODMAN_SYNTAX
    for path in filter(None, (str(mount.target), str(mount.source or ""))):
        if any(0xDC80 <= ord(character) <= 0xDCFF for character in path):
            raise EngineError(f"the path {quoted(path)} is not UTF-8: no engine can mount it", "rename the folder")
        if found := sorted(set(syntax).intersection(path)):
            raise EngineError(
                f"Podman cannot mount the path {quoted(path)}: it holds {', '.join(map(quoted, found))}",
                "rename the folder, or use a Docker engine",
            )


def _tmpfs(spec: ContainerSpec, facts: EngineFacts) -> dict[str, str]:
    standing = {str(tmpfs.target): tmpfs.options for tmpfs in spec.standing.tmpfs}
    if facts.product != PODMAN:
        return standing
    masks = {str(mount.target): MASK_OPTIONS for mount in spec.mounts if mount.kind is MountKind.MASK}
    return {target: f"{options},notmpcopyup" for target, options in (standing | masks).items()}


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

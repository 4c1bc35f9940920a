"""Compares what the engine reports of a container with the plan, field by field.

Rules:

- Both sides are brought into one form of named fields, so that each difference names one.
- What the image adds to the environment and the labels is no difference; a volume or a health check of the image is.
- Limits that an engine does not enforce (rootless Podman on cgroup v1) are told apart from what loosens the container.
- Podman writes some fields in its own way: it adds a few variables and, to a read-only root, `/run` and `/var/tmp`; it
  lists every dropped capability; it shows neither its runtime nor its masked paths.
"""

from collections.abc import Mapping, Sequence, Set
from typing import Any

from pi_sandbox.containers.creation import (
    MASK_MODE,
    MASK_SIZE_BYTES,
    NANO,
)
from pi_sandbox.containers.engine import Difference, EngineFacts
from pi_sandbox.containers.network import PODMAN, engine_network
from pi_sandbox.containers.seccomp_profile import OPTION as SECCOMP_OPTION
from pi_sandbox.containers.seccomp_profile import found_word, profile_word
from pi_sandbox.errors import quoted
from pi_sandbox.session.container_spec import ContainerSpec, MountKind

LIMITS = frozenset({"memory", "memory and swap", "processors", "processes", "ulimits", "shared memory"})
PODMAN_VARIABLES = frozenset({"container", "TERM", "HOSTNAME", "HOME"})
PODMAN_TMPFS = frozenset({"/run", "/var/tmp"})  # noqa: S108 - targets inside the container
PODMAN_CAPABILITIES = frozenset(
    "CHOWN DAC_OVERRIDE FOWNER FSETID KILL NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT".split()
)

NEUTRAL: tuple[object, ...] = (None, "", 0, False, [], {})
NEVER_ASKED_FOR = (
    "AutoRemove",
    "CapAdd",
    "CgroupParent",
    "DeviceCgroupRules",
    "DeviceRequests",
    "Devices",
    "ExtraHosts",
    "GroupAdd",
    "Links",
    "OomKillDisable",
    "PortBindings",
    "Privileged",
    "PublishAllPorts",
    "Sysctls",
    "VolumesFrom",
)


def differences(
    spec: ContainerSpec, facts: EngineFacts, container: Mapping[str, Any], image: Mapping[str, Any]
) -> list[Difference]:
    """Gives what differs between the plan and the engine's reports of the container and of its image."""
    planned = planned_fields(spec, facts)
    found = found_fields(spec, container, image, facts)
    return [
        Difference(name, *_shown(planned[name], found[name]), name in LIMITS)
        for name in planned
        if planned[name] != found[name]
    ]


def _shown(planned: object, found: object) -> tuple[str, str]:
    """Gives both sides as text; of sets and mappings, what only one side has."""
    if isinstance(planned, frozenset) and isinstance(found, frozenset):
        return _listed(planned - found), _listed(found - planned)
    if isinstance(planned, dict) and isinstance(found, dict):
        only_planned = {item for item in planned.items() if item not in found.items()}
        return _listed(only_planned), _listed({item for item in found.items() if item not in planned.items()})
    return quoted(planned), quoted(found)


def _listed(items: Set[object]) -> str:
    return ", ".join(sorted(quoted(item) for item in items)) or "nothing"


def planned_fields(spec: ContainerSpec, facts: EngineFacts) -> dict[str, object]:
    """Gives the plan by field; the runtime only where it is planned and the engine shows it."""
    standing = spec.standing
    runtime = {"runtime": spec.runtime} if spec.runtime is not None and facts.product != PODMAN else {}
    return runtime | {
        "image": spec.image,
        "command": spec.command,
        "user": spec.user,
        "working directory": str(spec.working_dir),
        "environment": dict(spec.environment),
        "labels": dict(spec.labels),
        "host name": standing.hostname,
        "terminal": spec.tty,
        "open input": True,
        "seconds to stop": standing.stop_seconds,
        "mounts": _planned_mounts(spec),
        "tmpfs": {str(tmpfs.target): frozenset(tmpfs.options.split(",")) for tmpfs in standing.tmpfs},
        "read-only root": standing.read_only_root,
        "dropped capabilities": frozenset(standing.drop_capabilities),
        "security options": frozenset(map(_security_option, standing.security_options)),
        "system calls": profile_word(standing.seccomp, by_path=facts.product == PODMAN),
        "init": standing.init,
        "network": engine_network(standing.network, facts),
        "user namespace": "host" if facts.remaps_users else "",
        "log driver": standing.log_driver,
        "memory": standing.memory_bytes,
        "memory and swap": standing.memory_bytes,
        "processors": standing.cpus,
        "processes": standing.processes,
        "ulimits": frozenset((limit.name, limit.soft, limit.hard) for limit in standing.ulimits),
        "shared memory": standing.shared_memory_bytes,
        "granted": (),
    }


def found_fields(
    spec: ContainerSpec, container: Mapping[str, Any], image: Mapping[str, Any], facts: EngineFacts
) -> dict[str, object]:
    """Gives the engine's report by the same fields, without what only the image gives."""
    config, host, is_podman = container["Config"], container["HostConfig"], facts.product == PODMAN
    inherited, options = image.get("Config") or {}, host.get("SecurityOpt") or ()
    return {
        "image": container["Image"],
        "command": (*(config.get("Entrypoint") or ()), *(config.get("Cmd") or ())),
        "user": config.get("User"),
        "working directory": config.get("WorkingDir"),
        "environment": _found_environment(config, inherited, dict(spec.environment), is_podman=is_podman),
        "labels": _own(config.get("Labels") or {}, inherited.get("Labels") or {}, dict(spec.labels)),
        "host name": config.get("Hostname"),
        "terminal": config.get("Tty"),
        "open input": config.get("OpenStdin"),
        "seconds to stop": config.get("StopTimeout"),
        "mounts": _found_mounts(container, is_podman=is_podman),
        "tmpfs": _found_tmpfs(host, is_podman=is_podman),
        "read-only root": host.get("ReadonlyRootfs"),
        "dropped capabilities": _dropped(host.get("CapDrop") or (), is_podman=is_podman),
        "security options": frozenset(
            _security_option(option) for option in options if not option.startswith(SECCOMP_OPTION)
        ),
        "system calls": found_word(options),
        "init": host.get("Init"),
        "network": _found_network(container),
        "user namespace": "host" if host.get("UsernsMode") == "host" else "",
        "log driver": (host.get("LogConfig") or {}).get("Type"),
        "runtime": host.get("Runtime"),
        "memory": host.get("Memory"),
        "memory and swap": host.get("MemorySwap"),
        "processors": _processors(host),
        "processes": host.get("PidsLimit"),
        "ulimits": frozenset((item["Name"], item["Soft"], item["Hard"]) for item in host.get("Ulimits") or ()),
        "shared memory": host.get("ShmSize"),
        "granted": _granted(config, host, is_podman=is_podman),
    }


def _granted(config: Mapping[str, Any], host: Mapping[str, Any], *, is_podman: bool) -> tuple[str, ...]:
    """Names what no plan ever asks for and the container has all the same."""
    granted = [name for name in NEVER_ASKED_FOR if host.get(name) not in NEUTRAL]
    granted += [name for name in ("Volumes", "Healthcheck") if config.get(name) not in NEUTRAL]
    modes = {name: host.get(name) for name in ("PidMode", "UTSMode")}
    granted += [f"{name}={mode}" for name, mode in modes.items() if mode not in ("", None, "private")]
    if host.get("IpcMode") not in ("private", "shareable" if is_podman else "private"):
        granted.append(f"IpcMode={host.get('IpcMode')}")
    if (host.get("RestartPolicy") or {}).get("Name") not in (None, "", "no"):
        granted.append("RestartPolicy")
    if host.get("Binds") and not is_podman:
        granted.append("Binds")
    return tuple(granted)


def _found_network(container: Mapping[str, Any]) -> str:
    """Gives the network's name; where the container is in others besides it, all of them."""
    mode = str(container["HostConfig"].get("NetworkMode"))
    others = set((container.get("NetworkSettings") or {}).get("Networks") or {}) - {mode}
    return ", ".join([mode, *sorted(others)])


def _planned_mounts(spec: ContainerSpec) -> frozenset[tuple[object, ...]]:
    """Gives (kind, source, target, writable, propagation) for a bind and (kind, target) for a mask."""
    return frozenset(
        ("mask", str(mount.target))
        if mount.kind is MountKind.MASK
        else ("bind", str(mount.source), str(mount.target), not mount.read_only, "rprivate")
        for mount in spec.mounts
    )


def _found_mounts(container: Mapping[str, Any], *, is_podman: bool) -> frozenset[tuple[object, ...]]:
    host = container["HostConfig"]
    masks = _podman_masks(host) if is_podman else _docker_masks(host)
    binds = {
        (item["Type"], item["Source"], item["Destination"], item["RW"], item["Propagation"])
        for item in container.get("Mounts") or ()
        if item["Type"] != "tmpfs"
    }
    return frozenset(binds | {("mask", target) for target in masks})


def _docker_masks(host: Mapping[str, Any]) -> set[str]:
    wanted = {"SizeBytes": MASK_SIZE_BYTES, "Mode": MASK_MODE}
    mounts = [item for item in host.get("Mounts") or () if item["Type"] == "tmpfs"]
    return {item["Target"] for item in mounts if item.get("ReadOnly") and item.get("TmpfsOptions") == wanted}


def _podman_masks(host: Mapping[str, Any]) -> set[str]:
    tmpfs = {target: set(options.split(",")) for target, options in (host.get("Tmpfs") or {}).items()}
    wanted = {"ro", f"size={MASK_SIZE_BYTES}"}
    return {target for target, options in tmpfs.items() if wanted <= options and "tmpcopyup" not in options}


def _found_tmpfs(host: Mapping[str, Any], *, is_podman: bool) -> dict[str, frozenset[str]]:
    found = {target: frozenset(options.split(",")) for target, options in (host.get("Tmpfs") or {}).items()}
    if not is_podman:
        return found
    own = PODMAN_TMPFS | _podman_masks(host)
    shown = {"rw", "rprivate", "notmpcopyup"}
    return {target: options - shown for target, options in found.items() if target not in own}


def _found_environment(
    config: Mapping[str, Any], inherited: Mapping[str, Any], planned: Mapping[str, str], *, is_podman: bool
) -> dict[str, str]:
    found = _own(_pairs(config.get("Env")), _pairs(inherited.get("Env")), planned)
    added = PODMAN_VARIABLES.difference(planned) if is_podman else frozenset()
    return {name: value for name, value in found.items() if name not in added}


def _pairs(entries: Sequence[str] | None) -> dict[str, str]:
    split = (entry.partition("=") for entry in entries or ())
    return {name: value for name, _, value in split}


def _own(found: Mapping[str, str], inherited: Mapping[str, str], planned: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in found.items() if name in planned or inherited.get(name) != value}


def _dropped(found: Sequence[str], *, is_podman: bool) -> frozenset[str]:
    names = frozenset(name.removeprefix("CAP_") for name in found)
    return frozenset({"ALL"}) if is_podman and names >= PODMAN_CAPABILITIES else names


def _security_option(option: str) -> str:
    return option.removesuffix(":true").removesuffix("=true")


def _processors(host: Mapping[str, Any]) -> float:
    if host.get("NanoCpus"):
        return float(host["NanoCpus"]) / NANO
    return float(host.get("CpuQuota") or 0) / float(host.get("CpuPeriod") or 1)

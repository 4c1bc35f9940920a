"""`compose/*.yaml` → the standing half of a container, and a whole plan → a Compose file.

- every key of a standing file must be one of the known ones, every value of its one form; anything else is refused;
- a value that would loosen the container is refused: the root stays read-only, all capabilities stay dropped, no new
  privileges, an init, no log of the terminal, limits on memory, processors and processes;
- the system calls are those of `seccomp.json` beside it, which is an allowlist;
- there are two networks: none, and the one on which containers do not reach each other (`network.py`), which the file
  describes as it is made;
- only three variables are replaced, the limits, and only from the settings, never from the environment of the moment.

Format: the Compose specification, "Services top-level elements".
"""

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from pi_sandbox.containers.network import NETWORK, NO_NETWORK, OPTIONS
from pi_sandbox.containers.seccomp_profile import PROFILE_FILE, load_profile
from pi_sandbox.errors import PiSandboxError, quoted
from pi_sandbox.session.container_spec import ContainerSpec, Mount, MountKind, StandingPart, Tmpfs, Ulimit
from pi_sandbox.settings.settings import Limits
from pi_sandbox.system.shipped_files import shipped_folder

MASK_BYTES = 4096
"""Size of the empty tmpfs over a hidden folder, in bytes: one page."""

_KEYS = frozenset(
    {
        "cap_drop",
        "cpus",
        "hostname",
        "init",
        "logging",
        "mem_limit",
        "pids_limit",
        "read_only",
        "security_opt",
        "shm_size",
        "stop_grace_period",
        "tmpfs",
        "ulimits",
    }
)
_NO_NETWORK = {"network_mode": NO_NETWORK}
_OWN_NETWORK = {"networks": [NETWORK]}
_OWN_NETWORK_DESCRIBED = {"networks": {NETWORK: {"name": NETWORK, "driver": "bridge", "driver_opts": OPTIONS}}}
_VARIABLE = re.compile(r"\$\{(PI_SANDBOX_MEMORY|PI_SANDBOX_CPUS|PI_SANDBOX_PIDS):-[0-9a-z.]+\}")
_SIZE = re.compile(r"(\d+)([kmg]?)")
_UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3}
_NO_NEW_PRIVILEGES = "no-new-privileges:true"
_SECONDS = re.compile(r"(\d+)s")
_TMPFS = re.compile(r"(/[a-z./-]+):([a-z0-9=,]+)")
_TMPFS_OPTIONS = re.compile(r"size=\d+[kmg],mode=[0-7]{4},nosuid,nodev,(no)?exec")


class StandingPartRefused(PiSandboxError):
    """A file of `compose/` holds something that the wrapper does not know or that would loosen the container."""


def load_standing_part(name: str, limits: Limits) -> StandingPart:
    """Gives the standing half of `compose/<name>.yaml` with the owner's limits; raises `StandingPartRefused`."""
    path = shipped_folder("compose") / f"{name}.yaml"
    return parse_standing_part(path.read_text(encoding="utf-8"), service=name, source=path, limits=limits)


def parse_standing_part(text: str, *, service: str, source: Path, limits: Limits) -> StandingPart:
    """Gives the standing half that `text` describes; raises `StandingPartRefused` naming `source` and the key."""
    import yaml

    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise StandingPartRefused(f"{source} is not YAML", "reinstall pi-sandbox") from error
    body, network = _service(document, service, source)
    return _standing_part(_Fields(body, source, limits), network)


def _service(document: object, service: str, source: Path) -> tuple[dict[str, Any], str]:
    """Gives the service without its network, and that."""
    match document:
        case {"services": {**services}, **rest} if list(services) == [service]:
            body, network = _split(services[service])
            if (network, rest) == (_NO_NETWORK, {}):
                return body, NO_NETWORK
            if (network, rest) == (_OWN_NETWORK, _OWN_NETWORK_DESCRIBED):
                return body, NETWORK
    raise StandingPartRefused(
        f"{source} does not describe exactly the service {service}, without a network or in that of sessions",
        "reinstall pi-sandbox",
    )


def _split(service: object) -> tuple[dict[str, Any], dict[str, Any]]:
    keys = service if isinstance(service, dict) else {}
    network = {key: value for key, value in keys.items() if key in ("network_mode", "networks")}
    return {key: value for key, value in keys.items() if key not in network}, network


class _Fields:
    """The keys of one service, each read in its one accepted form."""

    def __init__(self, body: Mapping[str, Any], source: Path, limits: Limits) -> None:
        self._body = body
        self._source = source
        self._variables = {
            "PI_SANDBOX_MEMORY": str(limits.memory_bytes),
            "PI_SANDBOX_CPUS": str(limits.cpus),
            "PI_SANDBOX_PIDS": str(limits.processes),
        }
        for key in [*body, *_KEYS]:
            if key not in _KEYS or key not in body:
                raise self.refusal(key)

    def refusal(self, key: object) -> StandingPartRefused:
        return StandingPartRefused(
            f"{self._source}: {quoted(key)} is unknown, missing or loosens the container", "reinstall pi-sandbox"
        )

    def exactly(self, key: str, value: object) -> None:
        if self._body[key] != value or type(self._body[key]) is not type(value):
            raise self.refusal(key)

    def text(self, key: str) -> str:
        value = str(self._body[key])
        variable = _VARIABLE.fullmatch(value)
        return self._variables[variable[1]] if variable else value

    def matched(self, key: str, pattern: re.Pattern[str]) -> re.Match[str]:
        found = pattern.fullmatch(self.text(key))
        if found is None:
            raise self.refusal(key)
        return found

    def size(self, key: str) -> int:
        found = self.matched(key, _SIZE)
        return self.positive(key, int(found[1]) * _UNITS[found[2]])

    def positive(self, key: str, number: int) -> int:
        if number <= 0:
            raise self.refusal(key)
        return number

    def body(self, key: str) -> Any:  # noqa: ANN401 - the value of a YAML key, narrowed by its reader
        return self._body[key]


def _standing_part(fields: _Fields, network: str) -> StandingPart:
    fields.exactly("init", True)
    fields.exactly("read_only", True)
    fields.exactly("cap_drop", ["ALL"])
    fields.exactly("security_opt", [_NO_NEW_PRIVILEGES, f"seccomp:{PROFILE_FILE}"])
    fields.exactly("logging", {"driver": "none"})
    return StandingPart(
        init=True,
        read_only_root=True,
        drop_capabilities=("ALL",),
        security_options=(_NO_NEW_PRIVILEGES,),
        seccomp=load_profile(),
        network=network,
        memory_bytes=fields.size("mem_limit"),
        cpus=float(fields.matched("cpus", re.compile(r"\d+(\.\d+)?"))[0]),
        processes=fields.positive("pids_limit", int(fields.matched("pids_limit", re.compile(r"\d+"))[0])),
        shared_memory_bytes=fields.size("shm_size"),
        ulimits=_ulimits(fields),
        tmpfs=_tmpfs(fields),
        log_driver="none",
        stop_seconds=int(fields.matched("stop_grace_period", _SECONDS)[1]),
        hostname=fields.matched("hostname", re.compile(r"[a-z][a-z-]*"))[0],
    )


def _ulimits(fields: _Fields) -> tuple[Ulimit, ...]:
    found: list[Ulimit] = []
    for name, value in fields.body("ulimits").items():
        match value:
            case {"soft": int(soft), "hard": int(hard), **rest} if not rest and 0 <= soft <= hard:
                found.append(Ulimit(str(name), soft, hard))
            case _:
                raise fields.refusal("ulimits")
    return tuple(found)


def _tmpfs(fields: _Fields) -> tuple[Tmpfs, ...]:
    found: list[Tmpfs] = []
    for line in fields.body("tmpfs"):
        parts = _TMPFS.fullmatch(str(line))
        if parts is None or _TMPFS_OPTIONS.fullmatch(parts[2]) is None:
            raise fields.refusal("tmpfs")
        found.append(Tmpfs(PurePosixPath(parts[1]), parts[2]))
    return tuple(found)


def compose_document(spec: ContainerSpec, service: str) -> str:
    """Gives the complete plan of one container as a Compose file that `docker compose config` accepts.

    Every `$` is doubled, because Compose would read it as a variable.
    """
    import yaml

    document: dict[str, Any] = {"version": "2.4", "services": {service: _doubled_dollars(_compose_service(spec))}}
    if spec.standing.network == NETWORK:
        document["networks"] = {NETWORK: {"external": True}}
    return str(yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=1000))


def _compose_service(spec: ContainerSpec) -> dict[str, Any]:
    standing = spec.standing
    service: dict[str, Any] = {
        "container_name": spec.name,
        "image": spec.image,
        "entrypoint": list(spec.command),
        "user": spec.user,
        "working_dir": str(spec.working_dir),
        "environment": dict(spec.environment),
        "labels": dict(spec.labels),
        "volumes": [_compose_volume(mount) for mount in spec.mounts],
        "tmpfs": [f"{item.target}:{item.options}" for item in standing.tmpfs],
        "init": standing.init,
        "read_only": standing.read_only_root,
        "cap_drop": list(standing.drop_capabilities),
        "security_opt": [
            *standing.security_options,
            *([] if standing.seccomp is None else [f"seccomp:{standing.seccomp.file}"]),
        ],
        **(_OWN_NETWORK if standing.network == NETWORK else {"network_mode": standing.network}),
        "mem_limit": standing.memory_bytes,
        "memswap_limit": standing.memory_bytes,
        "cpus": standing.cpus,
        "pids_limit": standing.processes,
        "shm_size": standing.shared_memory_bytes,
        "ulimits": {item.name: {"soft": item.soft, "hard": item.hard} for item in standing.ulimits},
        "logging": {"driver": standing.log_driver},
        "hostname": standing.hostname,
        "stop_grace_period": f"{standing.stop_seconds}s",
        "stdin_open": True,
        "tty": spec.tty,
    }
    if spec.runtime is not None:
        service["runtime"] = spec.runtime
    return service


def _compose_volume(mount: Mount) -> dict[str, Any]:
    if mount.kind is MountKind.MASK:
        return {"type": "tmpfs", "target": str(mount.target), "read_only": True, "tmpfs": {"size": MASK_BYTES}}
    return {"type": "bind", "source": str(mount.source), "target": str(mount.target), "read_only": mount.read_only}


def _doubled_dollars(value: Any) -> Any:  # noqa: ANN401 - any YAML value
    match value:
        case str():
            return value.replace("$", "$$")
        case dict():
            return {key: _doubled_dollars(item) for key, item in value.items()}
        case list():
            return [_doubled_dollars(item) for item in value]
        case _:
            return value

"""Which engine the user means, found as the `docker` command finds it.

Rules (docker/cli, `cli/command/cli.go` resolveContextName and `opts/hosts.go`; docker/cli docs "Docker contexts"):

- An empty variable counts as not set.
- `DOCKER_HOST`, else `DOCKER_CONTEXT`, else `currentContext` of `config.json` in `DOCKER_CONFIG` (default `~/.docker`),
  else the standard sockets that exist, the first usable one of them. The context `default` means these sockets too.
- `DOCKER_TLS_VERIFY` (checked) or `DOCKER_TLS` (not checked) switch TLS on for `DOCKER_HOST=tcp://…`, with `ca.pem`,
  `cert.pem` and `key.pem` of `DOCKER_CERT_PATH` (default: the configuration folder). A context brings its own.
- Only addresses that can be an engine on this machine's files are accepted: `unix://` and `tcp://`.

Not handled here: whether anything answers (`docker_engine.connect`).
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from pi_sandbox.errors import EngineError, FilesError, quoted
from pi_sandbox.system.files import read_regular_file

PLAIN_PORT = 2375
TLS_PORT = 2376
CONFIGURATION_LIMIT_BYTES = 4 * 1024 * 1024

Missing = TypeVar("Missing")


@dataclass(frozen=True)
class TlsMaterial:
    """Files for TLS; `None` where there is none. `verify` says whether the server's certificate is checked."""

    authority: Path | None
    certificate: Path | None
    key: Path | None
    verify: bool


@dataclass(frozen=True)
class UnixAddress:
    path: str


@dataclass(frozen=True)
class TcpAddress:
    host: str
    port: int


@dataclass(frozen=True)
class Endpoint:
    """One address of an engine. `found_by` says in a few words where the address came from."""

    address: UnixAddress | TcpAddress
    tls: TlsMaterial | None
    found_by: str

    def __str__(self) -> str:
        return f"{self.url} ({self.found_by})"

    @property
    def client_url(self) -> str:
        """The address for docker-py, which reads a path as it stands."""
        return f"unix://{self.address.path}" if isinstance(self.address, UnixAddress) else self.url

    @property
    def url(self) -> str:
        """The address as it stands in DOCKER_HOST, with everything unprintable made visible."""
        match self.address:
            case UnixAddress(path):
                return "unix://" + quoted(path)[1:-1]
            case TcpAddress(host, port):
                return f"tcp://[{host}]:{port}" if ":" in host else f"tcp://{host}:{port}"


def find_endpoints(environ: Mapping[str, str], home: Path) -> tuple[Endpoint, ...]:
    """Gives the endpoint that the environment or the docker configuration names, or all standard sockets that exist.

    Raises `EngineError` for an address that cannot be used, a broken configuration, a missing context and where no
    standard socket exists.
    """
    configuration = Path(environ.get("DOCKER_CONFIG") or home / ".docker")
    if host := environ.get("DOCKER_HOST"):
        address = parse_address(host, "DOCKER_HOST", tls=_wants_tls(environ))
        return (Endpoint(address, _tls_of(environ, configuration), "DOCKER_HOST"),)
    context, named_by = _context_name(environ, configuration)
    if context not in ("", "default"):
        return (_context_endpoint(configuration, context, named_by),)
    return _existing_sockets(standard_sockets(environ, home))


def standard_sockets(environ: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """Gives the places where an engine puts its socket by itself, in the order in which they are tried."""
    runtime_dir = environ.get("XDG_RUNTIME_DIR")
    candidates = [
        Path("/var/run/docker.sock"),
        Path(runtime_dir) / "docker.sock" if runtime_dir else None,
        home / ".docker/run/docker.sock",
        Path(runtime_dir) / "podman/podman.sock" if runtime_dir else None,
        Path("/run/podman/podman.sock"),
    ]
    return tuple(candidate for candidate in candidates if candidate is not None)


def parse_address(text: str, named_by: str, *, tls: bool) -> UnixAddress | TcpAddress:
    """Reads `unix:///path` or `tcp://host[:port]`; raises `EngineError` that says what is wrong with anything else."""
    scheme, separator, rest = text.partition("://")
    if not separator:
        raise EngineError(f"{named_by} is {quoted(text)}, which has no scheme", _scheme_hint(text))
    match scheme:
        case "unix":
            return _unix_address(text, rest, named_by)
        case "tcp":
            return _tcp_address(text, named_by, tls=tls)
        case "ssh" | "npipe" | "http" | "https" | "fd":
            raise EngineError(
                f"{named_by} is {quoted(text)}: pi-sandbox does not speak {scheme}:// to an engine",
                _FOREIGN_SCHEMES[scheme],
            )
        case _:
            raise EngineError(
                f"{named_by} is {quoted(text)}, whose scheme is unknown",
                "use unix:///path/to/docker.sock or tcp://host:port",
            )


_FOREIGN_SCHEMES = {
    "ssh": "an engine behind ssh does not see this machine's files; use one here, with unix:///path/to/docker.sock",
    "npipe": "named pipes exist on Windows only; run pi-sandbox inside WSL and use unix:///var/run/docker.sock",
    "http": "write tcp://host:port in its place",
    "https": "write tcp://host:port in its place, and set DOCKER_TLS_VERIFY=1",
    "fd": "that form is for the engine's own command line; use unix:///path/to/docker.sock",
}


def _scheme_hint(text: str) -> str:
    if text.startswith("/"):
        return f"write unix://{quoted(text)[1:-1]}"
    return "write unix:///path/to/docker.sock or tcp://host:port"


def _unix_address(text: str, path: str, named_by: str) -> UnixAddress:
    if not path.startswith("/") or "\0" in path:
        raise EngineError(
            f"{named_by} is {quoted(text)}, which is no absolute path of a socket",
            "write it with three slashes: unix:///path/to/docker.sock",
        )
    return UnixAddress(path)


def _tcp_address(text: str, named_by: str, *, tls: bool) -> TcpAddress:
    problem = EngineError(
        f"{named_by} is {quoted(text)}, which is not tcp://host:port",
        "write the name and the port alone: tcp://127.0.0.1:2375",
    )
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise problem from error
    if (
        not host
        or not host.isprintable()
        or parts.username is not None
        or parts.path not in ("", "/")
        or parts.query
        or parts.fragment
    ):
        raise problem
    return TcpAddress(host, port or (TLS_PORT if tls else PLAIN_PORT))


def _wants_tls(environ: Mapping[str, str]) -> bool:
    return bool(environ.get("DOCKER_TLS_VERIFY") or environ.get("DOCKER_TLS"))


def _tls_of(environ: Mapping[str, str], configuration: Path) -> TlsMaterial | None:
    if not _wants_tls(environ):
        return None
    folder = Path(environ.get("DOCKER_CERT_PATH") or configuration)
    return tls_material(folder, verify=bool(environ.get("DOCKER_TLS_VERIFY")))


def tls_material(folder: Path, *, verify: bool) -> TlsMaterial:
    """Gives the TLS files that exist in a folder, by the names that docker uses."""

    def present(name: str) -> Path | None:
        return folder / name if (folder / name).is_file() else None

    return TlsMaterial(present("ca.pem"), present("cert.pem"), present("key.pem"), verify)


def _context_name(environ: Mapping[str, str], configuration: Path) -> tuple[str, str]:
    if name := environ.get("DOCKER_CONTEXT"):
        return name, "DOCKER_CONTEXT"
    file = configuration / "config.json"
    name = _read_json(file, missing={}).get("currentContext", "")
    if not isinstance(name, str):
        raise EngineError(
            f"currentContext in {quoted(file)} is no text", "choose a context with: docker context use NAME"
        )
    return name, f"currentContext in {quoted(file)}"


def _context_endpoint(configuration: Path, name: str, named_by: str) -> Endpoint:
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()
    file = configuration / "contexts/meta" / digest / "meta.json"
    metadata = _read_json(file, missing=None)
    if metadata is None:
        raise EngineError(
            f"the docker context {quoted(name)} ({named_by}) does not exist",
            "see `docker context ls`, then choose one with `docker context use NAME`",
        )
    found_by = f"docker context {quoted(name)}"
    match metadata:
        case {"Endpoints": {"docker": {"Host": str(host), **rest}}} if host:
            folder = configuration / "contexts/tls" / digest / "docker"
            has_tls = folder.is_dir() and any(folder.iterdir())
            tls = (
                tls_material(folder, verify=not rest.get("SkipTLSVerify"))
                if has_tls or rest.get("SkipTLSVerify")
                else None
            )
            return Endpoint(parse_address(host, f"the host of {found_by}", tls=tls is not None), tls, found_by)
        case _:
            raise EngineError(
                f"the {found_by} names no engine ({quoted(file)})", "make it anew with: docker context create"
            )


def _read_json(file: Path, *, missing: Missing) -> dict[str, Any] | Missing:
    hint = "mend the file, or set DOCKER_HOST"
    try:
        content = read_regular_file(file, limit=CONFIGURATION_LIMIT_BYTES, follow_links=True)
        value = missing if content is None else json.loads(content.data)
    except FilesError as error:
        if isinstance(error.__cause__, NotADirectoryError):
            return missing
        raise EngineError(f"the docker configuration {error.message}", hint) from error
    except (ValueError, RecursionError) as error:
        raise EngineError(f"the docker configuration {quoted(file)} cannot be read: {error}", hint) from error
    if value is missing or isinstance(value, dict):
        return value
    raise EngineError(f"the docker configuration {quoted(file)} is no JSON object", hint)


def _existing_sockets(candidates: Sequence[Path]) -> tuple[Endpoint, ...]:
    # Path.exists raises where a parent may not be searched (/run/podman for an ordinary user).
    existing = tuple(candidate for candidate in candidates if os.path.exists(candidate))  # noqa: PTH110
    if existing:
        return tuple(Endpoint(UnixAddress(str(candidate)), None, "standard socket") for candidate in existing)
    tried = ", ".join(quoted(candidate)[1:-1] for candidate in candidates)
    raise EngineError(
        f"no container engine was found: none of the standard sockets exists ({tried})",
        "start Docker or Podman, or set DOCKER_HOST to its socket (unix:///path)",
    )

"""the engine door: Docker, or Podman's Docker-compatible service, in our words.

Rules:

- Every failure is an `EngineError` of one sentence; the engine's own words follow with everything unprintable visible.
- The API version is the smaller of the engine's newest and ours; below our oldest or above our newest it is refused
  with both versions named (`engine_report.py`).
- An engine that accepts and stays silent is given up after `PROBE_SECONDS`, later after what a request may take.
- No request waits behind a stream: Docker answers a SIGKILL once the container has ended, and every request for a
  container that has ended once its output was taken, which is our own task.
- Streams are our own upgraded connections (`streams.py`), because docker-py's may lose what follows the answer's head.
"""

import contextlib
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from pi_sandbox.containers.client_configuration import refuse_unusable
from pi_sandbox.containers.connection import connection_error, open_connection
from pi_sandbox.containers.creation import creation_body
from pi_sandbox.containers.creation_check import differences
from pi_sandbox.containers.endpoint import Endpoint, TcpAddress, find_endpoints
from pi_sandbox.containers.engine import (
    ByteChannel,
    ContainerSummary,
    Difference,
    EngineFacts,
    ExitStatus,
    NoAnswer,
    NoSuchContainer,
    NotRunning,
    TerminalSize,
)
from pi_sandbox.containers.engine_report import facts_of, negotiated_api, no_engine, refusal_error, unseen_source
from pi_sandbox.containers.network import (
    DEFAULT_BRIDGE,
    NETWORK,
    PODMAN,
    network_options,
    refuse_other_network,
)
from pi_sandbox.containers.streams import Refusal, SocketChannel, upgrade
from pi_sandbox.errors import EngineError, quoted
from pi_sandbox.session.container_spec import ContainerSpec

if TYPE_CHECKING:
    from docker import APIClient

PROBE_SECONDS = 4
REQUEST_SECONDS = 120
AT_ONCE_SECONDS = 2
"""How long the answer to a signal or a new size is waited for, which may be a refusal."""
END_SECONDS = 60
"""How long a container whose stream has ended may take to end."""
REMOVAL_SECONDS = 60.0
REMOVAL_ANSWER_SECONDS = 20
REMOVAL_STEP_SECONDS = 0.1
TWINS_SECONDS = 10.0
"""How long a second network of our name, made at the same moment, may take to go."""
DETACH_KEYS = ",".join(["\xff"] * 32).encode("latin-1")
"""the engine's own detach keys hold back every Ctrl-P. No UTF-8 text holds this byte, let alone thirty-two of them."""


def connect(environ: Mapping[str, str], home: Path | None = None) -> "DockerEngine":
    """Gives the engine that the environment names; raises `EngineError`: what was tried, why it failed, what to do."""
    failures: list[EngineError] = []
    for endpoint in find_endpoints(environ, home or Path.home()):
        try:
            return DockerEngine(endpoint)
        except EngineError as error:
            failures.append(error)
    raise EngineError(" ".join(error.message for error in failures), failures[0].hint) from failures[0]


_NOT_KNOWN = (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.NOT_IMPLEMENTED)


class DockerEngine:
    """One engine that has answered. `client` is docker-py's low-level client, for the image workflows."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        open_connection(endpoint, PROBE_SECONDS).close()
        with (
            self._translated("was asked for its version"),
            contextlib.closing(_client(endpoint, None, PROBE_SECONDS)) as probe,
        ):
            self._version_report: Mapping[str, Any] = _version_report(probe, endpoint)
        self._api_version = negotiated_api(self._version_report, endpoint)
        with self._translated("was asked for its version"):
            self.client: APIClient = _client(endpoint, self._api_version, REQUEST_SECONDS)
        self._facts: EngineFacts | None = None

    def close(self) -> None:
        """Closes the connections that are kept for the next request; streams stay as they are."""
        self.client.close()

    def facts(self) -> EngineFacts:
        """Gives what the engine says about itself, asked once."""
        if self._facts is None:
            with self._translated("was asked about itself"):
                report = self.client.info()
            self._facts = facts_of(self._version_report, report, self._api_version, str(self.endpoint))
        return self._facts

    def create(self, spec: ContainerSpec, size: TerminalSize | None = None) -> str:
        """Makes the container and gives its id; raises `NameTaken`, or `EngineError` with what was refused."""
        body = creation_body(spec, self.facts(), size)
        if spec.standing.network == NETWORK:
            self.ensure_network()
        if self.facts().product == PODMAN:
            _refuse_missing_sources(spec)
        with self._translated(f"was asked for the container {quoted(spec.name)}"):
            answer = self.client.create_container_from_config(body, spec.name)  # type: ignore[no-untyped-call]
            return str(answer["Id"])

    def ensure_network(self) -> None:
        """Makes the network of sessions where it is missing; raises `EngineError` for another one of that name."""
        if self.facts().product == PODMAN:
            return
        if not self._networks(NETWORK):
            default = self._networks(DEFAULT_BRIDGE)
            self._make_network(network_options(default[0] if default else None))
        refuse_other_network(self._one_network(NETWORK))

    def _networks(self, name: str) -> Sequence[Mapping[str, Any]]:
        """The networks of that name, the oldest first; the engine finds by parts of names."""
        with self._translated("was asked for its networks"):
            found = [network for network in self.client.networks(names=[name]) if network["Name"] == name]
        return sorted(found, key=lambda network: (network["Created"], network["Id"]))

    def _make_network(self, options: Mapping[str, str]) -> None:
        """Of two that are made at the same time both come to be (`CheckDuplicate` is no lock): the younger one goes."""
        import docker.errors

        with self._translated("was asked to make the network of sessions"):
            try:
                made = self.client.create_network(NETWORK, driver="bridge", options=dict(options), check_duplicate=True)
            except docker.errors.APIError as error:
                if error.status_code != HTTPStatus.CONFLICT:
                    raise
                return
            if made["Id"] != self._networks(NETWORK)[0]["Id"]:
                self.client.remove_network(made["Id"])

    def _one_network(self, name: str) -> Mapping[str, Any]:
        """Gives the network once there is exactly one of that name; the engine takes no name that two have."""
        deadline = time.monotonic() + TWINS_SECONDS
        while len(found := self._networks(name)) > 1 and time.monotonic() < deadline:
            time.sleep(REMOVAL_STEP_SECONDS)
        if len(found) != 1:
            raise EngineError(
                f"the container engine has {len(found)} networks that are called {quoted(name)}",
                "look at `docker network ls`, and remove all of them with `docker network rm` and their id",
            )
        return found[0]

    def inspect(self, container_id: str) -> Mapping[str, Any]:
        """Gives the engine's own full report of a container."""
        with self._translated("was asked for a container"):
            report: Mapping[str, Any] = self.client.inspect_container(container_id)
            return report

    def differences(self, container_id: str, spec: ContainerSpec) -> Sequence[Difference]:
        """Gives what the engine has made otherwise than planned; limits that it does not enforce are marked as such."""
        container = self.inspect(container_id)
        with self._translated("was asked for an image"):
            image = self.client.inspect_image(str(container["Image"]))  # type: ignore[no-untyped-call]
        return differences(spec, self.facts(), container, image)

    def attach(self, container_id: str, *, tty: bool) -> ByteChannel:
        """Gives the container's standard streams; to be called before `start`, so that no byte is missed."""
        query = {"stream": 1, "stdin": 1, "stdout": 1, "stderr": 1, "detachKeys": DETACH_KEYS}
        return self._stream(f"/containers/{container_id}/attach?{urlencode(query)}", None, tty=tty)

    def start(self, container_id: str) -> None:
        """Starts the container; raises `EngineError` where its command, runtime or a mount does not work."""
        with self._translated("was asked to start the container"):
            self.client.start(container_id)

    def execute(self, container_id: str, command: Sequence[str], user: str) -> ByteChannel:
        """Starts one more program in the running container and gives its standard streams.

        Its standard input ends when the channel is closed and when this process ends, however it ends.
        """
        with self._translated("was asked to run a program in the container"):
            exec_id = self.client.exec_create(container_id, list(command), stdin=True, user=user)["Id"]
        return self._stream(f"/exec/{exec_id}/start", {"Detach": False, "Tty": False}, tty=False)

    def resize(self, container_id: str, size: TerminalSize) -> None:
        """Tells the container's terminal its size; raises `NotRunning` before the start and after the end."""
        with self._told("was asked to resize the terminal"):
            self.client.resize(container_id, height=size.rows, width=size.columns)

    def kill(self, container_id: str, signal_name: str) -> None:
        """Sends a signal such as `SIGTERM` to the container's first process; raises `NotRunning`.

        The container may go on until its stream has been read: that it has ended is seen there.
        """
        with self._told(f"was asked to send {signal_name}"):
            self.client.kill(container_id, signal=signal_name)

    def stop(self, container_id: str, *, seconds: int) -> None:
        """Ends the container, by force after so many seconds; a container that has ended, or is gone, is fine."""
        with contextlib.suppress(NoSuchContainer, NotRunning), self._translated("was asked to stop the container"):
            self.client.stop(container_id, timeout=seconds)

    def wait(self, container_id: str) -> ExitStatus:
        """Waits for the end of a container whose stream has ended, and gives how it ended; raises `NoAnswer`."""
        with self._translated("was asked to wait for the container"):
            self.client.wait(container_id, timeout=END_SECONDS)
            state = self.client.inspect_container(container_id)["State"]
        return ExitStatus(int(state["ExitCode"]) & 0xFF, bool(state.get("OOMKilled")))

    def remove(self, container_id: str) -> None:
        """Removes the container, running or not, with its volumes; one that is gone or going already is fine.

        An engine that is slow gets `REMOVAL_SECONDS`, and then `NoAnswer` is raised.
        """
        deadline = time.monotonic() + REMOVAL_SECONDS
        while not self._is_removed(container_id, last_try=time.monotonic() > deadline):
            time.sleep(REMOVAL_STEP_SECONDS)

    def _is_removed(self, container_id: str, *, last_try: bool) -> bool:
        try:
            with self._translated("was asked to remove the container"), self._within(REMOVAL_ANSWER_SECONDS):
                self.client.remove_container(container_id, force=True, v=True)
        except NoSuchContainer:
            return True
        except EngineError as error:
            goes_on = isinstance(error, NoAnswer) or "in progress" in error.message
            if last_try or not goes_on:
                raise
            return False
        return True

    def ours(self, labels: Mapping[str, str]) -> Sequence[ContainerSummary]:
        """Gives every container, running or not, that carries all of these labels."""
        filters = {"label": [f"{name}={value}" for name, value in labels.items()]}
        with self._translated("was asked for containers"):
            found = self.client.containers(all=True, filters=filters)
        return tuple(
            ContainerSummary(item["Id"], item["Names"][0].lstrip("/"), item["State"], item.get("Labels") or {})
            for item in found
        )

    def _stream(self, path: str, body: object | None, *, tty: bool) -> ByteChannel:
        with self._translated("was asked for a stream"):
            connection = open_connection(self.endpoint, REQUEST_SECONDS)
            try:
                upgrade(connection, f"/v{self._api_version}{path}", body)
            except BaseException:
                connection.close()
                raise
            return SocketChannel(connection, tty=tty)

    @contextlib.contextmanager
    def _told(self, asked: str) -> Iterator[None]:
        """Takes a silent engine for one that has heard: what it says later is only that it has done it."""
        with contextlib.suppress(NoAnswer), self._translated(asked), self._within(AT_ONCE_SECONDS):
            yield

    @contextlib.contextmanager
    def _within(self, seconds: int) -> Iterator[None]:
        """Limits how long the requests of the block wait for their answer."""
        self.client.timeout = seconds
        try:
            yield
        finally:
            self.client.timeout = REQUEST_SECONDS

    @contextlib.contextmanager
    def _translated(self, asked: str) -> Iterator[None]:
        """Turns whatever docker-py, requests and the socket raise into an `EngineError`."""
        import docker.errors
        import requests.exceptions

        try:
            yield
        except Refusal as error:
            raise refusal_error(self.endpoint, asked, error.status, error.words) from error
        except docker.errors.APIError as error:
            words = error.explanation or str(error)
            raise refusal_error(self.endpoint, asked, error.status_code or 0, str(words)) from error
        except (requests.exceptions.Timeout, TimeoutError) as error:
            raise NoAnswer(
                f"the container engine at {self.endpoint} {asked} and does not answer",
                "check that the engine is well (restart it if it hangs), then try again",
            ) from error
        except (requests.exceptions.RequestException, docker.errors.DockerException, OSError, ValueError) as error:
            if cause := _system_error(error):
                raise connection_error(self.endpoint, cause) from error
            raise EngineError(
                f"the container engine at {self.endpoint} {asked} and gave no usable answer: {_visible(error)}",
                "check that the engine still runs and that the address is one of a container engine",
            ) from error


def _refuse_missing_sources(spec: ContainerSpec) -> None:
    # Podman's service makes a folder for a source that does not exist, whatever the request says.
    for mount in spec.mounts:
        if mount.source is not None and not mount.source.exists():
            raise unseen_source(mount.source, "it does not exist")


def _system_error(error: BaseException) -> OSError | None:
    """Gives the system's own error (a number is set) that lies at the bottom of a chain of docker-py's, if one does."""
    seen: set[int] = set()
    waiting: list[object] = [error]
    while waiting:
        item = waiting.pop(0)
        if isinstance(item, OSError) and (item.errno is not None or isinstance(item, ssl.SSLError)):
            return item
        if isinstance(item, BaseException) and id(item) not in seen:
            seen.add(id(item))
            waiting += [*item.args, item.__cause__, item.__context__]
    return None


def _version_report(client: "APIClient", endpoint: Endpoint) -> Mapping[str, Any]:
    """Every engine knows this request, so who does not is none."""
    import docker.errors

    try:
        report: Mapping[str, Any] = client.version(api_version=False)
    except docker.errors.APIError as error:
        if error.status_code not in _NOT_KNOWN:
            raise
        raise no_engine(endpoint, f"it does not know the request for its version ({error.status_code})") from error
    return report


def _visible(error: Exception) -> str:
    return quoted(error)[1:-1]


def _client(endpoint: Endpoint, api_version: str | None, seconds: int) -> "APIClient":
    from docker import APIClient
    from docker.tls import TLSConfig
    from docker.utils.config import find_config_file

    if file := find_config_file():
        refuse_unusable(Path(str(file)))
    tls: TLSConfig | bool = False
    if endpoint.tls is not None and isinstance(endpoint.address, TcpAddress):
        material = endpoint.tls
        pair = (str(material.certificate), str(material.key)) if material.certificate and material.key else None
        authority = str(material.authority) if material.authority else None
        tls = TLSConfig(client_cert=pair, ca_cert=authority, verify=material.verify)
    client = APIClient(base_url=endpoint.client_url, version=api_version or "1.24", timeout=seconds, tls=tls)
    # Neither proxies nor .netrc of the user are for the engine.
    client.trust_env = False
    return client

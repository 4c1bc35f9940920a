"""Whatever is wrong with an engine is one sentence that says what was tried, why it failed and what to do."""

import contextlib
import gc
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pi_sandbox.containers import docker_engine
from pi_sandbox.containers.docker_engine import DockerEngine, connect
from pi_sandbox.containers.engine import NameTaken, NoAnswer, NoSuchContainer, NotRunning, TerminalSize
from pi_sandbox.errors import EngineError
from pi_sandbox.exit_codes import ExitCode
from tests.fakes.container_specs import make_spec
from tests.fakes.http_engine import Handler, answering, serving, version_report
from tests.needs import Host
from tests.running import SOON

INFO = {"NCPU": 4, "SecurityOptions": ["name=seccomp,profile=default"], "Runtimes": {"runc": {}, "runsc": {}}}
GOOD = {"GET /version": (200, version_report("1.41", "1.12")), "GET /v1.41/info": (200, INFO)}


@pytest.fixture
def connected(tmp_path: Path) -> Iterator[Callable[..., DockerEngine]]:
    """Connects to engines that are closed after the test."""
    engines: list[DockerEngine] = []

    def connect_to(environ: dict[str, str], home: Path = tmp_path) -> DockerEngine:
        engines.append(connect(environ, home))
        return engines[-1]

    yield connect_to
    for engine in engines:
        engine.close()


def host(path: Path) -> dict[str, str]:
    return {"DOCKER_HOST": f"unix://{path}"}


def failure(environ: dict[str, str], home: Path) -> EngineError:
    with pytest.raises(EngineError) as caught:
        connect(environ, home)
    error = caught.value
    assert error.exit_code == ExitCode.ENGINE
    assert "\n" not in error.message
    assert error.hint
    return error


def test_an_absent_socket_is_named_with_where_it_was_found(tmp_path: Path) -> None:
    error = failure(host(tmp_path / "none.sock"), tmp_path)
    assert f"unix://{tmp_path}/none.sock (DOCKER_HOST)" in error.message
    assert "no such socket" in error.message


def test_a_socket_that_nobody_listens_on_is_told_apart_from_an_absent_one(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "dead.sock"))
    assert "nothing listens" in failure(host(tmp_path / "dead.sock"), tmp_path).message


def test_a_plain_file_is_no_socket(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "nothing listens" in failure(host(tmp_path / "file"), tmp_path).message


@pytest.mark.needs(Host.ROOT)
def test_a_socket_without_permission_says_so(tmp_path: Path) -> None:
    with serving(tmp_path / "closed.sock", answering(GOOD)) as path:
        path.chmod(0o600)
        for folder in (tmp_path, *tmp_path.parents[:2]):
            folder.chmod(0o755)
        child = os.fork()
        if child == 0:
            os.setuid(12345)
            try:
                connect(host(path), tmp_path)
            except EngineError as error:
                os._exit(7 if "permission denied" in error.message and "group" in error.hint else 1)
            os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_a_path_that_is_too_long_for_a_socket_is_named(tmp_path: Path) -> None:
    assert "cannot be used" in failure(host(tmp_path / ("x" * 200)), tmp_path).message


def test_a_tcp_port_that_nobody_listens_on_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    error = failure({"DOCKER_HOST": f"tcp://127.0.0.1:{port}"}, tmp_path)
    assert f"tcp://127.0.0.1:{port} (DOCKER_HOST)" in error.message
    assert "nothing listens" in error.message


def test_a_socket_that_accepts_and_never_answers_is_given_up_within_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docker_engine, "PROBE_SECONDS", 1)
    ended = threading.Event()
    started = time.monotonic()
    with serving(tmp_path / "silent.sock", lambda connection: bool(ended.wait(10)) and None) as path:
        error = failure(host(path), tmp_path)
        ended.set()
    assert "does not answer" in error.message
    assert time.monotonic() - started < SOON


def test_a_socket_whose_queue_is_full_is_given_up_within_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docker_engine, "PROBE_SECONDS", 1)
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as waiting:
        listener.bind(str(tmp_path / "full.sock"))
        listener.listen(0)
        waiting.connect(str(tmp_path / "full.sock"))
        started = time.monotonic()
        assert "does not take the connection" in failure(host(tmp_path / "full.sock"), tmp_path).message
    assert 1 <= time.monotonic() - started < SOON


@pytest.mark.parametrize("said", [b"SSH-2.0-OpenSSH_9\r\n", b"\x00" * 1000, b"", b"HTTP/1.1 200 OK\r\n\r\n<html>"])
def test_what_is_no_engine_is_named(tmp_path: Path, said: bytes) -> None:
    def handle(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(said)

    with serving(tmp_path / "odd.sock", handle) as path:
        error = failure(host(path), tmp_path)
    assert "no usable answer" in error.message or "no container engine" in error.message


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_web_server_in_place_of_an_engine_is_named_with_its_address_and_what_to_do(
    tmp_path: Path, status: int
) -> None:
    answers = {"GET /version": (status, {"message": "File not found"})}
    with serving(tmp_path / "web.sock", answering(answers)) as path:
        error = failure(host(path), tmp_path)
    assert not isinstance(error, NoSuchContainer)
    assert str(path) in error.message
    assert "is no container engine" in error.message
    assert "DOCKER_HOST" in error.hint


@pytest.mark.parametrize("report", [{}, [], None, 7, {"ApiVersion": "new"}, {"ApiVersion": None}])
def test_a_version_report_without_an_api_version_is_no_engine(tmp_path: Path, report: Any) -> None:
    with serving(tmp_path / "web.sock", answering({"GET /version": (200, report)})) as path:
        assert "no container engine" in failure(host(path), tmp_path).message


@pytest.mark.parametrize(
    ("newest", "oldest", "spoken"),
    [("1.41", "1.12", "1.41"), ("1.40", None, "1.40"), ("1.52", "1.44", "1.51"), ("1.100", "1.51", "1.51")],
)
def test_the_api_version_is_the_newest_that_both_speak(
    tmp_path: Path, newest: str, oldest: str | None, spoken: str, connected: Callable[..., DockerEngine]
) -> None:
    answers = {"GET /version": (200, version_report(newest, oldest)), f"GET /v{spoken}/info": (200, INFO)}
    with serving(tmp_path / "engine.sock", answering(answers)) as path:
        assert connected(host(path)).facts().api_version == spoken


@pytest.mark.parametrize(("newest", "oldest", "ours"), [("1.39", "1.12", "1.40"), ("1.60", "1.52", "1.51")])
def test_api_versions_that_do_not_meet_are_both_named(tmp_path: Path, newest: str, oldest: str, ours: str) -> None:
    with serving(tmp_path / "engine.sock", answering({"GET /version": (200, version_report(newest, oldest))})) as path:
        error = failure(host(path), tmp_path)
    assert ours in error.message
    assert (newest if newest == "1.39" else oldest) in error.message


def test_a_dead_standard_socket_does_not_hide_a_living_one(
    tmp_path: Path, connected: Callable[..., DockerEngine]
) -> None:
    (tmp_path / "run").mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "run/docker.sock"))
    (tmp_path / "home/.docker/run").mkdir(parents=True)
    endpoints = docker_engine.find_endpoints
    with (
        serving(tmp_path / "home/.docker/run/docker.sock", answering(GOOD)) as path,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(
            docker_engine,
            "find_endpoints",
            lambda environ, home: [found for found in endpoints(environ, home) if str(tmp_path) in found.url],
        )
        engine = connected({"XDG_RUNTIME_DIR": str(tmp_path / "run")}, tmp_path / "home")
    assert engine.endpoint.url == f"unix://{path}"


def test_the_facts_are_read_from_the_reports(tmp_path: Path, connected: Callable[..., DockerEngine]) -> None:
    with serving(tmp_path / "engine.sock", answering(GOOD)) as path:
        facts = connected(host(path)).facts()
    assert (facts.product, facts.cpus, facts.runtimes) == ("Docker", 4, ("runc", "runsc"))
    assert (facts.rootless, facts.remaps_users, facts.selinux) == (False, False, False)


def test_the_user_s_proxies_are_not_for_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, connected: Callable[..., DockerEngine]
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with serving(tmp_path / "engine.sock", answering(GOOD)) as path:
        assert connected(host(path)).facts().cpus == 4


REFUSALS = [
    ("POST /v1.41/containers/create", 409, 'Conflict. The container name "/x" is already in use', NameTaken, "in use"),
    ("POST /v1.41/containers/create", 404, "No such image: sha256:00", EngineError, "image build"),
    ("POST /v1.41/containers/create", 400, "Unknown runtime specified runsc", EngineError, "PI_SANDBOX_RUNTIME"),
    (
        "POST /v1.41/containers/create",
        400,
        'invalid mount config for type "bind": bind source path does not exist: /home/a\x1b[2Jb',
        EngineError,
        'does not see "/home/a\\x1b[2Jb"',
    ),
    ("POST /v1.41/containers/create", 500, "statfs /home/a: no such file or directory", EngineError, 'see "/home/a"'),
    (
        "POST /v1.41/containers/create",
        500,
        "opening seccomp profile failed: open /opt/seccomp.json: permission denied",
        EngineError,
        'the list of system calls "/opt/seccomp.json"',
    ),
    ("POST /v1.41/containers/create", 404, "page not found", EngineError, "does not know the request"),
    ("POST /v1.41/containers/create", 400, "Range of CPUs is from 0.01 to 2.00", EngineError, "PI_SANDBOX_CPUS"),
    ("POST /v1.41/containers/create", 500, "write /x: no space left on device", EngineError, "no space left"),
    (
        "POST /v1.41/containers/create",
        500,
        "something\x1b[31m new",
        EngineError,
        "refused (500): something\\x1b[31m new",
    ),
]


@pytest.mark.parametrize(("request_line", "status", "words", "kind", "expected"), REFUSALS)
def test_a_refusal_is_a_sentence_with_the_engine_s_words_made_visible(
    tmp_path: Path,
    request_line: str,
    status: int,
    words: str,
    kind: type[EngineError],
    expected: str,
    connected: Callable[..., DockerEngine],
) -> None:
    answers = {**GOOD, request_line: (status, {"message": words})}
    with serving(tmp_path / "engine.sock", answering(answers)) as path:
        engine = connected(host(path))
        with pytest.raises(kind) as caught:
            engine.create(make_spec())
    said = f"{caught.value.message} {caught.value.hint}"
    assert expected in said
    assert "\x1b" not in said


def test_a_container_that_is_gone_and_one_that_has_ended_are_told_apart(
    tmp_path: Path, connected: Callable[..., DockerEngine]
) -> None:
    answers: dict[str, tuple[int, Any]] = {
        **GOOD,
        "POST /v1.41/containers/gone/resize": (404, {"message": "No such container: gone"}),
        "POST /v1.41/containers/ended/resize": (409, {"message": "Container ended is not running"}),
    }
    with serving(tmp_path / "engine.sock", answering(answers)) as path:
        engine = connected(host(path))
        with pytest.raises(NoSuchContainer):
            engine.resize("gone", TerminalSize(1, 1))
        with pytest.raises(NotRunning):
            engine.resize("ended", TerminalSize(1, 1))


def test_removing_waits_for_a_removal_that_goes_on_and_takes_a_gone_container_for_removed(
    tmp_path: Path, connected: Callable[..., DockerEngine]
) -> None:
    asked: list[int] = []

    def handle(connection: socket.socket) -> None:
        table = dict(GOOD)
        if len(asked) < 2:
            words = "removal of container x is already in progress"
            table["DELETE /v1.41/containers/x"] = (409, {"message": words})
        else:
            table["DELETE /v1.41/containers/x"] = (404, {"message": "No such container: x"})
        asked.append(1)
        answering_once(table)(connection)

    with serving(tmp_path / "engine.sock", handle) as path:
        engine = connected(host(path))
        asked.clear()
        engine.remove("x")
    assert len(asked) == 3


@pytest.fixture
def silent_to(
    tmp_path: Path, connected: Callable[..., DockerEngine], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., DockerEngine]]:
    """Connects to an engine that reads requests of this path and does not answer them, the first `times` times."""
    for name in ("AT_ONCE_SECONDS", "END_SECONDS", "REMOVAL_ANSWER_SECONDS"):
        monkeypatch.setattr(docker_engine, name, 0.2)
    ended = threading.Event()
    servers = contextlib.ExitStack()

    def connect_to(path: bytes, times: int = 100) -> DockerEngine:
        asked: list[bytes] = []
        answer = answering(dict(GOOD))

        class Watched:
            """A connection that is kept waiting once a request for the path was read from it."""

            def __init__(self, connection: socket.socket) -> None:
                self._connection = connection

            def recv(self, size: int) -> bytes:
                data = self._connection.recv(size)
                if path in data:
                    asked.append(data)
                    if len(asked) <= times:
                        ended.wait(20)
                return data

            def sendall(self, data: bytes) -> None:
                self._connection.sendall(data)

        server = serving(tmp_path / "engine.sock", lambda connection: answer(Watched(connection)))  # type: ignore[arg-type]
        return connected(host(servers.enter_context(server)))

    yield connect_to
    ended.set()
    servers.close()


def test_the_answer_to_a_signal_or_a_size_is_not_waited_for_since_it_may_wait_for_us(
    silent_to: Callable[..., DockerEngine],
) -> None:
    engine = silent_to(b"/containers/x/")
    began = time.monotonic()
    engine.kill("x", "SIGKILL")
    engine.kill("x", "SIGTERM")
    engine.resize("x", TerminalSize(1, 1))
    assert time.monotonic() - began < 5


def test_a_container_that_does_not_end_with_its_stream_is_not_waited_for_without_end(
    silent_to: Callable[..., DockerEngine],
) -> None:
    engine = silent_to(b"/containers/x/")
    with pytest.raises(NoAnswer, match="wait for the container"):
        engine.wait("x")
    assert engine.client.timeout == docker_engine.REQUEST_SECONDS


def test_a_removal_that_is_slow_is_asked_for_again(silent_to: Callable[..., DockerEngine]) -> None:
    silent_to(b"DELETE", times=2).remove("x")


def test_a_removal_that_never_answers_is_given_up(
    silent_to: Callable[..., DockerEngine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docker_engine, "REMOVAL_SECONDS", 0.5)
    with pytest.raises(NoAnswer, match="remove the container"):
        silent_to(b"DELETE").remove("x")


def test_a_docker_configuration_that_docker_py_cannot_bear_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "config.json")
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    with serving(tmp_path / "engine.sock", answering(GOOD)) as path:
        assert "config.json" in failure(host(path), tmp_path).message


def answering_once(table: dict[str, tuple[int, Any]]) -> Handler:
    handler = answering({request: (status, body) for request, (status, body) in table.items()})

    class OneRequest:
        """Answers one request of a connection, so that each is seen as a connection of its own."""

        def __init__(self, connection: socket.socket) -> None:
            self._connection = connection
            self._answered = False

        def recv(self, size: int) -> bytes:
            return b"" if self._answered else self._connection.recv(size)

        def sendall(self, data: bytes) -> None:
            self._answered = True
            self._connection.sendall(data.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1))

    return lambda connection: handler(OneRequest(connection))  # type: ignore[arg-type]


# docker-py drops the socket that could not be connected without closing it.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_engine_that_goes_away_meanwhile_is_named_with_the_reason(
    tmp_path: Path, connected: Callable[..., DockerEngine]
) -> None:
    with serving(tmp_path / "engine.sock", answering(GOOD)) as path:
        engine = connected(host(path))
    path.unlink()
    with pytest.raises(EngineError, match="no such socket"):
        engine.ours({})
    gc.collect()


OURS = {
    "Name": "pi-sandbox",
    "Id": "1",
    "Created": "2026-01-01",
    "Driver": "bridge",
    "Options": {"com.docker.network.bridge.enable_icc": "false"},
}
OTHER = {**OURS, "Name": "pi-sandbox-2", "Id": "0", "Options": {}}
CREATED = {"POST /v1.41/containers/create": (201, {"Id": "f" * 64, "Warnings": []})}


@pytest.mark.parametrize(
    ("network", "answers", "refused"),
    [
        ("pi-sandbox", {"GET /v1.41/networks": (200, [OTHER, OURS])}, ""),
        ("pi-sandbox", {"GET /v1.41/networks": (200, [{**OURS, "Options": {}}])}, "reach each other"),
        ("pi-sandbox", {"GET /v1.41/networks": (500, {"message": "ill"})}, "asked for its networks"),
        ("pi-sandbox", {"GET /v1.41/networks": (200, [OURS, {**OURS, "Id": "2"}])}, "2 networks"),
        ("none", {}, ""),
    ],
    ids=["ours", "another one of that name", "an engine that fails", "twins that stay", "no network is asked for"],
)
def test_a_container_is_made_only_in_a_network_that_is_ours(
    tmp_path: Path,
    connected: Callable[..., DockerEngine],
    monkeypatch: pytest.MonkeyPatch,
    network: str,
    answers: dict[str, Any],
    refused: str,
) -> None:
    monkeypatch.setattr(docker_engine, "TWINS_SECONDS", 0.2)
    with serving(tmp_path / "engine.sock", answering(GOOD | CREATED | answers)) as path:
        engine = connected(host(path))
        spec = make_spec(standing={"network": network})
        if not refused:
            assert engine.create(spec) == "f" * 64
            return
        with pytest.raises(EngineError, match=refused):
            engine.create(spec)


def test_an_engine_without_addresses_for_a_network_says_what_takes_them(
    tmp_path: Path, connected: Callable[..., DockerEngine]
) -> None:
    words = "could not find an available, non-overlapping IPv4 address pool among the defaults to assign to the network"
    answers = {"GET /v1.41/networks": (200, []), "POST /v1.41/networks/create": (404, {"message": words})}
    with serving(tmp_path / "engine.sock", answering(GOOD | CREATED | answers)) as path:
        engine = connected(host(path))
        with pytest.raises(EngineError, match="no addresses left") as caught:
            engine.create(make_spec(standing={"network": "pi-sandbox"}))
    assert "VPN" in caught.value.hint

"""Sessions reach the world and not each other; two containers on the engine's default bridge would."""

import contextlib
import json
import os
import re
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from pi_sandbox.containers import docker_engine
from pi_sandbox.containers.network import NETWORK
from pi_sandbox.errors import EngineError
from tests.fakes.engine_network import address_on
from tests.integration.session.sandbox import COMMAND, Sandbox, docker, inspect

SERVE = "python3 -u -m http.server 8000 >/tmp/log 2>&1 & until grep -q Serving /tmp/log; do sleep 0.1; done"
PORT = 8000


def ask(address: str, port: int = PORT) -> str:
    script = f"import socket; socket.create_connection(('{address}', {port}), 4); print('reached')"
    return f'python3 -c "{script}" 2>&1 | tail -1'


def address_of(container: str, network: str = NETWORK) -> str:
    return str(inspect(container)[0]["NetworkSettings"]["Networks"][network]["IPAddress"])


class _Greeting(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *values: object) -> None:
        """Stays quiet."""


@contextlib.contextmanager
def serving_here(address: str) -> Iterator[int]:
    with ThreadingHTTPServer((address, 0), _Greeting) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def test_a_session_cannot_connect_to_another_one_that_serves(sandbox: Sandbox) -> None:
    first, second = sandbox.project("apart/one"), sandbox.project("apart/two", domain="work")
    with sandbox.session(first, before=SERVE) as live:
        address = address_of(live.container)
        name = inspect(live.container)[0]["Name"].lstrip("/")
        itself = docker("exec", live.container, "sh", "-c", ask("127.0.0.1"))
        assert itself == "reached\n"
        assert "timed out" in sandbox.shell(second, ask(address)).ok()
        assert "reached" not in sandbox.shell(second, ask(name)).ok()


def test_the_names_of_other_sessions_say_nothing_of_them(sandbox: Sandbox) -> None:
    """Docker answers for the addresses and names in a network of ours, to whoever is in it."""
    first, second = sandbox.project("apart/telling"), sandbox.project("apart/two", domain="work")
    with sandbox.session(first) as live:
        address, name = address_of(live.container), inspect(live.container)[0]["Name"].lstrip("/")
        asked = f"getent hosts {address}; getent hosts telling private sync core; true"
        assert sandbox.shell(second, asked).ok().split() == [address, f"{name}.{NETWORK}"]
    assert re.fullmatch(r"pi-sandbox-[0-9a-f]{12}", name)


def test_a_telling_name_would_be_told(sandbox: Sandbox) -> None:
    project = sandbox.project("apart/two", domain="work")
    name, host = f"pi-sandbox-test-telling-{uuid.uuid4().hex[:8]}", "telling"
    image = json.loads(sandbox.call("plan", project, "--format", "json").ok())["container"]["image"]
    command = ("--detach", "--rm", "--network", NETWORK, "--name", name, "--network-alias", host)
    docker("run", *command, "--entrypoint", "sleep", image, "60")
    try:
        said = sandbox.shell(project, f"getent hosts {address_of(name)}; getent hosts {host}").ok()
        assert f"{name}.{NETWORK}" in said
        assert f"{address_of(name)}" in said.splitlines()[1]
    finally:
        docker("rm", "--force", name)


def test_two_containers_on_the_default_bridge_can(sandbox: Sandbox) -> None:
    image = json.loads(sandbox.call("plan", sandbox.project("apart/one"), "--format", "json").ok())["container"][
        "image"
    ]
    name = f"pi-sandbox-test-{uuid.uuid4().hex[:8]}"
    docker("run", "--detach", "--rm", "--name", name, "--entrypoint", "sh", image, "-c", f"{SERVE}; sleep 60")
    try:
        address = address_of(name, "bridge")
        script = f"for i in 1 2 3 4 5 6 7 8; do {ask(address)} | grep reached && exit; sleep 0.5; done"
        assert docker("run", "--rm", "--entrypoint", "sh", image, "-c", script) == "reached\n"
    finally:
        docker("rm", "--force", name)


def test_a_session_reaches_what_lies_outside(sandbox: Sandbox) -> None:
    project = sandbox.project("apart/one")
    sandbox.shell(project, "true").ok()
    gateway = address_on(NETWORK)
    with serving_here(gateway) as port:
        assert sandbox.shell(project, ask(gateway, port)).ok() == "reached\n"


def test_the_packets_are_as_large_as_on_the_default_bridge(sandbox: Sandbox) -> None:
    default = json.loads(docker("network", "inspect", "bridge"))[0]["Options"]
    said = sandbox.shell(sandbox.project("apart/one"), "cat /sys/class/net/eth0/mtu; grep -c . /proc/net/if_inet6").out
    size, addresses = said.split()
    assert size == default.get("com.docker.network.driver.mtu", "1500")
    assert addresses in ("0", "1"), "besides its own loopback, the session has no IPv6 address that others could reach"


@pytest.fixture
def other_name(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A name of the test's own for the network, which goes with the test."""
    name = f"pi-sandbox-test-{uuid.uuid4().hex[:8]}"
    monkeypatch.setattr(docker_engine, "NETWORK", name)
    yield name
    docker("network", "rm", name, check=False)


def test_engines_that_need_it_at_the_same_time_make_it_once(other_name: str) -> None:
    script = (
        "import os\n"
        "from pi_sandbox.containers import docker_engine\n"
        f"docker_engine.NETWORK = {other_name!r}\n"
        "docker_engine.connect(os.environ).ensure_network()\n"
    )
    started = [subprocess.Popen([sys.executable, "-c", script]) for _ in range(4)]
    assert [process.wait(60) for process in started] == [0] * len(started)
    assert docker("network", "ls", "--format", "{{.Name}}").split().count(other_name) == 1


def test_another_network_of_that_name_is_refused_and_left_alone(other_name: str) -> None:
    docker("network", "create", other_name)
    with contextlib.closing(docker_engine.connect(os.environ)) as engine, pytest.raises(EngineError) as caught:
        engine.ensure_network()
    assert "reach each other" in caught.value.message
    assert other_name in docker("network", "ls", "--format", "{{.Name}}").split()


def test_the_plan_names_the_network(sandbox: Sandbox) -> None:
    said = subprocess.run(
        [*COMMAND, "plan", str(sandbox.project("apart/one"))],
        env=sandbox.environment(),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "network" in said
    assert NETWORK in said

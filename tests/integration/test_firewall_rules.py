"""The firewall rules that the page on security gives, in network namespaces made for the test.

`machine` stands for the host: a bridge to a `session`, a way to a `metadata` service at the address that clouds use,
and one to an `outside`. It forwards as an engine's host does.
"""

import contextlib
import re
import subprocess
import sys
import textwrap
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.needs import Host

pytestmark = pytest.mark.needs(Host.ROOT, Host.NETWORK_NAMESPACES, "ip", "iptables", "sysctl")

PAGE = Path(__file__).parents[2] / "docs" / "security.md"
BRIDGE = "br-session"
MACHINE, SESSION = "10.123.0.1", "10.123.0.2"
METADATA, OUTSIDE = "169.254.169.254", "203.0.113.1"
PORT = 8000
PLACES = {"a service of this machine": MACHINE, "the metadata service": METADATA, "the outside": OUTSIDE}
SERVE = f"""
import socket
with socket.create_server(("0.0.0.0", {PORT})) as server:
    print("serving", flush=True)
    while True:
        server.accept()[0].close()
"""
ASK = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], int(sys.argv[2])), 4).close()
    print("reached")
except OSError as error:
    print(type(error).__name__)
"""


def rules() -> list[str]:
    """The commands of the page, without the prompt, for a bridge of the name that the test gave it."""
    (block,) = re.findall(r"```console\n(# BRIDGE=.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    lines = [line.removeprefix("# ") for line in textwrap.dedent(block).splitlines()]
    assert lines[0].startswith("BRIDGE=br-$(docker network inspect ")
    return lines[1:]


class Net:
    """Namespaces of one test, each with a server on every address of its own."""

    def __init__(self, stack: contextlib.ExitStack) -> None:
        self._prefix = f"pi{uuid.uuid4().hex[:6]}"
        self._stack = stack
        for name in ("machine", "session", "metadata", "outside"):
            subprocess.run(("ip", "netns", "add", self._name(name)), check=True)
            stack.callback(subprocess.run, ("ip", "netns", "delete", self._name(name)), check=True)
            self.run(name, "ip", "link", "set", "lo", "up")

    def run(self, name: str, *command: str) -> str:
        inside = ("ip", "netns", "exec", self._name(name), *command)
        return subprocess.run(inside, check=True, capture_output=True, text=True).stdout

    def serve(self, name: str) -> None:
        command = ("ip", "netns", "exec", self._name(name), sys.executable, "-c", SERVE)
        process = self._stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE))
        self._stack.callback(process.kill)
        assert process.stdout is not None
        assert process.stdout.readline() == b"serving\n"

    def connect(self, name: str, own: str, gateway: str, at_machine: str) -> None:
        """Lays a cable from `machine`, where it ends in `at_machine`, to a namespace with an address of its own."""
        there = f"v{self._prefix}{name[0]}"
        self.run("machine", "ip", "link", "add", at_machine, "type", "veth", "peer", "name", there)
        self.run("machine", "ip", "link", "set", there, "netns", self._name(name))
        self.run(name, "ip", "address", "add", own, "dev", there)
        self.run(name, "ip", "link", "set", there, "up")
        self.run("machine", "ip", "link", "set", at_machine, "up")
        self.run(name, "ip", "route", "add", "default", "via", gateway)

    def _name(self, name: str) -> str:
        return f"{self._prefix}-{name}"


@pytest.fixture
def net() -> Iterator[Net]:
    with contextlib.ExitStack() as stack:
        net = Net(stack)
        net.run("machine", "ip", "link", "add", BRIDGE, "type", "bridge")
        net.run("machine", "ip", "address", "add", f"{MACHINE}/24", "dev", BRIDGE)
        net.run("machine", "ip", "link", "set", BRIDGE, "up")
        net.connect("session", f"{SESSION}/24", MACHINE, "to-session")
        net.run("machine", "ip", "link", "set", "to-session", "master", BRIDGE)
        for name, address, gateway in (("metadata", METADATA, "169.254.169.1"), ("outside", OUTSIDE, "203.0.113.2")):
            net.connect(name, f"{address}/24", gateway, f"to-{name}")
            net.run("machine", "ip", "address", "add", f"{gateway}/24", "dev", f"to-{name}")
        net.run("machine", "sysctl", "-qw", "net.ipv4.ip_forward=1")
        # Docker's own chain for rules of the owner, which it asks before any of its own.
        net.run("machine", "iptables", "-N", "DOCKER-USER")
        net.run("machine", "iptables", "-A", "FORWARD", "-j", "DOCKER-USER")
        for name in ("machine", "session", "metadata", "outside"):
            net.serve(name)
        yield net


def reached(net: Net, name: str, address: str) -> bool:
    return net.run(name, sys.executable, "-c", ASK, address, str(PORT)) == "reached\n"


def test_the_rules_of_the_page_keep_a_session_from_this_machine_and_from_the_metadata_address(net: Net) -> None:
    assert {place: reached(net, "session", address) for place, address in PLACES.items()} == dict.fromkeys(
        PLACES, True
    ), "the control: without the rules a session reaches them all"
    _apply(net, rules())
    assert {place: reached(net, "session", address) for place, address in PLACES.items()} == {
        "a service of this machine": False,
        "the metadata service": False,
        "the outside": True,
    }
    assert reached(net, "machine", SESSION), "what a session serves is still there for this machine"
    assert reached(net, "machine", METADATA), "and so is the metadata service"


def test_each_rule_of_the_page_does_what_stands_beside_it(net: Net) -> None:
    own, metadata = rules()
    _apply(net, [own])
    assert (reached(net, "session", MACHINE), reached(net, "session", METADATA)) == (False, True)
    _apply(net, [own.replace(" -I ", " -D "), metadata])
    assert (reached(net, "session", MACHINE), reached(net, "session", METADATA)) == (True, False)


def _apply(net: Net, lines: Sequence[str]) -> None:
    for line in lines:
        net.run("machine", "sh", "-ec", f"BRIDGE={BRIDGE}; {line}")

"""A home of a test's own, and a real git server that containers reach at the engine's bridge."""

import itertools
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.git_server import GitServer, git_server, is_available
from tests.integration.memory.homes import Pushed, make_home
from tests.integration.session.sandbox import Sandbox, docker

_NUMBERS = itertools.count(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test here runs the built images."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("image")


@pytest.fixture
def home(tmp_path: Path) -> Sandbox:
    """A home as `pi-sandbox init` makes it."""
    return make_home(tmp_path)


@pytest.fixture(scope="session")
def server() -> Iterator[GitServer]:
    if not is_available():
        pytest.skip("there is no apache2 with git http-backend; script/setup installs it")
    with git_server(address=_bridge_address()) as running:
        yield running


@pytest.fixture
def pushed(home: Sandbox, server: GitServer) -> Pushed:
    """A home whose stores of core and private have an empty remote each."""
    number = next(_NUMBERS)
    for store in ("core", "private"):
        server.add_repository(f"{store}-{number}")
    return Pushed(home, server, number)


def _bridge_address() -> str:
    """This machine's own address on the engine's bridge."""
    (network,) = json.loads(docker("network", "inspect", "bridge"))
    address = str(network["IPAM"]["Config"][0].get("Gateway", ""))
    held = subprocess.run(("ip", "-o", "addr"), capture_output=True, text=True, check=False).stdout
    if not address or f" {address}/" not in held:
        pytest.skip("this machine has no address on the engine's bridge")
    return address

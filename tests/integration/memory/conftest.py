"""A home of a test's own, and a real git server that containers reach at the engine's bridge."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.engine_network import address_on
from tests.fakes.git_server import GitServer, git_server
from tests.integration.memory.homes import Pushed, make_home
from tests.integration.session.sandbox import Sandbox

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
    with git_server(address=address_on("bridge")) as running:
        yield running


@pytest.fixture
def pushed(home: Sandbox, server: GitServer) -> Pushed:
    """A home whose stores of core and private have an empty remote each."""
    number = next(_NUMBERS)
    for store in ("core", "private"):
        server.add_repository(f"{store}-{number}")
    return Pushed(home, server, number)

"""One real git server for each file of tests, and a fresh store with an empty remote for each test."""

import itertools
from collections.abc import Iterator

import pytest

from tests.fakes.git_server import GitServer, git_server
from tests.integration.sync_inside.stores import Store, make_store

_NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def server() -> Iterator[GitServer]:
    with git_server() as running:
        yield running


@pytest.fixture
def store(server: GitServer, tmp_path) -> Store:
    return make_store(server, tmp_path, "private", f"private-{next(_NUMBERS)}")


@pytest.fixture
def pushed(store: Store) -> Store:
    """A store whose first sync is done."""
    assert store.sync("y").outcome.value == "pushed"
    return store

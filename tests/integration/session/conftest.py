"""One home per file of tests: a session takes about a second, a home twice that."""

from pathlib import Path

import pytest

from tests.integration.session.sandbox import Sandbox, make_sandbox


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every session runs the built image."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("image")


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    """A home as `pi-sandbox init` makes it."""
    return make_sandbox(tmp_path_factory.mktemp("session") / "home")

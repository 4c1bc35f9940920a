"""What every test shares: the guard, hypothesis' profile, and the rule for tests that need an engine."""

import os

import hypothesis
import pytest

pytest_plugins = ["tests.guard"]

# Two slow cores say nothing about a rule, so no deadline; the same examples on each run of CI.
hypothesis.settings.register_profile("default", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "default")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything below tests/integration needs the engine, whether or not its file says so."""
    for item in items:
        if "integration" in item.path.parts:
            item.add_marker("engine")

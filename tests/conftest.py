"""What every test shares: the guard, what it may need, hypothesis' profile, and the mark of tests on an engine."""

import os
import signal

import hypothesis
import pytest

pytest_plugins = ["tests.guard", "tests.needs"]

# A shell that runs us in the background has these ignored, and every program that a test starts would inherit that.
for number, handler in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGQUIT, signal.SIG_DFL),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)

# Two slow cores say nothing about a rule, so no deadline; the same examples on each run of CI.
hypothesis.settings.register_profile("default", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "default")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks everything below tests/integration as in need of the engine, whether or not its file says so."""
    for item in items:
        if "integration" in item.path.parts:
            item.add_marker("engine")

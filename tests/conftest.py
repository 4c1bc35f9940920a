"""What every test shares: the guard, hypothesis' profile, and the rule for tests that need an engine."""

import functools
import os
import signal
import subprocess
import sys
from pathlib import Path

import hypothesis
import pytest

pytest_plugins = ["tests.guard"]

CHECKOUT = Path(__file__).parents[1]

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


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips a test without the engine or the images it needs; fails it where TEST_ENGINE=required."""
    needs_images = item.get_closest_marker("image") is not None
    if needs_images or item.get_closest_marker("engine"):
        missing = _missing_engine() or (needs_images and _missing_images())
        if missing and os.environ.get("TEST_ENGINE") == "required":
            pytest.fail(missing, pytrace=False)
        if missing:
            pytest.skip(missing)


@functools.cache
def _missing_engine() -> str:
    asked = _run(sys.executable, CHECKOUT / "script" / "lib" / "engine_answers.py")
    return "" if asked.returncode == 0 else f"{asked.stderr.strip()}; script/setup starts one"


@functools.cache
def _missing_images() -> str:
    asked = _run(sys.executable, "-m", "pi_sandbox", "image", "status")
    said = asked.stderr.strip() or asked.stdout.strip()
    return "" if asked.returncode == 0 else f"no matching image ({said}); script/test integration builds it"


def _run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(arguments, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)

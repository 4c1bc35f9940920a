"""An image whose entry fails at once: the reason is on the screen and the command is back within seconds.

The image is made from a copy of this installation under a version of its own, so that no other session meets it.
"""

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_sandbox import __version__
from pi_sandbox.containers.image import expected_image
from tests.integration.session.sandbox import Sandbox, docker, make_sandbox
from tests.running import SOON

CHECKOUT = Path(__file__).parents[3]
VERSION = "0.0.0.broken"
ASK_LABEL = """
from pi_sandbox.containers.image import INPUTS_LABEL, expected_image
print(INPUTS_LABEL, expected_image("agent").inputs_digest)
"""
PYTHON = "/opt/pi-sandbox/venv/bin/python"
BREAKS = {
    "missing": (f"rm {PYTHON}", "no such file"),
    "of another machine": (
        f"rm {PYTHON}; printf '\\177ELF\\002\\001\\001' > {PYTHON}; chmod +x {PYTHON}",
        "not found",
    ),
    "not executable": (f"rm {PYTHON}; touch {PYTHON}", "permission denied"),
    "silent": (f"ln -sf /bin/false {PYTHON}", "container"),
    "explaining itself": (
        f"rm {PYTHON}; printf '#!/bin/sh\\necho the reason >&2; exit 9' > {PYTHON}; chmod +x {PYTHON}",
        "the reason",
    ),
}


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    """A copy of the installation under another version, with a home."""
    folder = tmp_path_factory.mktemp("installation")
    for name in ("pi_sandbox", "templates", "compose", "container", "requirements"):
        shutil.copytree(CHECKOUT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    version = folder / "pi_sandbox" / "__init__.py"
    version.write_text(version.read_text().replace(__version__, VERSION))
    return make_sandbox(folder / "home", {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"})


def test_the_copy_is_the_one_that_runs(installation: Sandbox) -> None:
    assert VERSION in installation.call("--version", cwd=installation.project()).ok()


@pytest.fixture(params=BREAKS)
def reason(request: pytest.FixtureRequest, installation: Sandbox) -> Iterator[str]:
    """Puts the broken image where that installation looks for its own, and gives what has to be said about it."""
    script, expected = BREAKS[request.param]
    asked = subprocess.run(
        (sys.executable, "-P", "-c", ASK_LABEL),
        env=installation.environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    label, digest = asked.stdout.split()
    tag = f"pi-sandbox-agent:{VERSION}"
    image = expected_image("agent").tag
    run = ("create", "--user=0", "--entrypoint=sh", image, "-c", script)
    container = docker(*run).strip()
    docker("start", "--attach", container)
    docker("commit", f"--change=LABEL {label}={digest}", container, tag)
    docker("rm", container)
    yield expected
    docker("rmi", tag)


def test_an_entry_that_fails_at_once_is_told_within_seconds_every_time(installation: Sandbox, reason: str) -> None:
    project = installation.project()
    for _ in range(3):
        began = time.monotonic()
        ended = installation.shell(project, "true", cwd=project)
        assert time.monotonic() - began < SOON
        assert ended.code not in (0, 70), ended.err
        assert reason in (ended.out + ended.err).lower()
        assert "Traceback" not in ended.err
        assert installation.containers() == []

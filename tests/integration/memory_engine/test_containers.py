"""The locks between two containers on one directory: the same small pids on both sides, and no look across."""

import itertools
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_sandbox.containers.image import expected_image
from pi_sandbox.project_memory.lease import parse
from tests.unit.project_memory.contenders import CHECKOUT, Contender, go, kill_running, pass_time

pytestmark = pytest.mark.image

NUMBERS = itertools.count()
CONTENDER = "/checkout/tests/unit/project_memory/lock_contender.py"


@pytest.fixture(scope="module")
def image() -> str:
    """The name of the agent's image."""
    return expected_image("agent").tag


@pytest.fixture
def locks(tmp_path: Path) -> Path:
    (tmp_path / "locks").mkdir()
    return tmp_path / "locks"


@pytest.fixture
def boxes(image: str, locks: Path) -> Iterator["Boxes"]:
    boxes = Boxes(image, locks)
    yield boxes
    boxes.remove()


class Boxes:
    """The containers of a test, all on its directory."""

    def __init__(self, image: str, locks: Path) -> None:
        self._image, self._locks = image, locks
        self._running: dict[Contender, str] = {}

    def start(self) -> Contender:
        name = f"pi-sandbox-test-locks-{os.getpid()}-{next(NUMBERS)}"
        program = (
            *("docker", "run", "--interactive", "--rm", "--name", name, "--network", "none", "--read-only"),
            *("--cap-drop", "ALL", "--user", f"{os.getuid()}:{os.getgid()}", "--env", "PYTHONPATH=/checkout"),
            *("--env", "PYTHONDONTWRITEBYTECODE=1", "--volume", f"{CHECKOUT}:/checkout:ro"),
            *("--volume", f"{self._locks.parent}:/shared", "--entrypoint", "python3", self._image),
            *(CONTENDER, "/shared/locks", "extract.lock"),
        )
        contender = Contender(self._locks, "extract.lock", program=program)
        self._running[contender] = name
        return contender

    def docker(self, command: str, contender: Contender) -> None:
        subprocess.run(("docker", command, self._running[contender]), capture_output=True, check=True, timeout=60)

    def remove(self) -> None:
        names = list(self._running.values())
        if names:
            subprocess.run(("docker", "rm", "--force", *names), capture_output=True, check=False, timeout=60)
        kill_running(self._running)


def test_of_two_containers_one_gets_the_lock(boxes: Boxes, locks: Path) -> None:
    contenders = [boxes.start(), boxes.start()]
    go(locks)
    assert sorted(each.says() for each in contenders) == ["busy", "held"]
    assert parse((locks / "extract.lock").read_bytes()).holder.pid == 1


def test_the_lock_of_a_killed_container_is_recovered_by_one_with_the_same_pid_when_its_lease_is_over(
    boxes: Boxes, locks: Path
) -> None:
    holder = boxes.start()
    go(locks)
    assert holder.says() == "held"
    boxes.docker("kill", holder)
    pass_time(locks / "extract.lock", 600)
    early = boxes.start()
    assert early.says() == "busy"
    pass_time(locks / "extract.lock", 301)
    late = boxes.start()
    assert late.says() == "held"
    assert late.holds()
    late.end()
    assert list(locks.iterdir()) == []


def test_a_paused_container_loses_its_lock_with_its_lease_and_knows_it(boxes: Boxes, locks: Path) -> None:
    holder = boxes.start()
    go(locks)
    assert holder.says() == "held"
    boxes.docker("pause", holder)
    pass_time(locks / "extract.lock", 901)
    other = boxes.start()
    assert other.says() == "held"
    boxes.docker("unpause", holder)
    assert not holder.holds()
    holder.end()
    assert other.holds()
    other.end()
    assert list(locks.iterdir()) == []

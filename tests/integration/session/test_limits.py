"""A session cannot take the machine with it; what it ran into is named, and the neighbour does not notice."""

import time

import pytest

from tests.integration.session.sandbox import Sandbox, docker
from tests.running import SOON

BOMB = """
import os, time
try:
    while os.fork():
        pass
    time.sleep(60)
except OSError as error:
    print(error.strerror)
"""
MEMORY = "python3 -c 'held = [bytearray(1 << 20) for _ in range(2000)]' ; echo ended $?"


def test_a_fork_bomb_stops_at_the_limit_which_is_named(sandbox: Sandbox) -> None:
    few = {"PI_SANDBOX_PIDS": "64"}
    with sandbox.session(sandbox.project("git.example.org/group/neighbour")) as neighbour:
        ended = sandbox.call("shell", sandbox.project(), "--", "python3", "-c", BOMB, environment=few)
        began = time.monotonic()
        docker("exec", neighbour.container, "true")
        assert time.monotonic() - began < SOON
        assert neighbour.process.poll() is None
    assert ended.ok() == "Resource temporarily unavailable\n"
    assert "limit of processes (PI_SANDBOX_PIDS)" in ended.err
    assert "Traceback" not in ended.err


def test_memory_beyond_the_limit_ends_the_process_and_the_limit_is_named(sandbox: Sandbox) -> None:
    ended = sandbox.shell(sandbox.project(), MEMORY, environment={"PI_SANDBOX_MEMORY": "256m"})
    assert ended.ok() == "ended 137\n"
    assert "PI_SANDBOX_MEMORY" in ended.err


def test_memory_that_ends_the_agent_itself_is_named_too(sandbox: Sandbox) -> None:
    command = ("python3", "-c", "held = [bytearray(1 << 20) for _ in range(2000)]")
    ended = sandbox.call("shell", sandbox.project(), "--", *command, environment={"PI_SANDBOX_MEMORY": "256m"})
    assert ended.code == 137
    assert "PI_SANDBOX_MEMORY" in ended.err


@pytest.mark.parametrize(
    ("folder", "most"), [("/run/pi-session", 17), ("/home/pi/.pi", 65), ("/dev/shm", 65), ("/run/pi-identity", 2)]
)
def test_a_full_temporary_folder_stays_below_its_limit_and_the_session_goes_on(
    sandbox: Sandbox, folder: str, most: int
) -> None:
    fill = f"head -c 200M /dev/zero > {folder}/fill; du -sm {folder}/fill | cut -f1; echo goes on"
    ended = sandbox.shell(sandbox.project(), fill)
    size, word = ended.ok().splitlines()
    assert int(size) <= most
    assert word == "goes on"
    assert "No space left" in ended.err


def test_a_full_temporary_folder_is_told_at_the_end(sandbox: Sandbox) -> None:
    small = {"PI_SANDBOX_MEMORY": "3g"}
    ended = sandbox.shell(
        sandbox.project(), "head -c 1100M /dev/zero > /tmp/fill 2>/dev/null; exit 0", environment=small
    )
    assert "temporary folder /tmp is full" in ended.err


def test_a_session_within_its_limits_is_told_nothing(sandbox: Sandbox) -> None:
    assert sandbox.shell(sandbox.project(), "sleep 0.1 & wait").err == ""

"""Twenty signals in a row, at whatever moment, end a session once: with its report and its code, and all of it gone."""

import contextlib
import itertools
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_sandbox.settings.folders import Folders
from tests.integration.session.relay import Relay
from tests.integration.session.sandbox import Sandbox, wait_until
from tests.running import is_caught

CODES = {signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGINT: 130}
PLANT = "git init --quiet new"
WAIT = "while :; do sleep 0.1; done"
NUMBERS = itertools.count()
DELAYS = itertools.cycle((0.0, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0))

every_signal = pytest.mark.parametrize("number", CODES)


@pytest.fixture
def project(sandbox: Sandbox) -> Path:
    return sandbox.project(f"git.example.org/{next(NUMBERS)}")


def twenty(process: "subprocess.Popen[bytes]", number: int) -> None:
    """Sends twenty signals within 0.4 seconds, or as many as it lives for."""
    for _ in range(20):
        if process.poll() is None:
            process.send_signal(number)
            time.sleep(0.02)


def ended(process: "subprocess.Popen[bytes]") -> tuple[int, str]:
    """Gives the code and the messages."""
    said = process.communicate(timeout=60)[1].decode()
    return process.returncode, said


def assert_nothing_is_left(sandbox: Sandbox, said: str) -> None:
    assert "Traceback" not in said
    assert sandbox.containers() == []
    assert list(Folders(sandbox.home).markers.iterdir()) == []


def assert_told(project: Path, said: str) -> None:
    assert f'"{project}/new/.git", a git folder, appeared' in said


@contextlib.contextmanager
def started(sandbox: Sandbox, *arguments: str, environment: dict[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen(
        (*sandbox.command, *arguments),
        env=sandbox.environment(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        wait_until(lambda: process.poll() is not None or is_caught(process.pid, signal.SIGALRM), "the first line")
        yield process


@every_signal
@pytest.mark.parametrize("moment", range(3))
def test_while_it_starts(sandbox: Sandbox, project: Path, number: signal.Signals, moment: int) -> None:
    with started(sandbox, "shell", str(project), "--", "sh", "-c", f"{PLANT}; {WAIT}", environment={}) as process:
        time.sleep(next(DELAYS))
        twenty(process, number)
        code, said = ended(process)
    assert code == CODES[number], said
    assert_nothing_is_left(sandbox, said)
    if (project / "new").exists():
        assert_told(project, said)


@every_signal
def test_while_the_engine_makes_the_container(
    sandbox: Sandbox, project: Path, tmp_path: Path, number: signal.Signals
) -> None:
    markers = Folders(sandbox.home).markers
    with (
        Relay(tmp_path, slow="/containers/create", seconds=1) as relay,
        started(sandbox, "shell", str(project), "--", "true", environment=relay.environment) as process,
    ):
        wait_until(lambda: any(markers.iterdir()), "the marker")
        twenty(process, number)
        code, said = ended(process)
    assert code == CODES[number], said
    assert_nothing_is_left(sandbox, said)


@every_signal
@pytest.mark.parametrize("script", [WAIT, f"trap '' TERM HUP INT; {WAIT}"], ids=["willing", "stubborn"])
def test_while_the_agent_runs(sandbox: Sandbox, project: Path, number: signal.Signals, script: str) -> None:
    with sandbox.session(project, script, before=PLANT) as live:
        twenty(live.process, number)
        code, said = ended(live.process)
    assert code == CODES[number], said
    assert_told(project, said)
    assert_nothing_is_left(sandbox, said)


@every_signal
def test_while_the_agent_ends(sandbox: Sandbox, project: Path, number: signal.Signals) -> None:
    with sandbox.session(project, WAIT, before=f"trap 'touch ending; sleep 60' TERM; {PLANT}") as live:
        live.process.send_signal(signal.SIGTERM)
        wait_until((project / "ending").exists, "the agent's own end")
        twenty(live.process, number)
        code, said = ended(live.process)
    assert code == 143, said
    assert_told(project, said)
    assert_nothing_is_left(sandbox, said)


@every_signal
def test_while_the_container_is_removed_and_the_end_is_told(
    sandbox: Sandbox, project: Path, tmp_path: Path, number: signal.Signals
) -> None:
    with (
        Relay(tmp_path, slow="DELETE", seconds=1) as relay,
        sandbox.session(project, "exit 7", before=PLANT, environment=relay.environment) as live,
    ):
        wait_until(lambda: not _runs(sandbox), "the end of the agent")
        while live.process.poll() is None:
            live.process.send_signal(number)
            time.sleep(0.01)
        code, said = ended(live.process)
    assert code == 7, said
    assert_told(project, said)
    assert_nothing_is_left(sandbox, said)


def _runs(sandbox: Sandbox) -> bool:
    return any(container["State"]["Running"] for container in sandbox.containers())


def test_the_control_a_wrapper_that_is_killed_tells_nothing_and_the_next_start_takes_away_what_it_left(
    sandbox: Sandbox, project: Path
) -> None:
    with sandbox.session(project, WAIT, before=PLANT) as live:
        live.process.kill()
        code, said = ended(live.process)
    assert (code, said) == (-signal.SIGKILL, "")
    assert list(Folders(sandbox.home).markers.iterdir()) != []
    sandbox.shell(project, "true").ok()
    assert_nothing_is_left(sandbox, said)


@every_signal
@pytest.mark.parametrize("command", [["memory-check", "private"], ["doctor"]], ids=" ".join)
def test_another_command_with_a_container_ends_like_a_session(
    sandbox: Sandbox, tmp_path: Path, number: signal.Signals, command: list[str]
) -> None:
    with (
        Relay(tmp_path, slow="/start", seconds=1) as relay,
        started(sandbox, *command, environment=relay.environment) as process,
    ):
        wait_until(sandbox.containers, "the container")
        twenty(process, number)
        code, said = ended(process)
    assert code == CODES[number], said
    assert_nothing_is_left(sandbox, said)

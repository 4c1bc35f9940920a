"""A terminal that takes nothing and an engine that is slow keep nobody from ending a session."""

import os
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pexpect
import pytest

from tests.integration.session.relay import Relay
from tests.integration.session.sandbox import Sandbox, wait_until
from tests.running import SOON

FLOOD = "trap '' PIPE; yes 0123456789012345678901234567890123456789"
STUBBORN = f"trap '' TERM HUP; {FLOOD}"


def _seconds_until_gone(sandbox: Sandbox, is_running: object, began: float) -> float:
    wait_until(lambda: not is_running(), "the end of the wrapper")  # type: ignore[operator]
    assert sandbox.containers() == []
    return time.monotonic() - began


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
@pytest.mark.parametrize("script", [FLOOD, STUBBORN], ids=["willing", "stubborn"])
def test_an_output_that_nobody_reads_does_not_keep_signals_from_ending_the_session(
    sandbox: Sandbox, number: signal.Signals, code: int, script: str
) -> None:
    reading, writing = os.pipe()
    with subprocess.Popen(
        (*sandbox.command, "shell", str(sandbox.project()), "--", "bash", "-c", script),
        env=sandbox.environment(),
        stdin=subprocess.DEVNULL,
        stdout=writing,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(writing)
        os.read(reading, 10)
        time.sleep(1)
        began = time.monotonic()
        for _ in range(3 if number == signal.SIGINT else 2):
            process.send_signal(number)
            time.sleep(1)
        seconds = _seconds_until_gone(sandbox, lambda: process.poll() is None, began)
        said = process.stderr.read().decode() if process.stderr else ""
    os.close(reading)
    assert process.returncode == code, said
    assert seconds < SOON
    assert "Traceback" not in said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_one_signal_is_enough_where_a_frozen_window_holds_up_a_willing_agent(
    sandbox: Sandbox, number: signal.Signals
) -> None:
    child = pexpect.spawn(
        sys.executable,
        ["-m", "pi_sandbox", "shell", str(sandbox.project()), "--", "bash", "-c", FLOOD],
        env=sandbox.environment({"TERM": "xterm-256color"}),
        timeout=30,
    )
    child.expect_exact("0123456789")
    time.sleep(2)
    began = time.monotonic()
    child.kill(number)
    try:
        assert _seconds_until_gone(sandbox, child.isalive, began) < SOON
        assert termios.tcgetattr(child.child_fd)[3] & termios.ICANON
    finally:
        child.close(force=True)


def test_the_last_words_of_an_agent_that_is_asked_to_end_are_still_heard(sandbox: Sandbox) -> None:
    with sandbox.session(
        sandbox.project(), "while :; do sleep 0.1; done", before="trap 'echo saved; exit' TERM"
    ) as live:
        live.process.send_signal(signal.SIGTERM)
        assert live.process.stdout is not None
        assert live.process.stdout.read() == b"saved\n"
        assert live.process.wait(timeout=30) == 143


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_during_a_slow_removal_do_not_skip_it(sandbox: Sandbox, tmp_path: Path, number: signal.Signals) -> None:
    with (
        Relay(tmp_path, slow="DELETE", seconds=3) as relay,
        sandbox.session(sandbox.project(), "exit 7", environment=relay.environment) as live,
    ):
        wait_until(lambda: not sandbox.containers()[0]["State"]["Running"], "the end of the agent")
        time.sleep(0.3)
        for _ in range(3):
            live.process.send_signal(number)
            time.sleep(0.2)
        assert live.process.wait(timeout=30) == 7
        assert sandbox.containers() == []


def test_a_kill_that_the_engine_answers_late_is_no_failure(sandbox: Sandbox, tmp_path: Path) -> None:
    with (
        Relay(tmp_path, slow="/kill?", seconds=4) as relay,
        sandbox.session(sandbox.project(), STUBBORN, environment=relay.environment) as live,
    ):
        for _ in range(2):
            live.process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
        assert live.process.wait(timeout=60) == 143
        assert sandbox.containers() == []


def test_a_pipe_in_place_of_the_docker_configuration_holds_up_nothing(sandbox: Sandbox, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.json")
    ended = sandbox.call("shell", sandbox.project(), environment={"DOCKER_CONFIG": str(tmp_path)})
    assert ended.code == 3
    assert "is not a regular file" in ended.err

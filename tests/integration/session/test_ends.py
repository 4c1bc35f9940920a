"""However a session ends, its code is right, its container goes, and the neighbours stay."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pi_sandbox.settings.folders import Folders
from tests.integration.session.relay import Relay
from tests.integration.session.sandbox import Live, Sandbox, docker, inspect, wait_until
from tests.running import SOON

LOOP = "while :; do sleep 0.1; done"
MEMORY_SECONDS = 61
"""A second more than pi waits for its memory at its end (`project_memory.limits.EXIT_WAIT_SECONDS`)."""


def _is_running(container: str) -> bool:
    return docker("inspect", "--format", "{{.State.Running}}", container, check=False).strip() == "true"


def _exists(container: str) -> bool:
    return bool(docker("ps", "--all", "--quiet", "--no-trunc", "--filter", f"id={container}").strip())


def _ends(live: Live, number: int) -> tuple[int, float]:
    began = time.monotonic()
    live.process.send_signal(number)
    return live.process.wait(timeout=60), time.monotonic() - began


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("exit 7", 7),
        ("exit 0", 0),
        ("exit 255", 255),
        ("kill -TERM $$", 143),
        ("kill -KILL $$", 137),
        ("kill -INT $$", 130),
    ],
)
def test_the_commands_code_is_the_sessions_code(sandbox: Sandbox, script: str, code: int) -> None:
    ended = sandbox.shell(sandbox.project(), script)
    assert ended.code == code
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("command", ["no-such-command", "/etc/passwd", "/nowhere/x"])
def test_a_command_that_cannot_start_is_named_and_ends_as_a_shell_would(sandbox: Sandbox, command: str) -> None:
    ended = sandbox.call("shell", sandbox.project(), "--", command)
    assert ended.code in (126, 127)
    assert command in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_a_signal_to_the_wrapper_ends_the_agent_and_removes_the_container(
    sandbox: Sandbox, number: signal.Signals, code: int
) -> None:
    with sandbox.session(sandbox.project()) as live:
        ended, seconds = _ends(live, number)
        assert ended == code
        assert seconds < SOON
        assert not _exists(live.container)


def test_the_agent_is_asked_to_end_and_may_save_its_work(sandbox: Sandbox) -> None:
    project = sandbox.project()
    with sandbox.session(project, LOOP, before="trap 'sleep 1; echo saved > saved; exit 5' TERM") as live:
        assert _ends(live, signal.SIGTERM)[0] == 143
    assert (project / "saved").read_text() == "saved\n"
    (project / "saved").unlink()


def test_an_agent_may_take_a_minute_to_save_its_memory_whoever_asks_it_to_end(sandbox: Sandbox) -> None:
    """As pi may at its end; beside it one that would take for ever, which is the control."""
    ask = {
        "engine": lambda live: docker("stop", live.container),
        "term": lambda live: live.process.send_signal(signal.SIGTERM),
        "hangup": lambda live: live.process.send_signal(signal.SIGHUP),
        "killed": lambda live: live.process.kill(),
        "too-slow": lambda live: live.process.send_signal(signal.SIGTERM),
    }
    projects = {name: sandbox.project(f"git.example.org/slow/{name}", git=False) for name in ask}

    def end(name: str) -> float:
        seconds = 300 if name == "too-slow" else MEMORY_SECONDS
        with sandbox.session(
            projects[name], LOOP, before=f"trap 'sleep {seconds}; touch saved; exit' TERM HUP"
        ) as live:
            began = time.monotonic()
            ask[name](live)
            wait_until(lambda: not _is_running(live.container), "the end of the container", seconds=100)
            return time.monotonic() - began

    with ThreadPoolExecutor(len(ask)) as pool:
        took = dict(zip(ask, pool.map(end, ask), strict=True))
    assert {name for name, project in projects.items() if (project / "saved").exists()} == set(ask) - {"too-slow"}
    assert MEMORY_SECONDS < took["too-slow"] < MEMORY_SECONDS + 40


def test_a_second_signal_ends_an_agent_that_does_not_want_to_at_once(sandbox: Sandbox) -> None:
    with sandbox.session(sandbox.project(), LOOP, before="trap '' TERM") as live:
        live.process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        assert live.process.poll() is None
        ended, seconds = _ends(live, signal.SIGTERM)
        assert ended == 143
        assert seconds < SOON
        assert not _exists(live.container)


@pytest.mark.parametrize("delay", [0.05, 0.2, 0.35, 0.5, 0.7])
def test_a_signal_right_after_the_start_leaves_nothing(sandbox: Sandbox, delay: float) -> None:
    with subprocess.Popen(
        (*sandbox.command, "shell", str(sandbox.project()), "--", "sleep", "60"),
        env=sandbox.environment(),
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        time.sleep(delay)
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=30)[1].decode()
    assert process.returncode in (143, -signal.SIGTERM), said
    assert "Traceback" not in said
    assert sandbox.containers() == []
    assert list(Folders(sandbox.home).markers.iterdir()) == []


@pytest.fixture
def foreign() -> Iterator[str]:
    """A container that is none of ours, and one that carries our label but another home's."""
    images = docker("images", "--quiet", "pi-sandbox-agent").split()
    run = ("run", "--detach", "--rm", "--entrypoint=sleep")
    names = [
        docker(*run, images[0], "300").strip(),
        docker(
            *run, "--label=dev.pi-sandbox.home=/nowhere", "--label=dev.pi-sandbox.session=x", images[0], "300"
        ).strip(),
    ]
    yield " ".join(names)
    docker("rm", "--force", *names)


def test_a_killed_wrappers_session_ends_by_itself_and_the_next_start_takes_it_away_and_nothing_else(
    sandbox: Sandbox, foreign: str
) -> None:
    project, neighbours = sandbox.project(), sandbox.project("git.example.org/group/neighbour")
    end = "trap 'echo asked > ended; exit 0' TERM"
    with sandbox.session(neighbours) as neighbour, sandbox.session(project, LOOP, before=end) as live:
        session_id = inspect(live.container)[0]["Config"]["Labels"]["dev.pi-sandbox.session"]
        live.process.send_signal(signal.SIGKILL)
        live.process.wait()
        wait_until(lambda: not _is_running(live.container), "the end of the session without its wrapper", 15)
        assert (project / "ended").read_text() == "asked\n"
        third = sandbox.shell(project, "true")
        assert third.code == 0
        assert session_id in third.err
        assert str(project) in third.err
        assert not _exists(live.container)
        assert _is_running(neighbour.container)
        assert all(_is_running(name) for name in foreign.split())
        assert "same memory at the same time" in third.err
    (project / "ended").unlink()


def test_a_frozen_session_of_a_killed_wrapper_is_taken_away_too(sandbox: Sandbox) -> None:
    with sandbox.session(sandbox.project()) as live:
        docker("pause", live.container)
        live.process.send_signal(signal.SIGKILL)
        live.process.wait()
        assert sandbox.shell(sandbox.project(), "true").code == 0
        assert not _exists(live.container)


def test_a_container_that_was_only_created_is_taken_away(sandbox: Sandbox) -> None:
    with sandbox.session(sandbox.project()) as live:
        (report,) = inspect(live.container)
    labels = report["Config"]["Labels"]
    gone = json.dumps({**json.loads(labels["dev.pi-sandbox.owner"]), "start": "1"}, separators=(",", ":"))
    given = [f"--label={name}={value}" for name, value in {**labels, "dev.pi-sandbox.owner": gone}.items()]
    created = docker("create", *given, report["Image"]).strip()
    assert sandbox.shell(sandbox.project(), "true").code == 0
    assert not _exists(created)


def test_the_end_of_the_container_from_outside_is_told(sandbox: Sandbox) -> None:
    with sandbox.session(sandbox.project()) as live:
        docker("kill", live.container)
        assert live.process.wait(timeout=30) == 137
        assert not _exists(live.container)


def test_a_container_that_is_removed_from_outside_is_no_crash(sandbox: Sandbox) -> None:
    with sandbox.session(sandbox.project()) as live:
        docker("rm", "--force", live.container)
        code = live.process.wait(timeout=30)
        assert live.process.stderr is not None
        said = live.process.stderr.read().decode()
    assert code != 0
    assert code != 70
    assert "Traceback" not in said


def test_an_engine_that_goes_away_in_a_session_is_said_in_one_line_with_its_code(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    with Relay(tmp_path) as relay, sandbox.session(sandbox.project(), environment=relay.environment) as live:
        relay.stop()
        assert live.process.wait(timeout=30) == 3
        assert live.process.stderr is not None
        said = live.process.stderr.read().decode()
    assert "engine" in said
    assert "Traceback" not in said
    assert len(said.strip().splitlines()) <= 2
    wait_until(lambda: not _is_running(live.container), "the end of a session without its engine's line", 15)
    sandbox.shell(sandbox.project(), "true").ok()
    assert not _exists(live.container)


def test_an_entry_that_fails_at_once_is_told_within_seconds(sandbox: Sandbox) -> None:
    small = {"PI_SANDBOX_MEMORY": "6m"}
    began = time.monotonic()
    ended = sandbox.shell(sandbox.project(), "true", environment=small)
    assert time.monotonic() - began < SOON
    assert ended.code not in (0, 70)
    assert ended.err.strip()
    assert "Traceback" not in ended.err
    assert sandbox.containers() == []


def test_the_current_directory_may_go_away_and_come_back(sandbox: Sandbox, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = 'rmdir "$PWD"; exec "$@"'
    ended = subprocess.run(
        ("sh", "-c", script, "sh", *sandbox.command, "shell", "--", "true"),
        cwd=gone,
        env=sandbox.environment(),
        capture_output=True,
        check=False,
    )
    assert ended.returncode == 2
    assert b"does not exist any more" in ended.stderr
    assert not os.path.exists(gone)

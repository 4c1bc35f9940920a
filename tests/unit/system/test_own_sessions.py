"""Programs that run beside this one until they are killed."""

import os
import time
from pathlib import Path

import pytest

from pi_sandbox.errors import FilesError
from pi_sandbox.system import own_sessions
from tests.running import assert_ends, pid_in


def wait_for(path: Path) -> None:
    for _ in range(500):
        if path.exists() and path.read_text().strip():
            return
        time.sleep(0.01)
    pytest.fail(f"{path} does not come")


def start(script: str, output: Path) -> int:
    return own_sessions.start(("/bin/sh", "-c", script), environment={"PATH": os.defpath, "WORD": "hi"}, output=output)


def test_a_program_has_its_environment_no_input_and_its_output_in_the_file(tmp_path: Path) -> None:
    pid = start('read -r line; echo "$WORD $line." >&2; env | grep -c PYTEST', tmp_path / "out")
    os.waitpid(pid, 0)
    assert (tmp_path / "out").read_text() == "hi .\n0\n"


def test_a_program_is_killed_with_what_it_started(tmp_path: Path) -> None:
    pid = start(f"sleep 60 & echo $! > {tmp_path}/child; wait", tmp_path / "out")
    wait_for(tmp_path / "child")
    assert os.getsid(pid) == pid
    own_sessions.kill(pid)
    assert_ends(pid)
    assert_ends(pid_in(tmp_path / "child"))


def test_a_program_that_ended_can_be_killed(tmp_path: Path) -> None:
    pid = start("exit 0", tmp_path / "out")
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    own_sessions.kill(pid)
    own_sessions.kill(pid)


def test_a_program_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FilesError, match="cannot be started"):
        own_sessions.start(("/missing/program",), environment={}, output=tmp_path / "out")

"""The user's command on a real terminal: questions, Ctrl-C, Ctrl-Z, a closed window, and the terminal afterwards."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from tests.running import SOON, assert_ends, pid_in

CHECKOUT = Path(__file__).parents[3]
SECONDS = 15

# Reads one command and says what came of it and in which state the terminal is left.
READER = """
import os, sys, termios
from pi_sandbox.credentials.credential import StoreCredentialError
from pi_sandbox.credentials.sources import CommandSource
from pi_sandbox.credentials.token_command import read_token_command
print("READY", os.getpid(), flush=True)
try:
    source = CommandSource("BRAIN_X_TOKEN_CMD", sys.argv[1])
    value = read_token_command(source, os.environ, terminal_seconds=float(sys.argv[2]))
    print("VALUE", value.reveal())
except StoreCredentialError as error:
    print("REFUSED", error.message)
except KeyboardInterrupt:
    print("INTERRUPTED")
terminal = os.open("/dev/tty", os.O_RDWR)
modes = termios.tcgetattr(terminal)[3]
print("ECHO" if modes & termios.ECHO else "SILENT", "FRONT" if os.tcgetpgrp(terminal) == os.getpgrp() else "BEHIND")
print("DONE")
"""


@pytest.fixture
def reader(tmp_path: Path) -> Path:
    file = tmp_path / "reader.py"
    file.write_text(READER)
    return file


def environment() -> dict[str, str]:
    return dict(os.environ) | {"PYTHONPATH": str(CHECKOUT), "TERM": "dumb"}


def spawn(reader: Path, command: str, seconds: float = SECONDS) -> "pexpect.spawn[str]":
    return pexpect.spawn(
        sys.executable,
        [str(reader), command, str(seconds)],
        env=environment(),  # type: ignore[arg-type]
        encoding="utf-8",
        timeout=SECONDS,
    )


def finish(child: "pexpect.spawn[str]") -> str:
    child.expect("ECHO FRONT\r\nDONE")
    said = child.before or ""
    child.expect(pexpect.EOF)
    child.close()
    return said


def test_a_question_on_standard_error_is_answered_at_the_terminal(reader: Path) -> None:
    child = spawn(reader, "sh -c 'printf question? >&2; read answer; echo tok-$answer'")
    child.expect("question")
    child.sendline("abc")
    assert "VALUE tok-abc" in finish(child)


def test_a_question_without_echo_on_the_terminal_itself_is_answered(reader: Path) -> None:
    script = "exec 3<>/dev/tty; stty -echo <&3; printf question? >&3; read answer <&3; stty echo <&3; echo tok-$answer"
    child = spawn(reader, f"sh -c '{script}'")
    child.expect("question")
    child.sendline("abc")
    said = finish(child)
    assert "VALUE tok-abc" in said
    assert said.count("abc") == 1


def test_ctrl_c_ends_the_command_and_its_children_even_if_they_ignore_it(reader: Path, tmp_path: Path) -> None:
    script = f'trap "" INT TERM HUP; sleep 60 & echo $! >{tmp_path}/pid; printf question? >&2; wait'
    child = spawn(reader, f"sh -c '{script}'")
    child.expect("question")
    began = time.monotonic()
    child.sendintr()
    assert "INTERRUPTED" in finish(child)
    assert time.monotonic() - began < SOON
    assert_ends(pid_in(tmp_path / "pid"))


def test_ctrl_c_in_a_hidden_question_gives_the_echo_back(reader: Path) -> None:
    child = spawn(reader, "sh -c 'stty -echo; printf question? >&2; read answer'")
    child.expect("question")
    child.sendintr()
    assert "INTERRUPTED" in finish(child)


def test_the_time_limit_gives_the_terminal_back(reader: Path, tmp_path: Path) -> None:
    script = f"stty -echo; sleep 60 & echo $! >{tmp_path}/pid; read answer"
    assert "did not end within 1 seconds" in finish(spawn(reader, f"sh -c '{script}'", 1))
    assert_ends(pid_in(tmp_path / "pid"))


def test_a_redirected_standard_error_does_not_get_the_messages_of_the_command(reader: Path, tmp_path: Path) -> None:
    script = "printf question? >&2; read answer; echo tok-$answer"
    words = f"{sys.executable} {reader} \"sh -c '{script.replace('$', chr(92) + '$')}'\" 15 2>{tmp_path}/log </dev/null"
    child = pexpect.spawn("sh", ["-c", words], env=environment(), encoding="utf-8", timeout=SECONDS)  # type: ignore[arg-type]
    child.expect("question")
    child.sendline("abc")
    assert "VALUE tok-abc" in finish(child)
    assert (tmp_path / "log").read_text() == ""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_the_command_does_not_outlive_us_if_we_are_killed(reader: Path, tmp_path: Path, number: signal.Signals) -> None:
    script = f'trap "" HUP; sleep 60 & echo $! >{tmp_path}/pid; printf question? >&2; wait'
    child = spawn(reader, f"sh -c '{script}'")
    child.expect("question")
    os.kill(child.pid, number)
    child.expect(pexpect.EOF)
    child.close()
    assert_ends(pid_in(tmp_path / "pid"))


def test_the_command_does_not_outlive_a_closed_window(reader: Path, tmp_path: Path) -> None:
    script = f'trap "" HUP; sleep 60 & echo $! >{tmp_path}/pid; printf question? >&2; wait'
    child = spawn(reader, f"sh -c '{script}'")
    child.expect("question")
    child.close(force=False)
    assert_ends(pid_in(tmp_path / "pid"))


@pytest.fixture
def job_shell(tmp_path: Path) -> Iterator["pexpect.spawn[str]"]:
    """A shell with job control, as at a user's terminal."""
    shell = pexpect.spawn("bash", ["--norc", "-i"], env=environment(), encoding="utf-8", timeout=SECONDS)  # type: ignore[arg-type]
    shell.sendline("PS1='prompt''> '")
    shell.expect_exact("prompt> ")
    yield shell
    shell.close(force=True)


def test_ctrl_z_stops_both_and_fg_goes_on_with_the_question(reader: Path, job_shell: "pexpect.spawn[str]") -> None:
    command = "sh -c 'printf question? >&2; read answer; echo tok-\\$answer'"
    job_shell.sendline(f'{sys.executable} {reader} "{command}" 15')
    job_shell.expect("READY")
    job_shell.expect_exact("question?")
    job_shell.send("\x1a")
    job_shell.expect("Stopped")
    job_shell.expect_exact("prompt> ")
    job_shell.sendline("fg")
    job_shell.expect("reader.py")
    time.sleep(0.3)
    job_shell.sendline("abc")
    job_shell.expect("VALUE tok-abc")
    job_shell.expect("ECHO FRONT")


def test_in_the_background_the_terminal_is_left_alone(reader: Path, job_shell: "pexpect.spawn[str]") -> None:
    command = "sh -c 'read answer && echo tok-\\$answer'"
    job_shell.sendline(f'{sys.executable} {reader} "{command}" 15 & wait')
    job_shell.expect("REFUSED the command of BRAIN_X_TOKEN_CMD failed with exit code 1")
    job_shell.expect("ECHO BEHIND")

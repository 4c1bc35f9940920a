"""What a terminal sends after the end of a session reaches no shell; what its owner types after that does."""

import os
import sys
import time
from pathlib import Path

import pexpect
import pytest

from pi_sandbox.containers.late_answers import ANSWERING_SECONDS, UNKNOWN_SECONDS, Answers
from tests.fakes.late_terminal import LateTerminal
from tests.running import SOON

PROGRAM = str(Path(__file__).parents[2] / "fakes" / "terminal_program.py")
FOR_EVER = {"UNKNOWN_SECONDS": f"{SOON}", "ANSWERING_SECONDS": f"{SOON}"}
FOR_EVER_IF_IT_ANSWERS = {**FOR_EVER, "UNKNOWN_SECONDS": "0"}
NEVER = {"UNKNOWN_SECONDS": "0", "ANSWERING_SECONDS": "0"}
LATE = 0.3


def line_after(
    tmp_path: Path, agent: str, patience: dict[str, str], *, before: str = "", early: bytes = b"early\r"
) -> tuple[str, LateTerminal]:
    """Gives the line that a shell reads after the session, and the terminal."""
    session = f"{before}{sys.executable} {PROGRAM} {agent} {tmp_path}/events"
    script = f"{session}; IFS= read -r line; printf '%s' \"$line\" >{tmp_path}/line"
    child = pexpect.spawn("sh", ["-c", script], dimensions=(24, 80), env={**os.environ, **patience})
    try:
        terminal = LateTerminal(child.child_fd, LATE, early=early, after=b"typed\r")
        terminal.wait(SOON)
    finally:
        child.close(force=True)
    return (tmp_path / "line").read_bytes().decode(), terminal


@pytest.mark.parametrize(
    ("agent", "patience"),
    [("asks", FOR_EVER), ("asks_for_the_status", FOR_EVER), ("asks_again", FOR_EVER_IF_IT_ANSWERS)],
)
def test_late_answers_reach_no_shell_and_what_is_typed_after_them_does(
    tmp_path: Path, agent: str, patience: dict[str, str]
) -> None:
    line, terminal = line_after(tmp_path, agent, patience)
    assert line == "typed"
    assert "^[" not in "".join(terminal.screen.display)


@pytest.mark.parametrize(
    ("agent", "patience"), [("asks", NEVER), ("asks", FOR_EVER_IF_IT_ANSWERS), ("asks_again", NEVER)]
)
def test_the_control_answers_that_nobody_waits_for_do_reach_the_shell(
    tmp_path: Path, agent: str, patience: dict[str, str]
) -> None:
    line, _ = line_after(tmp_path, agent, patience, early=b"")
    assert "\x1b[?62;22c" in line


def test_without_a_terminal_for_the_input_they_are_taken_too(tmp_path: Path) -> None:
    line, terminal = line_after(tmp_path, "asks", FOR_EVER, before="echo x | ")
    assert line == "typed"
    assert terminal.said.count(b"^[") == 0


def test_a_terminal_that_was_asked_nothing_is_asked_nothing(tmp_path: Path) -> None:
    child = pexpect.spawn(sys.executable, [PROGRAM, "plain", str(tmp_path / "events")], timeout=SOON)
    assert child.read() == b"one line\r\n"
    child.close()


def test_a_terminal_that_never_answers_holds_up_nobody(tmp_path: Path) -> None:
    child = pexpect.spawn(sys.executable, [PROGRAM, "asks", str(tmp_path / "events")], timeout=SOON)
    child.expect_exact("\x1b[5n")
    began = time.monotonic()
    child.expect(pexpect.EOF)
    assert time.monotonic() - began < SOON
    child.close()
    assert child.exitstatus == 0


@pytest.mark.parametrize(
    "pieces",
    [
        [b"\x1b[?62;22c"],
        [b"abc\x1b[7;", b"1R"],
        [b"\x1b]11;rgb:0/0/0\x1b\\"],
        [b"\x1bP1+r544e=78\x1b\\"],
        [b"\x9b0n"],
        [b"\x1b[24;80;1", b';1;1"w'],
        [b"\x1b[?2026;2$y"],
    ],
)
def test_an_answer_in_the_input_is_known_for_one(pieces: list[bytes]) -> None:
    answers = Answers()
    for piece in pieces:
        answers.note(piece)
    assert answers.seconds == ANSWERING_SECONDS


@pytest.mark.parametrize(
    "keys", [b"text", b"\x1b", b"\x1b[A\x1b[1;5C\x1bOP\x1b[3~\x1b[7$", b"\x1b[<0;1;1M", "ä漢".encode()]
)
def test_keys_are_no_answer(keys: bytes) -> None:
    answers = Answers()
    answers.note(keys)
    assert answers.seconds == UNKNOWN_SECONDS


def test_the_status_is_counted_once_however_the_input_is_split() -> None:
    whole, split = Answers(), Answers()
    text = b"x\x1b[0n\x1b[0nab\x1b[?1c\x9b0n"
    whole.note(text)
    for place in range(len(text)):
        split.note(text[place : place + 1])
    assert whole.statuses == split.statuses == 3

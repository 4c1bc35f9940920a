"""What reaches the owner's terminal: an output that cannot be written is told as that, and nothing forges our words."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_sandbox.cli import render
from pi_sandbox.exit_codes import ExitCode
from tests.needs import Host
from tests.running import SOON, wait_until

HOSTILE = "\x1b]52;c;aGVsbG8=\x07\x1b[32mall is well\u202e\u200b\r\x9b2J"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    environment = {
        **os.environ,
        "PI_SANDBOX_HOME": str(tmp_path / "pi"),
        "DOCKER_HOST": f"unix://{tmp_path}/nowhere.sock",
    }
    (tmp_path / "pi/ws/private/garden").mkdir(parents=True)
    return environment


TOKEN = "gh" + "p_" + "aB3dE5fG7hI9" + "jK1lM3nO5pQ7" + "rS9tU1vW3xY5"


@pytest.mark.parametrize(
    "show", [render.show_warning, render.show_note, lambda text: render.show_error("it failed", text)]
)
def test_no_message_repeats_the_secret_in_a_name(
    show: Callable[[str], None], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    show(f'"/s/{TOKEN}" appeared: rm -r -- /s/{TOKEN}; the other is "/s/plain"')
    said = capfdbinary.readouterr().err.decode()
    assert TOKEN not in said
    assert f'"/s/{"?" * len(TOKEN)}" appeared: rm -r -- /s/{"?" * len(TOKEN)}; the other is "/s/plain"' in said


def test_a_message_that_names_nothing_loads_no_detectors() -> None:
    script = (
        "import sys; from pi_sandbox.cli.render import show_note; show_note('to go on: pi-sandbox run -- --continue')\n"
        "print(any('secret_scan' in name for name in sys.modules)); show_note('/a')\n"
        "print(any('secret_scan' in name for name in sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert ran.stdout.split() == ["False", "True"], "the second is the control"


def test_a_plan_shows_the_secret_in_the_name_of_another_level_nowhere(
    environment: dict[str, str], tmp_path: Path
) -> None:
    store = tmp_path / "pi/brain/pi-memory-private"
    (store / TOKEN).mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(store)], check=True)
    ended = call(["plan", "ws/private/garden"], environment, subprocess.PIPE)
    assert ended.returncode == 0, ended.stderr
    assert ("?" * len(TOKEN)).encode() in ended.stdout
    assert TOKEN.encode() not in ended.stdout + ended.stderr
    exact = call(["plan", "ws/private/garden", "--format", "json"], environment, subprocess.PIPE)
    assert TOKEN.encode() in exact.stdout, "the control: what a program reads is exact"


def _no_step_waits() -> bool:
    return not any(isinstance(thread, threading.Timer) for thread in threading.enumerate())


def _as_build_step(text: str) -> None:
    render.BuildScreen(moment=0).step(1, 2, text)
    wait_until(_no_step_waits, "the step on the screen")


COMMANDS = [
    ["--help"],
    ["run", "--help"],
    ["--version"],
    ["help"],
    ["plan", "ws/private/garden"],
    ["context", "ws/private/garden"],
    ["doctor"],
    ["domain", "list"],
]


def call(arguments: list[str], environment: dict[str, str], output: int) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-m", "pi_sandbox", *arguments],
        env={**environment, "PYTHONPATH": str(Path(__file__).parents[3])},
        cwd=environment["PI_SANDBOX_HOME"],
        stdout=output,
        stderr=subprocess.PIPE,
        check=False,
    )


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_reader_that_went_away_is_141_and_no_traceback(arguments: list[str], environment: dict[str, str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ended = call(arguments, environment, writing)
    finally:
        os.close(writing)

    assert ended.returncode == ExitCode.BROKEN_PIPE
    assert b"Traceback" not in ended.stderr
    assert b"Exception ignored" not in ended.stderr


@pytest.mark.needs(Host.LINUX_DEVICES)
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_an_output_that_is_full_is_named_as_that(arguments: list[str], environment: dict[str, str]) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        ended = call(arguments, environment, full)
    finally:
        os.close(full)

    assert ended.returncode == ExitCode.FILES
    first = ended.stderr.decode().splitlines()[0]
    assert first == "pi-sandbox: standard output could not be written: No space left on device"
    assert b"Exception ignored" not in ended.stderr


@pytest.mark.parametrize(
    "show",
    [
        lambda text: render.show_error(text, text),
        render.show_warning,
        render.show_note,
        render.show_result,
        _as_build_step,
    ],
    ids=["error", "warning", "note", "result", "build step"],
)
def test_whatever_a_message_or_a_table_quotes_is_visible(show, capsysbinary) -> None:
    show(HOSTILE)

    said = "".join(stream.decode() for stream in capsysbinary.readouterr())
    assert all(character.isprintable() or character == "\n" for character in said)
    assert "\u200b" not in said
    assert r"\x1b]52;c;aGVsbG8=\x07\x1b[32mall is well\u202e\u200b\r\x9b2J" in said


def test_a_line_that_somebody_else_wrote_cannot_pass_for_ours(capsysbinary) -> None:
    render.show_error("it failed\npi-sandbox: all is well\n  → run this", "first\nsecond")

    assert capsysbinary.readouterr().err.decode().splitlines() == [
        "pi-sandbox: it failed",
        "  | pi-sandbox: all is well",
        "  |   → run this",
        "  → first",
        "  | second",
    ]


def test_what_is_for_a_program_is_printed_byte_for_byte(capsysbinary) -> None:
    render.show_exactly(HOSTILE + "\udcff")

    assert capsysbinary.readouterr().out == HOSTILE.encode() + b"\xff"


def test_a_traceback_keeps_its_lines_and_shows_what_is_in_them(capsysbinary) -> None:
    try:
        raise ValueError(HOSTILE)
    except ValueError:
        render.show_traceback()

    said = capsysbinary.readouterr().err.decode()
    assert said.startswith("Traceback (most recent call last):\n")
    assert "\x1b" not in said


def test_a_build_that_has_everything_says_nothing(capsysbinary) -> None:
    screen = render.BuildScreen(moment=SOON)
    for number in range(1, 60):
        screen.step(number, 59, "FROM somewhere")
    wait_until(_no_step_waits, "the end of every step that waited to be shown")

    assert capsysbinary.readouterr().err == b""


def test_a_step_that_takes_time_is_shown_while_it_does(capsysbinary) -> None:
    screen = render.BuildScreen(moment=1)
    screen.step(1, 3, "RUN quick")
    screen.step(2, 3, "RUN slow " + "x" * 500)
    wait_until(_no_step_waits, "the step on the screen")
    said = capsysbinary.readouterr().err.decode()
    screen.step(3, 3, "LABEL")

    (line,) = said.splitlines()
    assert "[2/3]" in line
    assert "RUN slow" in line
    assert len(line) < 140


def test_what_follows_the_last_step_is_shown_at_once(capsysbinary) -> None:
    screen = render.BuildScreen(moment=30)
    screen.step(3, 3, "LABEL")
    screen.step(2, 2, "remove images of earlier builds")

    (line,) = capsysbinary.readouterr().err.decode().splitlines()
    assert line.endswith("remove images of earlier builds")


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "_width", lambda stream: 40)


@pytest.mark.usefixtures("narrow")
def test_a_message_breaks_between_words_and_its_rows_do_not_begin_like_ours(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    path = "/home/ada/" + "long/" * 10
    render.show_warning(f"something is wrong at {path} and pi-sandbox: that is how it begins")
    first, *others = capsysbinary.readouterr().err.decode().splitlines()
    assert first == "pi-sandbox: warning: something is wrong"
    assert f"    {path}" in others
    assert [row for row in others if not row.startswith("    ")] == []


@pytest.mark.usefixtures("narrow")
def test_a_command_at_the_end_of_a_message_stays_whole(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    command = "pi-sandbox run /home/ada/pi/ws/private/garden -- --continue"
    render.show_note(f"to go on with this session: {command}")
    assert capsysbinary.readouterr().err.decode().splitlines()[-1] == f"    {command}"

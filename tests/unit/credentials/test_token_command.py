"""The user's command without a terminal: how it is split and found, what of its output is taken, how it may end."""

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pi_sandbox.credentials.credential import StoreCredentialError
from pi_sandbox.credentials.secret import Secret
from pi_sandbox.credentials.sources import CommandSource
from pi_sandbox.credentials.token_command import read_token_command
from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.system.foreground import Foreground
from tests.running import SOON, is_running, pid_in

VARIABLE = "BRAIN_WORK_TOKEN_CMD"


@contextmanager
def no_terminal() -> Iterator[Foreground | None]:
    yield None


def read(command: str, *, seconds: float = 20, **environ: str) -> str:
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"]} | environ
    source = CommandSource(VARIABLE, command)
    return read_token_command(source, environment, terminal=no_terminal, unattended_seconds=seconds).reveal()


def refused(command: str, reason: str, *, seconds: float = 20, **environ: str) -> StoreCredentialError:
    with pytest.raises(StoreCredentialError, match=reason) as raised:
        read(command, seconds=seconds, **environ)
    assert VARIABLE in raised.value.message
    assert raised.value.exit_code == ExitCode.STORE_FAILED
    assert raised.value.hint
    return raised.value


@pytest.fixture
def show(tmp_path: Path) -> str:
    """A program that prints its arguments, each in brackets."""
    program = tmp_path / "show"
    program.write_text("#!/bin/sh\nfor each; do printf '[%s]' \"$each\"; done\n")
    program.chmod(0o700)
    return str(program)


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        ("a b", "[a][b]"),
        ("  a\tb ", "[a][b]"),
        ("'a'\"b\"c", "[abc]"),
        ("a\\'b", "[a'b]"),
        ("op://Private/x#1", "[op://Private/x#1]"),
        ("#comment", "[#comment]"),
        ("${BW_SESSION} $HOME '$X'", "[${BW_SESSION}][$HOME][$X]"),
        ("~ * ? {a,b} `x` $(x)", "[~][*][?][{a,b}][`x`][$(x)]"),
        ("a|b;c&&d>e", "[a|b;c&&d>e]"),
        ('""', "[]"),
        ('"a\\"b" \'a\\b\'', '[a"b][a\\b]'),
    ],
)
def test_a_command_is_split_once_and_never_expanded(show: str, written: str, arguments: str) -> None:
    assert read(f"{show} {written}", BW_SESSION="made-up") == arguments


def test_blanks_inside_quotes_stay_in_one_argument(tmp_path: Path) -> None:
    name = tmp_path / "my item"
    name.write_text("tok")
    assert read(f"cat '{name}'") == "tok"


@pytest.mark.parametrize("command", ["'", '"a', "op 'x", "", "  "])
def test_a_command_that_cannot_be_split_is_refused(command: str) -> None:
    refused(command, "cannot be split")


def test_the_environment_of_the_user_reaches_the_command() -> None:
    assert read("sh -c 'echo $BW_SESSION'", BW_SESSION="made-up") == "made-up"


def test_a_program_is_found_on_the_path_or_by_an_absolute_path(show: str) -> None:
    assert read("show a", PATH=f"{Path(show).parent}") == "[a]"
    refused("no-such-program read x", "no-such-program.*not there")
    refused("/no/such/program read x", "no program")


def test_nothing_in_the_current_directory_takes_a_programs_place(
    show: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused("show a", "not there", PATH=":.:")
    refused("./show a", "relative path")
    refused("../x/show a", "relative path")
    assert read("pwd") == os.path.realpath(os.environ["HOME"])


def test_a_file_that_cannot_be_run_is_told_apart_from_a_missing_one(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("text")
    refused(str(plain), "Permission denied")


@pytest.mark.parametrize("end", ["", "\\n", "\\r\\n", "\\n\\n"])
def test_line_ends_behind_the_output_are_removed(end: str) -> None:
    assert read(f"printf 'bob:tok{end}'") == "bob:tok"


TOKEN = "tok" + secrets.token_hex(8)


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("", "is empty"),
        ("\\n", "is empty"),
        ("   ", "is empty"),
        (f"{TOKEN}\\nmore", "more than one line"),
        (f"warning: old version\\n{TOKEN}\\n", "more than one line"),
        (f"{TOKEN}\\rmore", "more than one line"),
        (f"{TOKEN} more", "a blank"),
        (f"\\357\\273\\277{TOKEN}", "byte order mark"),
        (f"{TOKEN}\\000", "control or invisible"),
        (f"\\033[0m{TOKEN}", "control or invisible"),
        (f"{TOKEN}\\377", "not UTF-8"),
    ],
)
def test_odd_output_is_refused_and_not_shown(output: str, reason: str) -> None:
    error = refused(f"printf '{output}'", reason)
    assert TOKEN not in error.message + error.hint
    assert TOKEN not in "".join(str(cause) for cause in (error.__cause__, error.__context__))


def test_an_exit_code_counts_even_if_something_was_printed() -> None:
    error = refused(f"sh -c 'echo {TOKEN}; exit 3'", "exit code 3")
    assert TOKEN not in error.message + error.hint
    assert "127" in refused("sh -c 'no-such-program 2>&-'", "exit code 127").hint


def test_an_ending_by_a_signal_is_named() -> None:
    refused("sh -c 'kill -SEGV $$'", "SIGSEGV")


def test_more_output_than_any_token_has_is_refused() -> None:
    refused("sh -c 'yes | head -c 70000'", "more than 64 KiB")
    assert len(read("sh -c 'yes | head -c 131072 | tr -d \"\\n\"'")) == 64 * 1024


def test_a_command_that_waits_is_ended_with_its_children(tmp_path: Path) -> None:
    began = time.monotonic()
    error = refused(f"sh -c 'sleep 60 & echo $! >{tmp_path}/pid; wait'", "within 0.5 seconds", seconds=0.5)
    assert "terminal" in error.hint
    assert time.monotonic() - began < SOON
    assert not is_running(pid_in(tmp_path / "pid"))


def test_without_a_terminal_a_question_gets_an_end_of_input_and_no_answer() -> None:
    refused("sh -c 'read answer && echo tok'", "exit code 1")
    refused("sh -c 'read answer </dev/tty && echo tok'", "exit code")


def test_messages_of_the_command_go_nowhere_without_a_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    assert read(f"sh -c 'echo {TOKEN} >&2; echo tok'") == "tok"
    assert capfd.readouterr() == ("", "")


def test_the_value_comes_as_a_secret() -> None:
    source = CommandSource(VARIABLE, f"echo {TOKEN}")
    value = read_token_command(source, os.environ, terminal=no_terminal)
    assert value == Secret(TOKEN)
    assert TOKEN not in repr(value)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("cat ~/no-such-token", True),
        ("cat /no-such-token-$USER", True),
        ("cat /no-such-token", False),
        ("sh -c 'cat ~/no-such-token'", False),
    ],
)
def test_a_command_that_failed_and_was_meant_for_a_shell_is_told_that_none_runs_it(command: str, told: bool) -> None:
    assert ("no shell runs it" in refused(command, "exit code 1").hint) is told

"""Running programs without a terminal: limits, endings, and nothing left behind."""

import os
import sys
import time
from pathlib import Path

import pexpect
import pytest

from pi_sandbox.system.processes import (
    Finished,
    OutputLimitError,
    ProgramMissingError,
    ProgramUnusableError,
    TimeLimitError,
    run,
)
from tests.running import SOON, is_running, pid_in

CHECKOUT = Path(__file__).parents[3]
ENVIRONMENT = {"PATH": os.environ["PATH"]}


def shell(script: str, *, seconds: float = 20, **more: object) -> Finished:
    return run(["sh", "-c", script], environment=ENVIRONMENT, seconds=seconds, **more)  # type: ignore[arg-type]


def test_what_a_program_prints_and_how_it_ends_is_given_back() -> None:
    assert shell("echo out; echo err >&2; exit 3") == Finished(3, None, b"out\n", b"err\n")


def test_an_ending_by_a_signal_is_named() -> None:
    assert shell("kill -TERM $$") == Finished(143, "SIGTERM", b"", b"")


def test_the_output_stays_out_of_the_text_form() -> None:
    assert "made-up" not in repr(shell("echo made-up; echo made-up >&2"))


def test_input_larger_than_a_pipe_goes_through_both_ways() -> None:
    data = os.urandom(1_000_000)
    assert run(["cat"], environment=ENVIRONMENT, seconds=20, standard_input=data).stdout == data


def test_a_program_that_ignores_its_input_does_not_fail() -> None:
    assert shell("exit 0", standard_input=b"x" * 1_000_000).code == 0


def test_a_program_that_reads_gets_an_end_and_not_our_input() -> None:
    assert shell("cat; echo end").stdout == b"end\n"


def test_the_environment_is_exactly_what_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEFT_OVER", "1")
    lines = run(["env"], environment=ENVIRONMENT | {"A": "b"}, seconds=20).stdout.decode().splitlines()
    assert sorted(lines) == sorted([f"PATH={ENVIRONMENT['PATH']}", "A=b"])


def test_arguments_are_never_read_by_a_shell() -> None:
    odd = "$(touch x) `y` * ~ ' \" \n ;"
    assert run(["printf", "%s", odd], environment=ENVIRONMENT, seconds=20).stdout == odd.encode()


def test_there_is_no_terminal_to_wait_at_even_if_we_have_one() -> None:
    script = (
        "import os\n"
        "from pi_sandbox.system.processes import run\n"
        "ask = '(: </dev/tty) 2>/dev/null && echo a terminal || echo none'\n"
        "os.close(os.open('/dev/tty', os.O_RDWR))\n"
        "print(run(['sh', '-c', ask], environment=os.environ, seconds=20).stdout)\n"
    )
    child = pexpect.spawn(sys.executable, ["-c", script], cwd=str(CHECKOUT), encoding="utf-8", timeout=20)
    child.expect(pexpect.EOF)
    child.close()
    assert (child.before or "").strip() == "b'none\\n'"


def test_the_program_runs_in_the_folder_given_and_else_in_the_root(tmp_path: Path) -> None:
    assert shell("pwd", folder=tmp_path).stdout.decode().strip() == str(tmp_path.resolve())
    assert shell("pwd").stdout == b"/\n"


def test_a_missing_program_a_file_that_is_none_and_a_missing_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(ProgramMissingError, match="no-such-program"):
        run(["no-such-program"], environment=ENVIRONMENT, seconds=20)
    plain = tmp_path / "plain"
    plain.write_text("text")
    with pytest.raises(ProgramUnusableError, match="Permission denied"):
        run([str(plain)], environment=ENVIRONMENT, seconds=20)
    plain.chmod(0o700)
    with pytest.raises(ProgramUnusableError, match="format"):
        run([str(plain)], environment=ENVIRONMENT, seconds=20)
    with pytest.raises(ProgramUnusableError, match="folder"):
        run(["true"], environment=ENVIRONMENT, seconds=20, folder=tmp_path / "none")


def test_a_nul_in_an_argument_is_refused() -> None:
    with pytest.raises(ProgramUnusableError, match="null"):
        run(["echo", "a\0b"], environment=ENVIRONMENT, seconds=20)


def test_the_time_limit_ends_the_program_and_its_children(tmp_path: Path) -> None:
    began = time.monotonic()
    with pytest.raises(TimeLimitError, match=r"within 0\.3 seconds") as raised:
        shell(f"echo begun; sleep 60 & echo $! >{tmp_path}/pid; wait", seconds=0.3)
    assert time.monotonic() - began < SOON
    assert raised.value.stdout == b"begun\n"
    assert not is_running(pid_in(tmp_path / "pid"))


def test_children_that_ignore_a_polite_end_are_killed(tmp_path: Path) -> None:
    with pytest.raises(TimeLimitError):
        shell(f"trap '' TERM HUP INT; (echo $$ >{tmp_path}/own; sleep 60) & echo $! >{tmp_path}/pid; wait", seconds=0.3)
    assert not is_running(pid_in(tmp_path / "pid"))
    assert not is_running(pid_in(tmp_path / "own"))


def test_a_child_left_behind_with_the_pipe_open_does_not_hold_us_and_is_ended(tmp_path: Path) -> None:
    began = time.monotonic()
    assert shell(f"sleep 60 & echo $! >{tmp_path}/pid; echo done") == Finished(0, None, b"done\n", b"")
    assert time.monotonic() - began < SOON
    assert not is_running(pid_in(tmp_path / "pid"))


def test_a_stopped_program_still_ends_at_its_limit() -> None:
    with pytest.raises(TimeLimitError):
        shell("kill -STOP $$", seconds=0.3)


@pytest.mark.parametrize("where", ["", " >&2"])
def test_too_much_output_ends_the_program(where: str) -> None:
    with pytest.raises(OutputLimitError, match="more than 1000 bytes"):
        shell(f"while :; do echo xxxxxxxxxxxxxxxxxxxx{where}; done", output_limit=1000)
    assert len(shell("printf %1000s x", output_limit=1000).stdout) == 1000


def test_an_interruption_ends_the_program_and_its_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> float:
        if (tmp_path / "pid").exists() and (tmp_path / "pid").read_text():
            raise KeyboardInterrupt
        return 0.0

    monkeypatch.setattr("pi_sandbox.system.processes._poll", interrupt)
    with pytest.raises(KeyboardInterrupt):
        shell(f"sleep 60 & echo $! >{tmp_path}/pid; wait")
    assert not is_running(pid_in(tmp_path / "pid"))

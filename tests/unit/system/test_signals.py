"""Signals are kept until they are asked for, wake a waiter, and leave everything as it was."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pi_sandbox.system.signals import CAUGHT, Signals

CHECKOUT = Path(__file__).parents[3]


def test_signals_wake_and_are_kept_in_order() -> None:
    with Signals() as signals:
        assert not select.select([signals], [], [], 0)[0]
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGTERM):
            signal.raise_signal(number)
        assert select.select([signals], [], [], 5)[0]
        assert signals.take() == [signal.SIGTERM, signal.SIGINT, signal.SIGTERM]
        assert signals.take() == []
        assert not select.select([signals], [], [], 0)[0]


def test_thousands_of_window_changes_lose_no_other_signal() -> None:
    with Signals() as signals:
        for _ in range(5000):
            signal.raise_signal(signal.SIGWINCH)
        signal.raise_signal(signal.SIGTERM)
        assert signals.take()[-1] == signal.SIGTERM


def test_afterwards_every_handler_is_as_before() -> None:
    before = {number: signal.getsignal(number) for number in CAUGHT}
    with Signals():
        assert signal.getsignal(signal.SIGTERM) != before[signal.SIGTERM]
    assert {number: signal.getsignal(number) for number in CAUGHT} == before
    assert signal.set_wakeup_fd(-1) == -1


IGNORING = """
import os, signal, sys
from pi_sandbox.system.signals import Signals
with Signals() as signals:
    os.kill(os.getpid(), signal.SIGHUP)
    os.kill(os.getpid(), signal.SIGTERM)
    print(signals.take())
"""


def test_a_signal_that_was_ignored_from_the_start_stays_ignored() -> None:
    command = f'trap "" HUP; exec "{sys.executable}" -c "$0"'
    done = subprocess.run(
        ["sh", "-c", command, IGNORING], capture_output=True, text=True, cwd=CHECKOUT, env=dict(os.environ)
    )
    assert (done.returncode, done.stdout) == (0, f"[{int(signal.SIGTERM)}]\n")


def run_program(body: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Runs a program that has caught its signals; `kill` sends one to itself."""
    start = (
        "import os, sys, time\nfrom pi_sandbox.system import signals\n"
        "def kill(name):\n    os.kill(os.getpid(), getattr(signals.signal, name))\n"
        "signals.catch_signals()\n"
    )
    return subprocess.run(
        [sys.executable, "-c", start + body, *arguments],
        capture_output=True,
        text=True,
        cwd=CHECKOUT,
        env=dict(os.environ),
        timeout=60,
        check=False,
    )


CODES = [("SIGTERM", 143), ("SIGHUP", 129), ("SIGINT", 130), ("SIGQUIT", 130)]


@pytest.mark.parametrize(("name", "code"), CODES)
def test_before_a_command_runs_a_signal_ends_the_program_at_once_and_without_a_word(name: str, code: int) -> None:
    done = run_program(f"kill({name!r})\nprint('still here')")
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "")


UNWINDING = """
try:
    with signals.interruptible():
        try:
            kill(sys.argv[1])
            time.sleep(60)
        finally:
            for _ in range(20):
                kill(sys.argv[1])
            print("tidied up")
except signals.Interruption as ended:
    for _ in range(20):
        kill(sys.argv[1])
    print("told")
    code = ended.exit_code
signals.run_program(lambda: lambda: code)
"""


@pytest.mark.parametrize(("name", "code"), CODES)
def test_the_first_signal_unwinds_a_command_and_those_that_follow_break_off_nothing(name: str, code: int) -> None:
    done = run_program(UNWINDING, name)
    assert (done.returncode, done.stdout, done.stderr) == (code, "tidied up\ntold\n", "")


def test_the_control_a_handler_that_always_raises_breaks_the_unwinding_off() -> None:
    raises = "def always(number, _):\n    raise KeyboardInterrupt\nsignals.signal.signal(15, always)\n"
    done = run_program(raises + UNWINDING, "SIGTERM")
    assert "tidied up" not in done.stdout
    assert "Traceback" in done.stderr


SWALLOWED = {
    "in a finaliser": """
        class Thing:
            def __del__(self):
                kill("SIGTERM")
        Thing()
    """,
    "by a bare except, until the next one": """
        signals.AGAIN_SECONDS = 0
        try:
            kill("SIGTERM")
        except BaseException:
            pass
        kill("SIGTERM")
    """,
    "by another exception": """
        class Part:
            def __set_name__(self, owner, name):
                kill("SIGTERM")
        class Whole:
            part = Part()
    """,
}


@pytest.mark.parametrize("what", SWALLOWED)
def test_a_signal_that_somebody_swallows_ends_the_command_all_the_same(what: str) -> None:
    done = run_program(
        f"try:\n    with signals.interruptible():\n{SWALLOWED[what]}\n        time.sleep(60)\n"
        "except signals.Interruption as ended:\n"
        "    print(signals.signal.getitimer(signals.signal.ITIMER_REAL))\n    sys.exit(ended.exit_code)\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (143, "(0.0, 0.0)\n", "")


HANGING = """
signals.AGAIN_SECONDS = float(sys.argv[1])
try:
    with signals.interruptible():
        try:
            kill("SIGTERM")
        finally:
            kill("SIGTERM")
            print("went on")
except signals.Interruption as ended:
    sys.exit(ended.exit_code)
"""


def test_an_unwinding_that_hangs_is_ended_by_one_more_signal_after_a_while() -> None:
    assert run_program(HANGING, "0").stdout == ""
    assert run_program(HANGING, "60").stdout == "went on\n"


def test_within_signals_nothing_is_raised_until_it_is_asked_for() -> None:
    done = run_program(
        "try:\n  with signals.interruptible(), signals.Signals() as kept:\n"
        "    kill('SIGHUP')\n    kill('SIGTERM')\n    print('made')\n    kept.end_if_asked()\n    print('no')\n"
        "except signals.Interruption as ended:\n    kill('SIGINT')\n    sys.exit(ended.exit_code)\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (129, "made\n", "")


def test_afterwards_a_signal_that_was_not_taken_is_forgotten() -> None:
    done = run_program(
        "with signals.interruptible():\n  with signals.Signals():\n    kill('SIGHUP')\n  print('over')\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "over\n", "")


@pytest.mark.parametrize(("says_so", "code"), [("signals.command_is_over()", 7), ("pass", 143)])
def test_once_a_command_says_that_it_is_over_no_signal_changes_its_end(says_so: str, code: int) -> None:
    done = run_program(
        "def command():\n    try:\n        with signals.interruptible():\n"
        f"            with signals.Signals():\n                {says_so}\n"
        "            kill('SIGTERM')\n            return 7\n"
        "    except signals.Interruption as ended:\n        return ended.exit_code\n"
        "signals.run_program(lambda: command)\n"
    )
    assert (done.returncode, done.stderr) == (code, "")


IMPORTED = """
import os
print("begun")
os.kill(os.getpid(), 15)
print("imported")
"""


def test_an_import_is_not_left_half_done(tmp_path: Path) -> None:
    (tmp_path / "module_with_a_signal.py").write_text(IMPORTED)
    done = run_program(
        f"sys.path.insert(0, {str(tmp_path)!r})\ntry:\n    with signals.interruptible():\n"
        "        import module_with_a_signal\n        time.sleep(60)\n"
        "except signals.Interruption as ended:\n    sys.exit(ended.exit_code)\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (143, "begun\nimported\n", "")

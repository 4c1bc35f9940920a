"""The work on one store in a process of its own: what comes back, and what is left when it dies."""

import itertools
import os
import signal
import tempfile
import threading
import time
from pathlib import Path

import pytest

from pi_sandbox.inside import own_process
from pi_sandbox.inside.own_process import EndedEarlyError, in_own_process
from tests.running import wait_until


class PassedOnError(Exception):
    pass


def raising(error):
    raise error


def test_the_result_comes_back_and_the_work_was_done_elsewhere() -> None:
    here = os.getpid()
    result = in_own_process(lambda: ("a" * 300_000, os.getpid() != here, os.getppid() == here))
    assert result == ("a" * 300_000, True, True)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(143), PassedOnError("x")])
def test_an_interruption_and_what_is_passed_on_are_raised_here(error) -> None:
    with pytest.raises(type(error)) as raised:
        in_own_process(lambda: raising(error), (PassedOnError,))
    assert raised.value.args == error.args


def test_any_other_failure_is_a_fault_that_is_named_without_its_text(capfd) -> None:
    with pytest.raises(EndedEarlyError, match=r"a fault of pi-sandbox itself \(ValueError\)"):
        in_own_process(lambda: raising(ValueError("of the work")))
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("number", "words"),
    [(signal.SIGKILL, "by force, as the kernel does at the memory limit"), (signal.SIGUSR2, "before")],
)
def test_a_death_is_told_and_its_temporary_files_are_removed(number, words, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def work():
        Path(tempfile.mkdtemp(), "left").write_text("x")
        os.kill(os.getpid(), number)

    with pytest.raises(EndedEarlyError, match=words):
        in_own_process(work)
    assert list(tmp_path.iterdir()) == []
    assert in_own_process(lambda: "next") == "next"


def test_work_that_takes_long_is_said_to_go_on(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(own_process, "PATIENCE_SECONDS", 0.1)
    said: list[float] = []

    def say() -> None:
        said.append(time.monotonic())
        if len(said) == 3:
            (tmp_path / "enough").touch()

    def work() -> str:
        wait_until((tmp_path / "enough").exists, "the third word that it goes on")
        return "done"

    assert in_own_process(work, still_working=say) == "done"
    assert len(said) >= 3
    assert all(later - earlier > 0.09 for earlier, later in itertools.pairwise(said))
    assert in_own_process(lambda: "at once", still_working=lambda: pytest.fail("it took long")) == "at once"


def test_a_signal_from_the_terminal_is_for_the_work_alone() -> None:
    def work():
        os.kill(os.getppid(), signal.SIGINT)
        time.sleep(0.2)
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(10)
        except KeyboardInterrupt:
            return "tidied up"
        return "not interrupted"

    before = signal.getsignal(signal.SIGINT)
    assert in_own_process(work) == "tidied up"
    assert signal.getsignal(signal.SIGINT) is before


def test_the_end_of_this_process_ends_the_work_first(tmp_path) -> None:
    def end(_number, _frame):
        raise SystemExit(7)

    def work():
        (tmp_path / "begun").touch()
        try:
            time.sleep(20)
        finally:
            (tmp_path / "tidied").touch()

    def ask():
        while not (tmp_path / "begun").exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGUSR1)

    old = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGUSR1)}
    asker = threading.Timer(0.3, ask)
    try:
        asker.start()
        with pytest.raises(SystemExit):
            in_own_process(work)
    finally:
        asker.join()
        for number, handler in old.items():
            signal.signal(number, handler)
    assert (tmp_path / "tidied").exists()

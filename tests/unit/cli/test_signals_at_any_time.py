"""A signal that comes while a command starts or waits ends it with the right code, at once, and without a traceback."""

import itertools
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_sandbox.containers.docker_engine import PROBE_SECONDS
from tests.running import SOON, is_caught

CHECKOUT = Path(__file__).parents[3]
CODES = {signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGINT: 130}
AT_AN_IMPORT = """
import os, runpy, sys
module, number, place, how, *arguments = sys.argv[1:]
class Finder:
    begun, left = False, int(place)
    def find_spec(self, name, path=None, target=None):
        Finder.begun = Finder.begun or name.startswith("pi_sandbox.system.") or name == "pi_sandbox.cli"
        Finder.left -= Finder.begun
        if Finder.begun and Finder.left == 0:
            handler = sys.modules["signal"].getsignal(int(number)) if "signal" in sys.modules else None
            print("caught" if "pi_sandbox" in getattr(handler, "__module__", "") else "not yet", flush=True)
            os.kill(os.getpid(), int(number))
sys.meta_path.insert(0, Finder())
sys.argv = ["pi-sandbox", *arguments]
if how == "caught":
    runpy.run_module(module, run_name="__main__", alter_sys=True)
from pi_sandbox.cli.main import root
sys.exit(root.main(arguments, standalone_mode=False))
"""


def at_an_import(
    number: signal.Signals, place: int, *arguments: str, how: str = "caught", module: str = "pi_sandbox"
) -> "subprocess.CompletedProcess[str]":
    """Runs a command that gets the signal from itself as the import of that number begins."""
    return subprocess.run(
        [sys.executable, "-c", AT_AN_IMPORT, module, str(int(number)), str(place), how, *arguments],
        capture_output=True,
        text=True,
        cwd=CHECKOUT,
        env=dict(os.environ),
        timeout=60,
        check=False,
    )


def assert_ended_by(number: signal.Signals, done: "subprocess.CompletedProcess[str]") -> None:
    """Before the program has caught its signals they do what they always do, and nothing has been made."""
    assert done.stdout in ("caught\n", "not yet\n")
    is_ours = done.stdout == "caught\n" or number is signal.SIGINT
    assert done.returncode == (CODES[number] if is_ours else -number)


@pytest.mark.parametrize("number", CODES)
@pytest.mark.parametrize("place", [1, 2, 3, 4, 6, 8, 12, 20, 40, 60, 80, 100, 120])
def test_during_the_imports(number: signal.Signals, place: int) -> None:
    done = at_an_import(number, place, "plan", "/nowhere")
    told = {"", "\npi-sandbox: interrupted\n", f"pi-sandbox: ended by {number.name}\n"}
    assert_ended_by(number, done)
    assert done.stderr in told


@pytest.mark.parametrize("number", CODES)
@pytest.mark.parametrize("place", [2, 5, 10, 20, 30, 40, 60])
def test_during_the_imports_of_the_memory_engine(number: signal.Signals, place: int) -> None:
    done = at_an_import(number, place, "log", "--project", "/", module="pi_sandbox.inside.memory_engine")
    assert_ended_by(number, done)
    assert done.stderr.strip() == ""


def test_the_control_without_the_first_lines_of_the_program_an_import_ends_in_a_traceback() -> None:
    assert "Traceback" in at_an_import(signal.SIGINT, 20, "plan", "/nowhere", how="uncaught").stderr


@pytest.fixture
def silent_engine(tmp_path: Path) -> Iterator[Path]:
    """An engine that takes connections and answers nothing."""
    place = tmp_path / "engine.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        listener.listen(64)
        yield place


WITH_AN_ENGINE = [
    ["run", "ws/private/garden", "--", "-p", "hello"],
    ["shell", "ws/private/garden", "--", "true"],
    ["plan", "ws/private/garden"],
    ["memory-check", "private"],
    ["memory-sync", "private"],
    ["memory-status", "private"],
    ["memory-clone", "core"],
    ["doctor"],
    ["image", "build"],
    ["image", "status"],
    ["demo"],
]
DELAYS = itertools.cycle((0.0, 0.02, 0.06, 0.12, 0.25, 0.4, 0.7))


@pytest.mark.parametrize("number", CODES)
@pytest.mark.parametrize("arguments", WITH_AN_ENGINE, ids=" ".join)
def test_twenty_in_a_row_while_a_command_starts_or_waits_for_its_engine(
    tmp_path: Path, silent_engine: Path, arguments: list[str], number: signal.Signals
) -> None:
    home = tmp_path / "pi"
    environment = {
        **os.environ,
        "PI_SANDBOX_HOME": str(home),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "DOCKER_HOST": f"unix://{silent_engine}",
        "PYTHONPATH": str(CHECKOUT),
        "BRAIN_CORE_URL": "https://git.example.org/ada/pi-memory-core.git",
    }
    (home / "ws/private/garden").mkdir(parents=True)
    before = sorted(home.rglob("*"))
    delays = iter((next(DELAYS), 0.0, 0.0, 0.0))
    while (ended := twenty_signals(arguments, home, environment, number, next(delays))) is None:
        """The machine was too busy to send them before the engine was given up."""
    code, said = ended
    assert code == CODES[number], said
    assert said in ("", "\npi-sandbox: interrupted\n", f"pi-sandbox: ended by {number.name}\n")
    assert sorted(home.rglob("*")) == before
    assert not list(tmp_path.glob("cache/pi-sandbox-demo-*"))


def twenty_signals(
    arguments: list[str], home: Path, environment: dict[str, str], number: signal.Signals, delay: float
) -> tuple[int, str] | None:
    """Gives the code and the messages, or `None` where the first signal came later than an engine is waited for."""
    with subprocess.Popen(
        [sys.executable, "-m", "pi_sandbox", *arguments],
        cwd=home,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        while process.poll() is None and not is_caught(process.pid, signal.SIGALRM):
            time.sleep(0.001)
        caught = time.monotonic()
        time.sleep(delay)
        process.send_signal(number)
        began = time.monotonic()
        while process.poll() is None and time.monotonic() < began + 0.4:
            time.sleep(0.02)
            process.send_signal(number)
        said = process.communicate(timeout=SOON)[1].decode()
    return None if began - caught > PROBE_SECONDS else (process.returncode, said)


FULL = """
import os, sys
from pi_sandbox.cli import render
from pi_sandbox.system import signals
os.set_blocking(2, False)
try:
    while os.write(2, b"x" * 65536):
        pass
except BlockingIOError:
    os.set_blocking(2, True)
with signals.Signals():
    print("full", flush=True)
    for number in range(3):
        render.show_warning(f"message {number}")
print("over", flush=True)
"""


@pytest.fixture
def with_a_full_pipe() -> Iterator["subprocess.Popen[bytes]"]:
    """A program that tells something to a reader that takes nothing."""
    with subprocess.Popen(
        [sys.executable, "-c", FULL],
        cwd=CHECKOUT,
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"full\n"
        yield process
        process.kill()


def test_a_reader_of_messages_that_takes_nothing_holds_up_nobody_who_was_asked_to_end(
    with_a_full_pipe: "subprocess.Popen[bytes]",
) -> None:
    began = time.monotonic()
    with_a_full_pipe.send_signal(signal.SIGTERM)
    assert with_a_full_pipe.wait(30) == 0
    assert time.monotonic() - began < 10


def test_a_reader_of_messages_that_is_slow_gets_every_one(with_a_full_pipe: "subprocess.Popen[bytes]") -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        with_a_full_pipe.wait(2)
    said = with_a_full_pipe.communicate(timeout=30)[1]
    assert [b"message %d\n" % number in said for number in range(3)] == [True] * 3

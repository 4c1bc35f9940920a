"""The guardian of the agent, with a real child on real pipes; the terminal half is tried in integration."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pi_sandbox.session import control_messages as messages
from tests.running import SOON, wait_until

CHILD = """
import signal, socket, sys
from pi_sandbox.inside.control import Control
from pi_sandbox.inside.supervisor import Child, run_child
child = Child(sys.argv[3:], {"PATH": "/usr/bin:/bin"}, signal.Signals(int(sys.argv[2])))
sys.exit(run_child(child, Control(socket.socket(fileno=int(sys.argv[1])))))
"""


class Guarded:
    """A supervisor in a process of its own, and our end of its control channel."""

    def __init__(self, *command: str, farewell: signal.Signals = signal.SIGTERM) -> None:
        self.control, theirs = socket.socketpair()
        self.process = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(theirs.fileno()), str(farewell.value), *command],
            pass_fds=[theirs.fileno()],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
        )
        theirs.close()
        self.control.settimeout(SOON)

    def receive(self) -> messages.Message:
        return messages.decode(self.control.recv(65536).rstrip(b"\n"))

    def wait_for_line(self) -> bytes:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def end(self) -> int:
        code = self.process.wait(timeout=SOON)
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.process.stdout.close()
        self.errors = self.process.stderr.read()
        self.process.stderr.close()
        self.control.close()
        return code


@pytest.mark.parametrize(("command", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill -15 $$", 143)])
def test_the_exit_code_is_the_childs(command: str, code: int) -> None:
    assert Guarded("sh", "-c", command).end() == code


def test_a_program_that_is_not_there_is_named() -> None:
    guarded = Guarded("no-such-program")
    assert guarded.end() == 127
    assert b"no-such-program" in guarded.errors


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signals_reach_the_child(number: signal.Signals) -> None:
    guarded = Guarded("sh", "-c", f"trap 'exit 9' {number.name[3:]}; echo ready; while :; do sleep 0.05; done")
    assert guarded.wait_for_line() == b"ready\n"
    guarded.process.send_signal(number)
    assert guarded.end() == 9


def test_the_end_of_the_wrapper_ends_the_child() -> None:
    guarded = Guarded("sh", "-c", "trap 'exit 9' TERM; echo ready; while :; do sleep 0.05; done")
    assert guarded.wait_for_line() == b"ready\n"
    guarded.control.close()
    assert guarded.end() == 9


@pytest.mark.parametrize("asked_by", ["the end of the wrapper", "a signal"])
def test_a_child_that_takes_no_sigterm_is_asked_in_its_own_way(asked_by: str) -> None:
    script = "trap '' TERM; trap 'exit 9' HUP; echo ready; while :; do sleep 0.05; done"
    guarded = Guarded("sh", "-c", script, farewell=signal.SIGHUP)
    assert guarded.wait_for_line() == b"ready\n"
    if asked_by == "a signal":
        guarded.process.send_signal(signal.SIGTERM)
    else:
        guarded.control.close()
    assert guarded.end() == 9


def test_nonsense_on_the_channel_ends_the_child() -> None:
    guarded = Guarded("sh", "-c", "trap 'exit 9' TERM; echo ready; while :; do sleep 0.05; done")
    assert guarded.wait_for_line() == b"ready\n"
    guarded.control.sendall(b"nonsense\n")
    assert guarded.end() == 9


def test_a_child_that_stops_is_told_and_goes_on_when_asked() -> None:
    guarded = Guarded("sh", "-c", "echo ready; kill -STOP $$; exit 5")
    assert guarded.wait_for_line() == b"ready\n"
    assert guarded.receive() == messages.Suspended()
    guarded.control.sendall(messages.encode(messages.Continue(0, 0)))
    assert guarded.end() == 5


def test_a_stopped_child_is_ended_with_the_wrapper() -> None:
    guarded = Guarded("sh", "-c", "echo ready; kill -STOP $$; exit 5")
    assert guarded.wait_for_line() == b"ready\n"
    assert guarded.receive() == messages.Suspended()
    guarded.control.close()
    assert guarded.end() in (5, 143)


def test_the_child_has_a_process_group_of_its_own(tmp_path: Path) -> None:
    guarded = Guarded("sh", "-c", "echo $$; ps -o pgid= -p $$")
    pid, group = (int(guarded.wait_for_line()) for _ in range(2))
    assert guarded.end() == 0
    assert pid == group
    assert group != os.getpgid(os.getpid())


def test_waiting_costs_no_processor_time() -> None:
    guarded = Guarded("sh", "-c", "echo ready; read line")
    assert guarded.wait_for_line() == b"ready\n"

    def ticks() -> int:
        fields = Path(f"/proc/{guarded.process.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    def rests() -> bool:
        before = ticks()
        time.sleep(0.3)
        return ticks() - before <= 1

    wait_until(rests, "a supervisor that only waits")
    os.kill(guarded.process.pid, signal.SIGTERM)
    guarded.end()


TENDED = """
import socket, sys
from pathlib import Path
from pi_sandbox.inside import supervisor
from pi_sandbox.inside.control import Control
supervisor.TEND_SECONDS = float(sys.argv[2])
calls = []

def tend():
    calls.append(1)
    if len(calls) == 4:
        Path(sys.argv[3]).touch()

child = supervisor.Child(sys.argv[4:], {"PATH": "/usr/bin:/bin"}, tend=tend)
code = supervisor.run_child(child, Control(socket.socket(fileno=int(sys.argv[1]))))
sys.exit(code if len(calls) > 3 else 99)
"""
TENDED_OFTEN = 'while [ ! -e "$0" ]; do sleep 0.05; done; exit 5'


@pytest.mark.parametrize(("seconds", "command", "code"), [(0.05, TENDED_OFTEN, 5), (600, "exit 5", 99)])
def test_a_child_that_runs_for_some_time_is_tended_again_and_again(
    tmp_path: Path, seconds: float, command: str, code: int
) -> None:
    ours, theirs = socket.socketpair()
    file = str(tmp_path / "tended")
    done = subprocess.run(
        [sys.executable, "-c", TENDED, str(theirs.fileno()), str(seconds), file, "sh", "-c", command, file],
        pass_fds=[theirs.fileno()],
        timeout=SOON,
        check=False,
    )
    ours.close()
    theirs.close()
    assert done.returncode == code

"""The opening handshake, with the real entry in a process of its own and our end of the control channel."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_sandbox.session import control_messages as messages
from pi_sandbox.system.sight import identity_of

ENTRY = """
import os, socket, sys
from pathlib import Path
from pi_sandbox.errors import UsageError
from pi_sandbox.inside import opening
from pi_sandbox.inside.control import Control
from pi_sandbox.inside.supervisor import Child
from pi_sandbox.inside.supervisor import Child

def prepare(start):
    match start.variables.get("DO"):
        case "refuse":
            raise UsageError("this is not known", "do that")
        case "disk":
            raise OSError(28, "No space left on device", "/tmp/x")
        case "crash":
            raise RuntimeError("boom")
    return Child(["sh", "-c", "exit 5"], {**os.environ, **start.variables})

opening.write_identity = lambda: None
opening.accept_control = lambda: Control(socket.socket(fileno=int(sys.argv[1])))
opening.MARKERS = Path(sys.argv[2])
sys.exit(opening.open_and_run(prepare, ()))
"""


class Entry:
    """The entry in a process, and our end of its control channel."""

    def __init__(self, markers: Path) -> None:
        self.control, theirs = socket.socketpair()
        self.control.settimeout(20)
        self._lines = messages.Lines()
        self.process = subprocess.Popen(
            [sys.executable, "-c", ENTRY, str(theirs.fileno()), str(markers)],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        theirs.close()

    def send(self, message: messages.Message) -> None:
        self.control.sendall(messages.encode(message))

    def received(self) -> list[messages.Message]:
        """Gives everything that comes up to the end."""
        found: list[messages.Message] = []
        while data := self.control.recv(65536):
            found += [messages.decode(line) for line in self._lines.feed(data)]
        return found

    def ends_with(self) -> tuple[int, str]:
        self.control.close()
        if self.process.stderr is not None and not self.process.stderr.closed:
            self._errors = self.process.communicate(timeout=20)[1].decode()
        return self.process.returncode, self._errors


@pytest.fixture
def entry(tmp_path: Path) -> Iterator[Entry]:
    (tmp_path / "marker").write_text("the word")
    made = Entry(tmp_path / "marker")
    yield made
    made.ends_with()


def test_it_looks_as_often_as_asked_then_runs_the_child_and_tells_its_code(entry: Entry, tmp_path: Path) -> None:
    for _ in range(2):
        entry.send(messages.Look((str(tmp_path), str(tmp_path / "nothing"))))
    entry.send(messages.Start({}, None, 0, 0))
    first, second, *rest = entry.received()
    assert isinstance(first, messages.Seen)
    assert first == second
    assert (first.marker, first.contents[1], first.writable) == ("the word", "nothing", (True, False))
    assert first.identities == (identity_of(tmp_path.stat()), None)
    assert first.marker_identity == identity_of((tmp_path / "marker").stat())
    assert rest == [messages.Started(), messages.Ended(5, ())]
    assert entry.ends_with()[0] == 5


def test_a_marker_that_is_not_there_is_no_word(entry: Entry, tmp_path: Path) -> None:
    (tmp_path / "marker").unlink()
    entry.send(messages.Look(()))
    entry.send(messages.Start({}, None, 0, 0))
    first = entry.received()[0]
    assert isinstance(first, messages.Seen)
    assert first == messages.Seen((), (), (), None, None, first.reached)
    entry.ends_with()


@pytest.mark.parametrize(
    ("what", "failed"),
    [
        ("refuse", messages.Failed("this is not known", "do that", 2)),
        (
            "disk",
            messages.Failed(
                "the container could not be prepared: No space left on device: /tmp/x",
                "look at the limits and at the folder named",
                6,
            ),
        ),
        (
            "crash",
            messages.Failed(
                "the container could not be prepared (RuntimeError: boom)",
                "build the image again: `pi-sandbox image build`",
                70,
            ),
        ),
    ],
)
def test_a_failure_before_the_child_is_told_with_its_code_and_no_child_runs(
    entry: Entry, what: str, failed: messages.Failed
) -> None:
    entry.send(messages.Start({"DO": what}, None, 0, 0))
    assert entry.received() == [failed]
    assert entry.ends_with()[0] == failed.code


@pytest.mark.parametrize("sent", [b"", b"nonsense\n", messages.encode(messages.Started())])
def test_without_a_wrapper_that_speaks_properly_nothing_runs(entry: Entry, sent: bytes) -> None:
    entry.control.sendall(sent)
    entry.control.shutdown(socket.SHUT_WR)
    code, errors = entry.ends_with()
    assert code == 70
    assert "found nobody at the other end" in errors

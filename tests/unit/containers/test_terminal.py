"""Whatever ends a session, the user's terminal is as it was before; nothing is written to what is no terminal."""

import contextlib
import os
import pty
import re
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

from pi_sandbox.containers import outlet, terminal
from pi_sandbox.containers.terminal import Terminal
from tests.fakes.terminal_program import ALL_MODES_ON
from tests.running import SOON

PROGRAM = str(Path(__file__).parents[2] / "fakes" / "terminal_program.py")
SECONDS = 60
"""How long a condition may take on a machine that is busy with other things."""


class InTerminal:
    """The program in a terminal of its own, with its events."""

    def __init__(self, events: Path, *arguments: str, rows: int = 24, columns: int = 80) -> None:
        self._events = events
        self.process = pexpect.spawn(
            sys.executable,
            [PROGRAM, arguments[0], str(events), *arguments[1:]],
            timeout=SECONDS,
            dimensions=(rows, columns),
        )
        self.before = termios.tcgetattr(self.process.child_fd)

    def settings(self) -> list[object]:
        return termios.tcgetattr(self.process.child_fd)

    def wait_until_raw(self) -> None:
        wait_for(lambda: self.settings() != self.before)

    def finish(self) -> tuple[bytes, int]:
        """Gives the rest of the output, and the exit code (negative for a signal)."""
        rest = self.process.read()
        self.process.close()
        code = self.process.exitstatus
        return rest, -int(self.process.signalstatus or 0) if code is None else int(code)

    def events(self) -> list[str]:
        return self._events.read_text().splitlines() if self._events.exists() else []


def wait_for(met: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not met():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture
def in_terminal(tmp_path: Path) -> Iterator[Callable[..., InTerminal]]:
    started: list[InTerminal] = []

    def start(*arguments: str, **size: int) -> InTerminal:
        started.append(InTerminal(tmp_path / "events", *arguments, **size))
        return started[-1]

    yield start
    for item in started:
        item.process.close(force=True)


def final_modes(output: bytes) -> dict[str, str]:
    """Gives the last setting of each private mode in the output."""
    found: dict[str, str] = {}
    for numbers, letter in re.findall(rb"\x1b\[\?([0-9;]+)([hl])", output):
        found |= {number: letter.decode() for number in numbers.decode().split(";")}
    return found


def assert_in_order(output: bytes) -> None:
    modes = final_modes(output)
    assert modes["25"] == "h"
    assert modes["7"] == "h"
    switched = re.findall(r"\x1b\[\?(\d+)h", ALL_MODES_ON)
    assert {number: modes[number] for number in switched} == dict.fromkeys(switched, "l")
    after = output[output.rindex(b"screen") :]
    for needed in (b"\x1b[<99u", b"\x1b[>4;0m", b"\x1b>", b"\x1b[0m", b"\x1b[r", b"\x1b(B"):
        assert needed in after
    assert after.rindex(b"\x1b[?1049l") < after.rindex(b"\x1b[<99u")
    assert output.endswith(b"\r\n")


def test_control_keys_reach_the_agent_at_once(in_terminal: Callable[..., InTerminal]) -> None:
    session = in_terminal("hexadecimal")
    session.process.expect_exact("ready")
    for byte in (0x10, 0x11, 0x03, 0x1A, 0x1C, 0x04, 0x13, 0x0D, 0x16):
        session.process.send(bytes([byte]))
        session.process.expect_exact(f"{byte:02x}\r\n")
    session.process.send("q")
    _, code = session.finish()
    assert code == 0


def test_the_terminal_is_in_order_after_the_stream_ended(in_terminal: Callable[..., InTerminal]) -> None:
    session = in_terminal("modes")
    session.process.expect_exact("screen")
    session.process.send("x")
    output, code = session.finish()
    assert code == 0
    assert_in_order(ALL_MODES_ON.encode() + output)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_the_terminal_is_in_order_after_a_signal(
    in_terminal: Callable[..., InTerminal], number: signal.Signals
) -> None:
    session = in_terminal("modes")
    session.process.expect_exact("screen")
    wait_for(lambda: session.settings() != session.before)
    session.process.kill(number)
    session.process.expect(pexpect.EOF)
    assert_in_order(ALL_MODES_ON.encode() + session.process.before)
    _, code = session.finish()
    assert code == 128 + number


def test_the_terminal_is_in_order_after_a_fault_of_the_wrapper(in_terminal: Callable[..., InTerminal]) -> None:
    session = in_terminal("modes", "raise")
    session.process.expect_exact("screen")
    session.process.setwinsize(30, 90)
    session.process.expect_exact("Traceback")
    assert_in_order(ALL_MODES_ON.encode() + session.process.before)
    assert session.settings() == session.before


def test_the_settings_of_the_terminal_are_as_before(in_terminal: Callable[..., InTerminal]) -> None:
    session = in_terminal("modes", "raise")
    session.process.expect_exact("screen")
    session.wait_until_raw()
    session.process.setwinsize(30, 90)
    session.process.expect_exact("Traceback")
    wait_for(lambda: session.settings() == session.before)


@pytest.mark.parametrize(("agent", "expected"), [("plain", b"one line\r\n"), ("unfinished", b"half a line\r\n")])
def test_after_plain_output_nothing_is_added_but_a_missing_line_end(
    in_terminal: Callable[..., InTerminal], agent: str, expected: bytes
) -> None:
    output, code = in_terminal(agent).finish()
    assert (output, code) == (expected, 0)


def test_the_last_of_many_sizes_arrives(in_terminal: Callable[..., InTerminal]) -> None:
    session = in_terminal("hexadecimal", rows=50, columns=200)
    session.process.expect_exact("ready")
    for step in range(20):
        session.process.setwinsize(30 + step, 100 + step)
    wait_for(lambda: any("resized 49x119" in line for line in session.events()))
    session.process.send("q")
    session.finish()
    assert [line for line in session.events() if "resized" in line][-1].startswith("resized 49x119")


def test_a_slow_terminal_gets_every_byte_of_a_flood(in_terminal: Callable[..., InTerminal]) -> None:
    session = in_terminal("flood")
    received = 0
    while piece := read_some(session.process):
        received += len(piece)
    assert received >= 16 << 20
    _, code = session.finish()
    assert code == 0


def read_some(process: pexpect.spawn) -> bytes:  # type: ignore[type-arg]
    try:
        return bytes(process.read_nonblocking(1 << 16, timeout=SECONDS))
    except pexpect.EOF:
        return b""


def test_a_frozen_terminal_does_not_keep_a_signal_from_ending_the_session(
    in_terminal: Callable[..., InTerminal],
) -> None:
    session = in_terminal("endless")
    session.wait_until_raw()
    time.sleep(0.5)
    session.process.kill(signal.SIGTERM)
    wait_for(lambda: any("SIGTERM" in line for line in session.events()))
    wait_for(lambda: session.settings() == session.before)


def test_the_parent_s_terminal_never_becomes_non_blocking(in_terminal: Callable[..., InTerminal]) -> None:
    session = in_terminal("hexadecimal")
    session.process.expect_exact("ready")
    session.process.setwinsize(30, 90)
    wait_for(lambda: bool(session.events()))
    session.process.send("q")
    session.finish()
    assert all(line.endswith("flags=0") for line in session.events())


def test_without_anyone_to_resume_it_a_suspended_session_goes_on_at_once(
    in_terminal: Callable[..., InTerminal],
) -> None:
    session = in_terminal("hexadecimal")
    session.process.expect_exact("ready")
    session.wait_until_raw()
    session.process.kill(signal.SIGQUIT)
    wait_for(lambda: any(line.startswith("resumed") for line in session.events()))
    assert session.settings() != session.before
    session.process.send("q")
    assert session.finish()[1] == 0


def test_a_suspended_session_gives_the_shell_a_good_terminal_and_goes_on_with_fg(tmp_path: Path) -> None:
    events = tmp_path / "events"
    shell = pexpect.spawn(
        "bash", ["--norc", "--noprofile", "-i"], env={**os.environ, "PS1": "PROMPT "}, timeout=SECONDS
    )
    try:
        shell.expect_exact("PROMPT ")
        shell.sendline(f"stty -a >{tmp_path}/before; {sys.executable} {PROGRAM} hexadecimal {events}")
        shell.expect_exact("ready")
        pid = subprocess.run(["pgrep", "-P", str(shell.pid)], capture_output=True, text=True, check=True).stdout.strip()
        os.kill(int(pid), signal.SIGQUIT)
        shell.expect_exact("Stopped")
        shell.expect_exact("PROMPT ")
        shell.sendline(f"stty -a >{tmp_path}/meanwhile; echo still-$((1+1))")
        shell.expect_exact("still-2\r\n")
        shell.setwinsize(33, 99)
        shell.sendline("fg")
        wait_for(lambda: events.exists() and "resumed" in events.read_text())
        shell.send("\x03q")
        shell.expect_exact("03\r\n")
        shell.expect_exact("PROMPT ")
        shell.sendline(f"stty -a >{tmp_path}/after; echo the-$((1+1))")
        shell.expect_exact("the-2\r\n")
    finally:
        shell.close(force=True)
    settings = [
        re.sub(r"rows \d+; columns \d+", "", (tmp_path / name).read_text()) for name in ("before", "meanwhile", "after")
    ]
    assert settings[0] == settings[1] == settings[2]
    assert "resumed TerminalSize(rows=33, columns=99)" in events.read_text()


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def is_stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


@pytest.mark.parametrize("resumed", [["kill %1"], ["kill %1; bg"], ["bg", "kill %1"]], ids="; ".join)
def test_a_suspended_session_can_be_ended_without_coming_back_to_the_front(tmp_path: Path, resumed: list[str]) -> None:
    events = tmp_path / "events"
    shell = pexpect.spawn(
        "bash", ["--norc", "--noprofile", "-i"], env={**os.environ, "PS1": "PROMPT "}, timeout=SECONDS
    )
    try:
        shell.expect_exact("PROMPT ")
        shell.sendline(f"stty -a >{tmp_path}/before; {sys.executable} {PROGRAM} hexadecimal {events}")
        shell.expect_exact("ready")
        pid = int(subprocess.run(["pgrep", "-P", str(shell.pid)], capture_output=True, text=True, check=True).stdout)
        os.kill(pid, signal.SIGQUIT)
        shell.expect_exact("Stopped")
        shell.expect_exact("PROMPT ")
        for number, command in enumerate(resumed):
            wait_for(lambda: is_stopped(pid))
            shell.sendline(f"{command}; echo asked-$(({number}+2))")
            shell.expect_exact(f"asked-{number + 2}")
        wait_for(lambda: not is_there(pid))
        shell.sendline(f"stty -a >{tmp_path}/after; echo the-$((1+1))")
        shell.expect_exact("the-2\r\n")
    finally:
        shell.close(force=True)
    assert "signal SIGTERM" in events.read_text()
    assert (tmp_path / "before").read_text() == (tmp_path / "after").read_text()


def run_piped(tmp_path: Path, agent: str, redirections: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = f"exec {sys.executable} {PROGRAM} {agent} {tmp_path}/events {redirections}"
    return subprocess.run(["sh", "-c", command], input=given, capture_output=True, timeout=SECONDS)


def test_through_pipes_exactly_the_bytes_pass(tmp_path: Path) -> None:
    data = bytes(range(256)) * 20000
    done = run_piped(tmp_path, "copy", "", data)
    assert (done.returncode, done.stdout, done.stderr) == (0, data, b"")


def test_nothing_is_written_to_a_standard_output_that_is_no_terminal(tmp_path: Path) -> None:
    done = run_piped(tmp_path, "modes", "", b"x")
    assert done.stdout == ALL_MODES_ON.encode()


@pytest.mark.parametrize(
    ("redirections", "expected"),
    [
        ("<&-", b"one line\r\n"),
        (">&-", b""),
        ("2>&-", b"one line\r\n"),
        ("<&- 2>&-", b"one line\r\n"),
        ("<&- >&- 2>&-", b""),
    ],
)
def test_closed_standard_streams_do_no_harm(tmp_path: Path, redirections: str, expected: bytes) -> None:
    done = run_piped(tmp_path, "plain", redirections)
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, b"")


def test_a_plain_file_serves_as_input_and_as_output(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"from a file\n" * 100000)
    done = run_piped(tmp_path, "copy", f"<{tmp_path}/in >>{tmp_path}/out")
    assert done.returncode == 0
    assert (tmp_path / "out").read_bytes() == (tmp_path / "in").read_bytes()


def test_the_end_of_input_is_told_and_ends_the_container_s_input(tmp_path: Path) -> None:
    assert run_piped(tmp_path, "copy", "</dev/null").returncode == 0
    assert "InputEnded" in (tmp_path / "events").read_text()


def test_a_reader_that_went_away_is_told_once(tmp_path: Path) -> None:
    command = f"{sys.executable} {PROGRAM} flood {tmp_path}/events | head -c 10; wait"
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=SECONDS)
    assert len(done.stdout) == 10
    wait_for(lambda: "Ended" in (tmp_path / "events").read_text())
    assert (tmp_path / "events").read_text().count("gone 1 Broken pipe") == 1
    assert done.stderr == b""


def test_a_full_disk_is_told_with_its_reason(tmp_path: Path) -> None:
    done = run_piped(tmp_path, "flood", ">/dev/full")
    assert done.returncode == 0
    assert "gone 1 No space left on device" in (tmp_path / "events").read_text()


def test_with_standard_output_in_a_file_a_terminal_stays_as_it_is(tmp_path: Path) -> None:
    command = f"{sys.executable} {PROGRAM} copy {tmp_path}/events >{tmp_path}/out"
    process = pexpect.spawn("sh", ["-c", command], timeout=SECONDS)
    before = termios.tcgetattr(process.child_fd)
    process.sendline("a line")
    process.sendeof()
    process.expect(pexpect.EOF)
    assert (tmp_path / "out").read_bytes() == b"a line\n"
    assert b"\x1b" not in process.before
    assert before[3] & termios.ICANON
    process.close()


def test_a_terminal_that_only_the_output_goes_to_is_left_in_order(tmp_path: Path) -> None:
    command = f"echo x | {sys.executable} {PROGRAM} modes {tmp_path}/events"
    process = pexpect.spawn("sh", ["-c", command], timeout=SECONDS)
    process.expect_exact("screen")
    process.expect(pexpect.EOF)
    assert isinstance(process.before, bytes)
    assert b"\x1b[?1049l" in process.before
    assert final_modes(ALL_MODES_ON.encode() + process.before)["2004"] == "l"
    process.close()


class OnePseudoTerminal:
    """A pseudo-terminal that one of the standard streams is, with what the user sees at its other end."""

    def __init__(self) -> None:
        self.far, self.near = pty.openpty()
        os.set_blocking(self.far, False)

    def seen(self) -> bytes:
        try:
            return os.read(self.far, 1 << 16)
        except BlockingIOError:
            return b""

    def freeze(self) -> None:
        """Fills it, so that it takes nothing more."""
        writer = os.open(os.ttyname(self.near), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
        with contextlib.suppress(BlockingIOError):
            while os.write(writer, b"x" * 100):
                continue
        os.close(writer)


@pytest.fixture
def one_terminal() -> Iterator[OnePseudoTerminal]:
    made = OnePseudoTerminal()
    yield made
    os.close(made.near)
    os.close(made.far)


@pytest.mark.parametrize("stream", ["STANDARD_OUTPUT", "STANDARD_ERROR"])
def test_a_terminal_is_left_in_order_and_the_other_stream_stays_untouched(
    monkeypatch: pytest.MonkeyPatch, one_terminal: OnePseudoTerminal, tmp_path: Path, stream: str
) -> None:
    with (tmp_path / "other").open("wb") as other:
        for name in ("STANDARD_INPUT", "STANDARD_OUTPUT", "STANDARD_ERROR"):
            monkeypatch.setattr(terminal, name, one_terminal.near if name == stream else other.fileno())
        ours = Terminal()
        ours.note_output(one_terminal.near, b"\x1b[?1049hmenu")
        ours.note_output(other.fileno(), b"\x1b[1mtext")
        ours.leave()
        seen = one_terminal.seen()
        ours.leave()
    assert b"\x1b[?1049l" in seen
    assert not seen.endswith(b"\r\n")
    assert one_terminal.seen() == b""
    assert (tmp_path / "other").read_bytes() == b""


def test_one_terminal_under_two_streams_is_put_in_order_once(
    monkeypatch: pytest.MonkeyPatch, one_terminal: OnePseudoTerminal
) -> None:
    second = os.dup(one_terminal.near)
    monkeypatch.setattr(terminal, "STANDARD_OUTPUT", one_terminal.near)
    monkeypatch.setattr(terminal, "STANDARD_ERROR", second)
    ours = Terminal()
    ours.note_output(one_terminal.near, b"\x1b[?10")
    ours.note_output(second, b"49h")
    ours.leave()
    os.close(second)
    assert one_terminal.seen().count(b"\x1b[?1049l") == 1


def test_a_frozen_terminal_is_given_up_when_it_is_left(
    monkeypatch: pytest.MonkeyPatch, one_terminal: OnePseudoTerminal
) -> None:
    monkeypatch.setattr(terminal, "STANDARD_OUTPUT", one_terminal.near)
    ours = Terminal()
    ours.note_output(one_terminal.near, b"\x1b[1m")
    one_terminal.freeze()
    began = time.monotonic()
    ours.leave()
    assert time.monotonic() - began < SOON


def test_a_terminal_that_cannot_be_opened_again_gets_no_more_than_it_takes(
    monkeypatch: pytest.MonkeyPatch, one_terminal: OnePseudoTerminal
) -> None:
    monkeypatch.setattr(outlet, "_terminal_name", lambda _descriptor: "/nowhere")
    made = outlet.Outlet(one_terminal.near)
    made.put(b"x" * (1 << 18))
    written = 0
    while piece := made.write():
        written += len(piece)
    assert 0 < written < 1 << 18
    made.put(b"more")
    assert made.write() == b""
    assert one_terminal.seen().startswith(b"xxx")
    made.close()

"""A session in a real terminal: a shell in a pty starts it, as a user's shell does."""

import contextlib
import os
import re
import signal
import sys
import termios
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pexpect
import pyte
import pytest

from tests.fakes.late_terminal import LateTerminal
from tests.integration.session.relay import Relay
from tests.integration.session.sandbox import Sandbox, docker, script_model, wait_until

ROWS, COLUMNS = 50, 200
ESCAPE_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])")
KEYS = r"""
import os, tty
tty.setraw(0)
print("raw", end="\r\n", flush=True)
while True:
    print("got", os.read(0, 1)[0], end="\r\n", flush=True)
"""


class Window:
    """A terminal window with an interactive shell in it, in the folder of a project."""

    def __init__(self, sandbox: Sandbox, project: Path, environment: Mapping[str, str] | None = None) -> None:
        variables = sandbox.environment({"TERM": "xterm-256color", "PS1": "$ ", **(environment or {})})
        self.child = pexpect.spawn(
            "/bin/bash", ["--norc", "-i"], dimensions=(ROWS, COLUMNS), env=variables, cwd=str(project), timeout=30
        )
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self.screen)
        self.said = b""

    def __enter__(self) -> Self:
        self.type("pi-sandbox() { " + f'"{sys.executable}" -m pi_sandbox "$@"; }}; stty -ixon')
        self.mark()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.child.close(force=True)

    def type(self, line: str) -> None:
        self.child.send(line + "\r")

    def keys(self, text: str) -> None:
        self.child.send(text)

    def mark(self) -> None:
        """Waits for the shell's prompt; everything said before is forgotten."""
        number = len(self.said)
        self.type(f"echo mark-$(({number} + 1))")
        self.until(f"mark-{number + 1}")

    def until(self, text: str, seconds: float = 30) -> str:
        """Reads until the program has written this, and gives everything since the last call."""
        pattern = re.compile(text.encode())
        self.child.expect(pattern, timeout=seconds)
        heard = self.child.before + self.child.after
        self.said += heard
        self._stream.feed(heard)
        return heard.decode("utf-8", "replace")

    def until_shown(self, text: str, seconds: float = 30) -> None:
        """Reads until this stands on the screen."""
        ends = time.monotonic() + seconds
        while not any(text in line for line in self.screen.display):
            assert time.monotonic() < ends, "\n".join(self.screen.display)
            with contextlib.suppress(pexpect.TIMEOUT):
                self._stream.feed(self.child.read_nonblocking(65536, timeout=0.2))

    def settings(self) -> list[Any]:
        return termios.tcgetattr(self.child.child_fd)

    def resize(self, rows: int, columns: int) -> None:
        self.child.setwinsize(rows, columns)


@pytest.fixture
def window(sandbox: Sandbox) -> Iterator[Window]:
    with Window(sandbox, sandbox.project()) as window:
        yield window


def test_the_size_is_right_from_the_first_byte_and_after_a_burst_of_changes(window: Window) -> None:
    window.type("pi-sandbox shell -- bash -c 'trap \"stty size\" WINCH; stty size; while :; do sleep 0.1; done'")
    window.until(r"50 200\r\n")
    for number in range(20):
        window.resize(30 + number, 100 + number)
        time.sleep(0.005)
    window.resize(44, 132)
    window.until(r"44 132\r\n")


def test_every_key_reaches_the_agent_at_once(sandbox: Sandbox, window: Window) -> None:
    (sandbox.project() / "keys.py").write_text(KEYS)
    window.type("pi-sandbox shell -- python3 keys.py")
    window.until("raw\r\n")
    for key in "\x10\x10\x11\x03\x1a\x1c\x04\x13\x00":
        window.keys(key)
        window.until(rf"got {ord(key)}\r\n")
    (container,) = sandbox.containers()
    assert container["State"]["Running"]
    docker("kill", container["Id"])
    window.mark()
    assert sandbox.containers() == []


def test_interrupt_and_quit_reach_the_agent_as_signals_and_the_wrapper_stays(window: Window) -> None:
    traps = 'trap "echo i""nt" INT; trap "echo q""uit" QUIT; echo re"ady"; while :; do sleep 0.1; done'
    window.type(f"pi-sandbox shell -- bash -c '{traps}'")
    window.until("ready\r\n")
    window.keys("\x03")
    window.until("int\r\n")
    window.keys("\x1c")
    window.until("quit\r\n")
    window.type("")
    window.keys("\x03")
    window.until("int\r\n")


def test_stop_gives_the_shell_back_and_fg_continues_the_agent(sandbox: Sandbox, window: Window) -> None:
    before = window.settings()
    window.type('pi-sandbox shell -- bash -c \'echo re"ady"; read -r line; echo "read $line"; stty size\'')
    window.until("ready\r\n")
    window.keys("\x1a")
    window.until("Stopped")
    window.mark()
    assert window.settings() == before
    assert len(sandbox.containers()) == 1
    window.resize(40, 120)
    window.type("fg; echo code=$?")
    window.until("-m pi_sandbox")
    wait_until(lambda: window.settings() != before, "the session's own settings of the terminal")
    window.type("on")
    window.until("read on\r\n40 120\r\n")
    window.until("code=0")
    window.mark()
    assert sandbox.containers() == []


MODES = r"""printf '\033[?1049h\033[?1000h\033[?2004h\033[?25l\033[>1u'; echo re"ady"; exec sleep 300"""


@pytest.mark.parametrize("end", ["exit", "kill", "remove", "SIGTERM", "SIGHUP", "SIGINT"])
def test_the_terminal_is_as_it_was_after_every_kind_of_end(sandbox: Sandbox, window: Window, end: str) -> None:
    before = window.settings()
    script = MODES.replace("exec sleep 300", "exit 3") if end == "exit" else MODES
    (sandbox.project() / "modes.sh").write_text(script)
    window.type("pi-sandbox shell -- bash modes.sh; echo code=$?")
    if end != "exit":
        window.until("ready\r\n")
        wait_until(sandbox.containers, "the container")
        assert window.settings() != before
        (container,) = sandbox.containers()
        if end in ("kill", "remove"):
            docker(*(("kill",) if end == "kill" else ("rm", "--force")), container["Id"])
        else:
            os.kill(_wrapper(container), signal.Signals[end])
    said = window.until(r"code=\d+\r\n")
    assert "Traceback" not in said
    assert "\ncode=" in "\n" + ESCAPE_SEQUENCE.sub("", said).replace("\x0f", "")
    for mode in (r"\x1b[?1049l", r"\x1b[?1000l", r"\x1b[?2004l", r"\x1b[?25h"):
        assert mode.replace(r"\x1b", "\x1b") in said
    window.mark()
    assert window.settings() == before
    assert sandbox.containers() == []


def _wrapper(container: Mapping[str, Any]) -> int:
    return int(re.findall(r'"pid":(\d+)', container["Config"]["Labels"]["dev.pi-sandbox.owner"])[0])


def test_a_window_that_is_closed_ends_the_session(sandbox: Sandbox) -> None:
    with Window(sandbox, sandbox.project()) as window:
        window.type("pi-sandbox shell -- bash -c 'echo re\"ady\"; exec sleep 300'")
        window.until("ready\r\n")
    wait_until(lambda: sandbox.containers() == [], "the session's end")


@pytest.mark.parametrize(
    ("given", "expected"),
    [("xterm-ghostty", "xterm-256color"), ("tmux-256color", "tmux-256color"), ("../../x", None), ("", None)],
)
def test_an_unknown_terminal_type_falls_back_and_the_locale_is_one_of_the_image(
    sandbox: Sandbox, given: str, expected: str | None
) -> None:
    german = {"TERM": given, "LANG": "de_DE.UTF-8", "LC_ALL": "de_DE.UTF-8", "LANGUAGE": "de"}
    script = "echo \"$TERM\"; tput cols >/dev/null && echo fits; locale charmap 2>&1; printf 'ä' | wc -m; ls /nowhere"
    ended = sandbox.shell(sandbox.project(), script, environment=german)
    term, *rest = ended.out.splitlines()
    if expected is not None:
        assert term == expected
        assert rest[0] == "fits"
    assert rest[-2:] == ["UTF-8", "1"]
    assert "No such file" in ended.err
    assert "cannot" in ended.err


def test_pis_own_screen_works(sandbox: Sandbox) -> None:
    script_model(sandbox, [[{"text": "the garden is fine"}], [{"text": "still fine"}]])
    project = sandbox.project("git.example.org/group/screen")
    with Window(sandbox, project) as window:
        before = window.settings()
        window.type("pi-sandbox run -- --model demo/gardener; echo code=$?")
        window.until_shown("[Extensions]")
        window.keys("how is it")
        window.until_shown("how is it")
        window.keys("\r")
        window.until_shown("the garden is fine")
        # Two presses within half a second end pi; a busy machine may put more time between any two.
        for _ in range(20):
            window.keys("\x03")
            time.sleep(0.1)
            window.keys("\x03")
            with contextlib.suppress(pexpect.TIMEOUT):
                said = window.until(r"code=\d+\r\n", seconds=2)
                break
        assert "code=0" in said
        window.mark()
        assert window.settings() == before


def test_the_engine_going_away_leaves_the_terminal_in_order(sandbox: Sandbox, tmp_path: Path) -> None:
    (sandbox.project() / "modes.sh").write_text(MODES)
    with Relay(tmp_path) as relay, Window(sandbox, sandbox.project(), relay.environment) as window:
        before = window.settings()
        window.type("pi-sandbox shell -- bash modes.sh; echo code=$?")
        window.until("ready\r\n")
        relay.stop()
        said = window.until(r"code=\d+\r\n")
        assert "code=3\r\n" in said
        assert "\x1b[?1049l" in said
        window.mark()
        assert window.settings() == before
    sandbox.shell(sandbox.project(), "true").ok()
    assert sandbox.containers() == []


ASKING = r"""stty -icanon -echo; printf '\033[c'; IFS= read -r -N 1 -t 60 answer
printf '\033[c\033[>c\033[6n\033[21t\033]11;?\033\\\033[?u\033["v\033]52;c;?\033\\'"""
"""Asks and hears an answer, so that the terminal is known to give some, and asks everything as it ends."""


def line_after(sandbox: Sandbox, delay: float) -> tuple[bytes, LateTerminal]:
    """Gives the line that a shell reads after a session of a terminal that answers so late, and the terminal."""
    project = sandbox.project()
    (project / "asking.sh").write_text(ASKING)
    line = project / "line"
    session = f'"{sys.executable}" -m pi_sandbox shell -- bash asking.sh'
    child = pexpect.spawn(
        "/bin/sh",
        ["-c", f"{session}; IFS= read -r line; printf '%s' \"$line\" >{line}"],
        dimensions=(24, 80),
        env=sandbox.environment({"TERM": "xterm-256color"}),
        cwd=str(project),
    )
    try:
        terminal = LateTerminal(child.child_fd, delay, after=b"typed\r")
        terminal.wait(120)
    finally:
        child.close(force=True)
    read = line.read_bytes()
    line.unlink()
    return read, terminal


def test_what_the_agent_asked_the_terminal_is_not_answered_to_the_shell(sandbox: Sandbox) -> None:
    line, terminal = line_after(sandbox, 0.2)
    assert line == b"typed"
    assert "^[" not in "".join(terminal.screen.display)


def test_the_control_answers_that_come_later_than_the_wrapper_waits_reach_the_shell(sandbox: Sandbox) -> None:
    line, _ = line_after(sandbox, 4)
    assert b"\x1b[?62;22c" in line


def ordinary_settings(window: Window) -> set[str]:
    """Gives which of the settings that raw mode switches off are on while a command runs."""
    window.type("stty -a; echo that-$((1+1))")
    said = window.until("that-2")
    return {name for name in ("icanon", "icrnl", "opost", "isig", "iexten") if re.search(rf"[^-\w]{name}\b", said)}


def test_after_a_kill_nothing_was_put_in_order_and_the_named_commands_do_it(sandbox: Sandbox, window: Window) -> None:
    before = ordinary_settings(window)
    (sandbox.project() / "modes.sh").write_text(MODES)
    window.type("(pi-sandbox shell -- bash modes.sh); echo code=$?")
    window.until("ready\r\n")
    wait_until(sandbox.containers, "the container")
    (container,) = sandbox.containers()
    os.kill(_wrapper(container), signal.SIGKILL)
    assert "\x1b[?1049l" not in window.until(r"code=137")
    assert ordinary_settings(window) == set()
    window.type("stty sane; reset")
    window.until(r"\x1bc")
    assert ordinary_settings(window) == before != set()
    sandbox.shell(sandbox.project(), "true").ok()
    assert sandbox.containers() == []

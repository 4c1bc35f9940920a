"""A program that carries a session with a scripted agent over its standard streams, in a terminal or between pipes.

    python terminal_program.py AGENT EVENTS_FILE [raise]

The agent is a function below, at the far end of a socket pair. Events are written to the file, one a line. The program
ends with 0 at the end of the stream, with 128 + signal for a signal (SIGQUIT suspends it), and with a traceback for
`raise`. How long a terminal's last answer is waited for may be set by variables of the environment.
"""

import fcntl
import os
import signal
import socket
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from pi_sandbox.containers import late_answers
from pi_sandbox.containers.session_loop import Ended, Event, OutputGone, Received, Resized, SessionLoop, Signalled
from pi_sandbox.containers.streams import SocketChannel
from pi_sandbox.containers.terminal import Terminal, suspend_self
from pi_sandbox.system.signals import Signals
from pi_sandbox.system.standard_streams import open_missing_standard_streams
from tests.fakes.late_terminal import EVERYTHING

ALL_MODES_ON = (
    "\x1b[?1049h\x1b[?25l\x1b[?1000h\x1b[?1002h\x1b[?1003h\x1b[?1005h\x1b[?1006h\x1b[?1015h\x1b[?1016h\x1b[?1004h"
    "\x1b[?2004h\x1b[?2026h\x1b[?1h\x1b=\x1b[>1u\x1b[>3u\x1b[>4;2m\x1b[5;10r\x1b[1;31m\x1b(0screen"
)
FLOOD = bytes(range(256)) * 4096


def hexadecimal(agent: socket.socket) -> None:
    """Shows each byte that arrives; `q` ends."""
    agent.sendall(b"ready\r\n")
    while data := agent.recv(4096):
        for byte in data:
            agent.sendall(b"%02x\r\n" % byte)
        if b"q" in data:
            return


def copy(agent: socket.socket) -> None:
    """Gives back what it gets, until the end of the input."""
    while data := agent.recv(65536):
        agent.sendall(data)


def modes(agent: socket.socket) -> None:
    """Switches everything on, and ends at the first byte."""
    agent.sendall(ALL_MODES_ON.encode())
    agent.recv(1)


def asks(agent: socket.socket) -> None:
    """Asks the terminal everything and hears no answer."""
    agent.sendall(EVERYTHING.encode())


def asks_again(agent: socket.socket) -> None:
    """Asks, hears the answer, and asks everything as it ends."""
    agent.sendall(b"\x1b[c")
    agent.recv(1)
    agent.sendall(EVERYTHING.encode())


def asks_for_the_status(agent: socket.socket) -> None:
    """Asks what the wrapper asks last, so that it may take the wrong answer for its own."""
    agent.sendall(b"\x1b[5n\x1b[5n\x1b[05n" + EVERYTHING.encode())


def plain(agent: socket.socket) -> None:
    agent.sendall(b"one line\r\n")


def unfinished(agent: socket.socket) -> None:
    agent.sendall(b"half a line")


def flood(agent: socket.socket) -> None:
    """Writes 16 megabytes, and reads nothing until then."""
    for _ in range(16):
        agent.sendall(FLOOD)


def endless(agent: socket.socket) -> None:
    while True:
        agent.sendall(FLOOD)


def main() -> int:
    open_missing_standard_streams()
    for name in ("UNKNOWN_SECONDS", "ANSWERING_SECONDS"):
        setattr(late_answers, name, float(os.environ.get(name, getattr(late_answers, name))))
    agents = (hexadecimal, copy, modes, asks, asks_again, asks_for_the_status, plain, unfinished, flood, endless)
    agent = {item.__name__: item for item in agents}[sys.argv[1]]
    near, far = socket.socketpair()
    threading.Thread(target=run_agent, args=(agent, far), daemon=True).start()
    with Path(sys.argv[2]).open("w", buffering=1) as log, Signals() as signals:
        terminal = Terminal()
        with terminal.raw():
            loop = SessionLoop(SocketChannel(near, tty=True), terminal, signals)
            loop.open_terminal()
            for event in loop.events():
                log.write(f"{described(event)} flags={shared_flags()}\n")
                if sys.argv[3:] == ["raise"]:
                    raise RuntimeError("a fault of the wrapper")
                match event:
                    case Signalled(signal.SIGQUIT):
                        log.write(f"resumed {suspend_self(terminal, signals)}\n")
                    case Signalled(number):
                        return 128 + number
                    case _:
                        pass
    return 0


def run_agent(agent: object, far: socket.socket) -> None:
    try:
        agent(far)  # type: ignore[operator]
    except OSError:
        pass
    finally:
        far.close()


def described(event: Event) -> str:
    match event:
        case Resized(size):
            return f"resized {size.rows}x{size.columns}"
        case Signalled(number):
            return f"signal {signal.Signals(number).name}"
        case OutputGone(descriptor, problem):
            return f"gone {descriptor} {problem}"
        case Received() | Ended() | _:
            return type(event).__name__


def shared_flags() -> int:
    """Gives the flags of the inherited open files that would reach the parent."""
    return max(fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_NONBLOCK for descriptor in (0, 1, 2))


if __name__ == "__main__":
    sys.exit(main())

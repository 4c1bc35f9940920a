"""Connects the standard input and output of an exec with the entry's socket, byte for byte.

The wrapper starts this file by path, without the package, so that it starts fast. It is the wrapper's lifeline: when
the wrapper goes away, however it ended, the engine closes our standard input, we close the socket, and the entry ends
the session.
"""

import ctypes
import os
import selectors
import socket
import sys
import time

SOCKET_PATH = "/run/pi-session/control.sock"
_WAIT_SECONDS = 30
_CHUNK = 65536
_PR_SET_DUMPABLE = 4


def guard_this_process() -> None:
    """Keeps the agent, which has our uid, away from our memory and open files; raises `OSError` if the kernel refuses.

    A process that is not dumpable cannot be traced, and its /proc/<pid>/fd and mem cannot be opened, by anyone without
    CAP_SYS_PTRACE (prctl(2), ptrace(2), proc(5)); nobody here has that. What it executes is dumpable again.
    """
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def _connected() -> socket.socket | None:
    ends = time.monotonic() + _WAIT_SECONDS
    while time.monotonic() < ends:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(SOCKET_PATH)
        except OSError:
            connection.close()
            time.sleep(0.005)
        else:
            return connection
    return None


def _pump(connection: socket.socket) -> None:
    with selectors.DefaultSelector() as selector:
        selector.register(0, selectors.EVENT_READ, "wrapper")
        selector.register(connection, selectors.EVENT_READ, "entry")
        while True:
            for key, _ in selector.select():
                data = os.read(0, _CHUNK) if key.data == "wrapper" else connection.recv(_CHUNK)
                if not data:
                    return
                if key.data == "wrapper":
                    connection.sendall(data)
                else:
                    _write_all(data)


def _write_all(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def main() -> int:
    """Pumps until either side ends; 1 where the entry's socket never came."""
    guard_this_process()
    connection = _connected()
    if connection is None:
        return 1
    try:
        _pump(connection)
    except OSError:
        pass
    finally:
        connection.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The entry's end of the control channel: one connection, made by the bridge, before anything else runs here.

The socket's name is removed as soon as the bridge is connected, so that the agent, which has the same uid, has nothing
to connect to.
"""

import socket
from collections import deque
from pathlib import Path

from pi_sandbox.inside.control_bridge import SOCKET_PATH
from pi_sandbox.session.control_messages import Lines, Message, decode, encode

_WAIT_SECONDS = 60


class ControlClosed(Exception):
    """The wrapper is gone, or never came."""


class Control:
    """Messages to and from the wrapper."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lines = Lines()
        self._arrived: deque[Message] = deque()

    def fileno(self) -> int:
        return self._connection.fileno()

    def send(self, message: Message) -> None:
        """Sends one message; a wrapper that is gone is noticed by the next `receive`."""
        try:
            self._connection.sendall(encode(message))
        except OSError:
            self._connection.close()

    def receive(self) -> Message:
        """Gives the next message, waiting for it; raises `ControlClosed` at the end, `MessageRefused` for nonsense."""
        while not self._arrived:
            self._arrived.extend(self.available())
        return self._arrived.popleft()

    def available(self) -> list[Message]:
        """Gives the messages that one read completes; raises `ControlClosed` at the end."""
        try:
            data = self._connection.recv(65536)
        except OSError as error:
            raise ControlClosed from error
        if not data:
            raise ControlClosed
        return [decode(line) for line in self._lines.feed(data)]


def accept_control(path: Path = Path(SOCKET_PATH), wait_seconds: float = _WAIT_SECONDS) -> Control:
    """Waits for the bridge and gives the channel; raises `ControlClosed` if none comes in time."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen(1)
        listener.settimeout(wait_seconds)
        try:
            connection, _ = listener.accept()
        except TimeoutError as error:
            raise ControlClosed from error
        finally:
            path.unlink()
    connection.setblocking(True)
    return Control(connection)

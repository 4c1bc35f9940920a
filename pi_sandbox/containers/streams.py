"""Two-way streams to something inside a container: the upgraded HTTP connection and the frames on it.

Rules (Docker Engine API, "Attach to a container" and "start an exec instance"; Podman answers alike):

- A request with `Upgrade: tcp` is answered by 101 (200 by older engines); from then on the connection is the stream.
- With a terminal the stream is raw. Without one, output comes in frames: one byte stream number, three zero bytes,
  four bytes length (big endian), then that many bytes.
- The end of our writing half (a half-closed socket) is the end of the other side's standard input.
- Nothing of the stream may be lost with the head of the answer: that is read without taking a byte more than it has.
"""

import contextlib
import json
import socket
import struct
from collections.abc import Sequence

from pi_sandbox.errors import EngineError, quoted

STANDARD_OUTPUT = 1
STANDARD_ERROR = 2
FRAME_HEADER_BYTES = 8
READ_BYTES = 65536
HEAD_LIMIT_BYTES = 65536
WAITING_LIMIT_BYTES = 16 * 1024 * 1024


class Refusal(Exception):
    """the engine answered an upgrade with an error: its HTTP status and its own words."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status
        self.words = words


class FrameDecoder:
    """Takes the bytes of a multiplexed stream in any pieces and gives (stream, data) pairs as soon as there is data."""

    def __init__(self) -> None:
        self._header = bytearray()
        self._stream = 0
        self._left = 0

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """Gives what became readable; raises `EngineError` for a header that no engine sends."""
        pieces: list[tuple[int, bytes]] = []
        view = memoryview(data)
        while view:
            if self._left:
                piece = bytes(view[: self._left])
                pieces.append((self._stream, piece))
                self._left -= len(piece)
                view = view[len(piece) :]
            else:
                missing = FRAME_HEADER_BYTES - len(self._header)
                self._header += view[:missing]
                view = view[missing:]
                self._take_header()
        return pieces

    def _take_header(self) -> None:
        if len(self._header) < FRAME_HEADER_BYTES:
            return
        self._stream, self._left = struct.unpack(">BxxxL", self._header)
        if self._stream not in (0, STANDARD_OUTPUT, STANDARD_ERROR):
            raise EngineError(
                f"the engine sent output that is no frame (header {bytes(self._header).hex()})",
                "run `pi-sandbox doctor`; this engine may not be supported",
            )
        self._header.clear()


class SocketChannel:
    """A `ByteChannel` over one connected socket, which it owns. `tty` says whether the stream is raw.

    `send` never blocks: what the socket does not take at once is kept, up to `WAITING_LIMIT_BYTES`; `pending` gives its
    size, `flush` tries again.
    """

    def __init__(self, connection: socket.socket, *, tty: bool) -> None:
        connection.setblocking(False)
        self._socket = connection
        self._decoder = None if tty else FrameDecoder()
        self._outgoing = bytearray()
        self._input_ends = False
        self._input_closed = False

    def fileno(self) -> int:
        return self._socket.fileno()

    def pending(self) -> int:
        """Gives how many bytes still wait to be sent."""
        return len(self._outgoing)

    def send(self, data: bytes) -> None:
        """Queues the data and sends what goes at once; dropped after `close_input` and once the other side is gone.

        Raises `EngineError` where the other side lets more wait than the limit.
        """
        if self._input_ends:
            return
        self._outgoing += data
        self.flush()
        if len(self._outgoing) > WAITING_LIMIT_BYTES:
            raise EngineError(
                f"the container does not read what it is sent (more than {WAITING_LIMIT_BYTES >> 20} MiB wait for it)",
                "start the session again; if it happens again, build the image again: `pi-sandbox image build`",
            )

    def flush(self) -> None:
        """Sends what the socket takes without blocking."""
        try:
            while self._outgoing:
                sent = self._socket.send(self._outgoing)
                del self._outgoing[:sent]
        except BlockingIOError:
            return
        except OSError:
            self._outgoing.clear()
            self._input_ends = True
        self._close_input_when_sent()

    def receive(self) -> Sequence[tuple[int, bytes]] | None:
        """Gives what one read has, an empty list if that completes nothing, `None` at the end."""
        try:
            data = self._socket.recv(READ_BYTES)
        except BlockingIOError:
            return []
        except OSError:
            return None
        if not data:
            return None
        return [(STANDARD_OUTPUT, data)] if self._decoder is None else self._decoder.feed(data)

    def close_input(self) -> None:
        """Tells the other side that nothing more comes, after everything queued has gone."""
        self._input_ends = True
        self._close_input_when_sent()

    def close(self) -> None:
        """Ends both directions at once."""
        self._outgoing.clear()
        self._socket.close()

    def _close_input_when_sent(self) -> None:
        if self._input_ends and not self._outgoing and not self._input_closed:
            self._input_closed = True
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_WR)


def upgrade(connection: socket.socket, path: str, body: object | None) -> None:
    """Sends one POST that turns the connection into a stream, and reads the head of the answer, not a byte more.

    To attach there is no body: Podman would take one for the first bytes of the container's standard input.

    The connection must have a time limit set. Raises `Refusal` with the engine's words, `OSError` for a broken
    connection and `EngineError` for an answer that is no HTTP.
    """
    payload = b"" if body is None else json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: docker\r\nUser-Agent: pi-sandbox\r\nContent-Type: application/json\r\n"
        f"Connection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: {len(payload)}\r\n\r\n"
    )
    connection.sendall(head.encode("ascii") + payload)
    answer = _read_head(connection)
    status = _status_of(answer)
    if status not in (101, 200):
        raise Refusal(status, _words_of(connection, answer))


def _read_head(connection: socket.socket) -> bytes:
    taken = bytearray()
    while b"\r\n\r\n" not in taken:
        seen = connection.recv(READ_BYTES, socket.MSG_PEEK)
        if not seen or len(taken) > HEAD_LIMIT_BYTES:
            raise _no_http(bytes(taken) + seen)
        # The end may lie across two reads: look at the last three bytes taken together with what was seen.
        window = bytes(taken[-3:]) + seen
        end = window.find(b"\r\n\r\n")
        wanted = len(seen) if end < 0 else end + 4 - (len(window) - len(seen))
        taken += connection.recv(wanted)
    return bytes(taken)


def _status_of(head: bytes) -> int:
    parts = head.split(b"\r\n", 1)[0].split(None, 2)
    if len(parts) < 2 or not parts[0].startswith(b"HTTP/1") or not parts[1].isdigit():
        raise _no_http(head)
    return int(parts[1])


def _no_http(answer: bytes) -> EngineError:
    shown = quoted(answer[:60].decode("ascii", "backslashreplace"))
    return EngineError(
        f"the engine's answer is no HTTP ({shown})", "check that DOCKER_HOST is the socket of a container engine"
    )


def _words_of(connection: socket.socket, head: bytes) -> str:
    """Gives the error text of the answer's body; of a chunked body, the words between the chunk marks."""
    body = bytearray()
    with contextlib.suppress(OSError):
        while len(body) < HEAD_LIMIT_BYTES and b"}" not in body:
            data = connection.recv(READ_BYTES)
            if not data:
                break
            body += data
    start, end = body.find(b"{"), body.rfind(b"}")
    with contextlib.suppress(ValueError, AttributeError):
        return str(json.loads(body[start : end + 1]).get("message", ""))
    return head.split(b"\r\n", 1)[0].decode("latin-1")

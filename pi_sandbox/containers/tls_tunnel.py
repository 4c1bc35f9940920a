"""Carries bytes between a TLS connection and one end of a local socket pair, in a thread of its own.

Half-closing works through it in both directions: the end of what we send becomes TLS's `close_notify`, after which the
other side's bytes still arrive (RFC 8446, 6.1).
"""

import contextlib
import selectors
import socket
import ssl
import threading

CHUNK_BYTES = 65536


def open_tunnel(connection: socket.socket, context: ssl.SSLContext, host: str, seconds: float) -> socket.socket:
    """Shakes hands over the connection and gives the near end of the tunnel; raises `OSError` (`ssl.SSLError`)."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    session = context.wrap_bio(incoming, outgoing, server_hostname=host)
    try:
        _shake_hands(connection, session, incoming, outgoing)
    except BaseException:
        connection.close()
        raise
    near, far = socket.socketpair()
    near.settimeout(seconds)
    carrier = _Carrier(connection, far, session, incoming, outgoing)
    threading.Thread(target=carrier.run, name="pi-sandbox-tls", daemon=True).start()
    return near


def _shake_hands(
    connection: socket.socket, session: ssl.SSLObject, incoming: ssl.MemoryBIO, outgoing: ssl.MemoryBIO
) -> None:
    while True:
        try:
            session.do_handshake()
        except ssl.SSLWantReadError:
            connection.sendall(outgoing.read())
            data = connection.recv(CHUNK_BYTES)
            if not data:
                raise ssl.SSLEOFError(ssl.SSL_ERROR_EOF, "the other side ended the handshake") from None
            incoming.write(data)
        else:
            connection.sendall(outgoing.read())
            return


class _Carrier:
    """The thread's state: what waits in each direction, and which directions have ended."""

    def __init__(
        self,
        connection: socket.socket,
        far: socket.socket,
        session: ssl.SSLObject,
        incoming: ssl.MemoryBIO,
        outgoing: ssl.MemoryBIO,
    ) -> None:
        self._connection = connection
        self._far = far
        self._session = session
        self._incoming = incoming
        self._outgoing = outgoing
        self._to_engine = bytearray(outgoing.read())
        self._to_user = bytearray()
        self._input_open = True
        self._output_open = True

    def run(self) -> None:
        """Carries until both directions have ended or either side is gone."""
        self._connection.setblocking(False)
        self._far.setblocking(False)
        with contextlib.suppress(OSError), selectors.DefaultSelector() as selector:
            self._decrypt()
            while self._output_open or self._to_user:
                self._wait(selector)
        self._far.close()
        self._connection.close()

    def _wait(self, selector: selectors.BaseSelector) -> None:
        for fileobj, events, handle in (
            (self._connection, self._connection_events(), self._serve_connection),
            (self._far, self._far_events(), self._serve_far),
        ):
            _watch(selector, fileobj, events, handle)
        for key, events in selector.select():
            key.data(events)

    def _connection_events(self) -> int:
        reads = selectors.EVENT_READ if self._output_open and len(self._to_user) < CHUNK_BYTES else 0
        return reads | (selectors.EVENT_WRITE if self._to_engine else 0)

    def _far_events(self) -> int:
        reads = selectors.EVENT_READ if self._input_open and len(self._to_engine) < CHUNK_BYTES else 0
        return reads | (selectors.EVENT_WRITE if self._to_user else 0)

    def _serve_connection(self, events: int) -> None:
        if events & selectors.EVENT_WRITE:
            del self._to_engine[: self._connection.send(self._to_engine)]
        if events & selectors.EVENT_READ:
            data = self._connection.recv(CHUNK_BYTES)
            if data:
                self._incoming.write(data)
            else:
                self._incoming.write_eof()
            self._decrypt()

    def _serve_far(self, events: int) -> None:
        if events & selectors.EVENT_WRITE:
            del self._to_user[: self._far.send(self._to_user)]
        if events & selectors.EVENT_READ:
            data = self._far.recv(CHUNK_BYTES)
            if data:
                self._session.write(data)
            else:
                self._end_input()
            self._to_engine += self._outgoing.read()

    def _end_input(self) -> None:
        self._input_open = False
        # Sends our close_notify; the other side's own is still to come, which this reports as wanting to read.
        with contextlib.suppress(ssl.SSLError):
            self._session.unwrap()

    def _decrypt(self) -> None:
        try:
            while data := self._session.read(CHUNK_BYTES):
                self._to_user += data
            self._output_open = False
        except ssl.SSLWantReadError:
            pass
        except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
            self._output_open = False
        self._to_engine += self._outgoing.read()


def _watch(selector: selectors.BaseSelector, fileobj: socket.socket, events: int, handle: object) -> None:
    known = fileobj in selector.get_map()
    if events and known:
        selector.modify(fileobj, events, handle)
    elif events:
        selector.register(fileobj, events, handle)
    elif known:
        selector.unregister(fileobj)

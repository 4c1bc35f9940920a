"""A small server on a Unix socket that answers like a container engine, or like something that is none."""

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

Handler = Callable[[socket.socket], None]


@contextmanager
def serving(path: Path, handle: Handler) -> Iterator[Path]:
    """Serves each connection with `handle`, in threads of its own, until the block ends."""
    ended = threading.Event()
    threads: list[threading.Thread] = []
    connections: list[socket.socket] = []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        listener.settimeout(0.05)

        def serve_one(connection: socket.socket) -> None:
            with connection:
                try:
                    handle(connection)
                except OSError:
                    return

        def accept() -> None:
            while not ended.is_set():
                try:
                    connection, _ = listener.accept()
                except TimeoutError:
                    continue
                connections.append(connection)
                thread = threading.Thread(target=serve_one, args=(connection,))
                threads.append(thread)
                thread.start()

        accepting = threading.Thread(target=accept)
        accepting.start()
        try:
            yield path
        finally:
            ended.set()
            accepting.join()
            for connection in connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            for thread in threads:
                thread.join()


def answering(answers: Mapping[str, tuple[int, Any]]) -> Handler:
    """Gives a handler that answers "GET /version" and the like from a table; 404 for the rest. API prefixes count."""

    def handle(connection: socket.socket) -> None:
        while request := _read_request(connection):
            status, body = answers.get(request, (404, {"message": f"page not found: {request}"}))
            payload = body if isinstance(body, bytes) else json.dumps(body).encode()
            head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(payload)}\r\n\r\n"
            connection.sendall(head.encode() + payload)

    return handle


def _read_request(connection: socket.socket) -> str:
    head = bytearray()
    while b"\r\n\r\n" not in head:
        piece = connection.recv(65536)
        if not piece:
            return ""
        head += piece
    method, target, _ = head.split(b" ", 2)
    return f"{method.decode()} {target.decode().partition('?')[0]}"


def version_report(newest: str, oldest: str | None = None) -> dict[str, Any]:
    report: dict[str, Any] = {"Version": "test", "ApiVersion": newest, "Components": [{"Name": "Engine"}]}
    return report if oldest is None else report | {"MinAPIVersion": oldest}

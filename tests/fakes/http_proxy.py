"""A small forwarding proxy that asks for a user and a password, and remembers what was asked of it."""

import base64
import contextlib
import select
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

_CHUNK_BYTES = 65536
_IDLE_SECONDS = 60


class HttpProxy(ThreadingHTTPServer):
    """Serves CONNECT and plain GET. `tunnels` and `fetched` are the targets that were let through."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, host: str, user: str, password: str) -> None:
        super().__init__((host, 0), _Handler)
        self.authorization = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        self.url = f"http://{user}:{password}@{host}:{self.server_port}"
        self.tunnels: list[str] = []
        self.fetched: list[str] = []
        self.refused = 0


@contextlib.contextmanager
def http_proxy(host: str, user: str, password: str) -> Iterator[HttpProxy]:
    """Runs a proxy on a free port of `host`."""
    with HttpProxy(host, user, password) as proxy:
        serving = threading.Thread(target=proxy.serve_forever)
        serving.start()
        try:
            yield proxy
        finally:
            proxy.shutdown()
            serving.join()


class _Handler(BaseHTTPRequestHandler):
    server: HttpProxy
    protocol_version = "HTTP/1.1"

    def do_CONNECT(self) -> None:
        host, _, port = self.path.rpartition(":")
        if self._allowed():
            self.server.tunnels.append(self.path)
            with socket.create_connection((host, int(port)), timeout=_IDLE_SECONDS) as upstream:
                self.send_response(200)
                self.end_headers()
                self._relay(upstream)
        self.close_connection = True

    def do_GET(self) -> None:
        target = urlsplit(self.path)
        if self._allowed() and target.hostname:
            self.server.fetched.append(self.path)
            address = (target.hostname, target.port or 80)
            with socket.create_connection(address, timeout=_IDLE_SECONDS) as upstream:
                kept = {name: value for name, value in self.headers.items() if not name.lower().startswith("proxy-")}
                kept["Connection"] = "close"
                head = [f"GET {target.path or '/'} HTTP/1.1", *(f"{name}: {value}" for name, value in kept.items())]
                upstream.sendall("\r\n".join([*head, "", ""]).encode("latin-1"))
                # One answer, then the end: what the client has sent ahead, it asks for again.
                while data := upstream.recv(_CHUNK_BYTES):
                    self.connection.sendall(data)
        self.close_connection = True

    def log_message(self, *_arguments: object) -> None:
        """Says nothing: the test's output is not the place."""

    def _allowed(self) -> bool:
        if self.headers.get("Proxy-Authorization") == self.server.authorization:
            return True
        self.server.refused += 1
        self.send_response(407)
        self.send_header("Proxy-Authenticate", 'Basic realm="proxy"')
        self.send_header("Content-Length", "0")
        self.end_headers()
        return False

    def _relay(self, upstream: socket.socket) -> None:
        """Moves bytes both ways until one side ends or nothing moves any more."""
        self.wfile.flush()
        pair = {self.connection: upstream, upstream: self.connection}
        while ready := select.select(list(pair), [], [], _IDLE_SECONDS)[0]:
            for source in ready:
                try:
                    data = source.recv(_CHUNK_BYTES)
                    if not data:
                        return
                    pair[source].sendall(data)
                except OSError:
                    return

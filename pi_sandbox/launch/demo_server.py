"""The remote of the demo: a real git server over TLS, with a login, on this machine, for the time of a block.

Containers of pi-sandbox cannot reach each other, so the server runs on the host, at the address under which a container
sees it; a container says which that is, and makes the certificate. With an engine whose containers cannot reach this
machine at all there is no server.
"""

import base64
import contextlib
import hmac
import http.server
import os
import secrets
import ssl
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from pi_sandbox.errors import EngineError
from pi_sandbox.git_access.runner import run_git
from pi_sandbox.launch.demo_certificate import Certificate
from pi_sandbox.system.files import create_file
from pi_sandbox.system.processes import run

USER = "demo"
STORES = ("core", "private")
VM_HOST = "host.docker.internal"

_OUTPUT_LIMIT = 16 * 1024 * 1024
_SECONDS = 30.0


class NowhereToPush(EngineError):
    """No container gets to a server on this machine, as with a rootless engine."""


@dataclass(frozen=True)
class DemoServer:
    """Where the server is as a container sees it, where its certificate lies, and the token of its one user."""

    place: str
    certificate: Path
    token: str = field(repr=False)
    reached: threading.Event = field(default_factory=threading.Event)
    """Set by the first request: a firewall may keep containers from this machine without a word."""

    def url(self, store: str) -> str:
        return f"https://{self.place}/{store}.git"


@contextlib.contextmanager
def demo_server(folder: Path, certificate: Certificate) -> Iterator[DemoServer]:
    """Serves an empty repository for each store, in a new folder; raises `NowhereToPush` where none gets there."""
    folder.mkdir(mode=0o700)
    for name, text in (("key.pem", certificate.key), ("certificate.pem", certificate.text)):
        create_file(folder / name, text.encode("ascii"), mode=0o600)
    backend = Path(run_git(folder, "--exec-path").strip(), "git-http-backend")
    for store in STORES:
        run_git(folder, "init", "--quiet", "--bare", "--initial-branch=main", "--template=", f"{store}.git")
    token, reached = secrets.token_urlsafe(24), threading.Event()
    listener, host = _listen(certificate, handler(folder, backend, token, reached))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
    listener.socket = context.wrap_socket(listener.socket, server_side=True)
    serving = threading.Thread(target=listener.serve_forever, daemon=True)
    serving.start()
    try:
        yield DemoServer(f"{host}:{listener.server_port}", folder / "certificate.pem", token, reached)
    finally:
        listener.shutdown()
        listener.server_close()
        serving.join()


def _listen(
    certificate: Certificate, handler: type[http.server.BaseHTTPRequestHandler]
) -> tuple[http.server.ThreadingHTTPServer, str]:
    try:
        return http.server.ThreadingHTTPServer((certificate.gateway, 0), handler), certificate.gateway
    except OSError as error:
        if certificate.virtual_machine:
            return http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler), VM_HOST
        raise NowhereToPush("containers of this engine do not reach this machine") from error


def handler(
    folder: Path, backend: Path, token: str, reached: threading.Event
) -> type[http.server.BaseHTTPRequestHandler]:
    """Gives the handler of requests for the repositories in `folder`."""

    class Handler(_Handler):
        repositories = folder
        program = backend
        was_reached = reached
        authorization = "Basic " + base64.b64encode(f"{USER}:{token}".encode()).decode("ascii")

    return Handler


class _Handler(http.server.BaseHTTPRequestHandler):
    """Hands the requests of the one user to git's own program for them (git-http-backend(1))."""

    protocol_version = "HTTP/1.1"
    repositories: ClassVar[Path]
    program: ClassVar[Path]
    authorization: ClassVar[str]
    was_reached: ClassVar[threading.Event]

    def do_GET(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        self._serve(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def _serve(self, body: bytes) -> None:
        self.was_reached.set()
        if not hmac.compare_digest(self.headers.get("Authorization", ""), self.authorization):
            self._answer(401, [("WWW-Authenticate", 'Basic realm="demo"')], b"")
            return
        done = run(
            (str(self.program),),
            environment=self._environment(body),
            seconds=_SECONDS,
            standard_input=body,
            output_limit=_OUTPUT_LIMIT,
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        lines = (line.partition(": ") for line in head.decode("latin-1").split("\r\n") if line)
        fields = [(name, value) for name, _, value in lines]
        status = next((int(value.split()[0]) for name, value in fields if name == "Status"), 200)
        self._answer(status, [(name, value) for name, value in fields if name != "Status"], content)

    def _environment(self, body: bytes) -> Mapping[str, str]:
        path, _, query = self.path.partition("?")
        return {
            "CONTENT_LENGTH": str(len(body)),
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROJECT_ROOT": str(self.repositories),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "PATH": os.environ.get("PATH", os.defpath),
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REMOTE_USER": USER,
            "REQUEST_METHOD": self.command,
        }

    def _answer(self, status: int, fields: list[tuple[str, str]], content: bytes) -> None:
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:
        """Keeps quiet: what it says would stand between the lines of the demo."""

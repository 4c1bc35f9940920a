"""Through the tunnel a TLS connection is a plain socket: it carries both ways and half closes."""

import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pi_sandbox.containers.connection import open_connection
from pi_sandbox.containers.endpoint import Endpoint, TcpAddress, TlsMaterial
from pi_sandbox.errors import EngineError
from tests.needs import needs

SECONDS = 10


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    needs("openssl")
    folder = tmp_path_factory.mktemp("tls")
    for name in ("cert", "stranger"):
        subprocess.run(
            [
                *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
                *("-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"),
                *("-keyout", folder / f"{name}.key", "-out", folder / f"{name}.pem"),
            ],
            check=True,
            capture_output=True,
        )
    return folder


Serve = Callable[[ssl.SSLSocket], None]


@pytest.fixture
def served(certificates: Path) -> Iterator[Callable[[Serve], int]]:
    listeners: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def start(serve: Serve) -> int:
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificates / "cert.pem", certificates / "cert.key")

        def run() -> None:
            try:
                connection, _ = listener.accept()
                connection.settimeout(SECONDS)
                with context.wrap_socket(connection, server_side=True) as secured:
                    serve(secured)
            except OSError:
                pass

        threads.append(threading.Thread(target=run))
        threads[-1].start()
        return int(listener.getsockname()[1])

    yield start
    for listener in listeners:
        listener.close()
    for thread in threads:
        thread.join()


def endpoint(port: int, authority: Path | None, *, verify: bool = True, host: str = "localhost") -> Endpoint:
    return Endpoint(TcpAddress(host, port), TlsMaterial(authority, None, None, verify), "test")


def receive_all(connection: socket.socket) -> bytes:
    received = bytearray()
    while piece := connection.recv(65536):
        received += piece
    return bytes(received)


def test_the_end_of_our_input_reaches_the_other_side_whose_answer_still_arrives(
    certificates: Path, served: Callable[[Serve], int]
) -> None:
    question = b"q" * 1_000_000

    def serve(secured: ssl.SSLSocket) -> None:
        received = receive_all(secured)
        secured.sendall(b"got %d " % len(received) + b"a" * 2_000_000)

    connection = open_connection(endpoint(served(serve), certificates / "cert.pem"), SECONDS)
    with connection:
        connection.sendall(question)
        connection.shutdown(socket.SHUT_WR)
        answer = receive_all(connection)
    assert answer[:12] == b"got 1000000 "
    assert len(answer) == 2_000_012


def test_words_that_come_with_the_handshake_are_not_lost(certificates: Path, served: Callable[[Serve], int]) -> None:
    connection = open_connection(
        endpoint(served(lambda secured: secured.sendall(b"early")), certificates / "cert.pem"), SECONDS
    )
    with connection:
        assert receive_all(connection) == b"early"


def test_an_unknown_certificate_is_refused_and_the_remedy_named(
    certificates: Path, served: Callable[[Serve], int]
) -> None:
    port = served(receive_all)  # type: ignore[arg-type]
    with pytest.raises(EngineError, match="certificate is not trusted") as caught:
        open_connection(endpoint(port, certificates / "stranger.pem"), SECONDS)
    assert "DOCKER_CERT_PATH" in caught.value.hint


def test_a_certificate_for_another_name_is_refused(certificates: Path, served: Callable[[Serve], int]) -> None:
    port = served(receive_all)  # type: ignore[arg-type]
    with pytest.raises(EngineError, match="certificate is not trusted"):
        open_connection(endpoint(port, certificates / "cert.pem", host="127.0.0.1"), SECONDS)


def test_an_unknown_certificate_is_taken_where_the_check_was_switched_off(
    certificates: Path, served: Callable[[Serve], int]
) -> None:
    port = served(lambda secured: secured.sendall(b"hello"))
    with open_connection(endpoint(port, None, verify=False), SECONDS) as connection:
        assert receive_all(connection) == b"hello"


def test_a_port_that_does_not_speak_tls_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(100)
                connection.sendall(b"HTTP/1.0 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(EngineError, match="TLS connection failed") as caught:
            open_connection(endpoint(listener.getsockname()[1], None, verify=False), SECONDS)
        thread.join()
    assert "speaks TLS" in caught.value.hint


@pytest.mark.parametrize("which", ["authority", "certificate"])
def test_a_tls_file_that_cannot_be_read_is_named(tmp_path: Path, which: str) -> None:
    broken = tmp_path / "broken.pem"
    broken.write_text("no certificate")
    authority, certificate = (broken, None) if which == "authority" else (None, broken)
    material = TlsMaterial(authority, certificate, None, verify=which == "authority")
    with pytest.raises(EngineError, match=r"broken\.pem") as caught:
        open_connection(Endpoint(TcpAddress("localhost", 1), material, "test"), SECONDS)
    assert which in caught.value.message

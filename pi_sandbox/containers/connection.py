"""Opens a plain connection to an engine, and says in one sentence why it cannot be opened.

TLS connections are handed out as one end of a local socket pair, with a thread that carries the bytes: so every stream
is a plain socket that can be waited for and half closed, which a TLS socket of Python cannot.
"""

import errno
import os
import socket
import ssl
import time

from pi_sandbox.containers.endpoint import Endpoint, TlsMaterial, UnixAddress
from pi_sandbox.containers.tls_tunnel import open_tunnel
from pi_sandbox.errors import EngineError, quoted

FULL_QUEUE_SECONDS = 0.05


def open_connection(endpoint: Endpoint, seconds: float) -> socket.socket:
    """Gives a connected socket with that time limit; raises `EngineError`."""
    try:
        if endpoint.tls is None or isinstance(endpoint.address, UnixAddress):
            return _connected(endpoint, seconds)
        context = tls_context(endpoint.tls)
        return open_tunnel(_connected(endpoint, seconds), context, endpoint.address.host, seconds)
    except OSError as error:
        raise connection_error(endpoint, error) from error


def _connected(endpoint: Endpoint, seconds: float) -> socket.socket:
    address = endpoint.address
    if not isinstance(address, UnixAddress):
        return socket.create_connection((address.host, address.port), timeout=seconds)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(seconds)
        _connect_in_time(connection, address.path, seconds)
    except BaseException:
        connection.close()
        raise
    return connection


def _connect_in_time(connection: socket.socket, path: str, seconds: float) -> None:
    # A Unix socket whose queue is full refuses at once where a time limit is set (unix(7), EAGAIN).
    deadline = time.monotonic() + seconds
    while True:
        try:
            connection.connect(path)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise TimeoutError from None
            time.sleep(FULL_QUEUE_SECONDS)
        else:
            return


def tls_context(material: TlsMaterial) -> ssl.SSLContext:
    """Gives the context for these files; raises `EngineError` for files that cannot be used."""
    hint = "check DOCKER_CERT_PATH, or the TLS files of the docker context"
    try:
        context = ssl.create_default_context(cafile=material.authority) if material.verify else _unchecked_context()
    except OSError as error:
        raise EngineError(f"the TLS authority {quoted(material.authority)} cannot be used: {error}", hint) from error
    try:
        if material.certificate is not None:
            context.load_cert_chain(material.certificate, material.key)
    except OSError as error:
        raise EngineError(
            f"the TLS client certificate {quoted(material.certificate)} cannot be used: {error}", hint
        ) from error
    return context


def _unchecked_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def connection_error(endpoint: Endpoint, error: OSError) -> EngineError:
    """Gives the sentence for a connection that could not be opened."""
    tried = f"the container engine at {endpoint} cannot be used"
    if isinstance(error, ssl.SSLCertVerificationError):
        return EngineError(
            f"{tried}: its TLS certificate is not trusted ({error.verify_message})",
            "check ca.pem and the name in the address (DOCKER_CERT_PATH, or the TLS files of the docker context)",
        )
    if isinstance(error, ssl.SSLError):
        return EngineError(
            f"{tried}: the TLS connection failed ({error.reason or error})",
            "check that the port speaks TLS, and the client certificate",
        )
    if isinstance(error, TimeoutError):
        return EngineError(f"{tried}: it does not take the connection", "check that the engine runs, then try again")
    reason, hint = _reason(endpoint, error)
    return EngineError(f"{tried}: {reason}", hint)


def _reason(endpoint: Endpoint, error: OSError) -> tuple[str, str]:
    is_socket = isinstance(endpoint.address, UnixAddress)
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            return "there is no such socket", "start the engine, or point DOCKER_HOST or the docker context elsewhere"
        case errno.ECONNREFUSED if is_socket:
            return (
                "nothing listens on the socket",
                "start the engine (the socket is left over from one that has ended)",
            )
        case errno.ECONNREFUSED:
            return "nothing listens at that address", "start the engine, or correct the address"
        case errno.EACCES | errno.EPERM:
            return "permission denied", "add yourself to the group that owns the socket, or use a rootless engine"
        case errno.ENAMETOOLONG:
            return "the path is too long for a socket", "use a shorter path (about 100 bytes)"
        case None | socket.EAI_NONAME | socket.EAI_AGAIN if isinstance(error, socket.gaierror):
            return "the name of the host is not known", "correct the address"
        case None:
            return str(error), "correct the address"
        case number:
            return os.strerror(number) if number > 0 else str(error), "check the address and the network"

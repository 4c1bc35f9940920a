"""A real git server on the loopback address: Apache with `git http-backend`, TLS by an authority of its own, a login.

The access log shows the Authorization header of every request. A second port has a log of its own, to redirect to.
"""

import base64
import contextlib
import hashlib
import ipaddress
import os
import secrets
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.needs import needs

PROGRAM = "/usr/sbin/apache2"
_MODULES = Path("/usr/lib/apache2/modules")
_BACKEND = "/usr/lib/git-core/git-http-backend"
_NAMES = ("mpm_prefork", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic", "alias", "cgi", "env")
_MORE_NAMES = ("ssl", "rewrite", "setenvif")
USER = "sync-user"
_PREFIX, _OWNER = "pi-sandbox-git-server-", "owner.pid"


@dataclass
class GitServer:
    """One running server. `token` goes with `USER`; both ports have the same repositories."""

    folder: Path
    port: int
    other_port: int
    token: str
    address: str = "127.0.0.1"
    extra: str = ""
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def ca_file(self) -> Path:
        return self.folder / "ca.pem"

    def url(self, repository: str) -> str:
        return f"https://{self.address}:{self.port}/git/{repository}.git"

    def repository(self, name: str) -> Path:
        return self.folder / "repositories" / f"{name}.git"

    def add_repository(self, name: str, *, object_format: str = "sha1", branch: str = "main") -> Path:
        path = self.repository(name)
        _git("init", "--quiet", "--bare", f"--object-format={object_format}", f"--initial-branch={branch}", str(path))
        self.hand_over()
        return path

    def push(self, folder: Path, name: str, *refspecs: str) -> None:
        """Pushes as somebody else would, over the same way."""
        login = f"{USER}:{urllib.parse.quote(self.token, safe='')}"
        url = self.url(name).replace("https://", f"https://{login}@")
        _git("-C", str(folder), "-c", f"http.sslCAInfo={self.ca_file}", "push", "--quiet", url, *refspecs)

    def add_hook(self, name: str, hook: str, script: str) -> None:
        path = self.repository(name) / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        self.hand_over()

    def hand_over(self) -> None:
        """Gives the repositories to the user that the server runs as, where we are root."""
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", "www-data:", str(self.folder / "repositories")], check=True)

    def requests(self, *, other: bool = False) -> list[tuple[str, str]]:
        """The requests so far: the status, and the Authorization header or `-`."""
        log = self.folder / ("other.log" if other else "access.log")
        lines = log.read_text().splitlines() if log.exists() else []
        return [tuple(line.split(" ", 1)) for line in lines]  # type: ignore[misc]

    @property
    def authorization(self) -> str:
        return "Basic " + base64.b64encode(f"{USER}:{self.token}".encode()).decode()

    def tip(self, name: str, branch: str = "main") -> str | None:
        result = subprocess.run(
            ["git", "-c", "safe.directory=*", "-C", str(self.repository(name)), "rev-parse", "--verify", "-q", branch],
            capture_output=True,
            text=True,
            check=False,
        )
        return result.stdout.strip() or None

    def start(self) -> None:
        (self.folder / "apache.conf").write_text(_configuration(self))
        with (self.folder / "apache.out").open("wb") as output:
            self._process = subprocess.Popen(
                [*_ends_with_us(), PROGRAM, "-f", str(self.folder / "apache.conf"), "-DFOREGROUND"],
                start_new_session=True,  # it ends its whole process group with itself
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        for port in (self.port, self.other_port):
            _wait_for(self, port)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(20)
            self._process = None

    def restart(self, *, extra: str = "") -> None:
        self.stop()
        self.extra = extra
        self.start()


@contextlib.contextmanager
def git_server(
    *,
    address: str = "127.0.0.1",
    token: str | None = None,
    valid_from: timedelta = timedelta(days=-1),
    valid_for: timedelta = timedelta(days=30),
    names: tuple[str, ...] | None = None,
) -> Iterator[GitServer]:
    """Runs a server until the block ends."""
    needs(PROGRAM, _BACKEND)
    _remove_left_folders()
    with tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / _OWNER).write_text(str(os.getpid()))
        (folder / "repositories").mkdir()
        ports = _free_port(address), _free_port(address)
        server = GitServer(folder, *ports, token or f"to+ken/{secrets.token_hex(12)}=%&", address)
        _make_certificates(server, valid_from, valid_for, names or (address, "localhost"))
        _make_login(server)
        server.start()
        try:
            yield server
        finally:
            server.stop()


def _ends_with_us() -> list[str]:
    """What makes the kernel end the server when this process is killed (setpriv(1), prctl(2) PR_SET_PDEATHSIG)."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "TERM", "--"] if setpriv else []


def _remove_left_folders() -> None:
    """Removes the folders of servers that a killed run left, known by the process that made them, which is gone."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        file = folder / _OWNER
        process = file.read_text().strip() if file.is_file() else ""
        if process.isdecimal() and not Path("/proc", process).exists():
            shutil.rmtree(folder, ignore_errors=True)


def _configuration(server: GitServer) -> str:
    folder = server.folder
    loads = "\n".join(f"LoadModule {name}_module {_MODULES}/mod_{name}.so" for name in (*_NAMES, *_MORE_NAMES))
    user = "User www-data\nGroup www-data\n" if os.geteuid() == 0 else ""
    return f"""
ServerRoot {folder}
ServerName {server.address}
PidFile {folder}/apache.pid
Mutex file:{folder}
{user}{loads}
ErrorLog {folder}/error.log
LogFormat "%>s %{{Authorization}}i" plain
Listen {server.address}:{server.port}
Listen {server.address}:{server.other_port}
StartServers 1
MinSpareServers 1
MaxSpareServers 2
SSLCertificateFile {folder}/server.pem
SSLCertificateKeyFile {folder}/server.key
SetEnv GIT_PROJECT_ROOT {folder}/repositories
SetEnv GIT_HTTP_EXPORT_ALL 1
ScriptAlias /git/ {_BACKEND}/
<Directory /usr/lib/git-core>
    Options +ExecCGI
</Directory>
<Location /git/>
    AuthType Basic
    AuthName git
    AuthUserFile {folder}/login
    Require valid-user
</Location>
<VirtualHost {server.address}:{server.port}>
    SSLEngine on
    CustomLog {folder}/access.log plain
    {server.extra}
</VirtualHost>
<VirtualHost {server.address}:{server.other_port}>
    SSLEngine on
    CustomLog {folder}/other.log plain
</VirtualHost>
"""


def _make_login(server: GitServer) -> None:
    hashed = base64.b64encode(hashlib.sha1(server.token.encode()).digest()).decode()
    (server.folder / "login").write_text(f"{USER}:{{SHA}}{hashed}\n")


def _make_certificates(server: GitServer, valid_from: timedelta, valid_for: timedelta, names: tuple[str, ...]) -> None:
    now = datetime.now(UTC)
    authority, authority_key = _certificate(
        "Test authority", None, None, now - timedelta(days=400), timedelta(days=800)
    )
    own, own_key = _certificate(names[0], authority, authority_key, now + valid_from, valid_for, names)
    pem = serialization.Encoding.PEM
    server.ca_file.write_bytes(authority.public_bytes(pem))
    (server.folder / "server.pem").write_bytes(own.public_bytes(pem))
    (server.folder / "server.key").write_bytes(
        own_key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )


def _certificate(
    name: str,
    issuer: x509.Certificate | None,
    issuer_key: ec.EllipticCurvePrivateKey | None,
    begins: datetime,
    lasts: timedelta,
    names: tuple[str, ...] = (),
) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject if issuer is None else issuer.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(begins + lasts)
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
    )
    if names:
        alternatives: list[x509.GeneralName] = []
        for one in names:
            try:
                alternatives.append(x509.IPAddress(ipaddress.ip_address(one)))
            except ValueError:
                alternatives.append(x509.DNSName(one))
        builder = builder.add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
    return builder.sign(issuer_key or key, hashes.SHA256()), key


def _free_port(address: str) -> int:
    with socket.socket() as probe:
        probe.bind((address, 0))
        return int(probe.getsockname()[1])


def _wait_for(server: GitServer, port: int) -> None:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    deadline = time.monotonic() + 20
    while True:
        try:
            with socket.create_connection((server.address, port), timeout=2) as plain, context.wrap_socket(plain):
                return
        except OSError:
            if time.monotonic() > deadline:
                said = (server.folder / "apache.out").read_text() + _log(server)
                raise AssertionError(f"the git server did not start: {said}") from None
            time.sleep(0.05)


def _log(server: GitServer) -> str:
    log = server.folder / "error.log"
    return log.read_text() if log.exists() else ""


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True)

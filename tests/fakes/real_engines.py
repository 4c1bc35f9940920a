"""Further real engines for tests: rootless Podman of an ordinary user, and a Docker engine in another mount namespace.

Each is made for the block and ended after it.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.needs import Host, needs

START_SECONDS = 60
PODMAN_USER = "pi-sandbox-test"
CONTAINERS_CONF = '[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n'
RUNSC_WRAPPER = '#!/bin/sh\nexec runsc --platform=ptrace --ignore-cgroups --network=none "$@"\n'


@dataclass(frozen=True)
class OtherEngine:
    """An engine: what its environment has to say, its user, and a folder of that user's that it sees."""

    environ: dict[str, str]
    uid: int
    gid: int
    folder: Path
    tls_environ: dict[str, str] = field(default_factory=dict)


@contextmanager
def rootless_podman() -> Iterator[OtherEngine]:
    """Gives the Docker-compatible service of rootless Podman, run by a user made for it."""
    needs(Host.ROOT, Host.READABLE_CHECKOUT, "podman", "runc", "newuidmap", "setpriv", "useradd", "catatonit")
    folder = Path(tempfile.mkdtemp(prefix="pi-sandbox-podman-"))
    home = folder / "home"
    subprocess.run(["useradd", "--create-home", "--home-dir", home, PODMAN_USER], check=True, capture_output=True)
    try:
        user = pwd.getpwnam(PODMAN_USER)
        configuration = home / ".config/containers"
        runtime = folder / "runtime"
        for made in (configuration, runtime, folder / "shared"):
            made.mkdir(parents=True)
        (configuration / "containers.conf").write_text(CONTAINERS_CONF)
        subprocess.run(["chown", "-R", f"{user.pw_uid}:{user.pw_gid}", folder], check=True)
        folder.chmod(0o755)
        as_user = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--init-groups", "env", "-i"]
        as_user += [f"HOME={home}", f"PATH={os.environ['PATH']}", f"XDG_RUNTIME_DIR={runtime}", "podman"]
        socket_path = runtime / "podman.sock"
        command = [*as_user, "system", "service", "--time=0", f"unix://{socket_path}"]
        with running(command, folder / "log", socket_path):
            environ = {"DOCKER_HOST": f"unix://{socket_path}"}
            yield OtherEngine(environ, user.pw_uid, user.pw_gid, folder / "shared")
        subprocess.run([*as_user, "unshare", "rm", "-rf", home / ".local"], check=False, capture_output=True, cwd="/")
    finally:
        _end_processes_of(pwd.getpwnam(PODMAN_USER).pw_uid)
        subprocess.run(["userdel", "--force", PODMAN_USER], check=False, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)


def _end_processes_of(uid: int) -> None:
    """Ends what the user made for the test still runs: the pause process of rootless Podman would keep it busy."""
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            if entry.stat().st_uid == uid:
                os.kill(int(entry.name), signal.SIGKILL)


@contextmanager
def engine_elsewhere(hidden: Path) -> Iterator[OtherEngine]:
    """Gives a Docker engine in a mount namespace of its own, where `hidden` is an empty folder.

    It knows runsc, and answers over TLS too (`tls_environ`).
    """
    needs(Host.ROOT, Host.MOUNTS, "dockerd", "openssl")
    folder = Path(tempfile.mkdtemp(prefix="pi-sandbox-dockerd-"))
    # Made here and inherited, because the engine's own network namespace has no way to ours.
    listener = socket.create_server(("127.0.0.1", 0))
    try:
        (folder / "runsc").write_text(RUNSC_WRAPPER)
        (folder / "runsc").chmod(0o755)
        (folder / "shared").mkdir()
        make_certificates(folder / "tls")
        arguments = [
            *("--host", "fd://", "--tlsverify", "--tlscacert", folder / "tls/ca.pem"),
            *("--tlscert", folder / "tls/server.pem", "--tlskey", folder / "tls/server.key"),
            *("--data-root", folder / "data", "--exec-root", folder / "exec", "--pidfile", folder / "pid"),
            *("--host", f"unix://{folder}/docker.sock", "--bridge=none", "--iptables=false", "--storage-driver=vfs"),
            *("--add-runtime", f"runsc={folder}/runsc", "--config-file", folder / "no-configuration"),
        ]
        (folder / "no-configuration").write_text("{}")
        inherited = f'LISTEN_PID=$$ LISTEN_FDS=1 exec dockerd "$@" 3<&{listener.fileno()}'
        script = f'mount -t tmpfs none "$0" && {inherited}'
        # Without a bridge of its own, a daemon removes the docker0 of the network namespace that it finds itself in.
        command = ["unshare", "--mount", "--net", "bash", "-c", script, hidden, *arguments]
        with running(command, folder / "log", folder / "docker.sock", listener.fileno()):
            environ = {"DOCKER_HOST": f"unix://{folder}/docker.sock"}
            tls_environ = {"DOCKER_HOST": f"tcp://localhost:{listener.getsockname()[1]}", "DOCKER_TLS_VERIFY": "1"}
            tls_environ["DOCKER_CERT_PATH"] = str(folder / "tls")
            yield OtherEngine(environ, 0, 0, folder / "shared", tls_environ)
    finally:
        listener.close()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running(command: Sequence[str | Path], log: Path, socket_path: Path, *inherited: int) -> Iterator[None]:
    """Runs an engine until the block ends; fails with the end of its log where it does not come up."""
    with log.open("wb") as stream:
        process = subprocess.Popen(
            command, stdout=stream, stderr=stream, stdin=subprocess.DEVNULL, cwd="/", pass_fds=inherited
        )
    try:
        deadline = time.monotonic() + START_SECONDS
        while not socket_path.exists():
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"the engine does not come up: {log.read_text(errors='replace')[-2000:]}", pytrace=False)
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def make_certificates(folder: Path) -> None:
    """Makes an authority and certificates for a server called localhost and for a client, by docker's file names."""
    folder.mkdir()
    new_key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2")

    def openssl(*arguments: str | Path) -> None:
        subprocess.run(["openssl", *arguments], check=True, capture_output=True)

    openssl("req", "-x509", *new_key, "-subj", "/CN=authority", "-keyout", folder / "ca.key", "-out", folder / "ca.pem")
    for name, key, usage in (("server", "server.key", "serverAuth"), ("cert", "key.pem", "clientAuth")):
        extensions = folder / f"{name}.ext"
        extensions.write_text(f"subjectAltName=DNS:localhost\nextendedKeyUsage={usage}\n")
        request = folder / f"{name}.csr"
        openssl("req", *new_key, "-subj", f"/CN={name}", "-keyout", folder / key, "-out", request)
        signed = ("x509", "-req", "-in", request, "-CA", folder / "ca.pem", "-CAkey", folder / "ca.key")
        openssl(*signed, "-CAcreateserial", "-days", "2", "-extfile", extensions, "-out", folder / f"{name}.pem")

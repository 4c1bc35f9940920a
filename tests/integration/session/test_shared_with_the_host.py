"""What a session still shares with this machine: services that listen on more than loopback, what the kernel counts for
each user, and the window that its output goes to. The page on security says so; this is how it is known.
"""

import contextlib
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator

import pexpect
import pytest

from pi_sandbox.containers.network import NETWORK
from tests.fakes.engine_network import address_on
from tests.integration.session.sandbox import Live, Sandbox, sandbox_of_user
from tests.needs import Host

ASK = """
import socket, sys
for address in sys.argv[1:]:
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), 4) as asked:
            print(asked.recv(100).decode())
    except OSError as error:
        print(error.strerror or error)
"""
USE_UP = """
import ctypes, os, resource, signal, subprocess, time
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
inotify = ctypes.CDLL(None).inotify_init
while inotify() >= 0:
    pass
pipes = [os.pipe() for _ in range(1100)]
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
for _ in range(500):
    os.kill(os.getpid(), signal.SIGRTMIN)
others = [subprocess.Popen(["sleep", "300"]) for _ in range(60)]
open("used-up", "w").close()
time.sleep(300)
"""
MEASURE = """
import ctypes, fcntl, os, resource
print("inotify", ctypes.CDLL(None).inotify_init() >= 0)
print("pipe", fcntl.fcntl(os.pipe()[0], fcntl.F_GETPIPE_SZ) >= 65536)
queued = next(line for line in open("/proc/self/status") if line.startswith("SigQ"))
print("signals", int(queued.split()[1].partition("/")[0]) < 500)
resource.setrlimit(resource.RLIMIT_NPROC, (50, 50))
try:
    child = os.fork()
except BlockingIOError:
    child = -1
if child == 0:
    os._exit(0)
print("processes", child > 0)
"""
PYTHON = "/usr/bin/python3"
"""One that every user may run; that of the checkout may lie in a folder of root's own."""
USER, OTHER_USER = 54_321, 54_322
COUNTED = ("inotify", "pipe", "signals", "processes")


class _Greeting(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        self.request.sendall(b"reached")


@contextlib.contextmanager
def _service(address: str) -> Iterator[int]:
    with socketserver.ThreadingTCPServer((address, 0), _Greeting) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def test_a_session_reaches_what_listens_on_more_than_loopback_here(sandbox: Sandbox) -> None:
    project = sandbox.project()
    with sandbox.session(project):
        bridge = address_on(NETWORK)
    with _service("0.0.0.0") as everywhere, _service(bridge) as on_bridge, _service("127.0.0.1") as at_home:
        asked = [f"{bridge}:{everywhere}", f"{bridge}:{on_bridge}", f"{bridge}:{at_home}", f"127.0.0.1:{at_home}"]
        said = sandbox.call("shell", project, "--", "python3", "-c", ASK, *asked).ok().splitlines()
        here = subprocess.run((sys.executable, "-c", ASK, f"127.0.0.1:{at_home}"), capture_output=True, check=True)
    assert said[:2] == ["reached", "reached"]
    assert said[2:] == ["Connection refused", "Connection refused"]
    assert here.stdout == b"reached\n", "the control: it listens, and only a session is kept from it"


def test_a_session_has_no_ipv6_and_so_no_other_way_to_a_service(sandbox: Sandbox) -> None:
    addresses = sandbox.shell(sandbox.project(), "cat /proc/net/if_inet6 || true").ok().splitlines()
    assert [line for line in addresses if not line.endswith(" lo")] == []


@pytest.fixture(scope="module")
def used_up() -> Iterator[Live]:
    """A session of an ordinary user that takes whatever the kernel gives to that user."""
    with sandbox_of_user(USER) as sandbox:
        sandbox.call("init").ok()
        project = sandbox.project()
        subprocess.run(("chown", "-R", f"{USER}:{USER}", sandbox.home / "ws"), check=True)
        assert _measured(USER) == dict.fromkeys(COUNTED, True), "before it starts there is enough of everything"
        before = f"python3 -c '{USE_UP}' & until [ -e used-up ]; do sleep 0.1; done"
        with sandbox.session(project, before=before) as live:
            yield live


def _measured(uid: int) -> dict[str, bool]:
    become = ("setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups")
    ran = subprocess.run((*become, PYTHON, "-c", MEASURE), capture_output=True, text=True, check=True)
    return {name: said == "True" for name, said in (line.split() for line in ran.stdout.splitlines())}


@pytest.mark.needs(Host.ROOT, PYTHON)
@pytest.mark.usefixtures("used_up")
@pytest.mark.parametrize("counted", COUNTED)
def test_what_the_kernel_counts_for_each_user_a_session_uses_up_for_you_and_for_nobody_else(counted: str) -> None:
    assert not _measured(USER)[counted]
    assert _measured(OTHER_USER)[counted], "the control: another user has enough of it"


@pytest.mark.parametrize(
    "sequence",
    ["\\e]52;c;aGVsbG8=\\a", "\\e]0;a title\\a", "\\e]2;a title\\e\\\\"],
    ids=["clipboard", "title", "window"],
)
def test_sequences_for_the_clipboard_and_the_title_reach_your_window_as_they_are(
    sandbox: Sandbox, sequence: str
) -> None:
    arguments = [*sandbox.command[1:], "shell", str(sandbox.project()), "--", "printf", sequence]
    window = pexpect.spawn(sandbox.command[0], arguments, env=sandbox.environment({"TERM": "xterm"}), timeout=60)
    window.expect_exact(sequence.encode().replace(b"\\e", b"\x1b").replace(b"\\a", b"\x07").replace(b"\\\\", b"\\"))
    after = window.read()
    window.wait()
    assert b"\x1b[?25h" in after, "the control: modes are reset"
    assert b"\x1b]0;" not in after
    assert b"\x1b]2;" not in after
    assert b"\x1b]52;" not in after

"""Keeps every test away from the home folder, the network, the keyring and the engine unless the test asks for it.

A pytest plugin, loaded by `conftest.py`. What always holds in a test without a marker:

- The environment holds nothing of the user's but PATH, the locale and the temporary folder. HOME is an empty folder
  of the test's own, DOCKER_HOST points nowhere, the keyring is the one that refuses, git reads no settings of the user.
- Python code that opens, lists or changes anything below the real home folder is stopped. (The checkout, the
  interpreter and the temporary folder may lie below it and stay usable.)
- Python code that connects to another machine, looks up a name, or talks to a Unix socket outside the temporary folder
  is stopped. Servers of the test's own on the loopback address work.

The stop is an exception that no `except Exception` swallows, and a test that swallowed it all the same fails at its
end.
Markers that lift a part: `engine`, `image`, `uses_network`, `uses_keyring`, `uses_home`.

Not handled: `stat` below the home folder (Python has no audit event for it), and what a child process does beyond what
its environment tells it.
"""

import ipaddress
import os
import pwd
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
KEPT_VARIABLES = {"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TERM", "COLUMNS", "LINES", "CI", "TEST_ENGINE"}
KEPT_PREFIXES = ("PYTEST_", "COVERAGE_", "COV_CORE_")
LIFTED_VARIABLES = {
    "engine": ("DOCKER_", "XDG_RUNTIME_DIR", "SSL_CERT_", "PI_SANDBOX_CA_BUNDLE"),
    "uses_network": ("SSL_CERT_", "PIP_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy"),
    "uses_keyring": ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "PYTHON_KEYRING_BACKEND"),
    "uses_home": ("HOME", "XDG_"),
}
PATH_EVENTS = {
    "open",
    "os.chdir",
    "os.chmod",
    "os.chown",
    "os.link",
    "os.listdir",
    "os.mkdir",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.scandir",
    "os.symlink",
    "os.truncate",
    "os.utime",
}
NAME_EVENTS = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"}


class Stopped(BaseException):
    """A test reached for something that it did not ask for."""


class Guard:
    """What the running test may reach. Consulted by an audit hook, which stays for the life of the process."""

    def __init__(self, homes: set[Path], allowed: set[Path], temporary: Path) -> None:
        self.homes = tuple(str(home) for home in homes)
        self.allowed = tuple(str(folder) for folder in allowed)
        self.temporary = str(temporary)
        self.active = False
        self.lifted: frozenset[str] = frozenset()
        self.stopped: list[str] = []

    def audit(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self.active:
            return
        if event in PATH_EVENTS and "uses_home" not in self.lifted:
            # What a symbolic link holds is a text, and no path of this process.
            for argument in arguments[event == "os.symlink" : 2]:
                if isinstance(argument, (str, bytes)) and self._is_private(argument):
                    self._stop(f"{event} {os.fsdecode(argument)!r} (mark the test uses_home)")
        elif event == "socket.connect":
            self._check_connection(arguments[1])
        elif event in NAME_EVENTS and "uses_network" not in self.lifted and not _is_loopback(arguments[0]):
            self._stop(f"{event} {arguments[0]!r} (mark the test uses_network)")

    def _is_private(self, argument: str | bytes) -> bool:
        path = os.path.abspath(os.fsdecode(argument))
        return _is_below(path, self.homes) and not _is_below(path, self.allowed)

    def _check_connection(self, address: object) -> None:
        if isinstance(address, (str, bytes)):
            path = os.fsdecode(address)
            if not self.lifted & {"engine", "uses_keyring"} and not _is_below(os.path.abspath(path), (self.temporary,)):
                self._stop(f"a connection to the socket {path!r} (mark the test engine or uses_keyring)")
        elif isinstance(address, tuple) and "uses_network" not in self.lifted and not _is_loopback(address[0]):
            self._stop(f"a connection to {address[0]!r} (mark the test uses_network)")

    def _stop(self, what: str) -> None:
        self.stopped.append(what)
        raise Stopped(f"this test did not ask for {what}")


def _is_below(path: str, folders: tuple[str, ...]) -> bool:
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


def _is_loopback(host: object) -> bool:
    name = os.fsdecode(host) if isinstance(host, (str, bytes)) else ""
    if host is None or name in ("", "localhost"):
        return True
    try:
        return ipaddress.ip_address(name.partition("%")[0]).is_loopback
    except ValueError:
        return False


def _real_homes() -> set[Path]:
    homes = {Path(pwd.getpwuid(os.getuid()).pw_dir)}
    if named := os.environ.get("HOME"):
        homes.add(Path(named))
    return {path for home in homes for path in (home, home.resolve()) if path != Path("/")}


def _allowed_below_home() -> set[Path]:
    interpreter = {Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable).parent}
    folders = {CHECKOUT, Path(tempfile.gettempdir()), *interpreter}
    return folders | {folder.resolve() for folder in folders}


ORIGINAL_ENVIRONMENT = dict(os.environ)
GUARD = Guard(_real_homes(), _allowed_below_home(), Path(tempfile.gettempdir()))
sys.addaudithook(GUARD.audit)


def _lifted(item: pytest.Item) -> frozenset[str]:
    names = {marker.name for marker in item.iter_markers()}
    if "image" in names:
        names.add("engine")
    if "engine" in names:
        names.add("uses_network")
    return frozenset(names & set(LIFTED_VARIABLES))


def guarded_environment(home: Path, lifted: frozenset[str], original: dict[str, str]) -> dict[str, str]:
    """Gives the whole environment of one test: what is kept, what is pointed nowhere, and what its markers lift."""
    prefixes = tuple(prefix for name in lifted for prefix in LIFTED_VARIABLES[name])
    environment = {
        name: value for name, value in original.items() if name in KEPT_VARIABLES or name.startswith(KEPT_PREFIXES)
    }
    environment |= {
        "HOME": str(home),
        "DOCKER_HOST": f"unix://{home}/no-engine.sock",
        "DBUS_SESSION_BUS_ADDRESS": f"unix:path={home}/no-bus.sock",
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    if "engine" in lifted:
        del environment["DOCKER_HOST"]
    if "uses_keyring" in lifted:
        del environment["DBUS_SESSION_BUS_ADDRESS"], environment["PYTHON_KEYRING_BACKEND"]
    lifted_variables = {name: value for name, value in original.items() if prefixes and name.startswith(prefixes)}
    return environment | lifted_variables


def _enter(environment: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Puts each test, its fixtures included, behind the guard."""
    lifted = _lifted(item)
    with tempfile.TemporaryDirectory(prefix="pi-sandbox-test-home-") as home:
        _enter(guarded_environment(Path(home), lifted, ORIGINAL_ENVIRONMENT))
        GUARD.lifted, GUARD.active, GUARD.stopped = lifted, True, []
        try:
            return (yield)
        finally:
            GUARD.active = False
            _enter(ORIGINAL_ENVIRONMENT)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fails a test that was stopped and hid it."""
    result = yield
    if GUARD.stopped:
        pytest.fail("the test hid that it was stopped: " + "; ".join(GUARD.stopped), pytrace=False)
    return result

"""The child process that asks the keyring, run for real with backends made for the purpose."""

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_sandbox.credentials.keyring_call import ask_child_process, child_environment, system_keychain
from pi_sandbox.credentials.keyring_process import translate_error
from pi_sandbox.credentials.keyring_protocol import Action, Answer, Outcome, Request
from pi_sandbox.credentials.secret import Secret
from tests.running import SOON, assert_ends, is_running, pid_in

CHECKOUT = Path(__file__).parents[3]

BACKENDS = """
import os, subprocess, sys, time
from keyring.backend import KeyringBackend
from keyring.errors import KeyringError, KeyringLocked, PasswordDeleteError, PasswordSetError


class Base(KeyringBackend):
    priority = 5
    def get_password(self, service, username): return None
    def set_password(self, service, username, password): raise PasswordSetError("no")
    def delete_password(self, service, username): raise PasswordDeleteError("No such password!")


class Folder(Base):
    folder = os.environ["XDG_DATA_HOME"]
    def _path(self, *names): return os.path.join(self.folder, "+".join(names))
    def get_password(self, *names):
        print('{"outcome": "found", "detail": "", "value": "not from the keyring"}', flush=True)
        print("noise on standard error", file=sys.stderr, flush=True)
        os.system("echo noise of a child")
        if not os.path.exists(self._path(*names)): return None
        with open(self._path(*names)) as file: return file.read()
    def set_password(self, service, username, password):
        with open(self._path(service, username), "w") as file: file.write(password)
    def delete_password(self, *names):
        if not os.path.exists(self._path(*names)): raise PasswordDeleteError("No such password!")
        os.remove(self._path(*names))


class Slow(Base):
    def get_password(self, service, username):
        helper = subprocess.Popen(["sleep", "120"])
        with open(os.path.join(os.environ["XDG_DATA_HOME"], "helper"), "w") as file: file.write(str(helper.pid))
        with open(os.path.join(os.environ["XDG_DATA_HOME"], "pid"), "w") as file: file.write(str(os.getpid()))
        time.sleep(120)


class Leaky(Base):
    def set_password(self, service, username, password): raise PasswordSetError(f"cannot store {password}")


class Crash(Base):
    def get_password(self, service, username): os._exit(7)


class Empty(Base):
    def get_password(self, service, username): return "\\n"


class MyPlaintextKeyring(Folder):
    pass
"""


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "made_up_backends.py").write_text(BACKENDS)
    data = tmp_path / "data"
    data.mkdir()
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PYTHONPATH": f"{tmp_path}{os.pathsep}{CHECKOUT}",
        "XDG_DATA_HOME": str(data),
    }


def ask(environ: dict[str, str], backend: str, action: Action = Action.GET, value: str | None = None) -> Answer:
    request = Request(action, "pi-sandbox", "KEY", Secret(value) if value else None)
    chosen = backend if "." in backend else f"made_up_backends.{backend}"
    return ask_child_process(request, environ | {"PYTHON_KEYRING_BACKEND": chosen}, 10)


def test_a_value_goes_there_and_back_whole_whatever_a_backend_prints(environ: dict[str, str]) -> None:
    value = secrets.token_urlsafe(8) + "\"'\\ ä\u2028€𝄞" + "x" * 100_000
    assert ask(environ, "Folder") == Answer(Outcome.MISSING)
    assert ask(environ, "Folder", Action.SET, value) == Answer(Outcome.DONE)
    assert ask(environ, "Folder") == Answer(Outcome.FOUND, value=Secret(value))
    assert ask(environ, "Folder", Action.LOOK) == Answer(Outcome.FOUND)
    assert ask(environ, "Folder", Action.DELETE) == Answer(Outcome.DONE)
    assert ask(environ, "Folder", Action.DELETE) == Answer(Outcome.MISSING)
    assert ask(environ, "Folder", Action.LOOK) == Answer(Outcome.MISSING)


def test_a_line_end_behind_a_value_is_not_part_of_it(environ: dict[str, str]) -> None:
    ask(environ, "Folder", Action.SET, "abc\r\n")
    assert ask(environ, "Folder") == Answer(Outcome.FOUND, value=Secret("abc"))
    assert ask(environ, "Empty") == Answer(Outcome.FOUND)


@pytest.mark.parametrize(
    ("backend", "detail"),
    [
        ("keyring.backends.null.Keyring", "switched off"),
        ("keyring.backends.fail.Keyring", "no keyring"),
        ("MyPlaintextKeyring", "plain-text file (made_up_backends.MyPlaintextKeyring)"),
        ("no_such_module.Keyring", "cannot be opened"),
    ],
)
@pytest.mark.parametrize("action", list(Action))
def test_a_backend_that_keeps_nothing_or_keeps_it_open_is_unusable(
    environ: dict[str, str], backend: str, detail: str, action: Action
) -> None:
    answer = ask(environ, backend, action, "value" if action is Action.SET else None)
    assert answer.outcome is Outcome.UNUSABLE
    assert detail in answer.detail
    assert list(Path(environ["XDG_DATA_HOME"]).iterdir()) == []


def test_a_backend_that_does_not_answer_is_ended_with_its_children(environ: dict[str, str]) -> None:
    began = time.monotonic()
    environ |= {"PYTHON_KEYRING_BACKEND": "made_up_backends.Slow"}
    answer = ask_child_process(Request(Action.GET, "pi-sandbox", "KEY"), environ, 1.5)
    assert answer == Answer(Outcome.TIMED_OUT, "within 1.5 seconds")
    assert time.monotonic() - began < SOON
    assert not is_running(pid_in(Path(environ["XDG_DATA_HOME"]) / "pid"))
    assert not is_running(pid_in(Path(environ["XDG_DATA_HOME"]) / "helper"))


def test_ctrl_c_ends_a_waiting_keyring_at_once_and_leaves_no_child(environ: dict[str, str]) -> None:
    environ |= {"PYTHON_KEYRING_BACKEND": "made_up_backends.Slow"}
    with WaitingWrapper(environ) as (wrapper, child):
        wrapper.send_signal(signal.SIGINT)
        assert wrapper.wait(SOON) == 130
        assert_ends(child)
        assert_ends(pid_in(Path(environ["XDG_DATA_HOME"]) / "helper"))


def test_a_keyring_child_ends_itself_and_its_helpers_when_its_parent_is_killed(environ: dict[str, str]) -> None:
    environ |= {"PYTHON_KEYRING_BACKEND": "made_up_backends.Slow"}
    with WaitingWrapper(environ) as (wrapper, child):
        wrapper.kill()
        wrapper.wait(10)
        assert_ends(child)
        assert_ends(pid_in(Path(environ["XDG_DATA_HOME"]) / "helper"))


def test_what_a_backend_says_in_an_error_is_not_repeated(environ: dict[str, str]) -> None:
    value = secrets.token_urlsafe(8)
    answer = ask(environ, "Leaky", Action.SET, value)
    assert answer == Answer(Outcome.FAILED, "the keyring failed (PasswordSetError)")
    assert ask(environ, "Crash") == Answer(Outcome.FAILED, "the process that asks the keyring ended with code 7")


def test_neither_arguments_nor_environment_of_the_child_hold_a_value(environ: dict[str, str]) -> None:
    environ |= {"KEY": "value", "BW_SESSION": "x", "XDG_RUNTIME_DIR": "/run/user/1", "LC_ALL": "C.UTF-8"}
    passed = child_environment(environ)
    assert "KEY" not in passed
    assert "BW_SESSION" not in passed
    assert passed["XDG_RUNTIME_DIR"] == "/run/user/1"
    assert passed["LC_ALL"] == "C.UTF-8"


def test_nothing_in_the_current_directory_is_run(environ: dict[str, str], tmp_path: Path) -> None:
    hostile = tmp_path / "project"
    for name in ("keyring", "pi_sandbox/credentials"):
        folder = hostile / name
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("open('/dev/stdout', 'w').write('{}')\nraise SystemExit(9)\n")
    (hostile / "json.py").write_text("raise SystemExit(9)\n")
    script = (
        "import os\n"
        "from pi_sandbox.credentials.keyring_call import system_keychain\n"
        f"os.chdir({str(hostile)!r})\n"
        "print(system_keychain(os.environ, attended=False).has('KEY'))\n"
    )
    environ |= {"PYTHON_KEYRING_BACKEND": "made_up_backends.Folder", "PYTHONPATH": f":.:{environ['PYTHONPATH']}"}
    told = subprocess.run(
        [sys.executable, "-P", "-c", script], env=environ, cwd="/", capture_output=True, text=True, check=False
    )
    assert (told.stdout, told.returncode) == ("False\n", 0), told.stderr


def test_without_a_terminal_or_display_the_wait_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    waits = []
    monkeypatch.setattr(
        "pi_sandbox.credentials.keyring_call.ask_child_process",
        lambda request, environ, seconds: waits.append(seconds) or Answer(Outcome.FOUND),
    )
    monkeypatch.setattr("sys.platform", "linux")
    for environ, attended in (({}, False), ({}, True), ({"DISPLAY": ":0"}, False), ({"WAYLAND_DISPLAY": "w"}, False)):
        system_keychain(environ, attended=attended).has("KEY")
    assert waits == [10, 60, 60, 60]


class KeychainDenied(Exception):
    """Named as the library names it for macOS."""


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (-128, Outcome.DENIED),
        (-25293, Outcome.DENIED),
        (-25308, Outcome.LOCKED),
        (-25300, Outcome.MISSING),
        (-25291, Outcome.UNUSABLE),
        (-25294, Outcome.UNUSABLE),
        (-25307, Outcome.UNUSABLE),
        (-34018, Outcome.FAILED),
    ],
)
def test_error_numbers_of_the_macos_keychain_are_translated(status: int, outcome: Outcome) -> None:
    from keyring.errors import KeyringError, KeyringLocked

    kind = KeyringLocked if status == -128 else KeyringError
    try:
        try:
            raise KeychainDenied(status, "Unknown Error")
        except KeychainDenied as error:
            raise kind(f"Can't get password from keychain: {error}") from error
    except KeyringError as error:
        answer = translate_error(error)
    assert answer.outcome is outcome
    assert str(status) not in answer.detail


class WaitingWrapper:
    """A process that waits in `Keychain.read`, and the pid of its keyring child."""

    def __init__(self, environ: dict[str, str]) -> None:
        self.pid_file = Path(environ["XDG_DATA_HOME"]) / "pid"
        script = (
            "import os, sys\n"
            "from pi_sandbox.credentials.keyring_call import system_keychain\n"
            "try:\n"
            "    system_keychain(os.environ, attended=True).read('KEY')\n"
            "except KeyboardInterrupt:\n"
            "    sys.exit(130)\n"
        )
        self.process = subprocess.Popen([sys.executable, "-c", script], env=environ)

    def __enter__(self) -> tuple["subprocess.Popen[bytes]", int]:
        for _ in until_seconds(SOON):
            if self.pid_file.exists() and self.pid_file.read_text():
                break
        return self.process, pid_in(self.pid_file)

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.wait()


def until_seconds(seconds: float) -> Iterator[None]:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        yield
        time.sleep(0.05)

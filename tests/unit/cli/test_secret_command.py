"""`pi-sandbox secret` from the outside, with a keyring in memory; the terminal part with a real terminal."""

import io
import os
import secrets
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

from pi_sandbox.cli import secret_command
from pi_sandbox.cli.main import run
from pi_sandbox.credentials.keyring_protocol import Answer, Outcome
from pi_sandbox.credentials.secret import Secret
from pi_sandbox.exit_codes import ExitCode
from tests.fakes.keyring import FakeKeyring

CHECKOUT = Path(__file__).parents[3]


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> FakeKeyring:
    fake = FakeKeyring()
    monkeypatch.setattr(secret_command, "system_keychain", lambda environ, *, attended: fake.keychain())
    return fake


def pipe(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))


def test_a_value_is_asked_for_only_once_the_keyring_is_known_to_work(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    fake = FakeKeyring(refusal=Answer(Outcome.UNUSABLE, "no keyring service answers"))
    monkeypatch.setattr(secret_command, "system_keychain", lambda environ, *, attended: fake.keychain())
    unread = io.BytesIO(b"made-up value")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(unread, encoding="utf-8"))
    assert run(["secret", "set", "SOME_KEY"]) == ExitCode.SECRETS
    assert unread.tell() == 0
    assert "export SOME_KEY=" in capfd.readouterr().err


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_one_line_from_a_pipe_is_stored(keyring: FakeKeyring, monkeypatch: pytest.MonkeyPatch, end: bytes) -> None:
    pipe(monkeypatch, b"made-up value" + end)
    assert run(["secret", "set", "SOME_KEY"]) == ExitCode.OK
    assert keyring.items == {"SOME_KEY": Secret("made-up value")}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("SOME_KEY", b""),
        ("SOME_KEY", b"\n"),
        ("SOME_KEY", b"   \n"),
        ("SOME_KEY", b"one\ntwo\n"),
        ("SOME_KEY", b"one\n\n"),
        ("SOME_KEY", b"one\rtwo"),
        ("SOME_KEY", b"one\x00two"),
        ("SOME_KEY", b"\x1b[Done"),
        ("SOME_KEY", b"one\xff"),
        ("SOME_KEY", b"\xef\xbb\xbfone"),
        ("SOME_KEY", b"x" * 70_000),
        ("brain-work-token", b"bob:to ken\n"),
        ("PATH", b"one"),
    ],
)
def test_anything_odd_is_refused_and_nothing_is_stored(
    keyring: FakeKeyring,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    name: str,
    data: bytes,
) -> None:
    pipe(monkeypatch, data)
    assert run(["secret", "set", name]) == ExitCode.USAGE
    assert keyring.items == {}
    said = "".join(capfd.readouterr())
    assert name in said
    assert "one" not in said.replace("one line", "").replace("one plain line", "").replace("than one", "")


@pytest.mark.parametrize(
    ("user", "name", "data", "stored"),
    [
        ("", "brain-work-token", b"made-up-word", False),
        ("", "brain-work-token", b"bob:made-up-word", True),
        ("", "brain-work-token", b":made-up-word", False),
        ("", "brain-work-token", b"bob:", False),
        ("bob", "brain-work-token", b"made-up-word", True),
        ("bob", "brain-work-token", b"bob:made-up-word", True),
        ("", "brain-my-club-token", b"made-up-word", True),
        ("", "brain-my-club-token", b"bob:", False),
    ],
)
def test_a_token_of_a_store_has_the_form_that_its_sync_needs(
    keyring: FakeKeyring,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    user: str,
    name: str,
    data: bytes,
    stored: bool,
) -> None:
    if user:
        monkeypatch.setenv("BRAIN_WORK_USER", user)
    pipe(monkeypatch, data)
    assert run(["secret", "set", name]) == (ExitCode.OK if stored else ExitCode.USAGE)
    assert list(keyring.items) == ([name] if stored else [])
    said = "".join(capfd.readouterr())
    assert "made-up-word" not in said
    assert stored or "nothing was stored" in said


def test_a_value_is_never_shown_nor_its_length(
    keyring: FakeKeyring, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    value = secrets.token_urlsafe(30)[:37]
    pipe(monkeypatch, value.encode())
    monkeypatch.setenv("PI_SANDBOX_PASS_SECRETS", "SOME_KEY")
    for arguments in (["set", "SOME_KEY"], ["list"], ["delete", "SOME_KEY"]):
        assert run(["secret", *arguments]) == ExitCode.OK
    said = "".join(capfd.readouterr())
    assert "SOME_KEY" in said
    assert value not in said
    assert "37" not in said


def test_the_list_is_a_table_on_standard_output(
    keyring: FakeKeyring, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for store in ("CORE", "PRIVATE"):
        monkeypatch.setenv(f"BRAIN_{store}_URL", f"https://git.example.org/{store.lower()}.git")
    keyring.items["brain-core-token"] = Secret("x")
    assert run(["secret", "list"]) == ExitCode.OK
    assert capfd.readouterr().out.splitlines() == [
        "NAME                 FROM     STATE",
        "brain-core-token     keyring  present",
        "brain-private-token  keyring  absent",
    ]


@pytest.mark.usefixtures("keyring")
def test_an_empty_list_says_which_settings_would_fill_it(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["secret", "list"]) == ExitCode.OK
    assert "PI_SANDBOX_PASS_SECRETS is not set, and no store has a URL" in capfd.readouterr().err
    monkeypatch.setenv("PI_SANDBOX_PASS_SECRETS", "SOME_KEY")
    assert run(["secret", "list"]) == ExitCode.OK
    assert capfd.readouterr().err == "", "the control"


def test_deleting_what_is_not_there_says_so(keyring: FakeKeyring, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["secret", "delete", "SOME_KEY"]) == ExitCode.SECRETS
    said = capfd.readouterr().err
    assert "has no item" in said
    assert "nothing was removed" in said
    assert "secret set" not in said


def test_without_a_keyring_deleting_names_no_other_way_to_give_a_key(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    fake = FakeKeyring(refusal=Answer(Outcome.UNUSABLE, "no keyring service answers"))
    monkeypatch.setattr(secret_command, "system_keychain", lambda environ, *, attended: fake.keychain())
    assert run(["secret", "delete", "SOME_KEY"]) == ExitCode.SECRETS
    told = capfd.readouterr().err
    assert "nothing was removed" in told
    assert "export" not in told


def test_help_and_version_do_not_load_the_keyring_library() -> None:
    script = (
        "import sys\n"
        "from pi_sandbox.cli.main import run\n"
        "codes = [run(words) for words in (['--help'], ['--version'], ['secret', '--help'])]\n"
        "loaded = {'keyring', 'secretstorage'} & set(sys.modules)\n"
        "sys.exit(f'{codes} {loaded}' if any(codes) or loaded else 0)\n"
    )
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=CHECKOUT)
    assert told.returncode == 0, told.stderr


BACKEND = """
import os
from keyring.backend import KeyringBackend

class Folder(KeyringBackend):
    priority = 5
    def get_password(self, service, username): return None
    def set_password(self, service, username, password):
        with open(os.path.join(os.environ["XDG_DATA_HOME"], username), "w") as file: file.write(password)
    def delete_password(self, service, username): raise NotImplementedError
"""


@pytest.fixture
def terminal(tmp_path: Path) -> "pexpect.spawn[str]":
    """`pi-sandbox secret set SOME_KEY` at a terminal, with a keyring that writes into the temporary folder."""
    (tmp_path / "folder_backend.py").write_text(BACKEND)
    environment = dict(os.environ) | {
        "PYTHONPATH": f"{tmp_path}{os.pathsep}{CHECKOUT}",
        "PYTHON_KEYRING_BACKEND": "folder_backend.Folder",
        "XDG_DATA_HOME": str(tmp_path),
    }
    command = [sys.executable, "-m", "pi_sandbox", "secret", "set", "SOME_KEY"]
    return pexpect.spawn(
        command[0],
        command[1:],
        env=environment,  # type: ignore[arg-type]
        encoding="utf-8",
        timeout=15,
    )


def test_a_typed_value_is_not_shown_and_is_stored(terminal: "pexpect.spawn[str]", tmp_path: Path) -> None:
    value = secrets.token_urlsafe(8)
    terminal.expect("value of SOME_KEY")
    terminal.sendline(value)
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == ExitCode.OK
    assert value not in (terminal.before or "")
    assert (tmp_path / "SOME_KEY").read_text() == value


@pytest.mark.parametrize(
    ("keys", "code"), [("\x03", ExitCode.INTERRUPTED), ("\x04", ExitCode.USAGE), ("\r", ExitCode.USAGE)]
)
def test_ctrl_c_ctrl_d_and_nothing_store_nothing(
    terminal: "pexpect.spawn[str]", tmp_path: Path, keys: str, code: ExitCode
) -> None:
    terminal.expect("not shown")
    terminal.send(keys)
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == code
    assert not (tmp_path / "SOME_KEY").exists()

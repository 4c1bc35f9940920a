"""The command on a real gnome-keyring: items of other programs, a locked keyring, one that hangs, none at all."""

import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_sandbox.exit_codes import ExitCode
from tests.fakes.private_keyring import PrivateBus, private_bus
from tests.running import SOON

CHECKOUT = Path(__file__).parents[2]
SETTINGS = {
    "PYTHONPATH": str(CHECKOUT),
    "PI_SANDBOX_PASS_SECRETS": "SOME_KEY",
    "BRAIN_WORK_URL": "https://git.example.org/memory/work.git",
}


@pytest.fixture
def bus(tmp_path: Path) -> Iterator[PrivateBus]:
    with private_bus(tmp_path) as started:
        yield started


def pi_sandbox(bus: PrivateBus, *arguments: str, value: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "pi_sandbox", "secret", *arguments],
        env=bus.environ | SETTINGS,
        input=value,
        capture_output=True,
        text=True,
        check=False,
    )


def state(bus: PrivateBus, name: str) -> str:
    lines = pi_sandbox(bus, "list").stdout.splitlines()
    return next(line.split()[-1] for line in lines if line.startswith(f"{name} "))


def test_an_item_goes_round_and_secret_tool_sees_it(bus: PrivateBus) -> None:
    bus.unlocked_keyring()
    value = f"bob:{secrets.token_urlsafe(12)}"
    assert state(bus, "brain-work-token") == "absent"
    assert pi_sandbox(bus, "set", "brain-work-token", value=value).returncode == ExitCode.OK
    assert state(bus, "brain-work-token") == "present"
    assert bus.secret_tool("lookup", "service", "pi-sandbox", "username", "brain-work-token") == value
    assert pi_sandbox(bus, "delete", "brain-work-token").returncode == ExitCode.OK
    again = pi_sandbox(bus, "delete", "brain-work-token")
    assert (again.returncode, "has no item" in again.stderr) == (ExitCode.SECRETS, True)
    assert bus.secret_tool("lookup", "service", "pi-sandbox", "username", "brain-work-token") == ""


def test_an_item_made_by_secret_tool_is_found_without_its_line_end(bus: PrivateBus) -> None:
    bus.unlocked_keyring()
    value = secrets.token_urlsafe(12)
    bus.secret_tool("store", "--label=x", "service", "pi-sandbox", "username", "SOME_KEY", value=f"{value}\n")
    assert state(bus, "SOME_KEY") == "present"
    script = (
        "import os, sys\n"
        "from pi_sandbox.credentials.keyring_call import system_keychain\n"
        "found = system_keychain(os.environ, attended=False).read('SOME_KEY').reveal()\n"
        "sys.exit(found != sys.stdin.read())\n"
    )
    environ = bus.environ | {"PYTHONPATH": str(CHECKOUT)}
    subprocess.run([sys.executable, "-c", script], env=environ, input=value, text=True, check=True)


def test_a_locked_keyring_is_called_locked_and_still_says_what_it_has(bus: PrivateBus) -> None:
    bus.unlocked_keyring()
    pi_sandbox(bus, "set", "SOME_KEY", value="made-up")
    bus.lock()
    assert state(bus, "SOME_KEY") == "present"
    assert state(bus, "brain-work-token") == "absent"
    for arguments in (("delete", "SOME_KEY"), ("set", "SOME_KEY")):
        told = pi_sandbox(bus, *arguments, value="other")
        assert told.returncode == ExitCode.SECRETS
        assert "is locked" in told.stderr
        assert "unlock it" in told.stderr


def test_a_question_that_nobody_answers_ends_as_locked(bus: PrivateBus) -> None:
    bus.silent_service("org.gnome.keyring.SystemPrompter")
    bus.unlocked_keyring()
    pi_sandbox(bus, "set", "SOME_KEY", value="made-up")
    bus.lock()
    began = time.monotonic()
    told = pi_sandbox(bus, "set", "SOME_KEY", value="other")
    assert told.returncode == ExitCode.SECRETS
    assert "is locked: it asked to be unlocked, and nobody answered within 10 seconds" in told.stderr
    assert time.monotonic() - began < SOON


def test_a_service_that_hangs_is_given_up(bus: PrivateBus) -> None:
    bus.silent_service("org.freedesktop.secrets")
    began = time.monotonic()
    told = pi_sandbox(bus, "delete", "SOME_KEY")
    assert told.returncode == ExitCode.SECRETS
    assert "did not answer" in told.stderr
    assert time.monotonic() - began < SOON


def test_a_service_without_a_keyring_is_unusable(bus: PrivateBus) -> None:
    bus.keyring_without_collection()
    for arguments in (("delete", "SOME_KEY"), ("set", "SOME_KEY")):
        told = pi_sandbox(bus, *arguments, value="made-up")
        assert told.returncode == ExitCode.SECRETS
        assert "no default keyring" in told.stderr


@pytest.mark.parametrize("address", ["unix:path=/nonexistent/bus", None])
def test_without_a_bus_or_a_service_there_is_no_keyring(bus: PrivateBus, address: str | None) -> None:
    if address is not None:
        bus.environ["DBUS_SESSION_BUS_ADDRESS"] = address
    told = pi_sandbox(bus, "set", "SOME_KEY", value="made-up")
    assert told.returncode == ExitCode.SECRETS
    assert "no usable keyring" in told.stderr
    listed = pi_sandbox(bus, "list")
    assert listed.returncode == ExitCode.OK
    assert "unknown" in listed.stdout
    assert listed.stderr.count("no usable keyring") == 1

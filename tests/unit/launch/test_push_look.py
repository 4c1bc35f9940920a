"""What the doctor says about the push of a store."""

from pathlib import Path

import pytest

from pi_sandbox.credentials.keyring_protocol import Action, Answer, Outcome
from pi_sandbox.credentials.secret import Secret
from pi_sandbox.launch.push_look import PushLook, Readiness, look_at_push
from tests.fakes.keyring import FakeKeyring
from tests.unit.session import plan_parts as parts

URL = "https://git.example.org/a.git"


def look(keyring: FakeKeyring, **environ: str) -> PushLook:
    settings = parts.settings(**environ)
    return look_at_push("work", settings.stores["work"], {"PATH": "/usr/bin:/bin"}, keyring.keychain())


def test_a_store_without_a_url_stays_here_and_nobody_is_asked() -> None:
    keyring = FakeKeyring()
    found = look(keyring)
    assert found.readiness is Readiness.STAYS_HERE
    assert "BRAIN_WORK_URL is not set" in found.detail
    assert keyring.asked == []


def test_an_item_of_the_keyring_makes_a_store_ready_and_is_not_read() -> None:
    keyring = FakeKeyring({"brain-work-token": Secret("ada:" + "t" * 9)})
    found = look(keyring, BRAIN_WORK_URL=URL)
    assert found.readiness is Readiness.READY
    assert URL in found.detail
    assert keyring.asked == [(Action.LOOK, "brain-work-token")]


def test_an_item_that_is_not_there_comes_with_the_command_that_makes_it() -> None:
    found = look(FakeKeyring(), BRAIN_WORK_URL=URL)
    assert found.readiness is Readiness.NOT_READY
    assert found.remedy == "pi-sandbox secret set brain-work-token"


def test_a_keyring_that_is_locked_is_said_as_such() -> None:
    found = look(FakeKeyring(refusal=Answer(Outcome.LOCKED, "")), BRAIN_WORK_URL=URL)
    assert found.readiness is Readiness.NOT_READY
    assert "locked" in found.detail
    assert found.remedy


def test_a_command_is_looked_for_and_not_run_and_the_keyring_not_asked(tmp_path: Path) -> None:
    keyring = FakeKeyring()
    found = look(keyring, BRAIN_WORK_URL=URL, BRAIN_WORK_TOKEN_CMD=f"touch {tmp_path}/ran")
    assert found.readiness is Readiness.READY
    assert "BRAIN_WORK_TOKEN_CMD" in found.detail
    assert list(tmp_path.iterdir()) == []
    assert keyring.asked == []


@pytest.mark.parametrize("command", ["no-such-program show it", "./relative"])
def test_a_command_that_cannot_start_is_named(command: str) -> None:
    found = look(FakeKeyring(), BRAIN_WORK_URL=URL, BRAIN_WORK_TOKEN_CMD=command)
    assert found.readiness is Readiness.NOT_READY
    assert "BRAIN_WORK_TOKEN_CMD" in found.detail

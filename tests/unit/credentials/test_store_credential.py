"""A store's credential comes from its one source; the other is never tried."""

import os
from pathlib import Path

import pytest

from pi_sandbox.credentials.credential import Credential, StoreCredentialError
from pi_sandbox.credentials.keyring_protocol import Answer, Outcome
from pi_sandbox.credentials.secret import Secret
from pi_sandbox.credentials.store_credential import read_store_credential
from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.settings.settings import StoreSettings
from tests.fakes.keyring import FakeKeyring


def settings(command: str | None = None, user: str | None = None) -> StoreSettings:
    return StoreSettings(url="https://example.org/x", token_command=command, user=user)


def test_the_keyring_item_is_read_where_no_command_is_set() -> None:
    fake = FakeKeyring({"brain-work-token": Secret("bob:tok")})
    credential = read_store_credential("work", settings(), os.environ, fake.keychain())
    assert credential == Credential("bob", Secret("tok"))


def test_a_command_is_used_where_it_is_set_and_the_keyring_is_not_asked() -> None:
    fake = FakeKeyring({"brain-work-token": Secret("bob:tok")})
    credential = read_store_credential("work", settings("echo other", "ann"), os.environ, fake.keychain())
    assert credential == Credential("ann", Secret("other"))
    assert fake.asked == []


def test_a_command_that_fails_does_not_fall_back_to_the_keyring(tmp_path: Path) -> None:
    fake = FakeKeyring({"brain-work-token": Secret("bob:tok")})
    with pytest.raises(StoreCredentialError, match="BRAIN_WORK_TOKEN_CMD"):
        read_store_credential("work", settings("false"), os.environ, fake.keychain())
    assert fake.asked == []


@pytest.mark.parametrize(
    ("outcome", "word"),
    [
        (Outcome.MISSING, "has no item"),
        (Outcome.UNUSABLE, "no usable keyring"),
        (Outcome.LOCKED, "locked"),
        (Outcome.DENIED, "denied"),
        (Outcome.TIMED_OUT, "did not answer"),
    ],
)
def test_a_keyring_that_refuses_fails_the_store_and_says_why(outcome: Outcome, word: str) -> None:
    fake = FakeKeyring(refusal=Answer(outcome))
    with pytest.raises(StoreCredentialError, match=word) as raised:
        read_store_credential("work", settings(), os.environ, fake.keychain())
    assert raised.value.exit_code == ExitCode.STORE_FAILED
    assert raised.value.hint


def test_an_odd_keyring_item_is_named_and_not_shown() -> None:
    fake = FakeKeyring({"brain-work-token": Secret("bob:to k")})
    with pytest.raises(StoreCredentialError, match="brain-work-token") as raised:
        read_store_credential("work", settings(), os.environ, fake.keychain())
    assert "to k" not in raised.value.message

"""One source per store, decided by the setting alone."""

from pi_sandbox.credentials.sources import CommandSource, KeyringSource, credential_source, keyring_account
from pi_sandbox.settings.settings import StoreSettings


def test_a_command_that_is_set_is_the_source() -> None:
    settings = StoreSettings(url=None, token_command="op read x", user=None)
    assert credential_source("my-club", settings) == CommandSource("BRAIN_MY_CLUB_TOKEN_CMD", "op read x")


def test_without_a_command_the_keyring_item_is_the_source() -> None:
    settings = StoreSettings(url=None, token_command=None, user=None)
    assert credential_source("core", settings) == KeyringSource("brain-core-token")


def test_the_account_keeps_the_hyphens_of_the_name() -> None:
    assert keyring_account("my-club") == "brain-my-club-token"

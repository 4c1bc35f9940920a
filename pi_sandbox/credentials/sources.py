"""Where a store's credential comes from (sandbox.md, "Credentials").

- `BRAIN_<ID>_TOKEN_CMD`, if it is set: the output of that command.
- Otherwise the keyring item `pi-sandbox` / `brain-<name>-token`.
- One of the two, decided by the setting alone. If it fails, the other one is not tried.
"""

from dataclasses import dataclass

from pi_sandbox.settings.settings import StoreSettings
from pi_sandbox.settings.table import TOKEN_COMMAND_SUFFIX, store_setting


@dataclass(frozen=True)
class CommandSource:
    """The user's own command, and the name of the setting that it stands in."""

    variable: str
    command: str


@dataclass(frozen=True)
class KeyringSource:
    """An item of the keyring."""

    account: str


def credential_source(store: str, settings: StoreSettings) -> CommandSource | KeyringSource:
    """Gives the one source of a store's credential; `store` is `core` or the name of a domain."""
    if settings.token_command is not None:
        return CommandSource(store_setting(store, TOKEN_COMMAND_SUFFIX), settings.token_command)
    return KeyringSource(keyring_account(store))


def keyring_account(store: str) -> str:
    """Gives the account of a store's keyring item: `my-club` → `brain-my-club-token`."""
    return f"brain-{store}-token"

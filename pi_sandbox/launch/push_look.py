"""Whether each store could be pushed: URL, and the source of its credential. Nothing is run, read or connected to."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from pi_sandbox.credentials.credential import StoreCredentialError
from pi_sandbox.credentials.keychain import Keychain, KeyringLockedError, KeyringTimeoutError, NoKeyringError
from pi_sandbox.credentials.sources import CommandSource, credential_source
from pi_sandbox.credentials.token_command import token_arguments
from pi_sandbox.errors import SecretsError
from pi_sandbox.settings.settings import StoreSettings
from pi_sandbox.settings.table import TOKEN_COMMAND_SUFFIX, URL_SUFFIX, store_setting

_OF_THE_WHOLE = {
    NoKeyringError: "cannot be used",
    KeyringLockedError: "is locked",
    KeyringTimeoutError: "does not answer",
}
"""What is wrong with the whole keyring; the remedy is said once, by the check of the keyring."""


class Readiness(Enum):
    """Whether a store could be pushed."""

    READY = "ready"
    STAYS_HERE = "stays here"
    NOT_READY = "not ready"


@dataclass(frozen=True)
class PushLook:
    """What there is for the push of one store, in words, and what to do where something is missing."""

    store: str
    readiness: Readiness
    detail: str
    remedy: str = ""


def look_at_push(name: str, store: StoreSettings, environ: Mapping[str, str], keychain: Keychain) -> PushLook:
    """Looks at one store; `name` is `core` or a domain. A keyring may be asked whether it has the item."""
    if store.url is None:
        setting = store_setting(name, URL_SUFFIX)
        return PushLook(name, Readiness.STAYS_HERE, f"{setting} is not set: the store stays on this machine")
    source = credential_source(name, store)
    if isinstance(source, CommandSource):
        try:
            token_arguments(source, environ)
        except StoreCredentialError as error:
            return PushLook(name, Readiness.NOT_READY, error.message, error.hint)
        return PushLook(name, Readiness.READY, f"{store.url}, with what {source.variable} prints (not run)")
    try:
        if keychain.has(source.account):
            return PushLook(name, Readiness.READY, f"{store.url}, with the keyring's {source.account} (not read)")
    except (NoKeyringError, KeyringLockedError, KeyringTimeoutError) as error:
        setting = store_setting(name, TOKEN_COMMAND_SUFFIX)
        return PushLook(
            name,
            Readiness.NOT_READY,
            f"{store.url}, but the keyring with {source.account} {_OF_THE_WHOLE[type(error)]} (see keyring above)",
            f"mend the keyring, or set {setting} to a command that prints the credential",
        )
    except SecretsError as error:
        return PushLook(name, Readiness.NOT_READY, error.message, error.hint)
    return PushLook(
        name,
        Readiness.NOT_READY,
        f"{store.url}, but the keyring has no {source.account}",
        f"pi-sandbox secret set {source.account}",
    )

"""Reads the credential of one store from the one source that it has."""

from collections.abc import Mapping

from pi_sandbox.credentials.credential import Credential, StoreCredentialError, parse_credential
from pi_sandbox.credentials.keychain import Keychain, item_name
from pi_sandbox.credentials.sources import CommandSource, credential_source
from pi_sandbox.credentials.token_command import read_token_command
from pi_sandbox.errors import SecretsError, quoted
from pi_sandbox.settings.settings import StoreSettings
from pi_sandbox.settings.table import USER_SUFFIX, store_setting


def read_store_credential(
    store: str, settings: StoreSettings, environ: Mapping[str, str], keychain: Keychain
) -> Credential:
    """Gives what the push of a store signs in with; `store` is `core` or the name of a domain.

    Raises `StoreCredentialError`, which concerns this store only, and `KeyboardInterrupt` for Ctrl-C.
    """
    source = credential_source(store, settings)
    user_variable = store_setting(store, USER_SUFFIX)
    if isinstance(source, CommandSource):
        value = read_token_command(source, environ)
        return parse_credential(value, settings.user, origin=source.variable, user_variable=user_variable)
    try:
        value = keychain.read(source.account)
    except SecretsError as error:
        raise StoreCredentialError(error.message, error.hint) from error
    origin = f"the keyring item {quoted(item_name(source.account))}"
    return parse_credential(value, settings.user, origin=origin, user_variable=user_variable)

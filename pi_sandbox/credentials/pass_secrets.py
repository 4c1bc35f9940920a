"""The secrets that the user lets into a session (`PI_SANDBOX_PASS_SECRETS`).

- Each name is taken from the environment if it has a value there, else from the keyring (account = the name).
- A name that is found in neither is reported with the reason; no placeholder stands in for it, because a variable with
  a made-up value would shadow a login.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pi_sandbox.credentials.keychain import Keychain
from pi_sandbox.credentials.secret import Secret
from pi_sandbox.errors import SecretsError


@dataclass(frozen=True)
class PassedSecrets:
    """What a session gets, and which names it does not get, each with the reason in words."""

    values: Mapping[str, Secret]
    missing: tuple[tuple[str, str], ...]


def collect_pass_secrets(names: Iterable[str], environ: Mapping[str, str], keychain: Keychain) -> PassedSecrets:
    """Finds a value for each name; never raises for a keyring that fails."""
    values: dict[str, Secret] = {}
    missing: list[tuple[str, str]] = []
    for name in names:
        value = environ.get(name, "")
        if value:
            values[name] = Secret(value)
            continue
        try:
            values[name] = keychain.read(name)
        except SecretsError as error:
            missing.append((name, f"not in the environment, and {error.message}"))
    return PassedSecrets(values, tuple(missing))

"""Which secrets there can be, and where each would be taken from, without reading one."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from pi_sandbox.credentials.keychain import Keychain
from pi_sandbox.credentials.sources import CommandSource, credential_source, keyring_account
from pi_sandbox.errors import SecretsError, SettingsError, UsageError, quoted
from pi_sandbox.settings.domains import CORE, parse_domain_name
from pi_sandbox.settings.env_file import showable_name
from pi_sandbox.settings.settings import Settings
from pi_sandbox.settings.table import PASS_SECRETS, URL_SUFFIX, store_setting
from pi_sandbox.settings.values import parse_secret_names

_TOKEN_NAME = re.compile(r"brain-(?P<store>.+)-token")
_TOKEN_LIKE = re.compile(r"(?=.*[a-z])(?=.*[0-9])\w{20,}")
"""Long, with digits and small letters: so are tokens, and no variable that a program reads its key from."""
NAME_HINT = "use the name of a variable (ANTHROPIC_API_KEY), brain-core-token or brain-<domain>-token"
_NOT_SHOWN = "what was given as NAME (not shown)"
_LONGEST_SHOWN = 64


class State(Enum):
    """Whether there is a value. `NOT_RUN`: a command would be run for it; `UNKNOWN`: the keyring does not say."""

    PRESENT = "present"
    ABSENT = "absent"
    NOT_RUN = "not run"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class ListedSecret:
    """One name, the source that would be used for it, and whether that has a value."""

    name: str
    origin: str
    state: State


@dataclass(frozen=True)
class SecretKind:
    """What a name stands for: the token of a store, or (`store` is `None`) a variable for the agent."""

    name: str
    store: str | None

    @property
    def is_token(self) -> bool:
        return self.store is not None


def secret_kind(name: str) -> SecretKind:
    """Gives what a name stands for; raises `UsageError` for a name that can be neither.

    A value that was given in place of its name is refused, and neither shown nor kept as a name.
    """
    shown = _shown(name)
    if match := _TOKEN_NAME.fullmatch(name):
        store = match["store"]
        try:
            return SecretKind(name, store if store == CORE else parse_domain_name(store))
        except SettingsError as error:
            raise UsageError(f"{shown} is not the token of a store", NAME_HINT) from error
    try:
        names = parse_secret_names(name)
    except ValueError as error:
        reason = f": it {error}" if shown != _NOT_SHOWN else ""
        raise UsageError(f"{shown} is not the name of a secret{reason}", NAME_HINT) from error
    if names != (name,):
        raise UsageError(f"{shown} is more than one name", NAME_HINT)
    if _TOKEN_LIKE.fullmatch(name):
        raise UsageError(f"{_NOT_SHOWN} looks like the value of a secret and not like its name", NAME_HINT)
    return SecretKind(name, None)


def _shown(name: str) -> str:
    """Gives the name for a message; it may be a secret, given in the wrong place."""
    is_token_name = _TOKEN_NAME.fullmatch(name) is not None and len(name) <= _LONGEST_SHOWN
    return quoted(name) if is_token_name or showable_name(name) == name else _NOT_SHOWN


def setting_note(kind: SecretKind, settings: Settings) -> str:
    """Gives what stands in the way of a stored item being used, or an empty text."""
    if kind.store is None:
        if kind.name in settings.pass_secrets:
            return ""
        return f"sessions do not get {kind.name} yet: add it to {PASS_SECRETS}"
    if kind.store not in settings.stores:
        return f"no store uses it yet: the stores are {', '.join(settings.stores)}"
    source = credential_source(kind.store, settings.stores[kind.store])
    if isinstance(source, CommandSource):
        return f"memory-sync does not use it while {source.variable} is set"
    if settings.stores[kind.store].url is None:
        return f"memory-sync does not use it until {store_setting(kind.store, URL_SUFFIX)} is set"
    return ""


def list_secrets(
    settings: Settings, environ: Mapping[str, str], keychain: Keychain
) -> tuple[tuple[ListedSecret, ...], str]:
    """Gives every secret that the settings use, and what the keyring cannot tell (empty if it tells everything).

    A store without a URL is pushed nowhere, and so its token is used by nothing.
    """
    problems: list[str] = []

    def in_keyring(account: str) -> ListedSecret:
        try:
            state = State.PRESENT if keychain.has(account) else State.ABSENT
        except SecretsError as error:
            problems.append(error.message)
            state = State.UNKNOWN
        return ListedSecret(account, "keyring", state)

    listed: list[ListedSecret] = []
    for name in settings.pass_secrets:
        in_environment = ListedSecret(name, "environment", State.PRESENT)
        listed.append(in_environment if environ.get(name) else in_keyring(name))
    for store, store_settings in settings.stores.items():
        if store_settings.url is None:
            continue
        source = credential_source(store, store_settings)
        if isinstance(source, CommandSource):
            listed.append(ListedSecret(keyring_account(store), source.variable, State.NOT_RUN))
        else:
            listed.append(in_keyring(source.account))
    return tuple(listed), problems[0] if problems else ""

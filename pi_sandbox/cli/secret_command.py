"""`pi-sandbox secret set|list|delete`: keys in the keyring of this machine. No value is ever shown, nor its length."""

import getpass
import os
import sys
import warnings

import click

from pi_sandbox.cli import render
from pi_sandbox.cli.misuse import ToldArgument
from pi_sandbox.cli.once import OnceGroup
from pi_sandbox.credentials.credential import StoreCredentialError, parse_credential, parse_token_text
from pi_sandbox.credentials.keychain import ItemMissingError, Keychain, NoKeyringError, item_name
from pi_sandbox.credentials.keyring_call import system_keychain
from pi_sandbox.credentials.listing import NAME_HINT, ListedSecret, SecretKind, list_secrets, secret_kind, setting_note
from pi_sandbox.credentials.secret import Secret
from pi_sandbox.errors import UsageError, quoted
from pi_sandbox.settings.domains import CORE
from pi_sandbox.settings.read import read_settings
from pi_sandbox.settings.settings import Settings
from pi_sandbox.settings.table import USER_SUFFIX, store_setting

_INPUT_LIMIT_BYTES = 64 * 1024
_LIST = "pi-sandbox secret list shows those that the settings name"


@click.group(cls=OnceGroup)
def secret() -> None:
    """Keep keys in the keyring of this machine (service pi-sandbox).

    A NAME is that of a variable for the agent, such as ANTHROPIC_API_KEY (see PI_SANDBOX_PASS_SECRETS), or
    brain-core-token, brain-<domain>-token for memory-sync.
    """


@secret.command("set")
@click.argument("name", metavar="NAME", cls=ToldArgument, meaning=f"{NAME_HINT}; {_LIST}")
def set_secret(name: str) -> None:
    """Store the value of NAME; it is asked for without showing it, or read as one line from a pipe.

    The token of a store is username:token, or the token alone where BRAIN_<ID>_USER is set.
    """
    kind = secret_kind(name)
    settings = read_settings(os.environ)
    keychain = _keychain()
    keychain.has(name)  # nobody should type a key for a keyring that cannot take it
    keychain.store(name, _checked(kind, _read_value(kind, settings), settings))
    render.show_note(f"stored {quoted(item_name(name))} in the keyring")
    note = setting_note(kind, settings)
    if note:
        render.show_note(note)


@secret.command("list")
def list_names() -> None:
    """Show the keys that the settings name, and where each would be taken from; nothing is read.

    These are the names in PI_SANDBOX_PASS_SECRETS and the tokens of the stores that have a URL. What else the keyring
    holds for pi-sandbox is not listed: no keyring of every kind can tell that.
    """
    listed, problem = list_secrets(read_settings(os.environ), os.environ, _keychain())
    render.show_result("".join(f"{line}\n" for line in _lines(listed)))
    if not listed:
        render.show_note("the settings name no key: PI_SANDBOX_PASS_SECRETS is not set, and no store has a URL")
    if problem:
        render.show_warning(problem)


@secret.command("delete")
@click.argument("name", metavar="NAME", cls=ToldArgument, meaning=f"{NAME_HINT}; {_LIST}")
def delete_secret(name: str) -> None:
    """Remove NAME from the keyring."""
    secret_kind(name)
    try:
        _keychain().delete(name)
    except NoKeyringError as error:
        raise NoKeyringError(
            error.message, "so nothing was removed; log in to the session in whose keyring it was stored"
        ) from error
    except ItemMissingError as error:
        raise ItemMissingError(error.message, f"so nothing was removed; {_LIST}") from error
    render.show_note(f"removed {quoted(item_name(name))} from the keyring")


def _keychain() -> Keychain:
    return system_keychain(os.environ, attended=sys.stdin.isatty())


def _lines(listed: tuple[ListedSecret, ...]) -> list[str]:
    rows = [("NAME", "FROM", "STATE"), *((each.name, each.origin, each.state.value) for each in listed)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _read_value(kind: SecretKind, settings: Settings) -> str:
    name = kind.name
    if sys.stdin.isatty():
        with warnings.catch_warnings():
            warnings.simplefilter("error", getpass.GetPassWarning)
            try:
                return getpass.getpass(f"{_wanted(kind, settings)} (not shown): ")
            except getpass.GetPassWarning as error:
                raise UsageError(
                    "this terminal cannot hide what is typed",
                    f"give the value by a pipe: … | pi-sandbox secret set {name}",
                ) from error
            except EOFError:
                return ""
    data = sys.stdin.buffer.read(_INPUT_LIMIT_BYTES + 1)
    if len(data) > _INPUT_LIMIT_BYTES:
        raise UsageError(f"the value of {name} is longer than {_INPUT_LIMIT_BYTES // 1024} KiB", "give one line")
    try:
        return data.decode("utf-8").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise UsageError(f"the value of {name} is not UTF-8 text", "give one line of text") from error


def _wanted(kind: SecretKind, settings: Settings) -> str:
    """How the value is asked for: a token with the form that it needs."""
    if kind.store is None:
        return f"value of {kind.name}"
    return f"{kind.name}, as {'the token alone or ' if _user_of(kind, settings) else ''}username:token"


def _user_of(kind: SecretKind, settings: Settings) -> str | None:
    store = settings.stores.get(kind.store or "")
    return None if store is None else store.user


def _checked_token(kind: SecretKind, text: str, settings: Settings) -> Secret:
    """A store that is not configured yet may get its user name later."""
    token = parse_token_text(text)
    if kind.store not in settings.stores and ":" not in text:
        return token
    try:
        parse_credential(
            token,
            _user_of(kind, settings),
            origin="this",
            user_variable=store_setting(kind.store or CORE, USER_SUFFIX),
        )
    except StoreCredentialError as error:
        raise UsageError(
            f"the value of {kind.name} is not usable: {error.message}; nothing was stored", error.hint
        ) from error
    return token


def _checked(kind: SecretKind, text: str, settings: Settings) -> Secret:
    name = kind.name
    try:
        if kind.is_token:
            return _checked_token(kind, text, settings)
        if not text.strip():
            raise ValueError("is empty")
        if not text.isprintable():
            raise ValueError("has more than one line, or a control or invisible character in it")
        return Secret(text)
    except ValueError as error:
        raise UsageError(
            f"the value of {name} {error}; nothing was stored", "give the value as one plain line"
        ) from error

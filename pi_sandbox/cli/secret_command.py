"""`pi-sandbox secret set|list|delete`: keys in the keyring of this machine. No value is ever shown, nor its length."""

import getpass
import os
import sys
import warnings

import click

from pi_sandbox.cli import render
from pi_sandbox.credentials.credential import parse_token_text
from pi_sandbox.credentials.keychain import Keychain, item_name
from pi_sandbox.credentials.keyring_call import system_keychain
from pi_sandbox.credentials.listing import ListedSecret, list_secrets, secret_kind, setting_note
from pi_sandbox.credentials.secret import Secret
from pi_sandbox.errors import UsageError, quoted
from pi_sandbox.settings.read import read_settings

_INPUT_LIMIT_BYTES = 64 * 1024


@click.group()
def secret() -> None:
    """Keep keys in the keyring of this machine (service pi-sandbox).

    A NAME is that of a variable for the agent, such as ANTHROPIC_API_KEY (see PI_SANDBOX_PASS_SECRETS), or
    brain-core-token, brain-<domain>-token for memory-sync.
    """


@secret.command("set")
@click.argument("name", metavar="NAME")
def set_secret(name: str) -> None:
    """Store the value of NAME; it is asked for without showing it, or read as one line from a pipe."""
    kind = secret_kind(name)
    settings = read_settings(os.environ)
    keychain = _keychain()
    keychain.has(name)  # nobody should type a key for a keyring that cannot take it
    keychain.store(name, _checked(name, _read_value(name), is_token=kind.is_token))
    render.show_note(f"stored {quoted(item_name(name))} in the keyring")
    note = setting_note(kind, settings)
    if note:
        render.show_note(note)


@secret.command("list")
def list_names() -> None:
    """Show which keys there are and where each would be taken from; nothing is read."""
    listed, problem = list_secrets(read_settings(os.environ), os.environ, _keychain())
    render.show_result("".join(f"{line}\n" for line in _lines(listed)))
    if problem:
        render.show_warning(problem)


@secret.command("delete")
@click.argument("name", metavar="NAME")
def delete_secret(name: str) -> None:
    """Remove NAME from the keyring."""
    secret_kind(name)
    _keychain().delete(name)
    render.show_note(f"removed {quoted(item_name(name))} from the keyring")


def _keychain() -> Keychain:
    return system_keychain(os.environ, attended=sys.stdin.isatty())


def _lines(listed: tuple[ListedSecret, ...]) -> list[str]:
    rows = [("NAME", "FROM", "STATE"), *((each.name, each.origin, each.state.value) for each in listed)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _read_value(name: str) -> str:
    if sys.stdin.isatty():
        with warnings.catch_warnings():
            warnings.simplefilter("error", getpass.GetPassWarning)
            try:
                return getpass.getpass(f"value of {name} (not shown): ")
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


def _checked(name: str, text: str, *, is_token: bool) -> Secret:
    try:
        if is_token:
            return parse_token_text(text)
        if not text.strip():
            raise ValueError("is empty")
        if not text.isprintable():
            raise ValueError("has more than one line, or a control or invisible character in it")
        return Secret(text)
    except ValueError as error:
        raise UsageError(
            f"the value of {name} {error}; nothing was stored", "give the value as one plain line"
        ) from error

"""What a push is signed in with: a user name and a token, out of one line of text.

- The text is `username:token`, split at the first colon, or the token alone; then the user name comes from
  `BRAIN_<ID>_USER` (sandbox.md, "Credentials").
- Line ends behind it are removed. Anything else that is odd is refused, because a byte too many fails at the forge with
  an unrelated message or becomes a line of its own in git's credential protocol: nothing at all, a second line, blanks,
  control and invisible characters, a byte order mark.
- The words about what is wrong never hold a part of the text, nor its length.
"""

from dataclasses import dataclass

from pi_sandbox.credentials.secret import Secret
from pi_sandbox.errors import PiSandboxError
from pi_sandbox.exit_codes import ExitCode

_BYTE_ORDER_MARK = "\ufeff"


class StoreCredentialError(PiSandboxError):
    """A store's credential cannot be had or is not usable, so the store cannot be synced."""

    exit_code = ExitCode.STORE_FAILED


@dataclass(frozen=True)
class Credential:
    """The user name, which is no secret, and the token."""

    username: str
    token: Secret


def parse_token_text(text: str) -> Secret:
    """Gives the one line of a text; raises `ValueError` with what is odd about it, in words that follow "it"."""
    line = text.rstrip("\r\n")
    if not line.strip():
        raise ValueError("is empty")
    if line.startswith(_BYTE_ORDER_MARK):
        raise ValueError("starts with a byte order mark")
    if "\n" in line or "\r" in line:
        raise ValueError("has more than one line")
    if any(character.isspace() for character in line):
        raise ValueError("has a blank in it")
    if not line.isprintable():
        raise ValueError("has a control or invisible character in it")
    return Secret(line)


def parse_credential(value: Secret, user: str | None, *, origin: str, user_variable: str) -> Credential:
    """Gives the credential in a value; `user` is the one from the settings, for a value that is the token alone.

    `origin` and `user_variable` name where the value came from and the setting of the user.
    Raises `StoreCredentialError`.
    """
    try:
        username, colon, token = parse_token_text(value.reveal()).reveal().partition(":")
    except ValueError as error:
        raise StoreCredentialError(f"what {origin} gives {error}", _FORM_HINT) from error
    if not colon:
        username, token = user or "", username
        if not username:
            raise StoreCredentialError(
                f"what {origin} gives is a token without a user name, and {user_variable} is not set",
                f"set {user_variable} (pi-sandbox domain add: --user), or use the form username:token",
            )
    if not username or not token:
        missing = "user name" if not username else "token"
        raise StoreCredentialError(f"what {origin} gives has nothing where the {missing} should be", _FORM_HINT)
    return Credential(username, Secret(token))


_FORM_HINT = "it must be one line: username:token, or the token alone"

"""The user's keyring: macOS Keychain, Secret Service, or what the keyring library has for this machine.

- Service `pi-sandbox`; account = a variable's name (`ANTHROPIC_API_KEY`) or `brain-<name>-token` (sandbox.md,
  "Credentials").
- No usable keyring, locked, denied, too slow, no such item, failed: each is an error of its own.
- Each item is read at most once a run; after an answer about the whole keyring (unusable, locked, too slow) nothing is
  asked again.
- There is no second source: a keyring that fails is never replaced by anything.
"""

import re
from collections.abc import Callable
from typing import Final

from pi_sandbox.credentials.keyring_protocol import Action, Answer, Outcome, Request
from pi_sandbox.credentials.secret import Secret
from pi_sandbox.errors import SecretsError, quoted
from pi_sandbox.settings.domains import setting_id

SERVICE: Final = "pi-sandbox"
_TOKEN: Final = re.compile(r"brain-(?P<store>.+)-token")


class KeyringError(SecretsError):
    """Base of everything that the keyring can say no with."""


class NoKeyringError(KeyringError):
    """There is no usable keyring: none at all, switched off, or a plain-text file."""


class KeyringLockedError(KeyringError):
    """The keyring is locked and was not unlocked."""


class KeyringDeniedError(KeyringError):
    """Somebody said no to the keyring's question."""


class KeyringTimeoutError(KeyringError):
    """The keyring did not answer within the time limit."""


class ItemMissingError(KeyringError):
    """The keyring has no such item."""


class KeyringFailedError(KeyringError):
    """The keyring failed in another way, or gave a value that cannot be used."""


class Keychain:
    """The keyring of one run of the program. `ask` carries a request there and an answer back."""

    def __init__(self, ask: Callable[[Request], Answer]) -> None:
        self._ask = ask
        self._answers: dict[tuple[Action, str], Answer] = {}
        self._whole: Answer | None = None

    def read(self, account: str) -> Secret:
        """Gives an item's value; raises a subclass of `KeyringError`."""
        answer = self._cached(Action.GET, account)
        if answer.value is None:
            raise KeyringFailedError(
                f"the keyring item {item_name(account)} is empty", f"set it again: pi-sandbox secret set {account}"
            )
        return answer.value

    def has(self, account: str) -> bool:
        """Tells whether there is such an item, without reading it; raises `KeyringError` where that is not known."""
        try:
            self._cached(Action.LOOK, account)
        except ItemMissingError:
            return False
        return True

    def store(self, account: str, value: Secret) -> None:
        """Makes or replaces an item; raises `KeyringError`."""
        self._forget(account)
        self._checked(self._ask(Request(Action.SET, SERVICE, account, value)), account)

    def delete(self, account: str) -> None:
        """Removes an item; raises `ItemMissingError` if there is none, or another `KeyringError`."""
        self._forget(account)
        self._checked(self._ask(Request(Action.DELETE, SERVICE, account)), account)

    def _cached(self, action: Action, account: str) -> Answer:
        answer = self._whole or self._answers.get((action, account))
        if answer is None:
            answer = self._ask(Request(action, SERVICE, account))
            self._answers[(action, account)] = answer
            if answer.outcome in (Outcome.UNUSABLE, Outcome.LOCKED, Outcome.TIMED_OUT):
                self._whole = answer
        return self._checked(answer, account)

    def _forget(self, account: str) -> None:
        self._whole = None
        for action in Action:
            self._answers.pop((action, account), None)

    @staticmethod
    def _checked(answer: Answer, account: str) -> Answer:
        error = error_of(answer, account)
        if error is not None:
            raise error
        return answer


def item_name(account: str) -> str:
    """Gives how messages name an item."""
    return f"{SERVICE} / {account}"


def error_of(answer: Answer, account: str) -> KeyringError | None:
    """Gives the error that an answer stands for, or `None`: one sentence and one remedy for each kind."""
    item = item_name(account)
    because = f": {answer.detail}" if answer.detail else ""
    match answer.outcome:
        case Outcome.DONE | Outcome.FOUND:
            return None
        case Outcome.MISSING:
            return ItemMissingError(
                f"the keyring has no item {quoted(item)}", f"make it: pi-sandbox secret set {account}"
            )
        case Outcome.UNUSABLE:
            return NoKeyringError(f"there is no usable keyring for {quoted(item)}{because}", _usable_hint(account))
        case Outcome.LOCKED:
            return KeyringLockedError(f"the keyring with {quoted(item)} is locked{because}", _UNLOCK_HINT)
        case Outcome.DENIED:
            return KeyringDeniedError(
                f"access to the keyring item {quoted(item)} was denied{because}",
                "try again and allow the access when the keyring asks",
            )
        case Outcome.TIMED_OUT:
            return KeyringTimeoutError(
                f"the keyring did not answer about {quoted(item)} {answer.detail or 'in time'}",
                "see whether its window waits for you, or whether its service hangs, and try again",
            )
        case Outcome.FAILED:
            return KeyringFailedError(
                f"the keyring item {quoted(item)} could not be used{because}",
                "see whether the keyring works in another program (Keychain Access, Seahorse, secret-tool)",
            )


def _usable_hint(account: str) -> str:
    """What serves in place of a keyring: a command for the token of a store, a variable for a key of the agent."""
    token = _TOKEN.fullmatch(account)
    instead = (
        f"set BRAIN_{setting_id(token['store'])}_TOKEN_CMD in .env to a command that prints it (for a domain that "
        "pi-sandbox domain add is to make: --token-cmd)"
        if token
        else f"give the key by the environment in its place: export {account}=…"
    )
    return (
        "log in to a session with a keyring, or start a Secret Service (gnome-keyring, KeePassXC) under "
        f"dbus-run-session; or {instead}"
    )


_UNLOCK_HINT: Final = (
    "unlock it and try again (macOS: security unlock-keychain; "
    "GNOME: the Passwords and Keys program, or gnome-keyring-daemon --unlock)"
)

"""The child process that asks the keyring: `python -P -m pi_sandbox.credentials.keyring_process get|look|set|delete`.

- It is a process of its own because a Secret Service may answer late or never, and a library call cannot be given up.
- The request comes over standard input, the answer goes over standard output (see `keyring_protocol`); whatever a
  backend prints goes nowhere.
- A backend that keeps values as plain text is refused by name, and so are those that keep nothing.
- It ends itself, and what a backend started, if its parent is gone.
"""

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, cast

from pi_sandbox.credentials.keyring_protocol import (
    Action,
    Answer,
    Outcome,
    Request,
    decode_request,
    encode_answer,
    encode_waiting,
)
from pi_sandbox.credentials.secret import Secret

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

_PARENT_POLL_SECONDS = 0.5

_NO_COLLECTION = "the Secret Service has no default keyring"

# Results of Apple's Security framework (SecBase.h): what each means for the one who asks.
_MACOS_STATUS = {
    -128: (Outcome.DENIED, "the macOS Keychain's question was cancelled"),
    -25293: (Outcome.DENIED, "the macOS Keychain did not accept the password or the program"),
    -25308: (Outcome.LOCKED, "the macOS Keychain is locked and cannot ask in this login session"),
    -25300: (Outcome.MISSING, ""),
    -25291: (Outcome.UNUSABLE, "the macOS Keychain is not available"),
    -25294: (Outcome.UNUSABLE, "the macOS Keychain does not exist"),
    -25307: (Outcome.UNUSABLE, "there is no default macOS Keychain"),
}


def main() -> None:
    """Reads one request, asks the keyring, writes one answer."""
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.dup2(nowhere, sys.stderr.fileno())
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    request = decode_request(sys.argv[1], sys.stdin.buffer.read())
    answer = answer_request(request, lambda waiting: output.write(encode_waiting(waiting)))
    output.write(encode_answer(answer))
    # A backend's threads and exit handlers must not delay or undo the answer.
    os._exit(0)


def answer_request(request: Request, report_waiting: Callable[[Answer], object]) -> Answer:
    """Asks the keyring that this user has; every failure of a backend becomes an answer.

    `report_waiting` is called before a step that may wait for a person, with the answer if nobody comes.
    """
    try:
        backend = _choose_backend()
    except Exception as error:  # noqa: BLE001 - whatever a backend throws, the parent needs an answer
        return Answer(Outcome.UNUSABLE, f"the keyring cannot be opened ({type(error).__name__})")
    refusal = _refusal(backend)
    if refusal:
        return Answer(Outcome.UNUSABLE, refusal)
    waiting: list[Answer] = []

    def report(answer: Answer) -> None:
        waiting.append(answer)
        report_waiting(answer)

    try:
        if _is_secret_service(backend):
            answer = _look_at_secret_service(cast("_SecretServiceBackend", backend), request, report)
            if answer is not None:
                return answer
        return _ask(backend, request)
    except Exception as error:  # noqa: BLE001 - as above
        answer = translate_error(error)
        if waiting and answer.outcome in (Outcome.DENIED, Outcome.LOCKED):
            return Answer(waiting[-1].outcome, f"{waiting[-1].detail}, and that was not done")
        return answer


def translate_error(error: BaseException) -> Answer:
    """Gives the answer that an exception of a backend stands for, by its status number or its class."""
    causes = list(_causes(error))
    for cause in causes:
        status = cause.args[0] if cause.args else None
        if isinstance(status, int) and status in _MACOS_STATUS:
            return Answer(*_MACOS_STATUS[status])
    names = {base.__name__ for cause in causes for base in type(cause).__mro__}
    if "NoKeyringError" in names or "SecretServiceNotAvailableException" in names:
        return Answer(Outcome.UNUSABLE, "no keyring service answers")
    if "PromptDismissedException" in names:
        return Answer(Outcome.DENIED, "the keyring's question was dismissed")
    if "KeyringLocked" in names or "LockedException" in names:
        return Answer(Outcome.LOCKED, "it was not unlocked")
    if "InitError" in names:
        return Answer(Outcome.UNUSABLE, "the keyring cannot be opened")
    return Answer(Outcome.FAILED, f"the keyring failed ({type(error).__name__})")


def _causes(error: BaseException | None) -> "list[BaseException]":
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


def _choose_backend() -> "KeyringBackend":
    """Gives the user's configured backend, else the best one that the keyring library recommends."""
    import keyring.core

    keyring.core.init_backend(limit=keyring.core.recommended)
    return keyring.core.get_keyring()


def _refusal(backend: "KeyringBackend") -> str:
    """Gives why a backend is not used, or an empty text."""
    kinds = {f"{base.__module__}.{base.__qualname__}" for base in type(backend).__mro__}
    name = f"{type(backend).__module__}.{type(backend).__qualname__}"
    if "keyring.backends.null.Keyring" in kinds:
        return f"the keyring is switched off ({name})"
    if "keyring.backends.fail.Keyring" in kinds:
        plain = _plain_text_backends()
        return f"the only keyring is a plain-text file ({plain[0]})" if plain else "there is no keyring on this machine"
    if _is_plain_text(kinds):
        return f"the keyring is a plain-text file ({name})"
    for member in getattr(backend, "backends", ()):
        refusal = _refusal(member)
        if refusal:
            return refusal
    return ""


def _is_plain_text(kinds: set[str]) -> bool:
    return any("plaintext" in kind.lower() for kind in kinds)


def _plain_text_backends() -> list[str]:
    import keyring.backend

    names = [f"{type(each).__module__}.{type(each).__qualname__}" for each in keyring.backend.get_all_keyring()]
    return [name for name in names if _is_plain_text({name})]


def _is_secret_service(backend: "KeyringBackend") -> bool:
    return type(backend).__module__ == "keyring.backends.SecretService"


class _SecretServiceBackend(Protocol):
    """What we use of the library's Secret Service backend besides its public methods: the attributes of an item."""

    def _query(self, service: str, username: str) -> dict[str, str]: ...


def _look_at_secret_service(
    backend: _SecretServiceBackend, request: Request, report_waiting: Callable[[Answer], object]
) -> Answer | None:
    """Answers what needs no unlocking, and says so if the next step waits for a person; `None` to go on.

    The Secret Service finds items by their attributes also while they are locked, so an absent item is told apart from
    a locked one, and a look never opens a window.
    """
    import secretstorage
    from secretstorage.exceptions import ItemNotFoundException

    with contextlib.closing(secretstorage.dbus_init()) as bus:
        try:
            collection = secretstorage.Collection(bus)
        except ItemNotFoundException:
            if request.action is Action.SET:
                report_waiting(Answer(Outcome.UNUSABLE, f"{_NO_COLLECTION} and asked to make one"))
                return None
            return Answer(Outcome.UNUSABLE, _NO_COLLECTION)
        if request.action is not Action.SET:
            attributes = backend._query(request.service, request.account)
            if not any(True for _ in collection.search_items(attributes)):
                return Answer(Outcome.MISSING)
            if request.action is Action.LOOK:
                return Answer(Outcome.FOUND)
        if collection.is_locked():
            report_waiting(Answer(Outcome.LOCKED, "it asked to be unlocked"))
    return None


def _ask(backend: "KeyringBackend", request: Request) -> Answer:
    match request.action:
        case Action.GET | Action.LOOK:
            value = backend.get_password(request.service, request.account)
            if value is None:
                return Answer(Outcome.MISSING)
            if request.action is Action.LOOK:
                return Answer(Outcome.FOUND)
            # A line end at the end is what `echo … | secret-tool store` leaves there.
            line = value.rstrip("\r\n")
            return Answer(Outcome.FOUND, value=Secret(line) if line else None)
        case Action.SET:
            if request.value is None:
                return Answer(Outcome.FAILED, "there is no value to store")
            backend.set_password(request.service, request.account, request.value.reveal())
            return Answer(Outcome.DONE)
        case Action.DELETE:
            return _delete(backend, request)


def _delete(backend: "KeyringBackend", request: Request) -> Answer:
    from keyring.errors import PasswordDeleteError

    try:
        backend.delete_password(request.service, request.account)
    except PasswordDeleteError as error:
        answer = translate_error(error)
        # Most backends have one error for "not there" and "cannot", and only some have a number with it.
        unclear = answer.outcome is Outcome.FAILED
        absent = unclear and backend.get_password(request.service, request.account) is None
        return Answer(Outcome.MISSING) if absent else answer
    return Answer(Outcome.DONE)


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PARENT_POLL_SECONDS)
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    main()

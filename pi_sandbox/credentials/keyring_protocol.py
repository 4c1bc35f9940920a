"""What the parent and the keyring's child process say to each other: one request, then lines of JSON, over pipes.

The value of an item is in these lines and nowhere else: not in arguments, environment or files.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from pi_sandbox.credentials.secret import Secret


class Action(Enum):
    """What is asked of the keyring. `LOOK` tells whether there is an item, without its value."""

    GET = "get"
    LOOK = "look"
    SET = "set"
    DELETE = "delete"


class Outcome(Enum):
    """How it ended. The first three are answers, the others each have an error class of their own."""

    DONE = "done"
    FOUND = "found"
    MISSING = "missing"
    UNUSABLE = "unusable"
    LOCKED = "locked"
    DENIED = "denied"
    TIMED_OUT = "timed out"
    FAILED = "failed"


@dataclass(frozen=True)
class Request:
    """One question. `value` only for `SET`."""

    action: Action
    service: str
    account: str
    value: Secret | None = None


@dataclass(frozen=True)
class Answer:
    """How a request ended. `detail` says why in words; `value` only for a `GET` that found something."""

    outcome: Outcome
    detail: str = ""
    value: Secret | None = field(default=None)


def encode_request(request: Request) -> bytes:
    """Gives the child's input. The action is an argument of the child, not part of it."""
    fields = {"service": request.service, "account": request.account}
    if request.value is not None:
        fields["value"] = request.value.reveal()
    return json.dumps(fields).encode("ascii")


def decode_request(action: str, data: bytes) -> Request:
    """Gives the request back; raises `ValueError` or `KeyError` for anything that `encode_request` does not write."""
    fields = json.loads(data)
    value = fields.get("value")
    return Request(Action(action), fields["service"], fields["account"], None if value is None else Secret(value))


def encode_waiting(answer: Answer) -> bytes:
    """Gives the line that tells, before a call that may wait for a person, what holds if nobody answers."""
    return json.dumps({"waiting": answer.outcome.value, "detail": answer.detail}).encode("ascii") + b"\n"


def encode_answer(answer: Answer) -> bytes:
    """Gives the child's last line."""
    fields = {"outcome": answer.outcome.value, "detail": answer.detail}
    if answer.value is not None:
        fields["value"] = answer.value.reveal()
    return json.dumps(fields).encode("ascii") + b"\n"


def decode_answer(data: bytes) -> Answer | None:
    """Gives the answer in the child's output, or `None` if it did not come to one."""
    for fields in _lines(data):
        if "outcome" in fields:
            value = fields.get("value")
            return Answer(Outcome(fields["outcome"]), fields["detail"], Secret(value) if value else None)
    return None


def decode_waiting(data: bytes) -> Answer | None:
    """Gives what holds after the child was ended while it waited for a person, or `None` if it did not say so."""
    waiting = [Answer(Outcome(fields["waiting"]), fields["detail"]) for fields in _lines(data) if "waiting" in fields]
    return waiting[-1] if waiting else None


def _lines(data: bytes) -> Iterator[dict[str, str]]:
    for line in data.split(b"\n"):
        try:
            fields = json.loads(line)
        except ValueError:
            continue
        if isinstance(fields, dict):
            yield fields

"""What the wrapper and the entry inside the container say to each other: one JSON object a line, in ASCII.

    wrapper                                   entry
    look at these mounts and the marker →
                                            ← seen
    start, with variables, CA bundle, size →
                                            ← started
                                            ← failed, with message, hint and exit code   (instead of started)
                                            ← suspended            (the agent stopped itself, Ctrl-Z)
    continue, with the size →
                                            ← ended, with code and limits that were reached

The end of the wrapper's side ends the session. An unknown message, or one with other members, is refused by both.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

LIMITS = {
    "processes": "the session reached its limit of processes (PI_SANDBOX_PIDS)",
    "memory": "the session reached its memory limit and the kernel ended a process (PI_SANDBOX_MEMORY)",
    "login": "a login of this session holds more than a key or token as pi writes it; it was not kept",
}
"""What the owner reads for each word: a program in the session cannot choose the sentence."""

LINE_LIMIT = 8 * 1024 * 1024
"""Longest accepted line, in bytes: a CA bundle of a few hundred kilobytes and some keys fit many times over."""


def full_folder(folder: str) -> str:
    """Gives the word for a temporary folder that is full."""
    return f"full {folder}"


def limit_sentences(words: Sequence[str], folders: Sequence[str]) -> tuple[str, ...]:
    """Gives what the owner reads for the words of an `Ended`; `folders` are the temporary ones of the plan."""
    known = {
        **LIMITS,
        **{full_folder(name): f"the session's temporary folder {name} is full; it goes with it" for name in folders},
    }
    return tuple(known[word] for word in words if word in known)


class MessageRefused(ValueError):
    """A line is no message of this protocol. The text never holds what the line held."""


@dataclass(frozen=True)
class Look:
    targets: tuple[str, ...]


@dataclass(frozen=True)
class Seen:
    """The three lists are in the order of the targets; see `system.sight.Sight`. `marker` is the word in the marker.

    `reached` names what the kernel itself answered, of what the plan's list of system calls refuses.
    """

    contents: tuple[str | None, ...]
    writable: tuple[bool, ...]
    identities: tuple[str | None, ...]
    marker: str | None
    marker_identity: str | None
    reached: tuple[str, ...]


@dataclass(frozen=True)
class Start:
    """`variables` are the values that never stand in the plan; `rows` and `columns` are 0 without a terminal."""

    variables: Mapping[str, str]
    ca_bundle: str | None
    rows: int
    columns: int

    def __repr__(self) -> str:
        return "Start(…)"


@dataclass(frozen=True)
class Started:
    pass


@dataclass(frozen=True)
class Suspended:
    pass


@dataclass(frozen=True)
class Continue:
    rows: int
    columns: int


@dataclass(frozen=True)
class Ended:
    """`code` as a shell would give it (128 + signal); `limits` are words that `limit_sentences` knows."""

    code: int
    limits: tuple[str, ...]


@dataclass(frozen=True)
class Failed:
    message: str
    hint: str
    code: int


Message = Look | Seen | Start | Started | Suspended | Continue | Ended | Failed

_KINDS: dict[str, type[Message]] = {
    kind.__name__.lower(): kind for kind in (Look, Seen, Start, Started, Suspended, Continue, Ended, Failed)
}


def encode(message: Message) -> bytes:
    """Gives the message as one line."""
    return json.dumps({type(message).__name__.lower(): asdict(message)}, separators=(",", ":")).encode("ascii") + b"\n"


def decode(line: bytes) -> Message:
    """Gives the message of one line; raises `MessageRefused`."""
    try:
        ((name, members),) = json.loads(line).items()
        kind = _KINDS[name]
        values = {field.name: _value(field.type, members.pop(field.name)) for field in fields(kind)}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise MessageRefused("a line on the control channel is no message") from None
    if members:
        raise MessageRefused("a message on the control channel has members that it must not have")
    return kind(**values)


def _value(kind: Any, value: Any) -> Any:  # noqa: ANN401 - the declared type of a field and the JSON value for it
    return _ACCEPTED[kind.__name__ if type(kind) is type else str(kind)](value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 65536:
        raise TypeError
    return value


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _optional_text(value: object) -> str | None:
    return None if value is None else _text(value)


def _mapping(value: object) -> Mapping[str, str]:
    if not isinstance(value, dict):
        raise TypeError
    return {_text(name): _text(item) for name, item in value.items()}


def _items(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError
    return value


_ACCEPTED: Mapping[str, Callable[[object], object]] = {
    "str": _text,
    "int": _number,
    str(str | None): _optional_text,
    str(Mapping[str, str]): _mapping,
    str(tuple[str, ...]): lambda value: tuple(_text(item) for item in _items(value)),
    str(tuple[bool, ...]): lambda value: tuple(_truth(item) for item in _items(value)),
    str(tuple[str | None, ...]): lambda value: tuple(_optional_text(item) for item in _items(value)),
}


class Lines:
    """Cuts what arrives into lines. Raises `MessageRefused` for a line above `LINE_LIMIT`."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Gives the lines that `data` completes, without their line ends."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LINE_LIMIT:
            raise MessageRefused("a line on the control channel does not end")
        return lines

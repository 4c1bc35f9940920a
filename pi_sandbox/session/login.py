"""Which parts of pi's login (`auth.json`) go from one session to the next: plain keys and tokens, and nothing else.

pi runs a key that begins with `!` as a shell command, takes `$NAME` from the environment, and lets an `env` member
change a provider's environment (its docs/providers.md; `core/resolve-config-value.js`). A session may write the
document, so each of these would carry code into the next session of the domain, or keys out of it.

- The document is an object of entries, one a provider. An entry is kept or left out as a whole.
- Kept are the two kinds that pi 1.6.0 writes (`pi-ai/dist/auth/types.d.ts`, `auth/oauth/*.js`), with the members that
  it writes, of the types that it writes, and printable text in them. Everything else is left out, with a reason.
- What was left out is not deleted: the owner may have written it.
- pi never gets the document's own bytes, but what was kept, written anew: both cannot read it differently.

The reason never holds what stands in the document, except the name of a provider.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pi_sandbox.errors import quoted

LOGIN_BYTES = 256 * 1024
"""Longest document, in bytes. One entry has a few hundred bytes, a large token some thousand."""

Entry = Mapping[str, object]
Entries = Mapping[str, Entry]

_PROVIDER = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._/:@+-]{0,99}")
_HOST = re.compile(r"[A-Za-z0-9.-]{1,253}")
_NUMBER_LIMIT = 2**53
_DEPTH = 8


class LoginRefused(Exception):
    """The document as a whole is none. The text says why."""


@dataclass(frozen=True)
class Login:
    """`kept` is what pi gets. `left_out` has the other entries as they are, `reasons` a sentence part for each."""

    kept: Entries
    left_out: Mapping[str, object]
    reasons: tuple[str, ...]


NO_LOGIN = Login({}, {}, ())


def parse_login(data: bytes) -> Login:
    """Gives what there is in a document; an empty one is no login. Raises `LoginRefused`."""
    if len(data) > LOGIN_BYTES:
        raise LoginRefused(f"it is larger than {LOGIN_BYTES} bytes")
    try:
        text = data.decode("utf-8-sig")
        document = json.loads(text, parse_constant=_refuse_constant) if text.strip() else {}
    except (ValueError, RecursionError):
        raise LoginRefused("it is not readable JSON") from None
    if not isinstance(document, dict) or _is_deep(document):
        raise LoginRefused("it is no JSON object of entries")
    reasons = {provider: _reason(provider, entry) for provider, entry in document.items()}
    return Login(
        kept={provider: entry for provider, entry in document.items() if not reasons[provider]},
        left_out={provider: entry for provider, entry in document.items() if reasons[provider]},
        reasons=tuple(f"{quoted(provider[:100])} {reason}" for provider, reason in reasons.items() if reason),
    )


def merge_logins(base: Entries, ours: Entries, theirs: Entries) -> Entries:
    """Gives what two sessions that both began with `base` come to: each one's changes; where both changed, `ours`."""
    merged = dict(theirs)
    for provider in {*base, *ours}:
        if ours.get(provider) == base.get(provider):
            continue
        if provider in ours:
            merged[provider] = ours[provider]
        else:
            merged.pop(provider, None)
    return merged


def login_document(entries: Mapping[str, object]) -> bytes:
    """Gives the document of these entries."""
    return json.dumps(entries, indent=2).encode("ascii") + b"\n"


def _refuse_constant(_: str) -> object:
    raise ValueError("no number of JSON")


def _is_deep(document: object) -> bool:
    """Whether it is nested so deeply that writing it anew could fail."""
    values = [document]
    for _ in range(_DEPTH):
        values = [item for value in values for item in _items(value)]
    return bool(values)


def _items(value: object) -> Sequence[object]:
    if isinstance(value, dict):
        return tuple(value.values())
    return value if isinstance(value, list) else ()


def _reason(provider: str, entry: object) -> str:
    """Says why an entry is left out; empty for one that is kept."""
    if not _PROVIDER.fullmatch(provider):
        return "is not the name of a provider"
    if not isinstance(entry, dict):
        return "is no object"
    kind = entry.get("type")
    if not isinstance(kind, str) or kind not in _KINDS:
        return "is of an unknown type"
    if any(text.lstrip().startswith("!") for text in _texts(entry)):
        return "holds a command, which pi would run"
    needed, allowed = _KINDS[kind]
    if "env" in entry:
        return "changes the environment"
    if any(name not in entry for name in needed) or any(name not in allowed for name in entry):
        return "does not have the members that pi writes"
    if not all(allowed[name](value) for name, value in entry.items()):
        return "holds a value that pi does not write"
    return ""


def _texts(entry: Mapping[str, object]) -> list[str]:
    values = (*entry.values(), *(item for value in entry.values() for item in _items(value)))
    return [value for value in values if isinstance(value, str)]


def _is_plain(value: object) -> bool:
    return isinstance(value, str) and value.isprintable() and not value.lstrip().startswith("!")


def _is_key(value: object) -> bool:
    return _is_plain(value) and "$" not in str(value)


def _is_host(value: object) -> bool:
    return isinstance(value, str) and (value == "" or _HOST.fullmatch(value) is not None)


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= _NUMBER_LIMIT


def _are_plain(values: object) -> bool:
    return isinstance(values, list) and all(_is_plain(value) for value in values)


_Allowed = Mapping[str, Callable[[object], bool]]

_KINDS: Mapping[str, tuple[Sequence[str], _Allowed]] = {
    "api_key": ((), {"type": _is_plain, "key": _is_key}),
    "oauth": (
        ("access", "refresh", "expires"),
        {
            "type": _is_plain,
            "access": _is_plain,
            "refresh": _is_plain,
            "expires": _is_number,
            "accountId": _is_plain,
            "availableModelIds": _are_plain,
            "clientId": _is_plain,
            "enterpriseUrl": _is_host,
            "scope": _is_plain,
            "scopes": _are_plain,
        },
    ),
}
"""Members that must be there, and those that may, each with its rule."""

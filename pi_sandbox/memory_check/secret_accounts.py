"""Passwords that no word announces: beside the name of an account stands what can be nothing else."""

import re
from collections.abc import Iterator

from pi_sandbox.memory_check.secret_values import (
    TRAILING,
    Strength,
    is_hex,
    is_uuid,
    looks_chosen_with_care,
    password_strength,
    strength,
)

_ACCOUNT = re.compile(
    r"(?<![\w./@:-])(?:admin|administrator|root|postgres|ubuntu|deploy|guest|gast|minioadmin|sysadmin|"
    r"oracle)[\"'`]{0,2}(?P<gap>\s?/\s?|\s?:\s?|\s?\|\s?|\s(?:mit|with|pw|/)\s)(?P<value>[^\s|,;/]{5,80})",
    re.IGNORECASE,
)

_BESIDE_NAME = re.compile(
    r"(?:(?<![\w./@:#$-])(?P<name>[A-Za-z][\w.@-]{0,40})(?:\s?/\s|:\s?)|(?<![\w.-])(?:admin|root)\s)"
    r"(?=[\"'`]{0,2}(?P<value>[^\s|\"'`<>(){}\[\],;]{8,42})(?:[\s|\"'`<>,;.)]|$))",
    re.IGNORECASE,
)

_WIFI_PAIR = re.compile(
    r"(?i)(?<![a-z])(?:wi-?fi|wlan|hotspot|ssid|gäste-?netz|guest network)(?![a-z])[^/|:\n]{0,30}[:=]?\s{1,3}"
    r"[\"'`]{0,2}[\w. -]{2,32}?[\"'`]{0,2}\s?[/|,]\s?[\"'`]{0,2}(?P<value>[^\s\"'`|,;/]{8,63})"
)
_LOCKED_WITH = re.compile(
    r"(?i)(?:verschlüsselt|encrypted|entschlüsselt|decrypted|geschützt|protected|entsperren|unlock)\s(?:mit|with|using)\s"
    r"[\"'`]{0,2}(?P<after>[^\s\"'`]{8,80})|(?:mit|with|using)\s[\"'`]{0,2}(?P<before>[^\s\"'`]{8,80})[\"'`]{0,2}\s"
    r"(?:verschlüsselt|entschlüsselt|geschützt|gesichert|entsperrt|eingeloggt|angemeldet|encrypted|unlocked|zu\s(?:öffnen|entsperren))"
)
_SMALL_WORDS = frozenset(
    "end based side level key free time only the and for with per und mit der die das des von ende bit data layer mode "
    "zero out file disk client server user public private self".split()
)
_PHRASE = re.compile(r"[a-zäöüß]{3,12}(?:[-._][a-zäöüß]{3,12}){3,7}")

_WIFI_NEEDLES = ("wi-fi", "wifi", "wlan", "hotspot", "ssid", "gäste", "guest network")
_LOCK_NEEDLES = tuple(
    "schlüsselt encrypted decrypted geschützt gesichert protected entsperr unlock geloggt angemeldet öffnen".split()
)
NEEDLES = (
    *("wi-fi", "wifi", "wlan", "hotspot", "ssid", "gäste"),
    *_LOCK_NEEDLES,
    *("admin", "root", "postgres", "ubuntu", "deploy", "guest", "gast", "oracle"),
)


_MIXED_WORD = re.compile(r"(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=\D*\d).*[!#$*?^~§€&%@]")


def may_stand_beside_name(word: str) -> bool:
    """Tells whether a word could hold a password that needs no announcing word beside it."""
    return len(word) >= 8 and _MIXED_WORD.match(word) is not None


def accounts(line: str) -> Iterator[str]:
    """Yields a message for a well-known account name with what can only be its password: `root / x`, `| admin | x
    |`."""
    for found in _ACCOUNT.finditer(line):
        value = found["value"].strip("\"'`*").rstrip(TRAILING)
        if (
            password_strength(value) >= Strength.FAIR
            and not is_hex(value)
            and not is_uuid(value)
            and (strength(value) >= Strength.STRONG or "/" in found["gap"])
        ):
            yield "an account's password is written down"
    lowered = line.lower()
    for found in _WIFI_PAIR.finditer(line) if _holds(lowered, _WIFI_NEEDLES) else ():
        if password_strength(found["value"].rstrip(TRAILING)) >= Strength.FAIR:
            yield "a Wi-Fi password"
    for found in _LOCKED_WITH.finditer(line) if _holds(lowered, _LOCK_NEEDLES) else ():
        value = (found["after"] or found["before"]).rstrip(TRAILING)
        if looks_chosen_with_care(value) or _is_phrase(value):
            yield "a password is written down"


def _holds(lowered: str, needles: tuple[str, ...]) -> bool:
    return any(needle in lowered for needle in needles)


def _is_phrase(value: str) -> bool:
    return _PHRASE.fullmatch(value) is not None and not _SMALL_WORDS.intersection(re.split(r"[-._]", value))


def beside_name(line: str) -> Iterator[str]:
    """Yields a message for what can only be a password after a name that could be an account's: `crm:x`, `ci-bot /
    x`."""
    if any(looks_chosen_with_care(found["value"]) for found in _BESIDE_NAME.finditer(line)):
        yield "what looks like a password stands beside a name"

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
    r"(?:(?<![\w./@:#$-])(?P<name>[A-Za-z][\w.@-]{1,40})(?:\s?/\s|:\s?)|(?<![\w.-])(?:admin|root)\s)"
    r"(?=[\"'`]{0,2}(?P<value>[^\s|\"'`<>(){}\[\],;]{8,42})(?:[\s|\"'`<>,;.)]|$))",
    re.IGNORECASE,
)

NEEDLES = ("admin", "root", "postgres", "ubuntu", "deploy", "guest", "gast", "oracle")


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


def beside_name(line: str) -> Iterator[str]:
    """Yields a message for what can only be a password after a name that could be an account's: `crm:x`, `ci-bot /
    x`."""
    if any(looks_chosen_with_care(found["value"]) for found in _BESIDE_NAME.finditer(line)):
        yield "what looks like a password stands beside a name"

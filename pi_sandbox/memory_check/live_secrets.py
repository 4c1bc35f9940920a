"""Finds credentials that are in use, in any spelling: as they are, in capitals, escaped for a URL, a page or a program
(also more than once), in hexadecimal digits, in base64 (also of base64), broken by anything but letters and digits.

Not found: base32, other characters that look alike, decimal character codes, letters turned round or replaced, numbers
or words put between its pieces. Whoever wants to hide a credential from this can; it is for what gets there by mistake.
"""

import base64
import html
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from urllib.parse import unquote

_LEFT_OUT = re.compile(r"[^A-Za-z0-9]+")
_SHORTEST = 6
_ESCAPED_PERCENT = re.compile("%(?:25)+")
_ESCAPED_AMPERSAND = re.compile("&(?:amp;)+", re.IGNORECASE)
_CHARACTER = re.compile(
    r"(?<!\\)\\++(?:[ux]\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|([0-3][0-7]{2}))"
)
_OCTAL = 5
"""The last group of it; the others are hexadecimal."""
_LAST_CHARACTER = 0x10FFFF
_ROUNDS = 4
"""Kinds of escapes that can lie one in the other; one kind in itself is taken off in one round."""


def lines_with(lines: Sequence[str], secrets: Sequence[str]) -> list[int]:
    """Gives the numbers (from 0) of the lines where one of the secrets begins.

    Letters, without their case, and digits are compared and everything else is passed over, so Markdown, blanks, line
    ends and escapes hide nothing.
    A secret with fewer than six letters and digits is compared as it is.
    """
    if not secrets:
        return []
    found: set[int] = set()
    for view in _views(lines):
        squeezed = [_squeezed(line) for line in view]
        starts = [0, *accumulate(len(line) for line in squeezed)]
        text = "".join(squeezed)
        for secret in secrets:
            for spelling in _spellings(secret):
                found.update(bisect_right(starts, at) - 1 for at in _occurrences(text, spelling))
            if len(_squeezed(secret)) < _SHORTEST and secret:
                found.update(number for number, line in enumerate(view) if secret in line)
    return sorted(found)


def _views(lines: Sequence[str]) -> Iterator[Sequence[str]]:
    yield lines
    unescaped = [_unescaped(line) for line in lines]
    if any(after is not before for before, after in zip(lines, unescaped, strict=True)):
        yield unescaped


def _unescaped(line: str) -> str:
    for _ in range(_ROUNDS):
        before = line
        if "&" in line:
            line = html.unescape(_ESCAPED_AMPERSAND.sub("&", line))
        if "%" in line:
            line = unquote(_ESCAPED_PERCENT.sub("%", line))
        if "\\" in line:
            line = _CHARACTER.sub(_character, line)
        if line == before:
            return before
    return line


def _character(found: re.Match[str]) -> str:
    octal = found[_OCTAL]
    number = int(octal, 8) if octal else int(next(filter(None, found.groups())), 16)
    return chr(number) if number <= _LAST_CHARACTER else found[0]


def _squeezed(text: str) -> str:
    return _LEFT_OUT.sub("", text).lower()


@lru_cache(maxsize=16)
def _spellings(secret: str) -> frozenset[str]:
    encoded = {*_inside_base64(secret.encode()), *_inside_base64(secret.encode("utf-16-le"))}
    twice = (text for once in encoded for text in _inside_base64(once.encode()))
    plain = {secret, secret.encode().hex(), *encoded, *twice}
    return frozenset(squeezed for text in plain if len(squeezed := _squeezed(text)) >= _SHORTEST)


def _inside_base64(content: bytes) -> Iterator[str]:
    """Yields what of the content is the same in the base64 of all that is around it, for each place it may begin at."""
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + content).decode()
        yield encoded[(0, 2, 3)[shift] : len(encoded) - 4 if shift or encoded.endswith("=") else None]


def _occurrences(text: str, part: str) -> list[int]:
    places, at = [], text.find(part)
    while at >= 0:
        places.append(at)
        at = text.find(part, at + len(part))
    return places

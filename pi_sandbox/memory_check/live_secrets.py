"""Finds credentials that are in use, in any spelling: as they are, percent-encoded, in base64, broken by anything but
letters and digits."""

import base64
import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from urllib.parse import quote

_LEFT_OUT = re.compile(r"[^A-Za-z0-9]+")
_SHORTEST = 6


def lines_with(lines: Sequence[str], secrets: Sequence[str]) -> list[int]:
    """Gives the numbers (from 0) of the lines where one of the secrets begins.

    Letters and digits are compared and everything else is passed over, so Markdown, blanks, line ends and escapes hide
    nothing.
    A secret with fewer than six letters and digits is compared as it is.
    """
    if not secrets:
        return []
    squeezed = [_LEFT_OUT.sub("", line) for line in lines]
    starts = [0, *accumulate(len(line) for line in squeezed)]
    text = "".join(squeezed)
    found: set[int] = set()
    for secret in secrets:
        for spelling in _spellings(secret):
            found.update(bisect_right(starts, at) - 1 for at in _occurrences(text, spelling))
        if len(_LEFT_OUT.sub("", secret)) < _SHORTEST and secret:
            found.update(number for number, line in enumerate(lines) if secret in line)
    return sorted(found)


def _spellings(secret: str) -> set[str]:
    plain = {secret, quote(secret, safe=""), quote(secret), secret.encode().hex()}
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + secret.encode()).decode()
        plain.add(encoded[(0, 2, 3)[shift] : len(encoded) - 4 if shift or encoded.endswith("=") else None])
    return {squeezed for text in plain if len(squeezed := _LEFT_OUT.sub("", text)) >= _SHORTEST}


def _occurrences(text: str, part: str) -> list[int]:
    places, at = [], text.find(part)
    while at >= 0:
        places.append(at)
        at = text.find(part, at + len(part))
    return places

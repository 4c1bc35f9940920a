"""Text as JavaScript counts, trims and decodes it, because the other side of the engine is a program of Node.

- A length is in UTF-16 code units; a lone surrogate counts one.
- A blank is what `\\s` matches and `trim()` takes away (ECMAScript: WhiteSpace and LineTerminator). Python's own idea
  of a blank has five characters more and lacks U+FEFF.
- Bytes become text as by `Buffer.toString("utf8")`: each maximal part of a broken sequence is one U+FFFD, and a byte
  order mark stays.
"""

from __future__ import annotations

import re

BLANKS = (
    "\t\n\x0b\x0c\r \u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000\ufeff"
)

_BLANK = re.compile(f"[{BLANKS}]")


def utf16_units(text: str) -> int:
    """Gives the length of the text in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf8_bytes(text: str) -> int:
    """Gives the length of the text in bytes of UTF-8; a lone surrogate, which has none, counts as Node writes it: 3."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def decoded(data: bytes) -> str:
    """Gives the text of the bytes, with U+FFFD for what is no UTF-8."""
    return data.decode("utf-8", "replace")


def node_text(text: str) -> str:
    """Gives the text as Node gives it to the system: U+FFFD for each lone surrogate."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def node_bytes(text: str) -> bytes:
    """Gives the bytes that Node writes for the text: UTF-8, with U+FFFD for each lone surrogate."""
    return node_text(text).encode("utf-8")


def trimmed(text: str) -> str:
    """Gives the text without the blanks at both ends."""
    return text.strip(BLANKS)


def has_blank(text: str) -> bool:
    """Tells whether there is a blank anywhere in the text."""
    return _BLANK.search(text) is not None


def shortened(text: str, units: int) -> str:
    """Gives the beginning of the text that has at most so many units; no character is cut in two."""
    if utf16_units(text) <= units:
        return text
    data = text.encode("utf-16-le", "surrogatepass")
    end = units * 2
    return data[: end - 2 * _is_inside_character(data, end)].decode("utf-16-le", "surrogatepass")


def without_middle(text: str, units: int) -> str:
    """Gives the text, or half as much of its beginning and of its end if it has more units than that."""
    if utf16_units(text) <= units:
        return text
    data = text.encode("utf-16-le", "surrogatepass")
    start = len(data) - units // 2 * 2
    end = data[start + 2 * _is_inside_character(data, start) :].decode("utf-16-le", "surrogatepass")
    return f"{shortened(text, units // 2)}\n[…]\n{end}"


def _is_inside_character(data: bytes, place: int) -> bool:
    """Tells whether this place of the bytes, which are no end of them, lies between the two units of one character."""
    return place > 0 and 0xD8 <= data[place - 1] <= 0xDB and 0xDC <= data[place + 1] <= 0xDF

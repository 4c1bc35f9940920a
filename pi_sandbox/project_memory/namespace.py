"""The folder name of a project, as the extension's JavaScript would make it.

- Every UTF-16 code unit that is not `[A-Za-z0-9]` becomes `-`; a character outside the basic plane is two units.
- A name of more than 200 units is cut there, and `-` and the hash of the whole path follow: Java's
  `String.hashCode` over the UTF-16 units, a signed number of 32 bits, written without its sign in base 36.
- A name that another project has already is followed by `-` and 24 hexadecimal digits of the path's SHA-256.

Source: `spec/project-memory.md`, "Namespace reservation and collision prevention". The spec leaves open how a negative
hash is written; here it is `Math.abs`, so that a name never holds two dashes for a sign.
"""

from __future__ import annotations

import hashlib
import re
import string

from pi_sandbox.project_memory.limits import HASH_HEX_DIGITS, NAMESPACE_UNITS

_OTHER_THAN_PLAIN = re.compile(r"[^A-Za-z0-9]")
_DIGITS = string.digits + string.ascii_lowercase


def namespace_of(path: bytes) -> str:
    """Give the folder name for a project root, given as the bytes of its absolute path."""
    units = utf16_units(_as_node_reads_it(path))
    name = _OTHER_THAN_PLAIN.sub("-", "".join(map(chr, units)))
    if len(name) <= NAMESPACE_UNITS:
        return name
    return f"{name[:NAMESPACE_UNITS]}-{base36(abs(java_hash(units)))}"


def fallback_namespace(path: bytes) -> str:
    """Give the folder name for a project root whose plain name belongs to another one."""
    return f"{namespace_of(path)}-{short_digest(path)}"


def short_digest(path: bytes) -> str:
    """Give the first 24 hexadecimal digits of the SHA-256 of a path's bytes."""
    return hashlib.sha256(path).hexdigest()[:HASH_HEX_DIGITS]


def java_hash(units: tuple[int, ...]) -> int:
    """Give Java's `String.hashCode` of these UTF-16 units: h = 31 h + unit, in signed 32 bits."""
    value = 0
    for unit in units:
        value = (31 * value + unit) & 0xFFFFFFFF
    return value - (1 << 32) if value >= 1 << 31 else value


def base36(number: int) -> str:
    """Give a number of zero or more in the digits 0 to 9 and a to z, as `Number.prototype.toString(36)` does."""
    digits = ""
    while True:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
        if not number:
            return digits


def utf16_units(text: str) -> tuple[int, ...]:
    """Give the UTF-16 code units of a text; a lone surrogate is one unit."""
    data = text.encode("utf-16-le", "surrogatepass")
    return tuple(int.from_bytes(data[at : at + 2], "little") for at in range(0, len(data), 2))


def _as_node_reads_it(path: bytes) -> str:
    """Give a path as Node gives it to JavaScript: bytes that are no UTF-8 become U+FFFD."""
    return path.decode("utf-8", "replace")

"""A value that never shows: in text, logs, errors, copies or files.

- A `Secret` has no text form. Its value is opened by `reveal()` only, once per consumer (a test lists the callers).
- It cannot be pickled, has no length, no hash and no order, and is compared in constant time.
- `redact` takes known secrets out of a text that a foreign program made, in each form in which such programs show
  them: as it is, base64 at any offset, percent-encoded, escaped for JSON, C, HTML or a shell, each character by itself.

Not handled: an encoding outside that list (compressed, encrypted, reversed).
"""

import base64
import hmac
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NoReturn, final

HIDDEN: Final = "Secret(…)"
REDACTED: Final = "[redacted]"

# A shorter piece of base64 stands for fewer than three bytes and would hit any text.
_SHORTEST_BASE64 = 4
# One line of a value of several lines (a private key) is looked for alone if it is at least this long.
_SHORTEST_LINE = 8


@final
class Secret:
    """One secret value. Copies are the same object; every text form is `Secret(…)`."""

    # The value lives in a closure, so that whatever walks slots or attributes meets a function and no text.
    __slots__ = ("_open",)
    _open: Callable[[], str]
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: str) -> None:
        """Takes a text that is not empty; raises `ValueError` for an empty one."""
        if not value:
            raise ValueError("a secret cannot be empty")
        object.__setattr__(self, "_open", lambda: value)

    def reveal(self) -> str:
        """Gives the value. Called where it leaves for the one place that needs it, and nowhere else."""
        return self._open()

    def __repr__(self) -> str:
        return HIDDEN

    def __format__(self, format_spec: str) -> str:
        return format(HIDDEN, format_spec)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(_bytes(self._open()), _bytes(other._open()))

    def __copy__(self) -> "Secret":
        return self

    def __deepcopy__(self, memo: object) -> "Secret":
        return self

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a secret cannot be pickled")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a secret cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("a secret cannot be changed")


def redact(text: str, secrets: Iterable[Secret]) -> str:
    """Gives the text with every form of every secret replaced by `[redacted]`; occurrences may overlap."""
    spans = sorted(
        span for secret in secrets for pattern in _patterns(secret._open()) for span in _spans(pattern, text)
    )
    parts: list[str] = []
    end = 0
    for start, stop in spans:
        if start > end or not parts:
            parts += [text[end:start], REDACTED]
        end = max(end, stop)
    return "".join([*parts, text[end:]])


def _spans(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Gives every place where the pattern matches, also those that overlap."""
    match = pattern.search(text)
    while match is not None:
        yield match.span()
        match = pattern.search(text, match.start() + 1)


def _patterns(value: str) -> Iterator[re.Pattern[str]]:
    lines = value.splitlines()
    for form in [value, *(line for line in lines if len(lines) > 1 and len(line) >= _SHORTEST_LINE)]:
        units = re.findall(r"\\+|[^\\]", form, re.DOTALL)
        yield re.compile(
            "".join(_escapes_before(index, unit) + _unit_pattern(unit) for index, unit in enumerate(units))
        )
        for piece in _base64_pieces(_bytes(form)):
            yield re.compile(r"(?:\r?\n)?".join(_base64_character(character) for character in piece))


# The backslashes that escape what follows, once or nested. Bounded and never given back, so that a text made of
# backslashes cannot make a search slow.
_ESCAPES: Final = r"\\{0,15}+"


def _escapes_before(index: int, unit: str) -> str:
    """A run of backslashes has its own escapes in it; before the first unit they are not worth a search."""
    return "" if index == 0 or unit[0] == "\\" else _ESCAPES


def _unit_pattern(unit: str) -> str:
    """Gives a pattern for a character, or a run of backslashes, as it is or in any form that stands in its place."""
    if unit[0] == "\\":
        repeated = "|".join(f"(?:{_ESCAPES}{form}){{{len(unit)}}}" for form in _encoded_forms("\\"))
        return rf"(?:\\{{{len(unit)},{16 * len(unit)}}}+|{repeated})"
    return f"(?:{'|'.join([re.escape(unit), *_encoded_forms(unit), *_NAMED_FORMS.get(unit, ())])})"


def _encoded_forms(character: str) -> list[str]:
    """The forms of one character with its number in them; the backslash before some of them is matched elsewhere."""
    encoded = _bytes(character)
    utf16 = character.encode("utf-16-be", "surrogatepass")
    units = [utf16[start : start + 2].hex() for start in range(0, len(utf16), 2)]
    return [
        "".join(f"%{_any_case(f'{byte:02x}')}" for byte in encoded),
        _ESCAPES.join(f"u{_any_case(unit)}" for unit in units),
        _ESCAPES.join(f"x{_any_case(f'{byte:02x}')}" for byte in encoded),
        _ESCAPES.join(f"{byte:03o}" for byte in encoded),
        rf"&#0{{0,5}}{ord(character)};",
        rf"&#[xX]0{{0,5}}{_any_case(f'{ord(character):x}')};",
    ]


_NAMED_FORMS: Final[dict[str, tuple[str, ...]]] = {
    " ": (r"\+",),
    "&": ("&amp;",),
    "<": ("&lt;",),
    ">": ("&gt;",),
    '"': ("&quot;",),
    "'": ("&apos;", r"'\\''", "'\"'\"'"),
    "\n": ("n", "\r\n", " "),
    "\r": ("r",),
    "\t": ("t",),
}


def _any_case(hexadecimal: str) -> str:
    return "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in hexadecimal)


def _base64_pieces(value: bytes) -> Iterator[str]:
    """Gives the characters of base64 that depend on the value alone, for each of the three offsets it can stand at."""
    for offset in range(3):
        encoded = base64.b64encode(bytes(offset) + value).decode("ascii").rstrip("=")
        first = -(-offset * 8 // 6)
        last = (offset + len(value)) * 8 // 6
        piece = encoded[first:last]
        if len(piece) >= _SHORTEST_BASE64:
            yield piece


def _base64_character(character: str) -> str:
    """Both alphabets: the standard one and the one for addresses."""
    return {"+": r"(?:[+-]|%2[bB])", "/": r"(?:[/_]|%2[fF]|\\/)"}.get(character, character)


def _bytes(value: str) -> bytes:
    return value.encode("utf-8", "surrogatepass")

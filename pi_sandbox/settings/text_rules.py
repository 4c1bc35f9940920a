"""Which characters no setting, path or level may hold, because a terminal, a prompt or a review would not show them.

- the control characters C0, DEL and C1;
- line and paragraph separators U+2028 and U+2029;
- direction controls and the rest of Unicode's format class (zero-width space and joiners, byte order mark, tags);
- lone surrogates, which stand for bytes that are no UTF-8.
"""

import unicodedata

_REFUSED_CLASSES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def first_unprintable(text: str) -> str | None:
    """Gives the first character of `text` that may not stand in it, or `None`."""
    return next((character for character in text if unicodedata.category(character) in _REFUSED_CLASSES), None)


def describe_unprintable(character: str) -> str:
    """Says in words what kind of character was found, without showing it."""
    if unicodedata.category(character) == "Cs":
        return "bytes that are no UTF-8"
    return f"the invisible or control character U+{ord(character):04X}"

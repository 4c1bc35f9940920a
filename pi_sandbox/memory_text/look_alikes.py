"""Which ASCII character a reader takes a character for: the confusables of Unicode, from a package, and its names.

A letter counts as its small ASCII letter, whatever its case, style, accent or alphabet; `1`, `|` and `I` count as `l`
with `i`, `0` as `o` (as in the confusables), and every angle bracket, whatever its make, as `<` or `>`; so do
arrowheads and triangles that point to a side.
"""

import json
import re
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache

_LEFT_TO_RIGHT_MARK = "\u200e"
"""The package keeps it around right-to-left characters, as Unicode's own file does."""

_EMPTY_SYMBOLS = "\u2800\U0001d159"
"""The braille pattern without dots and the note without a head: nothing is drawn, and no property says so."""

_LETTER = re.compile(
    r"(?:LATIN (?:SMALL LETTER|CAPITAL LETTER|(?:CAPITAL )?LETTER SMALL CAPITAL|SUBSCRIPT SMALL LETTER)"
    r"|REGIONAL INDICATOR SYMBOL LETTER) ([A-Z])(?: WITH .*)?\Z"
)
TWO_READINGS = {"\u017f": "fs"}
"""What the data takes for one letter (f) and the compatibility form (NFKC) for another (s): it can be either."""

_UNSEEN_MARKS = ("Mn", "Me")
_SEEN_BY_CATEGORY = {"Pc": "_", "Pd": "-"}
_POINTING = r"(?<!LOWER )(?<!UPPER ){side}(?:WARDS|-POINTING)? (?:.* )?(?:ARROWHEAD|TRIANGLE|POINTER)(?: CENTRED)?\Z"
_OPENING = re.compile(
    r"LEFT.* ANGLE (?:BRACKET|QUOTATION)|LESS-THAN|\APRECEDES\Z|\ANORMAL SUBGROUP OF\Z|" + _POINTING.format(side="LEFT")
)
_CLOSING = re.compile(
    r"RIGHT.* ANGLE (?:BRACKET|QUOTATION)|GREATER-THAN|\ASUCCEEDS\Z|\ACONTAINS AS NORMAL SUBGROUP\Z|"
    + _POINTING.format(side="RIGHT")
)


@lru_cache(maxsize=4_096)
def seen_as(character: str) -> str:
    """Gives what the character is taken for: ASCII in small letters, nothing for a mark, itself for all the rest.

    One of `TWO_READINGS` stays itself.
    """
    if character in TWO_READINGS:
        return character
    if character.isascii():
        return _seen_ascii(character)
    category = unicodedata.category(character)
    if category not in _UNSEEN_MARKS and (letter := _letter_by_data(character)):
        return letter
    if category.startswith("M"):
        return ""
    parts = (part for part in unicodedata.normalize("NFKD", character) if unicodedata.combining(part) == 0)
    return "".join(map(_seen_part, parts))


def _seen_part(character: str) -> str:
    if character.isascii():
        return _seen_ascii(character)
    if character.isspace() or character in _EMPTY_SYMBOLS:
        return " "
    return (
        _SEEN_BY_CATEGORY.get(unicodedata.category(character)) or _seen_by_name(character) or _seen_by_data(character)
    )


def _letter_by_data(character: str) -> str:
    """What the data says of the whole character: it comes before its parts and its name, which can be other letters."""
    prototype = _prototypes().get(character, "")
    return _seen_ascii(prototype) if len(prototype) == 1 and prototype.isalnum() else ""


def _seen_by_name(character: str) -> str:
    name = unicodedata.name(character, "")
    if letter := _LETTER.search(name):
        return _seen_ascii(letter[1])
    if _OPENING.search(name):
        return "<"
    return ">" if _CLOSING.search(name) else ""


def _seen_by_data(character: str) -> str:
    prototype = _prototypes().get(character) or _prototypes().get(character.upper())
    return "".join(map(_seen_ascii, prototype)) if prototype else character


@cache
def _seen_ascii(character: str) -> str:
    if character.isspace():
        return " "
    prototype = _prototypes().get(character) or _prototypes().get(character.upper()) or character
    return prototype.lower() if len(prototype) == 1 else character.lower()


@cache
def _prototypes() -> Mapping[str, str]:
    """Each confusable character with the ASCII text that Unicode's data gives as its prototype."""
    from importlib import resources  # late: it takes longer to import than all the rest of this room

    data = json.loads(resources.files("homoglyphs_fork").joinpath("confusables.json").read_text(encoding="utf-8"))
    table: dict[str, str] = {}
    for character, others in data.items():
        bare = character.strip(_LEFT_TO_RIGHT_MARK)
        prototypes = [other for other in others if other.isascii()]
        if len(bare) == 1 and prototypes and not (bare.isascii() and len(others) > 1):
            table[bare] = prototypes[0]
    return table

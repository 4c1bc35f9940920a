"""Makes every character of a foreign text visible, for a terminal on which a person decides.

- Controls, terminal sequences, carriage returns, bidi controls, zero-width and other default-ignorable characters, odd
  blanks and bytes that are no UTF-8 appear as escapes (`\\x1b`, `\\u202e`); a tab becomes blanks.
- Nothing is taken away: what is shown is what is there.
"""

import re

from pi_sandbox.memory_text.invisible import ALWAYS_IGNORED, JOINERS

_UNSEEN = re.compile(f"[{ALWAYS_IGNORED}{JOINERS}\u2800]")
_TAB_WIDTH = 4


def visible(text: str) -> str:
    """Gives the text of one line with everything visible; the result has no control character."""
    text = text.replace("\t", " " * _TAB_WIDTH)
    if text.isprintable() and not _UNSEEN.search(text):
        return text
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character.isprintable() and not _UNSEEN.match(character):
        return character
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")

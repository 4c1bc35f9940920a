"""A word of a command after bash has removed its quotes, and the same word quoted anew.

- A word is a row of pieces; a piece is either taken as it stands (it was quoted or escaped) or open to what bash
  still does with it: file name patterns (`*`, `?`, `[`) and a leading `~`.
- A word that is written again has the same pieces: what was quoted is quoted, what was a pattern is one.
- Words that bash would build at run time (expansions, substitutions, braces) do not become a `Word`: `syntax` refuses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

PATTERN_CHARACTERS = frozenset("*?[")
_BARE = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")  # what bash takes as it stands wherever an argument may stand


@dataclass(frozen=True, slots=True)
class Piece:
    """Some characters of a word, and whether bash takes them as they stand."""

    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Word:
    """One static word of a command."""

    pieces: tuple[Piece, ...]

    @classmethod
    def literal(cls, text: str) -> Word:
        """Give the word that is exactly this text, with nothing left for bash to do."""
        return cls((Piece(text, quoted=True),))

    @property
    def text(self) -> str:
        """The characters of the word; a pattern is given as it is written."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def is_pattern(self) -> bool:
        """Whether bash would look for file names that match."""
        return any(not piece.quoted and not PATTERN_CHARACTERS.isdisjoint(piece.text) for piece in self.pieces)

    @property
    def starts_with_tilde(self) -> bool:
        """Whether bash would put a home folder in the place of the beginning."""
        return bool(self.pieces) and not self.pieces[0].quoted and self.pieces[0].text.startswith("~")

    @property
    def is_literal(self) -> bool:
        """Whether the word is its text and nothing else."""
        return not self.is_pattern and not self.starts_with_tilde

    @property
    def fixed_start(self) -> str:
        """The characters that every file name begins with that the word may become."""
        start = ""
        for piece in self.pieces:
            for character in piece.text:
                if not piece.quoted and character in PATTERN_CHARACTERS:
                    return start
                start += character
        return start

    def taken_literally(self) -> Word:
        """Give the word with its patterns quoted, as bash itself leaves a pattern that nothing matches."""
        return Word.literal(self.text)

    def shell_text(self) -> str:
        """Give the word as it is written into a command: the quoted pieces in single quotes, the open ones bare."""
        written = "".join(_quoted(piece.text) if piece.quoted else _open(piece.text) for piece in self.pieces)
        return written or "''"


def _quoted(text: str) -> str:
    if not text or _BARE.fullmatch(text):
        return text
    quoted = "'" + text.replace("'", "'\\''") + "'"
    return quoted.replace("\r", "'$'\\r''")  # syntax lets no such character stand in a text


def _open(text: str) -> str:
    """Give an open piece with everything quoted but what it is open for."""
    parts = re.split(r"([*?\[\]!^~/]+)", text)
    return "".join(part if index % 2 else _quoted(part) for index, part in enumerate(parts))

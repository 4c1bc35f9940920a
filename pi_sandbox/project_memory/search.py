"""Which notes hold what a person looks for, the best match first. Pure.

- A word is found in any case, with or without accents, and inside a longer word: `garten` in `Gärten` and
  `Gartenschlauch`. No word is left out for being common.
- A note that holds more of the words stands first, and the index after the notes that hold as many. Among equals counts
  where they stand, name and description before text, whole words before parts, and how often; then the newer note.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pi_sandbox.memory_text.javascript_text import decoded
from pi_sandbox.note_format.front_matter import front_matter_lines, front_matter_of
from pi_sandbox.note_format.names import INDEX_NAME

_WORD = re.compile(r"\w+")
_HEAD, _TEXT, _WHOLE = 40, 10, 2
"""Points for a word in name or description, and in the text; a whole word has as many times more."""
_MOST_TIMES = 9
_SHOWN_LINES = 3


@dataclass(frozen=True, slots=True)
class Note:
    """A file of the memory: its path below the memory directory, when it was modified, and its text."""

    name: str
    modified_ms: int
    text: str

    @property
    def description(self) -> str:
        """What it says of itself, empty for nothing."""
        return front_matter_of(self.text).description or ""


@dataclass(frozen=True, slots=True)
class Match:
    """A note that holds at least one of the words, and the lines (from 1) of its text that hold the most of them."""

    note: Note
    words: int
    points: int
    lines: tuple[tuple[int, str], ...]


def note_of(name: str, modified_ms: int, data: bytes) -> Note:
    """Gives the note in these bytes."""
    return Note(name, modified_ms, decoded(data))


def search(notes: Iterable[Note], wanted: str) -> tuple[Match, ...]:
    """Gives the notes that hold a word of what is wanted, the best match first."""
    words = words_of(wanted)
    found = (_match(note, words) for note in notes)
    return tuple(sorted((match for match in found if match is not None), key=_rank))


def words_of(text: str) -> tuple[str, ...]:
    """Gives the different words of a text as they are compared, in their order."""
    return tuple(dict.fromkeys(_WORD.findall(_folded(text))))


def _folded(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def _rank(match: Match) -> tuple[int, bool, int, int, str]:
    note = match.note
    return -match.words, note.name == INDEX_NAME, -match.points, -note.modified_ms, note.name


def _match(note: Note, words: Sequence[str]) -> Match | None:
    head = _folded(f"{note.name.removesuffix('.md')} {note.description}")
    lines = [_folded(line) for line in note.text.split("\n")]
    begin = 0 if (front := front_matter_lines(note.text)) is None else len(front) + 2
    body = "\n".join(lines[begin:])
    points = [_points(word, head, body) for word in words]
    if not any(points):
        return None
    held = {number: sum(word in line for word in words) for number, line in enumerate(lines[begin:], begin + 1)}
    best = sorted((number for number, count in held.items() if count), key=lambda number: (-held[number], number))
    texts = note.text.split("\n")
    shown = tuple((number, texts[number - 1].strip()) for number in sorted(best[:_SHOWN_LINES]))
    return Match(note, sum(map(bool, points)), sum(points), shown)


def _points(word: str, head: str, body: str) -> int:
    times = body.count(word)
    return _HEAD * _where(word, head) + _TEXT * _where(word, body) + min(times, _MOST_TIMES)


def _where(word: str, text: str) -> int:
    """Gives how a text holds a word: not at all, inside a longer one, or as a whole."""
    if word not in text:
        return 0
    return _WHOLE if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) else 1

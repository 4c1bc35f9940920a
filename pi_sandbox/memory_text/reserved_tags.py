"""Finds what a model could take for a tag that stands for a section of its prompt, and takes the brackets away.

- A tag counts as such in any case, with blanks, hyphens, underscores, accents or invisible characters in and between
  its letters, with attributes, in letters and brackets that look alike, and behind encodings (see `encodings.py`).
- Its opening bracket becomes `[`, and its closing one `]` if it follows the name: `[auto_memory]`. That is no tag and
  no encoding of one, so that doing it twice changes nothing more.
- Tags of memory sections count wherever one could begin. The sections of pi's own system prompt have ordinary words for
  names, so of those only what is a tag for certain counts: `</rules` and `<rules>`, but not `i < rules.length`.
- Takes time in proportion to the text's length.
"""

import re
from functools import cache

from pi_sandbox.memory_text.encodings import Traced, Tracing, decoded
from pi_sandbox.memory_text.invisible import ALWAYS_IGNORED, JOINERS
from pi_sandbox.memory_text.look_alikes import TWO_READINGS, seen_as

MEMORY_TAGS = ("auto_memory_index", "auto_memory_topic", "auto_memory_update", "auto_memory", "system-reminder")
"""The sections of project-memory.md ("Injection and waiting"), what stands around a recalled topic and a notice of
changes, and the reminders that models are trained on."""

PROMPT_TAGS = (
    "addendum",
    "available_skills",
    "conversation",
    "cwd",
    "docs",
    "modified-files",
    "preamble",
    "previous-summary",
    "project_context",
    "project_instructions",
    "read-files",
    "rules",
    "skills",
    "system",
    "tools",
)
"""The sections of pi's system prompt (pi 1.6.0, `core/system-prompt.js`; the context page itself is its `addendum`).

And what stands around the messages that pi has summarised (`core/compaction`): recalled topics are among them. `system`
is what models are trained to take for the prompt itself.
"""

_HIEROGLYPH_CONTROLS = "\U00013430-\U00013455"
"""They place hieroglyphs and stay in a text, but beside other letters nothing of them is seen."""

_UNSEEN = re.compile(f"[{ALWAYS_IGNORED}{JOINERS}{_HIEROGLYPH_CONTROLS}\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_PIECE = re.compile(r"(?P<plain>[\t\n\x20-\x7e]+)|.", re.DOTALL)
_GAP = "[ _-]*+"
_NAME_ENDS = f"(?! [_-]*+ [a-z0-9{''.join(TWO_READINGS)}] )"
_LETTERS = {"m": "(?:m|rn)"} | {
    letter: f"[{letter}{character}]" for character, letters in TWO_READINGS.items() for letter in letters
}
"""The letters that others pass for: for `m` two together, in Unicode's data."""


def without_reserved_tags(text: str) -> str:
    """Gives the text with the brackets of reserved tags replaced by square ones."""
    if not _may_open_a_tag(text):
        return text
    text, read = decoded(text)
    seen = _as_seen(read)
    pieces: list[str] = []
    done = 0
    for match in _pattern().finditer(seen.text):
        for group, bracket in (("opening", "["), ("closing", "]")):
            if match[group]:
                at = match.start(group)
                pieces += [text[done : seen.starts[at]], bracket]
                done = seen.ends[at]
    return "".join([*pieces, text[done:]])


def _may_open_a_tag(text: str) -> bool:
    characters = set(text)
    return not characters.isdisjoint("<&%\\") or any(
        seen_as(character).startswith("<") for character in characters if not character.isascii()
    )


def _as_seen(source: Traced) -> Traced:
    """The text in the letters and brackets that a reader takes it for, without what nobody sees."""
    tracing = Tracing(source)
    for match in _PIECE.finditer(source.text):
        piece = match[0]
        if match["plain"]:
            tracing.keep(match.start(), match.end(), piece.translate(_ascii_as_seen()))
        elif not _UNSEEN.match(piece):
            tracing.replace(match.start(), match.end(), seen_as(piece))
    return tracing.result()


@cache
def _ascii_as_seen() -> dict[int, str]:
    return {code: seen_as(chr(code)) for code in (0x09, 0x0A, *range(0x20, 0x7F))}


@cache
def _pattern() -> re.Pattern[str]:
    memory, prompt = ("|".join(map(_name, tags)) for tags in (MEMORY_TAGS, PROMPT_TAGS))
    return re.compile(
        rf"""
        (?P<opening> < )
        (?: [ /\\]*+ (?: {memory} ) {_NAME_ENDS}
          | [ ]*+ [/\\] [ /\\]*+ (?: {prompt} ) {_NAME_ENDS}
          | [ ]*+ (?: {prompt} ) (?= [ /\\]*+ > )
        )
        (?: [ /\\]*+ (?P<closing> > ) )?
        """,
        re.VERBOSE,
    )


def _name(tag: str) -> str:
    letters = (seen_as(letter) for letter in tag if letter.isalpha())
    return _GAP.join(_LETTERS.get(letter, letter) for letter in letters)

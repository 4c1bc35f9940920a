"""Reads the front matter of a topic file: the keys between a first line `---` and the next such line.

- Only the beginning of the file is looked at (`limits.FRONT_MATTER_LINES`, `…_BYTES`); without its end in there, there
  is no front matter.
- Of YAML, what people and models write there: plain and quoted values, values that go on in indented lines, `>` and
  `|` blocks. A key stands at the start of a line, and its first value counts. Anchors, tags and flow collections are
  taken as text; nested keys belong to no value that we use.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from pi_sandbox.memory_text.javascript_text import decoded
from pi_sandbox.note_format.limits import FRONT_MATTER_BYTES, FRONT_MATTER_LINES

_KEY = re.compile(r"(?P<key>[A-Za-z_][\w.-]*)[ \t]*:(?P<value>.*)\Z")
_BLOCK = re.compile(r"[>|][+-]?[0-9]?[+-]?(?:[ \t]+#.*)?\Z")
_COMMENT = re.compile(r"(?:\A|[ \t])#(?:[ \t].*)?\Z")
"""`# words`, but not `#12`, which is the number of an issue to whoever writes it here."""
_NOTHING = ("", "~", "null")
_DOUBLE_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_SINGLE_QUOTED = re.compile(r"'(?:[^']|'')*'")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a topic says of itself; an empty value is none."""

    name: str | None = None
    description: str | None = None


def read_front_matter(beginning: bytes) -> FrontMatter:
    """Gives the front matter of a file that begins with these bytes; of nothing usable, one without values."""
    return front_matter_of(decoded(beginning[:FRONT_MATTER_BYTES]))


def front_matter_of(text: str) -> FrontMatter:
    """The same for text."""
    values = _values([line.removesuffix("\r") for line in front_matter_lines(text) or ()])
    return FrontMatter(values.get("name") or None, values.get("description") or None)


def front_matter_lines(text: str) -> list[str] | None:
    """Gives the lines between the two `---`, each with the CR that it may end with, `None` where there are not two."""
    lines = text.removeprefix("\ufeff").split("\n", FRONT_MATTER_LINES)[:FRONT_MATTER_LINES]
    if not _is_fence(lines[0]):
        return None
    end = next((number for number, line in enumerate(lines[1:], 1) if _is_fence(line)), None)
    return None if end is None else lines[1:end]


def _is_fence(line: str) -> bool:
    return line.removesuffix("\r").rstrip(" \t") == "---"


def _values(lines: Sequence[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    number = 0
    while number < len(lines):
        found = _KEY.match(lines[number])
        number += 1
        if not found:
            continue
        following = number
        while following < len(lines) and (lines[following][:1] in (" ", "\t") or not lines[following]):
            following += 1
        values.setdefault(found["key"], _value(found["value"], lines[number:following]))
        number = following
    return values


def _value(first: str, more: Sequence[str]) -> str:
    first = first.strip(" \t")
    if _BLOCK.match(first):
        joint = "\n" if first.startswith("|") else " "
        return joint.join(line.strip(" \t") for line in more).strip()
    text = " ".join(filter(None, (first, *(line.strip(" \t") for line in more))))
    if quoted := _DOUBLE_QUOTED.match(text):
        return _unescaped(quoted[0])
    if quoted := _SINGLE_QUOTED.match(text):
        return quoted[0][1:-1].replace("''", "'").strip()
    plain = _COMMENT.sub("", text).strip()
    return "" if plain in _NOTHING else plain


def _unescaped(quoted: str) -> str:
    try:
        return str(json.loads(quoted, strict=False)).strip()
    except ValueError:
        return quoted[1:-1].strip()

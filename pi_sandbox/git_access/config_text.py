"""Reads the text of a `.git/config` as data (git-config(1), "Syntax"). Nothing is included, expanded or obeyed.

What git itself would refuse is refused here, and so is anything this reader does not know.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_SECTION = re.compile(
    r"""\[ (?P<section>[A-Za-z0-9.-]+) (?: [ \t]+ "(?P<subsection>(?:[^"\\\0\n]|\\[^\n])*)" )? \]""", re.VERBOSE
)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_ESCAPED = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\"}


class ConfigUnreadableError(ValueError):
    """The text is no git configuration. Says on which line, never what stands there."""


@dataclass(frozen=True)
class ConfigEntry:
    """One value of the file `file` in `.git`.

    `key` is spelled as `git config` takes it; `value` is None for a name without `=`.
    """

    key: str
    value: str | None
    line: int
    file: str = "config"


def parse_config(text: str, file: str = "config") -> tuple[ConfigEntry, ...]:
    """Gives the entries in order; raises `ConfigUnreadableError`."""
    return tuple(_entries(text.removeprefix("\ufeff").replace("\r\n", "\n"), file))


def _entries(text: str, file: str) -> Iterator[ConfigEntry]:
    section: str | None = None
    at, line = 0, 1
    while at < len(text):
        if text[at] in " \t\n":
            line += text[at] == "\n"
            at += 1
        elif text[at] in "#;":
            at = _line_end(text, at)
        elif match := _SECTION.match(text, at):
            section, at = _section_name(match), match.end()
        elif (name := _NAME.match(text, at)) and section is not None:
            value, end = _value(text, name.end(), line)
            yield ConfigEntry(f"{section}.{name[0].lower()}", value, line, file)
            line += text.count("\n", at, end)
            at = end
        else:
            raise ConfigUnreadableError(f"line {line} is no section and no value")


def _section_name(match: re.Match[str]) -> str:
    section, subsection = match["section"].lower(), match["subsection"]
    return section if subsection is None else section + "." + re.sub(r"\\(.)", r"\1", subsection)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _value(text: str, at: int, line: int) -> tuple[str | None, int]:
    """Gives the value behind a name, and where the line that holds it ends."""
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    if text[at : at + 1] in ("", "\n"):
        return None, _line_end(text, at)
    if text[at] != "=":
        raise ConfigUnreadableError(f"line {line} has something other than = after a name")
    at += 1
    pieces: list[str] = []
    kept = 0
    in_quotes = False
    while at < len(text) and text[at] != "\n":
        character = text[at]
        if character == '"':
            in_quotes = not in_quotes
            kept = len(pieces)
        elif character == "\\":
            at += 1
            if text[at : at + 1] != "\n":
                pieces.append(_escaped(text[at : at + 1], line))
                kept = len(pieces)
        elif character in "#;" and not in_quotes:
            at = _line_end(text, at)
            continue
        elif in_quotes or character not in " \t" or pieces:
            pieces.append(character)
            kept = len(pieces) if in_quotes or character not in " \t" else kept
        at += 1
    if in_quotes:
        raise ConfigUnreadableError(f"line {line} has a quote that is not closed")
    return "".join(pieces[:kept]), at


def _escaped(character: str, line: int) -> str:
    if character not in _ESCAPED:
        raise ConfigUnreadableError(f"line {line} has a backslash before something it cannot stand before")
    return _ESCAPED[character]

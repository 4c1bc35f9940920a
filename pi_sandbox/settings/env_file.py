"""The text of `.env` → its settings, by python-dotenv's grammar and stricter: a line is understood or it is an error.

- `NAME=value`, with or without `export ` before it; blank lines and lines that start with `#` are skipped;
- in double quotes `\\n`, `\\t`, `\\"`, `\\\\` and the like are escapes, in single quotes only `\\'` and `\\\\`; an
  unquoted value is taken as it stands, without the blanks around it;
- nothing is expanded: `$`, `${NAME}`, `` ` `` and `~` are ordinary characters, and no command is ever run;
- ` # …` after a value is a comment, except where that would be a guess: an unquoted value that itself has a blank or a
  quote in it must be put in quotes before a `#` may follow;
- CRLF line ends and a byte order mark are accepted; every other control or invisible character is refused;
- a name may stand in the file once, always with a value.

No message shows a value or a line: either may be a secret.
"""

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dotenv.parser import Binding, parse_stream

from pi_sandbox.errors import SettingsError, quoted
from pi_sandbox.settings.text_rules import describe_unprintable, first_unprintable

MAX_FILE_BYTES = 65_536
MAX_LINE_CHARACTERS = 4_000
"""Bounds of our own: far above any real file, low enough that the parser's expressions stay fast on a hostile one."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SHOWABLE_NAME = re.compile(r"[A-Z]{1,12}|[a-z]{1,12}|[A-Z][A-Z0-9]*(_[A-Z0-9]+)+|[a-z]+(_[a-z]+)+")
"""A short word, or words joined by `_`: the seed of a one-time password, say, is one word of 16 letters or more."""
_ASSIGNMENT = re.compile(r"\s*(?:export[^\S\r\n]+)?[^=#\s]+[^\S\r\n]*=[^\S\r\n]*(?P<value>.*)", re.DOTALL)
_COMMENT_START = re.compile(r"\s#")


@dataclass(frozen=True)
class EnvBinding:
    """One setting of the file and the line on which it starts."""

    name: str
    value: str
    line: int


def parse_env_file(data: bytes, path: Path) -> Mapping[str, EnvBinding]:
    """Gives the bindings of the file by name, in order; raises `SettingsError` that names file and line."""
    text = _decoded(data, path)
    found: dict[str, EnvBinding] = {}
    for binding in parse_stream(io.StringIO(text, newline="")):
        if binding.original.string.lstrip()[:1] in ("", "#"):
            continue
        accepted = _accepted(binding, path)
        if accepted.name in found:
            raise SettingsError(
                f"{_place(path, accepted.line)} sets {showable_name(accepted.name)} again, "
                f"it is set on line {found[accepted.name].line}",
                "keep one of the two lines",
            )
        found[accepted.name] = accepted
    return found


def env_pieces(data: bytes, path: Path) -> tuple[tuple[str | None, str], ...]:
    """Gives the text of the file in pieces, each with the name that it sets, if any; joined they are the whole text.

    Raises `SettingsError` as `parse_env_file` does for a file that cannot be read.
    """
    pieces = parse_stream(io.StringIO(_decoded(data, path), newline=""))
    return tuple((piece.key, piece.original.string) for piece in pieces)


def showable_name(name: str) -> str:
    """Gives the name for a message, or a stand-in where what stands before the `=` could be a secret itself."""
    return name if _SHOWABLE_NAME.fullmatch(name) and len(name) <= 64 else "a name that is not shown"


def _place(path: Path, line: int) -> str:
    return f"{quoted(path)} line {line}"


def _decoded(data: bytes, path: Path) -> str:
    if len(data) > MAX_FILE_BYTES:
        raise SettingsError(
            f"{quoted(path)} is larger than {MAX_FILE_BYTES} bytes", "a settings file is short; look at what is in it"
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise SettingsError(f"{_place(path, line)} is no UTF-8", "save the file as UTF-8") from error
    text = text.removeprefix("\ufeff")
    for number, line_text in enumerate(re.split(r"\r\n|\n|\r", text), start=1):
        _check_line(line_text, path, number)
    return text


def _check_line(line: str, path: Path, number: int) -> None:
    if len(line) > MAX_LINE_CHARACTERS:
        raise SettingsError(
            f"{_place(path, number)} is longer than {MAX_LINE_CHARACTERS} characters", "shorten the line"
        )
    unprintable = first_unprintable(line.replace("\t", " "))
    if unprintable is not None:
        raise SettingsError(f"{_place(path, number)} holds {describe_unprintable(unprintable)}", "type the line again")


def _accepted(binding: Binding, path: Path) -> EnvBinding:
    line = _first_line(binding)
    place = _place(path, line)
    if binding.error or binding.key is None or not _NAME.fullmatch(binding.key):
        raise SettingsError(
            f"{place} cannot be read", "write NAME=value, and put a value with quotes, blanks or # into quotes"
        )
    if binding.value is None:
        raise SettingsError(f"{place} has no =", "write NAME=value")
    name = showable_name(binding.key)
    if not binding.value.strip():
        raise SettingsError(f"{place} sets {name} to nothing", "give it a value or remove the line")
    if first_unprintable(binding.value) is not None:
        raise SettingsError(
            f"{place} sets {name} to a text with a line end or another control character in it",
            "close the quotes on the same line, and write a backslash twice inside double quotes",
        )
    if _comment_is_a_guess(binding):
        raise SettingsError(
            f"{place} has a # after an unquoted value with blanks or quotes, so it is not clear where the value ends",
            'put the value in quotes: NAME="value"',
        )
    return EnvBinding(binding.key, binding.value, line)


def _first_line(binding: Binding) -> int:
    """The line of the name: the parser counts from the blank lines before it."""
    text = binding.original.string
    before = text[: len(text) - len(text.lstrip())]
    return binding.original.line + len(re.findall(r"\r\n|\n|\r", before))


def _comment_is_a_guess(binding: Binding) -> bool:
    match = _ASSIGNMENT.fullmatch(binding.original.string)
    if match is None or binding.value is None:
        return False
    written = match["value"].rstrip()
    if written.startswith(("'", '"')) or not _COMMENT_START.search(written):
        return False
    return any(character.isspace() or character in "'\"" for character in binding.value)

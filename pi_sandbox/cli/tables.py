"""Rows and single values as text, for a terminal of some width or, without one (`None`), a line each.

Running text is broken between words; a path and whatever else has no blank is never cut. A command at the end of a text
gets a row of its own and is never broken, so that it can be copied.
"""

import re
import shlex
import textwrap
from collections.abc import Sequence

from pi_sandbox.errors import quoted

NARROWEST = 30
"""How many columns a text gets beside its name, however narrow the terminal is."""

_COMMAND = re.compile(r"(?:^|: )(?=(?:pi-sandbox|chmod|chown|docker|find|git -C|mv --|podman|rm(?: -r)? --|sudo) )")
_GAP = "  "
_INDENT = "  "
_BELOW = "      "


def shown(value: object) -> str:
    """Gives the value as it is where that is plain, else in quotes with everything odd made visible."""
    text = str(value)
    plain = text.isprintable() and text == text.strip() and not set(text) & set('"\\') and text
    return text if plain and " " not in text else quoted(text)


def pairs(rows: Sequence[tuple[str, str]], width: int | None = None) -> str:
    """Gives one line for each name with its value, which is quoted where not all of it can be seen."""
    longest = max(len(name) for name, _ in rows)
    visible = [(name, value if value.isprintable() else quoted(value)) for name, value in rows]
    lines = (hanging(f"{_INDENT}{name:<{longest}}{_GAP}", value, width) for name, value in visible)
    return "".join(f"{line.rstrip()}\n" for group in lines for line in group)


def table(rows: Sequence[Sequence[str]], width: int | None = None) -> str:
    """Gives the rows as lines with columns of one width each; where they do not fit, a row goes on below itself."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        _INDENT + _GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    if width is not None and max(map(len, lines)) > width:
        lines = [line for row in rows for line in _packed(row, width)]
    return "".join(f"{line}\n" for line in lines)


def headed_table(headings: Sequence[str], rows: Sequence[Sequence[str]], width: int | None = None) -> str:
    """Gives a table with a line of headings; where that does not fit, each row becomes a list of named values."""
    text = table([headings, *rows])
    if width is None or max(map(len, text.splitlines())) <= width:
        return text
    blocks = [
        f"{_INDENT}{row[0]}\n" + _indented(pairs(list(zip(headings, row, strict=True))[1:], width)) for row in rows
    ]
    return "".join(blocks)


def hanging(start: str, text: str, width: int | None) -> list[str]:
    """Breaks the text between words at the width; further lines stand below its beginning."""
    if width is None or len(start) + len(text) <= width:
        return [start + text]
    before, command = split_command(text)
    last = [f"{' ' * len(start)}{command}"] if before and command else []
    return (_wrapped(start, before, width) if before else [start + command]) + last


def split_command(text: str) -> tuple[str, str]:
    """Gives a text without the command that ends it, behind a colon or alone, and that command; both may be empty."""
    for found in reversed(list(_COMMAND.finditer(text))):
        command = text[found.end() :]
        try:
            words = shlex.split(command)
        except ValueError:  # the colon stands in quotes
            continue
        return (
            (text, "") if any(word.endswith((";", ",")) for word in words) else (text[: found.end()].rstrip(), command)
        )
    return text, ""


def _wrapped(start: str, text: str, width: int) -> list[str]:
    return textwrap.wrap(
        text,
        max(width, len(start) + NARROWEST),
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_on_hyphens=False,
        break_long_words=False,
    ) or [start]


def _packed(row: Sequence[str], width: int) -> list[str]:
    """Gives the row as one line if it fits; else its first cell, and below that as many others on a line as fit."""
    whole = _INDENT + _GAP.join(filter(None, row))
    if len(whole) <= width:
        return [whole]
    lines = [f"{_INDENT}{row[0]}"]
    for cell in filter(None, row[1:]):
        if len(lines) > 1 and len(lines[-1]) + len(_GAP) + len(cell) <= width:
            lines[-1] += _GAP + cell
        else:
            lines += hanging(_BELOW, cell, width)
    return lines


def _indented(text: str) -> str:
    return textwrap.indent(text, _INDENT)

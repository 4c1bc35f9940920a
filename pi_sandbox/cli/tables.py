"""Rows and single values as text."""

from collections.abc import Sequence

from pi_sandbox.errors import quoted


def shown(value: object) -> str:
    """Gives the value as it is where that is plain, else in quotes with everything odd made visible."""
    text = str(value)
    plain = text.isprintable() and text == text.strip() and not set(text) & set('"\\') and text
    return text if plain and " " not in text else quoted(text)


def pairs(rows: Sequence[tuple[str, str]]) -> str:
    """Gives one line for each name with its value, which is quoted where not all of it can be seen."""
    return table([(name, value if value.isprintable() else quoted(value)) for name, value in rows])


def table(rows: Sequence[Sequence[str]]) -> str:
    """Gives the rows as lines with columns of one width each."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    return "".join(f"  {line}\n" for line in lines)

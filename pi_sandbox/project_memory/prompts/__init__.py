"""The words that models are given, one text a file, with `{{name}}` where a value goes in.

A value is never looked at for places again, whatever it looks like. Jinja would take longer to import than an engine
may take to start.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_PLACE = re.compile(r"\{\{(\w+)\}\}")


def prompt(name: str, **values: str) -> str:
    """Give the text of `name` with its values, without a line break at the end.

    Raises `ValueError` unless the values are exactly those that the text has places for.
    """
    text = _text(name)
    if set(_PLACE.findall(text)) != values.keys():
        raise ValueError(f"{name}.md has other places than {sorted(values)}")
    return _PLACE.sub(lambda place: values[place[1]], text)


@cache
def _text(name: str) -> str:
    return Path(__file__).with_name(f"{name}.md").read_text("utf-8").rstrip("\n")

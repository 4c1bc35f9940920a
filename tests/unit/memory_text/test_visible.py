import pytest
from hypothesis import given, strategies

from pi_sandbox.memory_text.visible import visible

SHOWN = {
    "a\033[2Jb": "a\\x1b[2Jb",
    "a\rb": "a\\rb",
    "a\bb\x7f": "a\\x08b\\x7f",
    "a\x9b31m": "a\\x9b31m",
    "a\u202eb\u2066": "a\\u202eb\\u2066",
    "a\u200bb\ufeff\u00ad": "a\\u200bb\\ufeff\\xad",
    "a\ufe0fb\U000e0041": "a\\ufe0fb\\U000e0041",
    "a\u3164b\u2800": "a\\u3164b\\u2800",
    "a\u00a0b\u2028": "a\\xa0b\\u2028",
    "a\tb": "a    b",
    "l\udcff": "l\\xff",
    "\ud800": "\\ud800",
}


@pytest.mark.parametrize(("text", "shown"), SHOWN.items())
def test_what_hides_is_shown(text, shown):
    assert visible(text) == shown


@pytest.mark.parametrize("text", ["größe, naïve, Ω, 日本語, 🎈", 'a "b" \\ c', "- [x](y): z", ""])
def test_ordinary_text_stays_as_it_is(text):
    assert visible(text) == text


@given(strategies.text())
def test_nothing_unprintable_is_left(text):
    assert visible(text).isprintable()

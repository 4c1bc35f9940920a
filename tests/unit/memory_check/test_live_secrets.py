"""A credential in use is found in every spelling that a text, a URL, a page or a program gives it."""

import base64
import html
from urllib.parse import quote

import pytest

from pi_sandbox.memory_check.live_secrets import lines_with

SECRET = "aB3+" + "xY7/kQ9" + "-mN2_pL5=" + "wR8"
ESCAPED = "".join(f"\\u{ord(character):04x}" for character in SECRET)
DOUBLE = quote(quote(SECRET, safe=""), safe="")
SPELLINGS = {
    "plain": SECRET,
    "percent": quote(SECRET, safe=""),
    "percent in lower case": quote(SECRET, safe="").replace("%2B", "%2b").replace("%2F", "%2f").replace("%3D", "%3d"),
    "percent twice": DOUBLE,
    "percent five times": quote(quote(quote(DOUBLE, safe=""), safe=""), safe=""),
    "every letter as percent": "".join(f"%{ord(character):02x}" for character in SECRET),
    "hex": SECRET.encode().hex(),
    "hex in upper case": SECRET.encode().hex().upper(),
    "other case": SECRET.swapcase(),
    "entity": SECRET.replace("+", "&#43;").replace("/", "&#x2F;").replace("=", "&equals;"),
    "entity twice": html.escape(SECRET.replace("+", "&#43;")),
    "unicode escape": SECRET.replace("+", "\\u002b").replace("/", "\\/"),
    "unicode escape for all": ESCAPED,
    "unicode escape twice": ESCAPED.replace("\\", "\\\\"),
    "byte escape": "".join(f"\\x{ord(character):02X}" for character in SECRET),
    "percent of an entity": quote(SECRET.replace("+", "&#43;"), safe=""),
    "base64": base64.b64encode(SECRET.encode()).decode(),
    "base64 for URLs behind a user": base64.urlsafe_b64encode(f"u:{SECRET}".encode()).decode(),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_credential_is_found_in_any_spelling(spelling: str) -> None:
    assert lines_with(["a", f"say {SPELLINGS[spelling]} now", "b"], [SECRET]) == [1]


def test_an_encoded_credential_over_two_lines_is_found_where_it_begins() -> None:
    text = quote(SECRET, safe="")
    assert lines_with([text[:8], text[8:]], [SECRET]) == [0]


def test_another_value_is_not_found() -> None:
    other = SECRET[:-1] + "9"
    assert lines_with([other, quote(other), html.escape(other), other.encode().hex()], [SECRET]) == []
    assert lines_with(["100% of R&D &amp; more \\users"], [SECRET]) == []


@pytest.mark.parametrize("piece", ["%25", "&amp;", "\\", "%", "&", "\\u005c"])
def test_escapes_of_escapes_take_little_time(piece: str) -> None:
    assert lines_with([piece * 200_000, SECRET], [SECRET]) == [1]

"""A credential in use is found in every spelling that a text, a URL, a page or a program gives it."""

import base64
import html
from urllib.parse import quote

import pytest

from pi_sandbox.memory_check.live_secrets import lines_with
from pi_sandbox.memory_check.secret_scan import scan_text

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
    "octal escape": "".join(f"\\{ord(character):03o}" for character in SECRET),
    "octal escape of signs": "".join(c if c.isalnum() else f"\\{ord(c):03o}" for c in SECRET),
    "long unicode escape": "".join(f"\\U{ord(character):08X}" for character in SECRET),
    "short unicode escape in braces": "".join(f"\\u{{{ord(character):x}}}" for character in SECRET),
    "byte escape in braces": "".join(f"\\x{{{ord(character):x}}}" for character in SECRET),
    "base64 of wide text": base64.b64encode(f"user:{SECRET}".encode("utf-16-le")).decode(),
    "base64 of base64": base64.b64encode(base64.b64encode(f"user:{SECRET}".encode())).decode(),
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
    begun = "z" + SECRET[1:]
    assert lines_with([base64.b64encode(base64.b64encode(begun.encode())).decode()], [SECRET]) == []
    assert lines_with(["\\U99999999\\u{999999} and \\777"], [SECRET]) == []
    assert lines_with(["100% of R&D &amp; more \\users"], [SECRET]) == []


@pytest.mark.parametrize("piece", ["%25", "&amp;", "\\", "%", "&", "\\u005c"])
def test_escapes_of_escapes_take_little_time(piece: str) -> None:
    assert lines_with([piece * 200_000, SECRET], [SECRET]) == [1]


WIDE = "".join(chr(ord(character) + 0xFEE0) for character in SECRET)


@pytest.mark.parametrize("text", [WIDE, SECRET.replace("7", "<b>7</b>"), SECRET.replace("7", "7\u200b")])
def test_a_credential_in_use_is_found_behind_decoration(text: str) -> None:
    in_use = "a credential that is in use right now"
    assert [(hit.line, hit.message) for hit in scan_text(["x", text], [SECRET]) if hit.message == in_use] == [
        (2, in_use)
    ]
    assert not [hit for hit in scan_text(["x", text], [SECRET[:-1] + "9"]) if hit.message == in_use]

"""Lengths, blanks and bytes as JavaScript has them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_sandbox.memory_text.javascript_text import (
    BLANKS,
    decoded,
    has_blank,
    node_bytes,
    node_text,
    shortened,
    trimmed,
    utf8_bytes,
    utf16_units,
    without_middle,
)

ANY_TEXT = st.text(st.characters(exclude_categories=()) | st.sampled_from("\ud83d\ude00\U0001f600"), max_size=40).map(
    lambda text: text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
)
"""As JavaScript has it: two surrogates that make a pair are one character."""


@pytest.mark.parametrize(
    ("text", "units"), [("", 0), ("abc", 3), ("é", 1), ("漢", 1), ("\U0001f600", 2), ("\ud800", 1), ("\udc00\ud800", 2)]
)
def test_a_length_is_in_utf_16_code_units(text: str, units: int) -> None:
    assert utf16_units(text) == units


def test_bytes_are_those_of_utf_8() -> None:
    assert [utf8_bytes(text) for text in ("a", "é", "漢", "\U0001f600", "\ud800")] == [1, 2, 3, 4, 3]


def test_there_are_25_blanks() -> None:
    assert len(set(BLANKS)) == 25
    assert all(has_blank(f"a{blank}b") and trimmed(f"{blank}a{blank}") == "a" for blank in BLANKS)


@pytest.mark.parametrize("other", ["\x1c", "\x1d", "\x1e", "\x1f", "\x85", "\u180e", "\u200b"])
def test_what_only_python_or_nobody_calls_a_blank_is_none(other: str) -> None:
    assert not has_blank(f"a{other}b")
    assert trimmed(f"{other}a") == f"{other}a"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbfa", "\ufeffa"),
        (b"a\x00b", "a\x00b"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"\xe6\xbc", "\ufffd"),
        (b"\xf0\x9f\x98a", "\ufffda"),
        (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd"),
        (b"\xc0\xaf", "\ufffd\ufffd"),
        (b"\xf4\x90\x80\x80", "\ufffd\ufffd\ufffd\ufffd"),
    ],
)
def test_broken_utf_8_becomes_replacement_characters_as_in_node(data: bytes, text: str) -> None:
    assert decoded(data) == text


@given(ANY_TEXT, st.integers(0, 40))
def test_a_shortened_text_is_the_longest_beginning_within_the_limit(text: str, units: int) -> None:
    fitting = [text[:count] for count in range(len(text) + 1) if utf16_units(text[:count]) <= units]
    assert shortened(text, units) == fitting[-1]


@given(ANY_TEXT, st.integers(0, 40))
def test_a_text_without_its_middle_is_its_longest_beginning_and_end(text: str, units: int) -> None:
    ends = [text[start:] for start in range(len(text) + 1) if utf16_units(text[start:]) <= units // 2]
    expected = text if utf16_units(text) <= units else f"{shortened(text, units // 2)}\n[…]\n{ends[0]}"
    assert without_middle(text, units) == expected


def test_a_character_of_two_units_is_not_cut_in_two() -> None:
    assert shortened("a\U0001f600", 2) == "a"


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    assert without_middle("0123456789", 4) == "01\n[…]\n89"
    assert without_middle("\U0001f600" * 5, 6) == "\U0001f600\n[…]\n\U0001f600"
    assert without_middle("0123", 4) == "0123"


def test_a_lone_surrogate_stays_where_it_is() -> None:
    assert shortened("\ud800a\U0001f600", 3) == "\ud800a"
    assert without_middle("0123456\udc00a", 4) == "01\n[…]\n\udc00a"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a", b"a"),
        ("\U0001f600é", "\U0001f600é".encode()),
        ("a\ud800b\udc00", "a\ufffdb\ufffd".encode()),
        ("\ud800", "\ufffd".encode()),
        ("\ud83d\ude00", "\U0001f600".encode()),
    ],
)
def test_half_a_character_is_written_as_node_writes_it(text: str, written: bytes) -> None:
    assert node_bytes(text) == written


@given(ANY_TEXT)
def test_what_node_writes_has_the_length_that_is_counted_and_reads_as_the_same_text(text: str) -> None:
    assert decoded(node_bytes(text)) == node_text(text)
    assert len(node_bytes(text)) == utf8_bytes(text)

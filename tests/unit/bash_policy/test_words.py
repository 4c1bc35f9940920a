"""A word that is written anew is the word that was read, whatever it holds."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pi_sandbox.bash_policy.syntax import parse
from pi_sandbox.bash_policy.words import Piece, Word
from pi_sandbox.memory_text.invisible import without_invisible

TEXTS = st.text(st.characters(exclude_categories=("C", "Z"), include_characters=" \t\n"), max_size=30)


def _only_word(text: str) -> Word:
    command = parse(f"a {text}").only_command
    assert command is not None
    (_name, word) = command.words
    return word


@given(TEXTS)
def test_a_literal_written_anew_is_read_as_the_same_literal(text: str) -> None:
    assume(without_invisible(text) == text)
    word = _only_word(Word.literal(text).shell_text())
    assert word.is_literal
    assert word.text == text


@pytest.mark.parametrize(
    ("written", "text", "is_literal"),
    [
        ("a", "a", True),
        ("''", "", True),
        ("'*'", "*", True),
        ("\\*", "*", True),
        ("*", "*", False),
        ("a'*'b", "a*b", True),
        ("'a'*", "a*", False),
        ("[a-z]", "[a-z]", False),
        ("[", "[", True),
        ("a[", "a[", False),
        ("?", "?", False),
        ("~", "~", False),
        ("~/a", "~/a", False),
        ("'~'", "~", True),
        ("\\~/a", "~/a", True),
        ("a~", "a~", True),
        ("{}", "{}", True),
        ("a$", "a$", True),
        ("$'a\\tb\\n\\'\\\\\\\"'", "a\tb\n'\\\"", True),
        ('"a\\"b\\\\c\\$d\\`e\\nf"', 'a"b\\c$d`e\\nf', True),
        ('"a\\\nb"', "ab", True),
        ("a\\\nb", "ab", True),
        ("'a\\\nb'", "a\\\nb", True),
    ],
)
def test_a_word_is_what_bash_makes_of_it_when_it_removes_quotes(written: str, text: str, is_literal: bool) -> None:
    word = _only_word(written)
    assert (word.text, word.is_literal) == (text, is_literal)


@pytest.mark.parametrize(
    "written",
    [
        "*",
        "*.md",
        "a*b",
        "'a b'*",
        "*'$x'*",
        "[!a-c]*",
        "[^a]?",
        "[[:alpha:]]*",
        "~",
        "~/a",
        "~/'a b'",
        "~/*.md",
        "a\\**",
        "é*",
        "*~",
    ],
)
def test_a_pattern_written_anew_matches_the_same_files(written: str, tmp_path: Path) -> None:
    for name in ("a", "b.md", "a b.md", "$x", "a*x", "azb", "é1", "x~", "d"):
        (tmp_path / name).touch()
    again = _only_word(written).shell_text()
    assert _expanded(written, tmp_path) == _expanded(again, tmp_path)
    assert _only_word(again).text == _only_word(written).text


def _expanded(written: str, room: Path) -> str:
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-c", f"printf '%s\\n' {written}"],
        cwd=room,
        env={"HOME": "/home of/x", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_the_fixed_start_of_a_word_ends_where_its_pattern_begins() -> None:
    assert _only_word("notes/*.md").fixed_start == "notes/"
    assert _only_word("'-'*").fixed_start == "-"
    assert _only_word("'*'a*").fixed_start == "*a"
    assert _only_word("*").fixed_start == ""
    assert _only_word("abc").fixed_start == "abc"


def test_a_word_taken_literally_has_no_pattern_left() -> None:
    word = Word((Piece("a", quoted=True), Piece("*", quoted=False))).taken_literally()
    assert word == Word.literal("a*")
    assert word.shell_text() == "'a*'"

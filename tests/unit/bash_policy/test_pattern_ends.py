"""Where a regular expression between delimiters ends, and where that is doubtful."""

import pytest

from pi_sandbox.bash_policy.pattern_ends import end_of_pattern


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("abc/p", "abc"),
        ("/p", ""),
        (r"a\/b/p", r"a\/b"),
        (r"a\\/p", r"a\\"),
        ("[abc]/p", "[abc]"),
        ("[]a]/p", "[]a]"),
        ("[^]a]/p", "[^]a]"),
        ("[[:space:]]/p", "[[:space:]]"),
        ("[[:space:]a]/p", "[[:space:]a]"),
        (r"\[/p", r"\["),
        ("a]/p", "a]"),
        (r"[a\.]/p", r"[a\.]"),
    ],
)
def test_a_pattern_ends_at_its_first_delimiter(text: str, pattern: str) -> None:
    assert end_of_pattern(text, 0, "/") == len(pattern) + 1


@pytest.mark.parametrize(
    "text",
    [
        "abc",
        "",
        r"abc\/",
        "[/]/p",
        "[^/]/p",
        "[]/]/p",
        r"[\]/]/p",
        r"[\]/p",
        "[/p",
        "[[:x/:]]/p",
        "[[.",
        "a\nb/p",
        "a\\",
    ],
)
def test_a_pattern_without_a_certain_end_is_doubtful(text: str) -> None:
    assert end_of_pattern(text, 0, "/") is None


def test_in_a_replacement_brackets_have_no_meaning() -> None:
    assert end_of_pattern("[/]/", 0, "/", brackets=False) == 2
    assert end_of_pattern("[/", 0, "/", brackets=False) == 2


def test_another_delimiter_and_a_start_in_the_middle() -> None:
    assert end_of_pattern("s|a/b|c|", 2, "|") == 6

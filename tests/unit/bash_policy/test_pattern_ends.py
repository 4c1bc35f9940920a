"""Where a regular expression between delimiters ends, and where that is doubtful."""

import pytest

from pi_sandbox.bash_policy.pattern_ends import Reading, end_in_reading, end_of_pattern


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


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("[/]/", (4, 4, 4, 4, 2)),
        ("[[:x:]/]/", (9, 9, 7, 7, 7)),
        ("[[:x/:]/]/]", (10, 10, 8, 8, 5)),
        (r"[\]/]/", (4, 6, 4, 6, 4)),
        ("[/", (None, None, None, None, 2)),
        ("[a\n]/", (None, None, None, None, None)),
    ],
)
def test_each_reading_ends_a_pattern_in_its_own_way(text: str, ends: tuple[int | None, ...]) -> None:
    assert tuple(end_in_reading(text, 0, "/", reading) for reading in Reading) == ends


def test_another_delimiter_and_a_start_in_the_middle() -> None:
    assert end_of_pattern("s|a/b|c|", 2, "|") == 6

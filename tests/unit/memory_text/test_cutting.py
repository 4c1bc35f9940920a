"""Cutting a text to whole lines within two limits."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_sandbox.memory_text.cutting import Limit, count_lines, cut
from pi_sandbox.memory_text.javascript_text import utf8_bytes, utf16_units

LINES = st.lists(st.text(st.sampled_from("ab é漢\U0001f600\r"), max_size=12), max_size=12)


@given(LINES, st.booleans(), st.integers(1, 14), st.integers(0, 60), st.sampled_from([utf8_bytes, utf16_units]))
def test_the_longest_beginning_of_whole_lines_is_kept(
    lines: list[str], ended: bool, most_lines: int, most_size: int, measure: object
) -> None:
    assert callable(measure)
    text = "\n".join(lines) + "\n" * ended
    kept = cut(text, lines=most_lines, size=most_size, measure=measure)
    all_lines = text.removesuffix("\n").split("\n")
    fitting = [
        count
        for count in range(len(all_lines) + 1)
        if count <= most_lines and measure("\n".join(all_lines[:count])) <= most_size
    ]
    assert kept.lines == max(fitting)
    assert kept.text == "\n".join(all_lines[: kept.lines])
    assert (kept.by is None) == (kept.lines == len(all_lines))
    if kept.by is Limit.LINES:
        assert kept.lines == most_lines
    if kept.by is Limit.SIZE:
        assert kept.lines < most_lines
        assert measure("\n".join(all_lines[: kept.lines + 1])) > most_size


@pytest.mark.parametrize(
    ("text", "kept", "by"),
    [
        ("", "", None),
        ("\n", "", None),
        ("abc", "abc", None),
        ("abc\n", "abc", None),
        ("abcd", "", Limit.SIZE),
        ("a\nb\nc", "a\nb", Limit.LINES),
        ("a\nb\n", "a\nb", None),
        ("a\nbc", "a", Limit.SIZE),
        ("abc\nd\ne", "abc", Limit.SIZE),
    ],
)
def test_two_lines_and_three_units_are_kept(text: str, kept: str, by: Limit | None) -> None:
    result = cut(text, lines=2, size=3, measure=utf16_units)
    assert (result.text, result.by) == (kept, by)


def test_a_last_line_end_is_no_line_of_its_own() -> None:
    assert [count_lines(text) for text in ("", "a", "a\n", "a\nb", "a\n\n")] == [1, 1, 1, 2, 2]


def test_what_is_cut_off_costs_nothing() -> None:
    text = "a\n" * 5_000_000
    began = time.process_time()
    cut(text, lines=200, size=25_000, measure=utf16_units)
    assert time.process_time() - began < 0.1

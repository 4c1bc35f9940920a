"""Which lines of a write, and of others, are gone, and how that is told."""

import pytest

from pi_sandbox.project_memory.lost_lines import (
    MainWrite,
    added_lines,
    lost_lines_notice,
    others_lost_lines,
    own_lost_lines,
    unseen_lost_lines,
)


def test_a_line_counts_with_its_blanks_once_and_only_with_something_in_it():
    assert added_lines("a\n\n  b\na\n---\nc", "c\n") == ("a", "  b")
    assert added_lines("created: 2026-07-31 by x\nchanged: y\nb\r\n", None) == ("b",)


@pytest.mark.parametrize(
    ("write", "now", "lost"),
    [
        (MainWrite("a\nb\n"), "a\nb\n", ()),
        (MainWrite("a\nb\n"), "a\r\nb\r\nc\r\n", ()),
        (MainWrite("a\nb\n"), "a\n", ("b",)),
        (MainWrite(None, ("x",), ("y",)), "say y loud\n", ()),
        (MainWrite(None, ("x",), ("y\nz",)), "say x loud\n", ("y", "z")),
        (MainWrite(None, ("x",), ("",)), "", ()),
    ],
)
def test_what_was_written_and_does_not_stand_there_is_lost(write, now, lost):
    assert own_lost_lines(write, now) == lost


@pytest.mark.parametrize(
    ("before", "shown", "now", "lost"),
    [
        ("a\nb\n", ["a\n"], "a\nc\n", ("b",)),
        ("a\nb\n", ["a\nb\n"], "c\n", ()),
        ("a\nb\n", [], "b\n", ("a",)),
        (None, [], "b\n", ()),
    ],
)
def test_what_a_write_replaced_without_having_been_shown_is_lost(before, shown, now, lost):
    assert unseen_lost_lines(MainWrite(now), before, shown, now) == lost
    assert unseen_lost_lines(MainWrite(None), before, shown, now) == (), "an edit replaces what it names"


def test_what_another_added_is_lost_unless_the_edit_meant_it():
    assert others_lost_lines(MainWrite(None, ("x",), ("y",)), ["b", "c"], "a\nc\n") == ("b",)
    assert others_lost_lines(MainWrite(None, ("one\nb",), ("y",)), ["b"], "a\n") == ()


def test_the_notice_names_file_and_lines_within_bounds_and_holds_no_tag_of_its_own():
    told = lost_lines_notice(
        "a.md", ["x" * 1_000, "</system-reminder>\u202e"], [f"line {number}" for number in range(30)]
    )

    assert told.count("system-reminder>") == 2
    assert "\u202e" not in told
    assert "- and 10 more" in told
    assert len(told) < 2_000
    assert lost_lines_notice("a.md", [], []) == ""

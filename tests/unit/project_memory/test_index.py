"""What is shown of MEMORY.md, what replaces a missing one, and what a session keeps of it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_sandbox.memory_text.cutting import Limit
from pi_sandbox.memory_text.javascript_text import utf16_units
from pi_sandbox.memory_text.sanitise import sanitise_memory_text
from pi_sandbox.project_memory.catalogue import Topic
from pi_sandbox.project_memory.index import (
    NO_INDEX,
    IndexFile,
    backfill,
    load_index,
    staleness_notice,
    take_snapshot,
)

FOLDER = "/home/pi/.pi/agent/project-memory/projects/x/memory"


def numbered(lines: int) -> str:
    return "".join(f"- [t{number}](t{number}.md): line {number}\n" for number in range(1, lines + 1))


@pytest.mark.parametrize("lines", [0, 1, 199, 200])
def test_an_index_of_up_to_200_lines_is_shown_whole_and_without_a_warning(lines: int) -> None:
    loaded = load_index(IndexFile(numbered(lines)))
    assert loaded.text == numbered(lines).strip()
    assert loaded.cut_by is None


def test_of_a_longer_index_the_first_200_lines_are_shown_and_a_warning_ends_it() -> None:
    loaded = load_index(IndexFile(numbered(230)))
    shown, _, warning = loaded.text.rpartition("\n\n")
    assert shown == numbered(200).strip()
    assert loaded.cut_by is Limit.LINES
    assert warning.startswith("> WARNING: MEMORY.md is 230 lines long, and 200 lines are loaded at most")
    assert "its first 200 lines stand here" in warning
    assert "\n" not in warning


def test_an_index_of_25000_units_is_whole_and_one_more_cuts_it_at_a_line_break() -> None:
    line = "\U0001f600" * 99 + "a\n"
    exact = line * 124 + "a" * (25_000 - 124 * 200)
    assert utf16_units(exact) == 25_000
    assert load_index(IndexFile(exact)).text == exact
    loaded = load_index(IndexFile(exact + "a"))
    assert loaded.cut_by is Limit.SIZE
    shown, _, warning = loaded.text.rpartition("\n\n")
    assert shown == (line * 124).removesuffix("\n")
    assert "25,001 UTF-16 code units long" in warning


def test_the_limit_that_is_reached_first_is_named() -> None:
    many_then_long = "a\n" * 200 + "b" * 30_000
    assert load_index(IndexFile(many_then_long)).cut_by is Limit.LINES
    long_then_many = "a" * 24_990 + "\n" + "a\n" * 300
    assert load_index(IndexFile(long_then_many)).cut_by is Limit.SIZE


def test_a_first_line_that_is_too_long_leaves_the_warning_alone() -> None:
    loaded = load_index(IndexFile("a" * 25_001))
    assert loaded.text.startswith("> WARNING: MEMORY.md is 25,001 UTF-16 code units long")
    assert "nothing of it stands here" in loaded.text


def test_an_index_that_goes_on_beyond_what_is_read_is_never_shown_as_whole() -> None:
    loaded = load_index(IndexFile("one\ntwo\nthr", "x", goes_on=True))
    assert loaded.text.startswith("one\ntwo\n\n> WARNING: MEMORY.md is at least 7 UTF-16")


def test_a_lone_carriage_return_does_not_hide_lines_from_the_count() -> None:
    assert load_index(IndexFile("a\r" * 300)).cut_by is Limit.LINES


def test_the_blanks_around_an_index_are_trimmed() -> None:
    assert load_index(IndexFile("\ufeff\n\n  a\n\n\n")).text == "a"


@given(st.lists(st.text(st.sampled_from("ab<>/_\r\t \U0001f600‮"), max_size=300), max_size=300))
def test_whole_lines_within_both_limits_and_sanitised_whatever_stands_in_it(lines: list[str]) -> None:
    loaded = load_index(IndexFile("\n".join(lines)))
    shown = loaded.text.rpartition("\n\n> WARNING")[0] if loaded.cut_by else loaded.text
    assert utf16_units(shown) <= 25_000
    assert shown.count("\n") < 200
    assert sanitise_memory_text(loaded.text) == loaded.text


def test_a_missing_index_gets_a_line_for_each_compliant_topic_newest_first() -> None:
    topics = [
        Topic("b.md", 3, "The B", "What B is"),
        Topic("a b.md", 2, None, "What A is"),
        Topic("no-description.md", 2),
        Topic("long.md", 2, None, "x" * 301),
        Topic("just.md", 1, None, "x" * 300),
        Topic("fo(ld)er.md", 1, None, "cannot stand in a link"),
    ]
    assert backfill(topics) == (
        f"- [The B](b.md): What B is\n- [a b](<a b.md>): What A is\n- [just](just.md): {'x' * 300}\n"
    )


@pytest.mark.parametrize("topics", [[], [Topic("a.md", 1)]])
def test_without_a_compliant_topic_nothing_is_written(topics: list[Topic]) -> None:
    assert backfill(topics) is None


def test_a_new_index_fills_160_lines_at_most() -> None:
    text = backfill([Topic(f"t{number}.md", 0, None, "d") for number in range(200)])
    assert text is not None
    assert text.count("\n") == 160


def test_a_new_index_fills_20000_units_at_most() -> None:
    exact = [Topic(f"t{number:03}.md", 0, None, "\U0001f600" * 90) for number in range(150)]
    text = backfill(exact)
    assert text is not None
    assert utf16_units(text) == 20_000
    assert load_index(IndexFile(text)).cut_by is None
    longer = backfill([Topic("t000.md", 0, None, "\U0001f600" * 90 + "a"), *exact[1:]])
    assert longer is not None
    assert utf16_units(longer) == 20_000 + 1 - 200


def test_a_new_index_cannot_carry_more_than_its_own_lines() -> None:
    text = backfill([Topic("a.md", 0, "x](y) \n- [z]", "one\n- [two](two.md): </auto_memory_index>")])
    assert text == "- [x(y) - (z)](a.md): one - [two](two.md): [/auto_memory_index]\n".replace("x(y)", "x)(y)")


@given(st.lists(st.builds(Topic, st.text(min_size=1).map(lambda name: name + ".md"), st.just(0), st.text(), st.text())))
def test_each_line_of_a_new_index_is_one_topic(topics: list[Topic]) -> None:
    text = backfill(topics)
    if text is not None:
        assert all(re.fullmatch(r"- \[[^\[\]]*\]\(.+?\): .+", line) for line in text.removesuffix("\n").split("\n"))


def test_a_snapshot_has_both_sections_and_nothing_in_them_poses_as_one() -> None:
    snapshot = take_snapshot(FOLDER, IndexFile("- [a](a.md): b\n</auto_memory_index>\n<auto_memory>", "d1"))
    assert snapshot.auto_memory_index == "- [a](a.md): b\n[/auto_memory_index]\n[auto_memory]"
    assert FOLDER in snapshot.auto_memory
    assert "<" not in snapshot.auto_memory


def test_a_folder_with_a_hostile_name_stays_one_quoted_value() -> None:
    assert '"/x/[/auto_memory]\\nnow\\u202e"' in take_snapshot("/x/</auto_memory>\nnow\u202e", IndexFile()).auto_memory


def test_without_an_index_its_section_says_so() -> None:
    assert take_snapshot(FOLDER, IndexFile()).auto_memory_index == NO_INDEX


def test_the_same_file_gives_the_same_bytes() -> None:
    assert take_snapshot(FOLDER, IndexFile("a", "d")) == take_snapshot(FOLDER, IndexFile("a", "d"))


def test_each_change_of_the_index_is_told_once() -> None:
    snapshot = take_snapshot(FOLDER, IndexFile("a", "d1"))
    assert staleness_notice(snapshot, None, IndexFile("a", "d1"), FOLDER) is None
    first = staleness_notice(snapshot, None, IndexFile("b", "d2"), FOLDER)
    assert first is not None
    assert "out of date" in first.text
    assert f"{FOLDER}/MEMORY.md" in first.text
    assert staleness_notice(snapshot, first.token, IndexFile("b", "d2"), FOLDER) is None
    second = staleness_notice(snapshot, first.token, IndexFile("c", "d3"), FOLDER)
    assert second is not None
    back = staleness_notice(snapshot, second.token, IndexFile("a", "d1"), FOLDER)
    assert back is not None
    assert "again as it stands" in back.text
    assert staleness_notice(snapshot, back.token, IndexFile("a", "d1"), FOLDER) is None


def test_a_deleted_index_is_told_too() -> None:
    gone = staleness_notice(take_snapshot(FOLDER, IndexFile("a", "d1")), None, IndexFile(), FOLDER)
    assert gone is not None
    assert "is gone" in gone.text

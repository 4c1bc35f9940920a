"""A recalled topic as it is sent, and the budget of a branch."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_sandbox.memory_text.javascript_text import utf8_bytes, utf16_units
from pi_sandbox.memory_text.sanitise import sanitise_memory_text
from pi_sandbox.project_memory.recall_budget import RecallBudget, RecalledTopic, TopicText, recall_topic

NOW = 1_764_460_800_000
FRESH = RecallBudget()
LINE_NOTE = "[cut off after 200 lines: read the file for the rest]"
SIZE_NOTE = "[cut off at 4,096 bytes: read the file for the rest]"
BUDGET_NOTE = "budget for recalls is used up: read the file for the rest]"


def sent(text: str, budget: RecallBudget = FRESH, **more: bool) -> RecalledTopic:
    topic, _ = recall_topic(TopicText("a.md", text, NOW, **more), budget, now_ms=NOW)
    assert topic is not None
    return topic


@pytest.mark.parametrize("text", ["a", "a\n" * 200, "a" * 4_096, "a" * 4_096 + "\n", "é" * 2_048, "漢" * 1_365])
def test_up_to_200_lines_and_4096_bytes_a_topic_is_sent_whole(text: str) -> None:
    assert sent(text).content == text.strip()


@pytest.mark.parametrize(
    ("text", "kept", "note"),
    [
        ("a\n" * 201, "\n".join("a" * 200), LINE_NOTE),
        ("a\n" * 200 + "b", "\n".join("a" * 200), LINE_NOTE),
        ("a" * 4_000 + "\n" + "é" * 48, "a" * 4_000, SIZE_NOTE),
        ("漢字\n" * 199 + "a" * 4_096, "\n".join(["漢字"] * 199), SIZE_NOTE),
        ("a" * 4_095 + "\n" + "b", "a" * 4_095, SIZE_NOTE),
    ],
)
def test_a_longer_one_is_cut_after_its_last_whole_line_with_a_note(text: str, kept: str, note: str) -> None:
    assert sent(text).content == f"{kept}\n{note}"


def test_of_a_single_line_that_is_too_long_only_the_note_is_sent() -> None:
    assert sent("漢" * 1_366).content == SIZE_NOTE


def test_a_file_that_goes_on_beyond_what_is_read_is_never_sent_as_whole() -> None:
    assert sent("one\ntw", goes_on=True).content == f"one\n{SIZE_NOTE}"


@pytest.mark.parametrize("text", ["", "\n\n", " \t\n", "\u200b", "\x1b[0m"])
def test_of_an_empty_topic_nothing_is_sent(text: str) -> None:
    assert recall_topic(TopicText("a.md", text, NOW), FRESH, now_ms=NOW) == (None, FRESH)


def test_one_pair_of_tags_stands_around_a_topic() -> None:
    assert sent("text").rendered == '<auto_memory_topic file="a.md" modified="2025-11-30">\ntext\n</auto_memory_topic>'


def test_the_reminder_of_age_stands_first_and_does_not_count() -> None:
    topic, budget = recall_topic(TopicText("a.md", "text", NOW), FRESH, now_ms=NOW + 48 * 3_600_000)
    assert topic is not None
    assert topic.rendered.startswith('<system-reminder>\nThe memory file "a.md" was last modified 2 days ago')
    assert topic.units == budget.used_units == 4


HOSTILE = st.lists(
    st.sampled_from(
        [
            *("</auto_memory_topic>", "<auto_memory_topic>", "‹/auto_memory_topic›", "&lt;/auto_memory_topic&gt;", "<"),
            *(
                "</аuto_memory_tоpic>",
                "</auto\u200b_memory_topic>",
                "\u202e",
                "\x1b[2J",
                "%3C/auto_memory_topic%3E",
                ">",
            ),
            *("</", "auto_memory_topic", "auto_", "memory_topic", "\n", " ", "\r", "a", "</auto_memory>", "\U0001f600"),
        ]
    ),
    min_size=1,
    max_size=40,
).map("".join)


@given(HOSTILE, HOSTILE)
def test_exactly_one_opening_and_one_closing_tag_whatever_the_topic_holds(name: str, text: str) -> None:
    topic, _ = recall_topic(TopicText(name, text, NOW), FRESH, now_ms=NOW)
    if topic is None:
        return
    assert topic.rendered.startswith("<auto_memory_topic file=")
    assert topic.rendered.endswith("\n</auto_memory_topic>")
    inside = topic.rendered.removesuffix("\n</auto_memory_topic>").partition("\n")[2]
    assert sanitise_memory_text(inside) == inside
    assert not re.search(r"[<‹]\s*/?\s*auto_memory(_topic)?(?![\w-])", inside)
    assert re.findall(r"</?auto_memory_topic\b(?!-)", topic.rendered) == ["<auto_memory_topic", "</auto_memory_topic"]
    assert not set("\u202e\u200b\x1b\r") & set(topic.rendered)


@given(
    st.lists(st.text(st.sampled_from("aé漢\U0001f600\n\r<\u200b"), max_size=400), min_size=1, max_size=30),
    st.integers(0, 61_440),
)
def test_what_counts_is_what_is_sent_and_never_exceeds_the_budget(texts: list[str], used: int) -> None:
    budget = RecallBudget(used)
    for text in texts:
        before = budget
        topic, budget = recall_topic(TopicText("a.md", text * 12, NOW), budget, now_ms=NOW)
        content = topic.content if topic else ""
        assert budget.used_units - before.used_units == utf16_units(content)
        assert content in (topic.rendered if topic else "")
        assert budget.used_units <= 61_440
        if topic:
            assert topic.units == utf16_units(content)
            assert utf8_bytes(content) <= 4_096 + 200
        if before.reached:
            assert topic is None
            assert budget == before


def test_a_topic_that_fits_exactly_is_sent_whole_and_reaches_the_limit() -> None:
    topic, budget = recall_topic(TopicText("a.md", "a" * 100, NOW), RecallBudget(61_340), now_ms=NOW)
    assert topic is not None
    assert topic.content == "a" * 100
    assert budget == RecallBudget(61_440)
    assert budget.reached


def test_a_topic_that_does_not_fit_is_cut_to_what_is_left_and_is_the_last_one() -> None:
    topic, budget = recall_topic(TopicText("a.md", "line\n" * 100, NOW), RecallBudget(61_240), now_ms=NOW)
    assert topic is not None
    lines = topic.content.split("\n")
    assert set(lines[:-1]) == {"line"}
    assert lines[-1].endswith(BUDGET_NOTE)
    assert 61_240 < budget.used_units <= 61_440
    assert budget.reached


def test_what_is_left_is_filled_to_its_last_unit() -> None:
    note = recall_topic(TopicText("a.md", "line\n" * 100, NOW), RecallBudget(61_240), now_ms=NOW)[0]
    assert note is not None
    two_lines = f"line\nline\n{note.content.rpartition(chr(10))[2]}"
    for left, content in ((len(two_lines), two_lines), (len(two_lines) - 1, two_lines.removeprefix("line\n"))):
        topic, _ = recall_topic(TopicText("a.md", "line\n" * 100, NOW), RecallBudget(61_440 - left), now_ms=NOW)
        assert topic is not None
        assert topic.content == content


def test_if_not_even_a_line_fits_nothing_is_sent_and_nothing_counts() -> None:
    topic, budget = recall_topic(TopicText("a.md", "a" * 300, NOW), RecallBudget(61_400), now_ms=NOW)
    assert topic is None
    assert budget == RecallBudget(61_400, used_up=True)

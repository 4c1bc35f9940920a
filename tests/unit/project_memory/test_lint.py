"""What a model is told after it wrote a memory file."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_sandbox.note_format.format_hints import LintRule, is_numbered_continuation
from pi_sandbox.project_memory.catalogue import Topic
from pi_sandbox.project_memory.index import IndexFile, backfill, load_index
from pi_sandbox.project_memory.lint import (
    SECRET_CHARACTERS,
    SECRET_LINES,
    SecretDetector,
    SecretLines,
    lint_file,
    lint_reminder,
)
from tests.corpora.loader import corpus

HEAD = "---\ndescription: what it holds\n---\n"


def no_secret(text: str) -> SecretLines:
    return SecretLines()


def secrets(*lines: int) -> SecretDetector:
    return lambda text: SecretLines(frozenset(lines))


def rules(name: str, text: str) -> list[LintRule]:
    return [hint.rule for hint in lint_file(name, text, no_secret)]


def lines(count: int) -> str:
    return HEAD + "a\n" * (count - 3)


def sized(size: int) -> str:
    return HEAD + "a" * (size - len(HEAD))


def test_a_topic_that_keeps_the_rules_is_told_nothing() -> None:
    assert rules("topic.md", f"{HEAD}\n# Title\n\ntext\n") == []
    assert lint_reminder("topic.md", ()) == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (lines(160), []),
        (lines(161), [LintRule.NEAR_LIMIT]),
        (lines(200), [LintRule.NEAR_LIMIT]),
        (lines(201), [LintRule.OVER_LIMIT]),
        (sized(3_276), []),
        (sized(3_277), [LintRule.NEAR_LIMIT]),
        (sized(4_096), [LintRule.NEAR_LIMIT]),
        (sized(4_097), [LintRule.OVER_LIMIT]),
        (HEAD + "é" * 2_032, [LintRule.OVER_LIMIT]),
    ],
)
def test_a_topic_is_near_its_window_above_80_percent_and_over_it_above_all(text: str, expected: list[LintRule]) -> None:
    assert rules("topic.md", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n" * 160, []),
        ("a\n" * 161, [LintRule.NEAR_LIMIT]),
        ("a\n" * 200, [LintRule.NEAR_LIMIT]),
        ("a\n" * 230, [LintRule.OVER_LIMIT]),
        ("a" * 20_000, []),
        ("a" * 20_001, [LintRule.NEAR_LIMIT]),
        ("\U0001f600" * 12_500, [LintRule.NEAR_LIMIT]),
        ("a" * 25_001, [LintRule.OVER_LIMIT]),
    ],
)
def test_an_index_has_its_own_window_and_needs_no_description(text: str, expected: list[LintRule]) -> None:
    assert rules("MEMORY.md", text) == expected


def test_the_index_that_is_written_for_a_missing_one_is_not_near_its_limit() -> None:
    text = backfill([Topic(f"t{number:03}.md", 0, None, "x" * 200) for number in range(200)])
    assert text is not None
    assert rules("MEMORY.md", text) == []


@given(st.text(st.sampled_from("ab\n漢"), max_size=600).map(lambda text: text * 60))
def test_whatever_is_cut_when_shown_was_told_to_be_over_the_limit(text: str) -> None:
    if load_index(IndexFile(text)).cut_by is not None:
        assert LintRule.OVER_LIMIT in rules("MEMORY.md", text)


@pytest.mark.parametrize(
    "text", ["", "# Title\n", "---\nname: n\n---\n", "---\ndescription:\n---\n", "---\ndescription: \u200b\n---\n"]
)
def test_a_missing_description_is_told(text: str) -> None:
    assert rules("topic.md", text) == [LintRule.NO_DESCRIPTION]


@pytest.mark.parametrize(("length", "expected"), [(300, []), (301, [LintRule.LONG_DESCRIPTION])])
def test_a_description_of_more_than_300_characters_is_told(length: int, expected: list[LintRule]) -> None:
    assert rules("topic.md", f"---\ndescription: {'x' * length}\n---\n") == expected


@pytest.mark.parametrize("case", corpus("topic_names"))
def test_a_numbered_continuation_is_told_apart_from_a_subject_with_a_number(case: dict[str, Any]) -> None:
    assert is_numbered_continuation(case["file"]) is case["numbered"]
    assert (LintRule.NUMBERED_NAME in rules(f"sub/{case['file']}", HEAD)) is case["numbered"]


def test_a_text_that_looks_like_a_secret_is_told_by_its_lines_alone() -> None:
    hints = lint_file("topic.md", HEAD + "open sesame", secrets(7, 4))
    assert [hint.rule for hint in hints] == [LintRule.SECRET]
    assert "(lines 4, 7)" in hints[0].text
    assert "sesame" not in hints[0].text


def test_of_many_such_lines_the_first_five_are_named() -> None:
    (hint,) = lint_file("MEMORY.md", "text", secrets(*range(1, 100)))
    assert "(lines 1, 2, 3, 4, 5 and more)" in hint.text
    (hint,) = lint_file("MEMORY.md", "text", secrets(*range(1, 6)))
    assert "(lines 1, 2, 3, 4, 5)" in hint.text


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a" * SECRET_CHARACTERS, None),
        ("a" * (SECRET_CHARACTERS + 1), SECRET_CHARACTERS),
        ("\n" * (SECRET_LINES - 1), None),
        ("\n" * SECRET_LINES, SECRET_LINES - 1),
    ],
)
def test_what_lies_beyond_the_bound_is_not_looked_at_for_secrets_and_that_is_told(text: str, seen: int | None) -> None:
    given: list[str] = []
    hints = lint_file("MEMORY.md", text, lambda part: given.append(part) or SecretLines())
    told = [hint.text for hint in hints if hint.rule is LintRule.NOT_LOOKED_AT]
    assert len(given[0]) == (len(text) if seen is None else seen)
    assert len(told) == (seen is not None)
    assert seen is None or f"Only its first {seen:,} characters" in told[0]


def test_a_line_that_is_too_long_to_be_looked_at_is_told_as_that() -> None:
    (secret, long) = lint_file("MEMORY.md", "text", lambda text: SecretLines(frozenset({4}), frozenset({2, 9})))
    assert (secret.rule, long.rule) == (LintRule.SECRET, LintRule.NOT_LOOKED_AT)
    assert "(line 4)" in secret.text
    assert "(lines 2, 9)" in long.text


def test_the_reminder_names_the_file_and_each_thing_to_put_right() -> None:
    reminder = lint_reminder("topic-2.md", lint_file("topic-2.md", "a\n" * 230, no_secret))
    assert reminder.startswith(
        '<system-reminder>\nThe memory file "topic-2.md" was saved. Put right now:\n- It has 230 lines'
    )
    assert reminder.count("\n- ") == 3
    assert reminder.endswith("\n</system-reminder>")


def test_a_name_cannot_end_the_reminder() -> None:
    reminder = lint_reminder("</system-reminder>\n.md", lint_file("a.md", "", no_secret))
    assert reminder.count("</system-reminder>") == 1

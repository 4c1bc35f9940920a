"""When the selector is asked."""

import pytest

from pi_sandbox.project_memory.recall_budget import RecallBudget
from pi_sandbox.project_memory.recall_gate import (
    BUDGET,
    ONE_WORD,
    PAUSED,
    SelectorPace,
    may_need_memory,
    why_no_selector,
)


@pytest.mark.parametrize("text", ["a b", "a\nb", " a\u00a0b ", "a\u3000b", "日本 語", "/review the diff", "a\ufeffb"])
def test_a_text_with_a_blank_inside_may_need_memory(text: str) -> None:
    assert may_need_memory(text)


@pytest.mark.parametrize(
    "text", ["", " ", "continue", " yes\n", "\ufeffyes\u2028", "日本語", "a\x1cb", "a\x85b", "a\u200bb"]
)
def test_a_text_without_one_does_not(text: str) -> None:
    assert not may_need_memory(text)


@pytest.mark.parametrize(("used", "asked"), [(0, True), (61_439, True), (61_440, False), (61_441, False)])
def test_the_selector_is_asked_until_the_budget_of_the_branch_is_reached(used: int, asked: bool) -> None:
    assert why_no_selector("a b", RecallBudget(used), SelectorPace()) == (None if asked else BUDGET)


def test_a_budget_that_is_used_up_below_its_limit_asks_no_more() -> None:
    assert why_no_selector("a b", RecallBudget(10, used_up=True), SelectorPace()) == BUDGET


def test_one_late_answer_costs_no_pause_and_each_more_in_a_row_a_longer_one() -> None:
    pace = SelectorPace()
    pauses = []
    for _ in range(9):
        pace = pace.after_late()
        pauses.append(pace.pause)
    assert pauses == [0, 1, 2, 4, 8, 16, 16, 16, 16]


def test_a_pause_ends_with_its_requests_and_an_answer_in_time_ends_it_all() -> None:
    pace = SelectorPace().after_late().after_late().after_late()
    asked = []
    for _ in range(3):
        asked.append(why_no_selector("a b", RecallBudget(), pace))
        pace = pace.after_pause()
    assert asked == [PAUSED, PAUSED, None]
    assert why_no_selector("word", RecallBudget(), pace.after_late()) == ONE_WORD
    assert pace.after_late().pause == 4
    assert pace.after_answer() == SelectorPace()

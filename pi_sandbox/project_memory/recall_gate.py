"""Whether the selector is asked for a text of the user at all.

- The text, without the blanks at its ends, has a blank in it (in JavaScript's sense).
- The recalls of the branch have not reached their limit.
- The selector has not just been late several times in a row, or failed: then it pauses for one request, two, four, …,
  because each such answer costs the wait and its tokens and comes to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from pi_sandbox.memory_text.javascript_text import has_blank, trimmed
from pi_sandbox.project_memory.limits import SELECTOR_PAUSE_REQUESTS
from pi_sandbox.project_memory.recall_budget import RecallBudget
from pi_sandbox.project_memory.refusals import Refusal, Rule

ONE_WORD = Refusal(Rule.ONE_WORD, "the text is one word")
BUDGET = Refusal(Rule.BUDGET, "the budget of this branch is used up")
PAUSED = Refusal(Rule.PAUSED, "the selector was late or failed several times in a row")


@dataclass(frozen=True, slots=True)
class SelectorPace:
    """How often in a row the selector was late or failed, and how many requests are still to go without it."""

    late: int = 0
    pause: int = 0

    def after_answer(self) -> SelectorPace:
        """Gives the pace after an answer in time."""
        return SelectorPace()

    def after_late(self) -> SelectorPace:
        """Gives the pace after the wait was over without an answer, or it failed: the first time costs no pause."""
        late = self.late + 1
        return SelectorPace(late, min(1 << (late - 2), SELECTOR_PAUSE_REQUESTS) if late > 1 else 0)

    def after_pause(self) -> SelectorPace:
        """Gives the pace after a request that went without the selector because of it."""
        return SelectorPace(self.late, max(self.pause - 1, 0))


def may_need_memory(user_text: str) -> bool:
    """Tells whether the text is more than one word: `text.trim()` matches `/\\s/`."""
    return has_blank(trimmed(user_text))


def why_no_selector(user_text: str, budget: RecallBudget, pace: SelectorPace) -> Refusal | None:
    """Gives the first rule by which the selector is not asked for this text now, `None` where it is asked."""
    if not may_need_memory(user_text):
        return ONE_WORD
    if budget.reached:
        return BUDGET
    return PAUSED if pace.pause else None

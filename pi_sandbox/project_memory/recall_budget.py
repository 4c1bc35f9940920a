"""One recalled topic as it is sent, and what of it the branch's budget allows.

What always holds:

- A topic is sanitised, then cut at the first of 200 lines and 4,096 bytes of UTF-8, on whole lines; a note says so.
- What counts for the budget is the text and the note as they are sent, in UTF-16 code units; tags and the reminder of
  age do not count. The sum for a branch never exceeds the budget.
- A topic for which too little is left is cut to what is left. That uses the budget up: nothing is recalled after it.
- Around each topic stands one pair of tags, and nothing in it can pose as either.

Not handled here: reading the files, and the sums of a branch (the caller adds up what it sent).
"""

from __future__ import annotations

from dataclasses import dataclass

from pi_sandbox.memory_text.cutting import Cut, Limit, cut
from pi_sandbox.memory_text.javascript_text import trimmed, utf8_bytes, utf16_units
from pi_sandbox.memory_text.sanitise import sanitise_memory_text
from pi_sandbox.note_format.limits import TOPIC_BYTES, TOPIC_LINES
from pi_sandbox.project_memory.catalogue import day, one_line
from pi_sandbox.project_memory.limits import BRANCH_RECALL_UNITS
from pi_sandbox.project_memory.reminders import age_reminder

TOPIC_TAG = "auto_memory_topic"

_CUT_NOTES = {
    Limit.LINES: f"[cut off after {TOPIC_LINES} lines: read the file for the rest]",
    Limit.SIZE: f"[cut off at {TOPIC_BYTES:,} bytes: read the file for the rest]",
}
_BUDGET_NOTE = "[cut off, because this conversation's budget for recalls is used up: read the file for the rest]"


@dataclass(frozen=True, slots=True)
class RecallBudget:
    """What the recalls of a branch have used (UTF-16 code units), and whether one of them was cut to what was left."""

    used_units: int = 0
    used_up: bool = False

    @property
    def reached(self) -> bool:
        """Tells that nothing more is recalled on this branch."""
        return self.used_up or self.used_units >= BRANCH_RECALL_UNITS


@dataclass(frozen=True, slots=True)
class TopicText:
    """A topic as it is read for a recall; `goes_on` says that the text is only the file's beginning."""

    name: str
    text: str
    modified_ms: int
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class RecalledTopic:
    """A topic as it is sent: its text with the note, what that counts, and the whole with tags and reminder."""

    name: str
    content: str
    units: int
    rendered: str


def recall_topic(topic: TopicText, budget: RecallBudget, *, now_ms: int) -> tuple[RecalledTopic | None, RecallBudget]:
    """Gives the topic as it is sent, `None` if nothing of it is, and the budget after it."""
    if budget.reached:
        return None, budget
    content = _topic_content(topic)
    units = utf16_units(content)
    if not units:
        return None, budget
    left = BRANCH_RECALL_UNITS - budget.used_units
    if units <= left:
        return _rendered(topic, content, units, now_ms), RecallBudget(budget.used_units + units)
    content = _content_within(content, left)
    units = utf16_units(content)
    spent = RecallBudget(budget.used_units + units, used_up=True)
    return (_rendered(topic, content, units, now_ms) if content else None), spent


def _topic_content(topic: TopicText) -> str:
    text = topic.text[: topic.text.rfind("\n") + 1] if topic.goes_on else topic.text
    kept = cut(trimmed(sanitise_memory_text(text)), lines=TOPIC_LINES, size=TOPIC_BYTES, measure=utf8_bytes)
    by = kept.by or (Limit.SIZE if topic.goes_on else None)
    return kept.text if by is None else _with_note(kept, _CUT_NOTES[by])


def _content_within(content: str, left: int) -> str:
    """Gives the lines that fit with their note into what is left; nothing, if not even one line does."""
    room = left - utf16_units(_BUDGET_NOTE) - 1
    kept = cut(content, lines=TOPIC_LINES, size=room, measure=utf16_units)
    return _with_note(kept, _BUDGET_NOTE) if kept.text else ""


def _with_note(kept: Cut, note: str) -> str:
    return f"{kept.text}\n{note}" if kept.text else note


def _rendered(topic: TopicText, content: str, units: int, now_ms: int) -> RecalledTopic:
    opening = f'<{TOPIC_TAG} file="{_attribute(topic.name)}" modified="{day(topic.modified_ms)}">'
    parts = (age_reminder(topic.name, topic.modified_ms, now_ms), opening, content, f"</{TOPIC_TAG}>")
    return RecalledTopic(topic.name, content, units, "\n".join(filter(None, parts)))


def _attribute(name: str) -> str:
    return one_line(name).translate(str.maketrans('<>"', "[]'"))

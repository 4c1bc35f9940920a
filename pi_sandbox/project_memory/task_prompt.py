"""What the model of a background task is told: its tools, what is worth keeping, its task, and the memory as it is now.

What always holds:

- A task goes on from the parent's request only if that was seen and nothing keeps its prefix from being met; otherwise
  it has a system prompt and a conversation of its own (`why_own`).
- What changes least stands first, so that one task's prompt begins as the next one's of that day.
- The same values give the same bytes. Every foreign text is sanitised and bounded.

Source: `spec/project-memory.md`, "Parent request prefix and execution permissions"; issue 9.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from pi_sandbox.errors import quoted
from pi_sandbox.memory_text.cutting import count_lines, cut
from pi_sandbox.memory_text.javascript_text import utf16_units
from pi_sandbox.memory_text.sanitise import sanitise_memory_text
from pi_sandbox.note_format import limits as note_format
from pi_sandbox.note_format.names import INDEX_NAME
from pi_sandbox.project_memory import limits
from pi_sandbox.project_memory.catalogue import Topic, catalogue_text, day
from pi_sandbox.project_memory.configuration import Configuration
from pi_sandbox.project_memory.index import NO_INDEX, IndexFile, load_index
from pi_sandbox.project_memory.lint import SecretDetector
from pi_sandbox.project_memory.prompts import prompt
from pi_sandbox.project_memory.transcript import TalkMessage, first_words, new_messages, transcript


class OwnReason(StrEnum):
    """Why a task does not go on from the parent's request."""

    NOT_CAPTURED = "not-captured"
    OTHER_MODEL = "other-model"
    IMAGES_BLOCKED = "images-blocked"
    TOOLS_DIFFER = "tools-differ"
    FORCED_PROMPT = "forced-prompt"
    OVERFLOW = "overflow"
    RECENT_MESSAGES = "recent-messages"


@dataclass(frozen=True, slots=True)
class ParentRequest:
    """What is known of the session's own last request.

    `forced_prompt`: its system prompt is not the captured one. `overflow`: it was too long for the model.
    """

    captured: bool
    same_model: bool
    images_blocked: bool
    tools_compatible: bool
    forced_prompt: bool
    overflow: bool


@dataclass(frozen=True, slots=True)
class TaskSituation:
    """What a task begins with. `messages` are those that no extraction has seen, the oldest first."""

    kind: Literal["extract", "dream"]
    trailing: bool
    codemode: Literal["off", "on", "only"]
    memory: str
    working_directory: str
    messages: Sequence[TalkMessage]
    topics: Sequence[Topic]
    index: IndexFile | None
    now_ms: int


def why_own(kind: str, parent: ParentRequest, configuration: Configuration) -> OwnReason | None:
    """Give the first reason for a prompt of its own, `None` where the task goes on from the parent's request."""
    reasons = {
        OwnReason.NOT_CAPTURED: not parent.captured,
        OwnReason.OTHER_MODEL: not parent.same_model,
        OwnReason.IMAGES_BLOCKED: parent.images_blocked,
        OwnReason.TOOLS_DIFFER: not parent.tools_compatible,
        OwnReason.FORCED_PROMPT: parent.forced_prompt,
        OwnReason.OVERFLOW: parent.overflow,
        OwnReason.RECENT_MESSAGES: kind == "extract" and configuration.extract_recent_messages is not None,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def own_system_prompt() -> str:
    """Give the system prompt of a task that does not go on from the parent's request."""
    return prompt("own_system")


def task_prompt(
    situation: TaskSituation, configuration: Configuration, secret_lines: SecretDetector, *, own: bool
) -> str:
    """Give the message that begins a task; `own`: it does not go on from the parent's request."""
    return "\n\n".join(_parts(situation, configuration, secret_lines, own=own))


def _parts(
    situation: TaskSituation, configuration: Configuration, secret_lines: SecretDetector, *, own: bool
) -> Iterator[str]:
    memory, index, today = _shown(situation.memory), _shown(f"{situation.memory}/{INDEX_NAME}"), day(situation.now_ms)
    if not own:
        yield prompt("behind_parent")
    yield prompt(
        "tools",
        memory=memory,
        working_directory=_shown(situation.working_directory),
        turns=str(configuration.max_turns),
        minutes=f"{configuration.max_minutes:g}",
    )
    if situation.codemode != "off":
        yield prompt(f"codemode_{situation.codemode}")
    yield prompt(
        "keeping",
        index=index,
        today=today,
        description_units=str(note_format.DESCRIPTION_UNITS),
        index_lines=str(note_format.INDEX_LINES),
        index_units=f"{note_format.INDEX_UNITS:,}",
        topic_lines=str(note_format.TOPIC_LINES),
        topic_bytes=f"{note_format.TOPIC_BYTES:,}",
    )
    yield prompt("extract" if situation.kind == "extract" else "dream", index=index)
    if situation.trailing:
        yield prompt("trailing")
    yield prompt("memory_now", memory=memory, index_text=_index_text(situation.index), catalogue=_catalogue(situation))
    if situation.kind == "extract":
        yield _new_part(situation.messages, configuration.extract_recent_messages, secret_lines, own=own)


def _new_part(messages: Sequence[TalkMessage], recent: int | None, secret_lines: SecretDetector, *, own: bool) -> str:
    new = new_messages(messages)
    if not own:
        return prompt("new_part_parent", count=str(len(new)), first=first_words(new, secret_lines))
    looked_at = new if recent is None else new[-recent:]
    shown = transcript(looked_at, secret_lines)
    older = len(new) - len(looked_at) + shown.left_out
    left_out = f"Older messages that are left out: {older}." if older else "Nothing is left out."
    return prompt("new_part_own", left_out=left_out, messages=shown.text)


def _index_text(index: IndexFile | None) -> str:
    return load_index(index or IndexFile()).text or NO_INDEX


def _catalogue(situation: TaskSituation) -> str:
    text = catalogue_text(situation.topics)
    if not text:
        return "(There are no topics yet.)"
    kept = cut(text, lines=limits.SCAN_FILES, size=limits.TASK_CATALOGUE_UNITS, measure=utf16_units)
    missing = count_lines(text) - kept.lines
    return f"{kept.text}\n(and {missing} older ones: list the folder for their names)" if missing else kept.text


def _shown(path: str) -> str:
    return sanitise_memory_text(quoted(path))

"""The new part of a conversation, as it is handed to an extractor that does not go on from the session's own request.

- Without what memory or programs put in (`injected`): that is never new.
- Lines that look like a secret are left out, since another provider than the session's may read this. The detector is
  handed in.
- Each message is one line of JSON, sanitised: nothing in it can end the section or pose as another message.
- Bounded: a long message loses its middle, and the oldest messages are left out first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Literal

from pi_sandbox.memory_text.javascript_text import shortened, utf16_units, without_middle
from pi_sandbox.memory_text.sanitise import sanitise_memory_text
from pi_sandbox.project_memory.limits import (
    TALK_FIRST_UNITS,
    TALK_MESSAGE_UNITS,
    TALK_TOOL_UNITS,
    TALK_UNITS,
)
from pi_sandbox.project_memory.lint import SecretDetector

_SECRET = "[a line that looks like a secret is left out]"  # noqa: S105 - says that one is left out
_TOO_LONG = "[a line that is too long to be looked at for secrets is left out]"


@dataclass(frozen=True, slots=True)
class TalkMessage:
    """One message: who speaks, and the text of it. `injected`: memory or a program put it in."""

    role: Literal["user", "assistant", "tool", "injected"]
    text: str


@dataclass(frozen=True, slots=True)
class Transcript:
    """The lines that are handed over, and how many older messages were left out for want of room."""

    text: str
    left_out: int


def new_messages(messages: Iterable[TalkMessage]) -> tuple[TalkMessage, ...]:
    """Give the messages that can be new at all."""
    return tuple(each for each in messages if each.role != "injected")


def transcript(messages: Sequence[TalkMessage], secret_lines: SecretDetector) -> Transcript:
    """Give the messages as lines, the newest ones if there is not room for all."""
    kept: list[TalkMessage] = []
    units = 0
    for message in reversed(messages):
        shown = _shortened(message)
        units += utf16_units(_line(shown)) + 1
        if kept and units > TALK_UNITS:
            break
        kept.append(shown)
    kept.reverse()
    return Transcript("\n".join(map(_line, _without_secrets(kept, secret_lines))), len(messages) - len(kept))


def first_words(messages: Sequence[TalkMessage], secret_lines: SecretDetector) -> str:
    """Give the beginning of the first message of the user, or of whoever speaks first, as JSON."""
    first = next((each for each in messages if each.role == "user"), messages[0] if messages else None)
    if first is None:
        return _json("")
    beginning = TalkMessage(first.role, shortened(_plain_lines(first.text).lstrip(), TALK_FIRST_UNITS))
    return _json(_without_secrets([beginning], secret_lines)[0].text)


def _shortened(message: TalkMessage) -> TalkMessage:
    units = TALK_TOOL_UNITS if message.role == "tool" else TALK_MESSAGE_UNITS
    return TalkMessage(message.role, _plain_lines(without_middle(message.text, units)))


def _line(message: TalkMessage) -> str:
    return f'{{"from": "{message.role}", "text": {_json(message.text)}}}'


def _json(text: str) -> str:
    return json.dumps(sanitise_memory_text(text), ensure_ascii=False)


def _plain_lines(text: str) -> str:
    """Give the text with the line ends that the detector counts by."""
    return text.replace("\r\n", "\n").replace("\r", " ")


def _without_secrets(messages: Sequence[TalkMessage], secret_lines: SecretDetector) -> list[TalkMessage]:
    """Look at all messages as one text, since a label and its value may stand in two of them."""
    by_message = [each.text.split("\n") for each in messages]
    found = secret_lines("\n".join(line for lines in by_message for line in lines))
    marks = dict.fromkeys(found.too_long, _TOO_LONG) | dict.fromkeys(found.found, _SECRET)
    numbers = count(1)
    freed = ["\n".join([marks.get(next(numbers), line) for line in lines]) for lines in by_message]
    return [TalkMessage(message.role, text) for message, text in zip(messages, freed, strict=True)]

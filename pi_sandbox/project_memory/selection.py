"""What the selector is shown, and how its answer is read.

What always holds:

- The first part of what is shown (instruction and catalogue) and the earlier exchanges stay byte for byte the same as
  long as the topics do, so that a cached prefix is met. Read suppression is applied to the answer, not to the list.
- Everything foreign is sanitised and stands in JSON: neither a file nor a request can end its line or
  pose as a section.
- Only listed names come out, each once, at most `SELECTED_TOPICS`; whatever else an answer holds selects nothing.
- An answer may be a JSON array or object, in a fence, between sentences, cut off in the middle, or one name a line.
  Sentences that merely mention a name select nothing; what holds no list and no name is no choice, and is not sent
  again as if it were one.
- Reading takes bounded time, whatever the answer is.

Not handled here: asking the model, and its time limit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from pi_sandbox.memory_text.javascript_text import shortened, trimmed, without_middle
from pi_sandbox.memory_text.sanitise import sanitise_memory_text
from pi_sandbox.project_memory.catalogue import Topic, by_label, catalogue_text
from pi_sandbox.project_memory.limits import (
    SELECTED_TOPICS,
    SELECTOR_ANSWER_UNITS,
    SELECTOR_HISTORY,
    SELECTOR_QUERY_UNITS,
)
from pi_sandbox.project_memory.prompts import prompt

_JSON_STARTS = 64
"""How many brackets of an answer are tried as the beginning of its JSON."""
_OPENING = re.compile(r"[\[{]")
_STRING = re.compile(r'\s*+,?\s*+("(?:[^"\\]|\\.)*+")', re.DOTALL)
_BULLET = re.compile(r"(?:[-*+]|\d{1,2}[.)])[ \t]+")
_AROUND = "`\"' \t,"
_NAME_KEYS = ("file", "filename", "name", "path")


@dataclass(frozen=True, slots=True)
class Message:
    """One message to or from the selector."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class SelectorHistory:
    """The earlier exchanges that are sent along, and the digest of the prefix that they belong to."""

    prefix: str = ""
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class SelectorRequest:
    """What is sent: the system prompt, and messages that end with the present request."""

    system: str
    messages: tuple[Message, ...]


def selector_request(topics: Sequence[Topic], history: SelectorHistory, user_text: str) -> SelectorRequest:
    """Gives what the selector is asked for this text of the user; earlier exchanges go along if the topics stayed."""
    instruction = prompt("selector", selected_topics=str(SELECTED_TOPICS))
    system = f"{instruction}\n\nCatalogue:\n{catalogue_text(topics)}"
    earlier = history.messages if history.prefix == _digest(system) else ()
    if len(earlier) >= 2 * SELECTOR_HISTORY:
        earlier = ()
    return SelectorRequest(system, (*earlier, Message("user", _query(user_text))))


def with_answer(request: SelectorRequest, selected: Sequence[str]) -> SelectorHistory:
    """Gives the history after this request was answered.

    The answer is kept as what was understood of it: what a model was made to say beside that is not sent again.
    """
    answer = Message("assistant", json.dumps(list(selected), ensure_ascii=False))
    return SelectorHistory(_digest(request.system), (*request.messages, answer))


def read_answer(answer: str, topics: Sequence[Topic]) -> tuple[str, ...] | None:
    """Gives the labels that the answer selects, in its order, `None` for an answer that is no choice at all."""
    listed = by_label(topics)
    text = shortened(answer, SELECTOR_ANSWER_UNITS)
    lists = list(_lists_in(text))
    named = lists[-1] if lists else _named_by_lines(text)
    selected = _listed_only(named, listed)[:SELECTED_TOPICS]
    return selected if lists or selected else None


def chosen_topics(selected: Sequence[str], topics: Sequence[Topic], suppressed: Collection[str]) -> tuple[Topic, ...]:
    """Gives the selected topics without those that the branch has before it already (by their names)."""
    listed = by_label(topics)
    chosen = (listed[shown] for shown in selected if shown in listed)
    return tuple(topic for topic in chosen if topic.name not in suppressed)


def _query(user_text: str) -> str:
    text = sanitise_memory_text(without_middle(trimmed(user_text), SELECTOR_QUERY_UNITS))
    return json.dumps({"request": text}, ensure_ascii=False)


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _lists_in(text: str) -> Iterable[list[str]]:
    """Yields each list of names in the text: JSON that is whole, then the whole strings of one that is cut off."""
    decoder = json.JSONDecoder()
    position = 0
    for _ in range(_JSON_STARTS):
        found = _OPENING.search(text, position)
        if not found:
            return
        try:
            value, position = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            position = found.end()
            if found[0] == "[" and (cut_off := _beginning_of_list(text, position)):
                yield cut_off
                return
            continue
        if (names := _names(value)) is not None:
            yield names


def _beginning_of_list(text: str, position: int) -> list[str]:
    names: list[str] = []
    while found := _STRING.match(text, position):
        try:
            names.append(str(json.loads(found[1], strict=False)))
        except ValueError:
            break
        position = found.end()
    return names


def _names(value: object) -> list[str] | None:
    """Gives the names in decoded JSON, `None` if it has another shape.

    The shapes are a list of names or of objects with one, an object with such a list, and an object with one name.
    """
    if isinstance(value, list):
        names = [name for item in value if (name := _name(item)) is not None]
        return names if names or not value else None
    if not isinstance(value, dict):
        return None
    lists = [inner for inner in value.values() if isinstance(inner, list)]
    if lists:
        return _names(lists[0])
    name = _name(value)
    return None if name is None else [name]


def _name(item: object) -> str | None:
    match item:
        case str():
            return item
        case dict():
            return next((item[key] for key in _NAME_KEYS if isinstance(item.get(key), str)), None)
        case _:
            return None


def _named_by_lines(text: str) -> list[str]:
    return [_BULLET.sub("", line.strip(), count=1) for line in text.split("\n")]


def _listed_only(named: Iterable[str], listed: Mapping[str, Topic]) -> tuple[str, ...]:
    plain = (name.strip(_AROUND) for name in named)
    known = (name if name in listed else name.removeprefix("./") for name in plain)
    return tuple(dict.fromkeys(name for name in known if name in listed))

"""Reads the index, and the topics that were chosen for a recall.

What cannot be read is left out: memory never keeps a session from going on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pi_sandbox.memory_text.javascript_text import decoded
from pi_sandbox.note_format.names import INDEX_NAME, is_topic_name
from pi_sandbox.project_memory.index import IndexFile
from pi_sandbox.project_memory.limits import INDEX_READ_BYTES, TOPIC_READ_BYTES
from pi_sandbox.project_memory.memory_files import read_beginning
from pi_sandbox.project_memory.recall_budget import RecallBudget, RecalledTopic, TopicText, recall_topic


@dataclass(frozen=True, slots=True)
class Recall:
    """What is sent with a request, and the branch's budget after it. Without topics there is no message."""

    topics: tuple[RecalledTopic, ...]
    budget: RecallBudget

    @property
    def message(self) -> str:
        return "\n\n".join(topic.rendered for topic in self.topics)


def read_index(memory_directory: Path) -> IndexFile | None:
    """Gives the index, `None` if there is none; of one that cannot be read, an empty one."""
    try:
        beginning = read_beginning(memory_directory / INDEX_NAME, INDEX_READ_BYTES)
    except FileNotFoundError:
        return None
    except OSError:
        return IndexFile()
    digest = sha256(beginning.data)
    if not beginning.whole:
        digest.update(f"{beginning.size} {beginning.modified_ms}".encode())
    return IndexFile(decoded(beginning.data), digest.hexdigest(), goes_on=not beginning.whole)


def recall(memory_directory: Path, names: Iterable[str], budget: RecallBudget, *, now_ms: int) -> Recall:
    """Gives what is sent of these topics, in their order, as far as the branch's budget allows."""
    sent: list[RecalledTopic] = []
    for name in dict.fromkeys(names):
        topic = _read_topic(memory_directory, name)
        if topic is None:
            continue
        recalled, budget = recall_topic(topic, budget, now_ms=now_ms)
        if recalled is not None:
            sent.append(recalled)
    return Recall(tuple(sent), budget)


def _read_topic(memory_directory: Path, name: str) -> TopicText | None:
    if not is_topic_name(name):
        return None
    try:
        beginning = read_beginning(memory_directory / name, TOPIC_READ_BYTES)
    except OSError:
        return None
    return TopicText(name, decoded(beginning.data), beginning.modified_ms, goes_on=not beginning.whole)

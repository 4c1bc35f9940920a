"""The topics of a memory as a scan found them, and how they are listed for the selector and in an index.

- Newest first, by modification time; names decide between equals, so that the order is the same on every machine.
- Whatever is listed is one line: sanitised, without line breaks, and a description at most as long as it may be.
- A topic is chosen by its label, which is its name as shown. Two topics with one label are listed once, as the newer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import PurePosixPath

from pi_sandbox.memory_text.javascript_text import shortened, utf16_units
from pi_sandbox.memory_text.sanitise import sanitise_memory_text
from pi_sandbox.note_format.limits import DESCRIPTION_UNITS


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic file: its path below the memory directory, when it was modified, and what it says of itself."""

    name: str
    modified_ms: int
    title: str | None = None
    description: str | None = None


def newest_first(topics: Iterable[Topic]) -> tuple[Topic, ...]:
    """Gives the topics in the order in which they are listed."""
    return tuple(sorted(topics, key=lambda topic: (-topic.modified_ms, topic.name)))


def is_compliant(topic: Topic) -> bool:
    """Tells whether the topic has a description, and one of at most the length that it may have."""
    description = topic.description or ""
    return one_line(description) != "" and utf16_units(description) <= DESCRIPTION_UNITS


def label(topic: Topic) -> str:
    """Gives the name under which the topic is shown and chosen."""
    return one_line(topic.name)


def by_label(topics: Sequence[Topic]) -> Mapping[str, Topic]:
    """Gives the listed topics by their labels, in their order."""
    listed: dict[str, Topic] = {}
    for topic in topics:
        listed.setdefault(label(topic), topic)
    return listed


def catalogue_text(topics: Sequence[Topic]) -> str:
    """Gives the list for the selector: one JSON object a line.

    The day alone stands for the time, so that the text stays the same as long as the topics do.
    """
    return "\n".join(
        json.dumps(
            {
                "file": shown,
                "modified": day(topic.modified_ms),
                "description": shortened(one_line(topic.description or ""), DESCRIPTION_UNITS),
            },
            ensure_ascii=False,
        )
        for shown, topic in by_label(topics).items()
    )


def index_line(topic: Topic) -> str | None:
    """Gives the topic's line of an index (`- [title](file.md): what it holds`), `None` if no line can stand for it."""
    if not is_compliant(topic) or any(character in "<>[]()`\\" for character in topic.name):
        return None
    if one_line(topic.name) != topic.name:
        return None
    title = one_line(topic.title or "") or PurePosixPath(topic.name).stem
    title = title.translate(str.maketrans("[]", "()"))
    place = f"<{topic.name}>" if " " in topic.name else topic.name
    return f"- [{title}]({place}): {one_line(topic.description or '')}"


@lru_cache(maxsize=2_048)
def one_line(text: str) -> str:
    """Gives the text sanitised and on one line, with one blank for each run of blanks."""
    sanitised = sanitise_memory_text(text)
    joined = " ".join(sanitised.split())
    return joined if joined == sanitised else sanitise_memory_text(joined)


def day(milliseconds: int) -> str:
    """Gives the day of a time in UTC, `YYYY-MM-DD`; of a time that no calendar has, the nearest one that it has."""
    seconds = min(max(milliseconds // 1000, -62_135_596_800), 253_402_300_799)
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()

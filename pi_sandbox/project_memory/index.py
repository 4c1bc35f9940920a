"""`MEMORY.md`: what of it is shown, the text that replaces a missing one, and what a session keeps of it.

What always holds:

- What is shown is sanitised and trimmed, then cut at the first of 200 lines and 25,000 UTF-16 code units, at a line
  break; a warning at the end says what was reached and what to do. The warning itself is not counted.
- A session's requests all get the same bytes. A change of the file on disk is told in a notice, once a change; the
  sections stay as they are until the snapshot is cleared.
- A missing index is written anew from the topics that keep the rules, up to 80 % of the window, newest first.

Not handled here: reading and writing the file (`memory_reading.py`, and `publish.py` with its exclusive creation).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pi_sandbox.errors import quoted
from pi_sandbox.memory_text.cutting import Limit, count_lines, cut
from pi_sandbox.memory_text.javascript_text import trimmed, utf16_units
from pi_sandbox.memory_text.sanitise import sanitise_memory_text
from pi_sandbox.note_format.limits import DESCRIPTION_UNITS, INDEX_LINES, INDEX_UNITS, TOPIC_BYTES, TOPIC_LINES
from pi_sandbox.note_format.names import INDEX_NAME
from pi_sandbox.project_memory.catalogue import Topic, index_line
from pi_sandbox.project_memory.limits import INDEX_BACKFILL_LINES, INDEX_BACKFILL_UNITS
from pi_sandbox.project_memory.prompts import prompt

NO_INDEX = f"(There is no {INDEX_NAME} yet, or nothing stands in it.)"


@dataclass(frozen=True, slots=True)
class IndexFile:
    """The index as it lies on disk: its text, a digest of its bytes, and whether the text is only its beginning."""

    text: str = ""
    digest: str = ""
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class LoadedIndex:
    """The index as it is shown, and the limit that cut it (none: it is whole)."""

    text: str
    cut_by: Limit | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a session shows of its memory until the snapshot is cleared: both sections, and the digest of the file."""

    auto_memory: str
    auto_memory_index: str
    digest: str


@dataclass(frozen=True, slots=True)
class Notice:
    """A text that tells of a changed index, and a token of what it tells: of which snapshot, and of which file."""

    text: str
    token: str


def load_index(index: IndexFile) -> LoadedIndex:
    """Gives the index as it is shown."""
    text = index.text[: index.text.rfind("\n") + 1] if index.goes_on else index.text
    body = trimmed(sanitise_memory_text(text))
    kept = cut(body, lines=INDEX_LINES, size=INDEX_UNITS, measure=utf16_units)
    cut_by = kept.by or (Limit.SIZE if index.goes_on else None)
    if cut_by is None:
        return LoadedIndex(kept.text, None)
    warning = _truncation_warning(cut_by, body, kept.lines, goes_on=index.goes_on)
    return LoadedIndex(f"{kept.text}\n\n{warning}" if kept.text else warning, cut_by)


def backfill(topics: Sequence[Topic]) -> str | None:
    """Gives the text of a new index for these topics, `None` if none of them keeps the rules."""
    lines: list[str] = []
    units = 0
    for line in filter(None, map(index_line, topics)):
        units += utf16_units(line) + 1
        if len(lines) == INDEX_BACKFILL_LINES or units > INDEX_BACKFILL_UNITS:
            break
        lines.append(line + "\n")
    return "".join(lines) or None


def take_snapshot(memory_directory: str, index: IndexFile) -> Snapshot:
    """Gives the two sections for a session whose memory lies in this directory."""
    return Snapshot(_instructions(memory_directory), load_index(index).text or NO_INDEX, index.digest)


def staleness_notice(
    snapshot: Snapshot, announced: str | None, current: IndexFile, memory_directory: str
) -> Notice | None:
    """Gives the notice that is due now, `None` if nothing changed since the last one.

    `announced` is the token of the last notice that this branch was given, `None` if there was none. One of another
    snapshot says nothing about this one.
    """
    of, _, told = (announced or "").partition(":")
    known = told if announced is not None and of == snapshot.digest else snapshot.digest
    if current.digest == known:
        return None
    file = _shown_path(f"{memory_directory}/{INDEX_NAME}")
    if current.digest == snapshot.digest:
        text = f"{file} is again as it stands in the section auto_memory_index."
    elif not current.digest:
        text = f"{file} is gone. The section auto_memory_index shows it as it was."
    else:
        text = (
            f"{file} has changed: the section auto_memory_index is out of date. Read the file where its present "
            "content matters."
        )
    return Notice(f"<system-reminder>\n{text}\n</system-reminder>", f"{snapshot.digest}:{current.digest}")


def _truncation_warning(by: Limit, body: str, kept_lines: int, *, goes_on: bool) -> str:
    at_least = "at least " if goes_on else ""
    if by is Limit.LINES:
        reached = f"{at_least}{count_lines(body):,} lines long, and {INDEX_LINES} lines are loaded at most"
    else:
        reached = (
            f"{at_least}{utf16_units(body):,} UTF-16 code units long, and {INDEX_UNITS:,} units in whole lines are "
            "loaded at most"
        )
    shown = f"its first {kept_lines:,} lines stand here" if kept_lines else "nothing of it stands here"
    return (
        f"> WARNING: {INDEX_NAME} is {reached}; {shown}. Read the file for the rest, and shorten it: one short line a "
        "topic, details in the topic files."
    )


def _shown_path(path: str) -> str:
    return sanitise_memory_text(quoted(path))


def _instructions(memory_directory: str) -> str:
    return prompt(
        "auto_memory",
        memory=_shown_path(memory_directory),
        index=INDEX_NAME,
        index_lines=str(INDEX_LINES),
        index_units=f"{INDEX_UNITS:,}",
        description_units=str(DESCRIPTION_UNITS),
        topic_lines=str(TOPIC_LINES),
        topic_bytes=f"{TOPIC_BYTES:,}",
    )

"""Reads whole notes for a person: one by its name, or all of them.

What cannot be read is left out of all, and said of one. Of a file that is longer than any note, the beginning is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pi_sandbox.errors import FilesError, UsageError, quoted
from pi_sandbox.note_format.names import INDEX_NAME, TOPIC_SUFFIX, is_topic_name
from pi_sandbox.project_memory.memory_files import read_beginning
from pi_sandbox.project_memory.search import Note, note_of
from pi_sandbox.project_memory.topics import memory_files

NOTE_BYTES = 1024 * 1024


def all_notes(memory_directory: Path) -> Iterator[Note]:
    """Yields the index and every topic."""
    for name, _ in memory_files(memory_directory):
        try:
            beginning = read_beginning(memory_directory / name, NOTE_BYTES)
        except OSError:
            continue
        yield note_of(name, beginning.modified_ms, beginning.data)


def one_note(memory_directory: Path, name: str) -> Note:
    """Gives the note with this name, with `.md` or without.

    Raises `UsageError` for a name that no note has, and `FilesError` for one that cannot be read.
    """
    for each in (name, f"{name}{TOPIC_SUFFIX}"):
        if not (is_topic_name(each) or each == INDEX_NAME) or not (memory_directory / each).is_file():
            continue
        try:
            beginning = read_beginning(memory_directory / each, NOTE_BYTES)
        except OSError as error:
            raise FilesError(f"{quoted(each)} could not be read: {error.strerror}", "check its permissions") from error
        return note_of(each, beginning.modified_ms, beginning.data)
    raise UsageError(f"the memory has no note {quoted(name)}", "search finds notes by their words")

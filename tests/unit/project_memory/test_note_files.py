"""Notes that a person asks for."""

import os
from pathlib import Path

import pytest

from pi_sandbox.errors import UsageError
from pi_sandbox.project_memory.note_files import NOTE_BYTES, all_notes, one_note


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    memory = tmp_path / "auto"
    (memory / "deep").mkdir(parents=True)
    for name in ("MEMORY.md", "shed.md", "deep/gate.md", "other.txt"):
        (memory / name).write_text(f"words of {name}\n")
    (tmp_path / "outside.md").write_text("not memory\n")
    return memory


@pytest.mark.parametrize("name", ["shed", "shed.md", "deep/gate", "MEMORY", "MEMORY.md"])
def test_a_note_is_named_with_its_ending_or_without(memory: Path, name: str) -> None:
    assert one_note(memory, name).text == f"words of {name.removesuffix('.md')}.md\n"


@pytest.mark.parametrize(
    "name", ["nothing", "../outside", "../outside.md", "other.txt", "", "deep", "/etc/hostname", "x\0"]
)
def test_any_other_name_is_refused_by_name(memory: Path, name: str) -> None:
    with pytest.raises(UsageError, match="has no note"):
        one_note(memory, name)


def test_all_are_the_index_and_the_topics_and_what_cannot_be_read_is_left_out(memory: Path) -> None:
    (memory / "large.md").write_text("x" * (NOTE_BYTES + 1))
    (memory / "gone.md").symlink_to("nowhere.md")
    os.mkfifo(memory / "pipe.md")
    notes = {note.name: len(note.text) for note in all_notes(memory)}
    assert set(notes) == {"MEMORY.md", "shed.md", "deep/gate.md", "large.md"}
    assert notes["large.md"] == NOTE_BYTES


def test_a_memory_that_is_not_there_has_no_notes(tmp_path: Path) -> None:
    assert list(all_notes(tmp_path / "auto")) == []
    with pytest.raises(UsageError):
        one_note(tmp_path / "auto", "MEMORY")

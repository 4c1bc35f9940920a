"""What background tasks changed, and taking a change back."""

import contextlib
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from pi_sandbox.project_memory.holder import SystemWitness
from pi_sandbox.project_memory.journal import Journal
from pi_sandbox.project_memory.journal_entry import Outcome
from pi_sandbox.project_memory.path_queue import PathQueue
from pi_sandbox.project_memory.publish import MemoryWriter, Published
from pi_sandbox.project_memory.undo import ChangedSinceError, UndoError, log, logged, undo
from pi_sandbox.project_memory.write_paths import WriteRefusedError
from tests.unit.project_memory.memory_parts import TASK, allowed, anything, delete, make_writer, tree, write


@pytest.fixture
def writer(tmp_path: Path) -> MemoryWriter:
    return make_writer(tmp_path)


@pytest.fixture
def memory(writer: MemoryWriter) -> Path:
    return writer.memory


def test_the_log_says_what_when_and_by_which_task(writer: MemoryWriter, memory: Path) -> None:
    write(writer, memory / "a" / "new.md", b"one")
    write(writer, memory / "a" / "new.md", b"two")
    delete(writer, memory / "a" / "new.md")
    changes = [each.entry.change for each in log(writer)]
    assert [change.action for change in changes] == ["create", "write", "delete"]
    assert {(change.path, change.task) for change in changes} == {("a/new.md", TASK)}
    assert {each.outcome for each in log(writer)} == {Outcome.DONE}


def test_one_change_is_found_by_its_id(writer: MemoryWriter, memory: Path) -> None:
    for text in (b"one", b"two"):
        write(writer, memory / "new.md", text)
    assert [logged(writer, each.entry.id) for each in log(writer)] == list(log(writer))
    assert logged(writer, "0000000000001-00000000") is None
    assert logged(writer, "../new") is None


def test_a_write_is_taken_back_to_the_bytes_before(writer: MemoryWriter, memory: Path) -> None:
    (memory / "topic.md").write_bytes(b"old \xff\x00 bytes")
    published = write(writer, memory / "topic.md", b"new")
    undo(writer, published.entry.id)
    assert tree(memory) == {"topic.md": b"old \xff\x00 bytes"}


def test_a_new_file_is_taken_back_by_removing_it(writer: MemoryWriter, memory: Path) -> None:
    published = write(writer, memory / "topic.md", b"new")
    undo(writer, published.entry.id)
    assert tree(memory) == {}


def test_a_deleted_file_comes_back_with_its_permissions_and_its_folder(writer: MemoryWriter, memory: Path) -> None:
    (memory / "deep").mkdir()
    (memory / "deep" / "topic.md").write_bytes(b"old")
    (memory / "deep" / "topic.md").chmod(0o640)
    (published,) = delete(writer, memory / "deep" / "topic.md")
    (memory / "deep").rmdir()
    undo(writer, published.entry.id)
    assert tree(memory) == {"deep": "folder", "deep/topic.md": b"old"}
    assert stat.S_IMODE((memory / "deep" / "topic.md").stat().st_mode) == 0o640


def test_a_deleted_link_comes_back_as_a_link(writer: MemoryWriter, memory: Path) -> None:
    (memory / "topic.md").write_bytes(b"kept")
    (memory / "link.md").symlink_to("topic.md")
    (published,) = delete(writer, memory / "link.md")
    undo(writer, published.entry.id)
    assert tree(memory) == {"link.md": "topic.md", "topic.md": b"kept"}


def test_an_undo_stands_in_the_journal_and_can_be_undone(writer: MemoryWriter, memory: Path) -> None:
    published = write(writer, memory / "topic.md", b"new")
    (undone,) = undo(writer, published.entry.id).changes
    assert tree(memory) == {}
    assert [each.entry for each in log(writer)] == [published.entry, undone.entry]
    assert undone.entry.change.task.kind == "undo"
    undo(writer, undone.entry.id)
    assert tree(memory) == {"topic.md": b"new"}


_NAMES = st.sampled_from(["a.md", "b.md", "deep/c.md", "link.md"])
_CHANGES = st.lists(st.tuples(_NAMES, st.sampled_from([b"one", b"two", b"", None])), max_size=12)


@given(changes=_CHANGES)
@settings(max_examples=40)
def test_any_changes_are_taken_back_one_after_the_other_to_the_very_beginning(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[str, bytes | None]]
) -> None:
    with pytest.MonkeyPatch.context() as quick:
        quick.setattr(os, "fsync", lambda _: None)
        writer = make_writer(tmp_path_factory.mktemp("undo"))
        (writer.memory / "deep").mkdir()
        (writer.memory / "a.md").write_bytes(b"first")
        (writer.memory / "link.md").symlink_to("a.md")
        states, made = [tree(writer.memory)], []
        for name, data in changes:
            path = writer.memory / name
            if data is None:
                published = list(delete(writer, path, missing_is_fine=True))
            else:
                written = writer.write(str(path), data, TASK, allowed, anything)
                published = [written] if isinstance(written, Published) else []
            made.extend(published)
            states.extend(tree(writer.memory) for _ in published)
        for published in reversed(made):
            states.pop()
            undo(writer, published.entry.id)
            assert tree(writer.memory) == states[-1]
        assert {each.outcome for each in log(writer)} <= {Outcome.DONE}


@pytest.mark.parametrize("since", ["changed", "deleted", "link"])
def test_a_file_that_changed_since_is_left_alone_unless_it_is_forced(
    writer: MemoryWriter, memory: Path, since: str
) -> None:
    (memory / "topic.md").write_bytes(b"old")
    published = write(writer, memory / "topic.md", b"new")
    (memory / "topic.md").unlink()
    if since == "changed":
        (memory / "topic.md").write_bytes(b"newer")
    elif since == "link":
        (memory / "topic.md").symlink_to("other.md")
    before = tree(memory)
    with pytest.raises(ChangedSinceError) as caught:
        undo(writer, published.entry.id)
    assert "topic.md" in caught.value.message
    assert "force" in caught.value.hint
    assert tree(memory) == before
    undo(writer, published.entry.id, force=True)
    assert tree(memory) == {"topic.md": b"old"}


def test_what_a_forced_undo_threw_away_can_be_had_back(writer: MemoryWriter, memory: Path) -> None:
    (memory / "topic.md").write_bytes(b"old")
    published = write(writer, memory / "topic.md", b"new")
    (memory / "topic.md").write_bytes(b"newer")
    (forced,) = undo(writer, published.entry.id, force=True).changes
    undo(writer, forced.entry.id)
    assert tree(memory) == {"topic.md": b"newer"}


def test_an_unknown_id_is_an_error(writer: MemoryWriter) -> None:
    for identity in ("", "nothing", "../../x", "0000000000001-00000000"):
        with pytest.raises(UndoError, match="no change"):
            undo(writer, identity)


def test_bytes_that_were_dropped_cannot_come_back(writer: MemoryWriter, memory: Path, tmp_path: Path) -> None:
    (memory / "topic.md").write_bytes(b"old")
    published = write(writer, memory / "topic.md", b"new")
    for kept in (tmp_path / "journal" / "bytes").iterdir():
        kept.unlink()
    with pytest.raises(UndoError, match="no longer has the bytes"):
        undo(writer, published.entry.id)
    assert tree(memory) == {"topic.md": b"new"}


@pytest.mark.parametrize("leads_to", ["../outside.md", "/etc/passwd", "out/outside.md", ".git/x.md", "..", "."])
@pytest.mark.parametrize("force", [False, True])
def test_a_link_that_leads_out_of_memory_is_not_put_back(
    writer: MemoryWriter, memory: Path, tmp_path: Path, leads_to: str, force: bool
) -> None:
    (memory / "out").symlink_to("..")
    (memory / "link.md").symlink_to("topic.md")
    (deleted,) = delete(writer, memory / "link.md")
    entry = tmp_path / "journal" / f"{deleted.entry.id}.json"
    entry.write_bytes(entry.read_bytes().replace(b'"topic.md"', f'"{leads_to}"'.encode()))
    with pytest.raises(WriteRefusedError):
        undo(writer, deleted.entry.id, force=force)
    assert set(tree(memory)) == {"out"}


@pytest.mark.parametrize("path", ["../outside.md", ".git/x.md", "out/x.md", "x.txt", "/etc/x.md"])
def test_a_journal_that_was_tampered_with_changes_nothing_outside(
    writer: MemoryWriter, memory: Path, tmp_path: Path, path: str
) -> None:
    published = write(writer, memory / "topic.md", b"new")
    (memory / "out").symlink_to("..")
    entry = tmp_path / "journal" / f"{published.entry.id}.json"
    entry.write_bytes(entry.read_bytes().replace(b'"topic.md"', f'"{path}"'.encode()))
    before = {**tree(tmp_path / "memory"), "outside": (tmp_path / "outside.md").exists()}
    with contextlib.suppress(WriteRefusedError):
        undo(writer, published.entry.id, force=True)
    assert {**tree(tmp_path / "memory"), "outside": (tmp_path / "outside.md").exists()} == before


KILLED = """
import os, signal, sys
from pathlib import Path
from pi_sandbox.project_memory import publish, journal
from tests.unit.project_memory.memory_parts import make_writer, write
def die(*_, **__): os.kill(os.getpid(), signal.SIGKILL)
writer = make_writer(Path(sys.argv[1]))
(writer.memory / "topic.md").write_bytes(b"old")
if sys.argv[2] == "before":
    publish.put_over = die
else:
    journal.Journal.done = die
write(writer, writer.memory / "topic.md", b"new")
"""


@pytest.mark.parametrize(
    ("moment", "content", "expected"),
    [("before", b"old", Outcome.WITHOUT_EFFECT), ("after", b"new", Outcome.DONE)],
)
def test_a_kill_on_either_side_of_the_change_is_recognised(
    tmp_path: Path, moment: str, content: bytes, expected: Outcome
) -> None:
    checkout = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), moment], cwd=checkout, check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    memory = tmp_path / "memory"
    assert (memory / "topic.md").read_bytes() == content
    writer = MemoryWriter(memory, Journal(tmp_path / "journal"), SystemWitness(), PathQueue())
    (found,) = log(writer)
    assert found.outcome is expected
    assert logged(writer, found.entry.id) == found
    if expected is Outcome.DONE:
        undo(writer, found.entry.id)
    else:
        with pytest.raises(UndoError, match="no effect"):
            undo(writer, found.entry.id)
    assert (memory / "topic.md").read_bytes() == b"old"


def test_an_interrupted_change_of_an_unreadable_place_is_unknown(writer: MemoryWriter, memory: Path) -> None:
    published = write(writer, memory / "topic.md", b"new")
    journal = memory.parent / "journal"
    (journal / f"{published.entry.id}.json").rename(journal / f"{published.entry.id}.begun.json")
    (memory / "topic.md").unlink()
    os.mkfifo(memory / "topic.md")
    assert [each.outcome for each in log(writer)] == [Outcome.UNKNOWN]

"""The journal of background changes."""

import fcntl
import json
import os
import threading
from pathlib import Path

import pytest

from pi_sandbox.project_memory import journal as journal_module
from pi_sandbox.project_memory.file_states import NOTHING, FileState, Mark, digest_of
from pi_sandbox.project_memory.journal import Journal, JournalError, NotKeptError
from pi_sandbox.project_memory.journal_entry import (
    Change,
    JournalEntry,
    Outcome,
    Task,
    outcome,
    parse_entry,
    render_entry,
)

TASK = Task("dream", "task-7")
OLD, NEW, OTHER = (Mark(digest_of(each), len(each)) for each in (b"old", b"new", b"other"))


def change(path: str = "topic.md", before: Mark = OLD, after: Mark = NEW) -> Change:
    return Change(TASK, path, before, after)


def note(journal: Journal, number: int, size: int = 10) -> str:
    data = (b"%06d" % number).ljust(size, b".")
    identity = journal.begin(change(f"{number}.md", Mark(digest_of(data), size)), FileState(data)).id
    journal.done(identity)
    return identity


def test_an_entry_holds_what_when_by_which_task_and_the_bytes_before(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    identity = journal.begin(change(), FileState(b"old")).id
    journal.done(identity)
    (entry,) = journal.entries()
    assert journal.entry(identity) == entry
    assert journal.entry("0000000000001-00000000") is None
    assert journal.entry("../journal/x") is None
    assert (entry.id, entry.change, entry.marked_done) == (identity, change(), True)
    assert abs(entry.at - int(identity[:13])) < 1000
    assert journal.bytes_of(OLD.digest or "") == b"old"


def test_an_entry_that_is_not_marked_is_there_and_says_so(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    identity = journal.begin(change(), FileState(b"old")).id
    assert [entry.marked_done for entry in journal.entries()] == [False]
    assert journal.entry(identity) == journal.entries()[0]


def test_an_entry_that_is_taken_back_is_gone(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    journal.abandon(journal.begin(change(), FileState(b"old")))
    assert journal.entries() == ()


def test_the_bytes_before_are_stored_once_for_each_content(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    for _ in range(3):
        journal.begin(change(), FileState(b"old"))
    assert os.listdir(tmp_path / "journal" / "bytes") == [OLD.digest]


def test_the_journal_is_for_its_owner_alone(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    journal.begin(change(), FileState(b"old"))
    for path in (tmp_path / "journal").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0 or path.is_dir()
    assert (tmp_path / "journal").stat().st_mode & 0o077 == 0


def test_what_a_killed_writer_was_about_to_put_into_the_journal_is_removed_when_it_is_old(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    note(journal, 1)
    old, new = (
        [folder / f".{age}.0.new" for folder in (tmp_path / "journal", tmp_path / "journal" / "bytes")]
        for age in ("old", "new")
    )
    for path in (*old, *new):
        path.write_bytes(b"")
    for path in old:
        os.utime(path, (1, 1))
    note(journal, 2)
    assert [path.exists() for path in (*old, *new)] == [False, False, True, True]
    assert len(journal.entries()) == 2


def test_the_folders_above_a_journal_are_for_its_owner_alone_too(tmp_path: Path) -> None:
    note(Journal(tmp_path / "roots" / "id" / "journal"), 1)
    for folder in (tmp_path / "roots", tmp_path / "roots" / "id"):
        assert folder.stat().st_mode & 0o777 == 0o700


def test_a_journal_that_was_never_written_is_empty(tmp_path: Path) -> None:
    assert Journal(tmp_path / "journal").entries() == ()


def test_entries_come_oldest_first(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    identities = [note(journal, number) for number in range(5)]
    assert [entry.id for entry in journal.entries()] == identities


def test_entries_come_in_the_order_of_the_changes_also_when_the_clock_goes_back(tmp_path: Path, monkeypatch) -> None:
    journal = Journal(tmp_path / "journal")
    times = iter(range(9_000, 0, -1))
    monkeypatch.setattr(journal_module.time, "time_ns", lambda: next(times) * 1_000_000_000)
    identities = [note(journal, number) for number in range(5)]
    entries = journal.entries()
    assert [entry.id for entry in entries] == identities
    assert entries[4].at < entries[0].at


@pytest.mark.parametrize("name", ["9999999999999-ffffffff", f"{2**42}-ffffffff"])
def test_a_name_of_the_far_future_hides_no_later_entry(tmp_path: Path, name: str) -> None:
    journal = Journal(tmp_path / "journal")
    first = note(journal, 1)
    content = (tmp_path / "journal" / f"{first}.json").read_bytes()
    (tmp_path / "journal" / f"{name}.json").write_bytes(content)
    later = [note(journal, number) for number in (2, 3)]
    assert {entry.id for entry in journal.entries()} == {first, name, *later}
    assert all(journal.entry(identity) is not None for identity in later)


def test_the_oldest_entries_go_first_with_the_bytes_that_nobody_needs(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal", entries=3)
    shared = journal.begin(change("shared.md"), FileState(b"old"))
    for number in range(4):
        note(journal, number)
    again = journal.begin(change("shared.md"), FileState(b"old"))
    assert shared != again
    assert [entry.change.path for entry in journal.entries()] == ["2.md", "3.md", "shared.md"]
    assert len(os.listdir(tmp_path / "journal" / "bytes")) == 3
    assert journal.bytes_of(OLD.digest or "") == b"old"


def test_the_bytes_of_all_entries_are_bounded(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal", size=100)
    for number in range(6):
        note(journal, number, size=40)
    assert [entry.change.path for entry in journal.entries()] == ["4.md", "5.md"]
    sizes = [path.stat().st_size for path in (tmp_path / "journal" / "bytes").iterdir()]
    assert sizes == [40, 40]


@pytest.mark.parametrize(("before", "after"), [(101, 3), (3, 101)])
def test_what_could_not_be_taken_back_is_refused_and_nothing_is_written_down(
    tmp_path: Path, before: int, after: int
) -> None:
    journal = Journal(tmp_path / "journal", size=100)
    note(journal, 1, size=100)
    data = b"x" * before
    with pytest.raises(NotKeptError, match=r"topic\.md.*100 bytes"):
        journal.begin(change(before=Mark(digest_of(data), before), after=Mark("a", after)), FileState(data))
    (entry,) = journal.entries()
    assert journal.bytes_of(entry.change.before.digest or "") is not None


def test_one_task_pushes_no_more_than_a_quarter_of_the_journal_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "JOURNAL_TASK_BYTES", 25)
    monkeypatch.setattr(journal_module, "JOURNAL_TASK_ENTRIES", 3)
    journal = Journal(tmp_path / "journal", size=100)

    def begin(task: str, size: int, kind: str = "dream") -> JournalEntry:
        mark = Mark(digest_of(b"x" * size), size)
        return journal.begin(Change(Task(kind, task), "topic.md", mark, NOTHING), FileState(b"x" * size))

    other = begin("other", 20)
    begin("greedy", 20)
    abandoned = begin("greedy", 5)
    with pytest.raises(NotKeptError, match="no more of it"):
        begin("greedy", 1)
    journal.abandon(abandoned)
    begin("greedy", 5)
    begin("greedy", 0)
    with pytest.raises(NotKeptError, match="no more of it"):
        begin("greedy", 0)
    for _ in range(4):
        begin("a person's", 20, "undo")
    assert other.id in {entry.id for entry in journal.entries()}
    assert journal.bytes_of(other.change.before.digest or "") == b"x" * 20


def test_bytes_that_are_not_what_their_name_says_are_not_given_and_are_stored_anew(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    journal.begin(change(), FileState(b"old"))
    stored = tmp_path / "journal" / "bytes" / (OLD.digest or "")
    stored.write_bytes(b"ol")
    assert journal.bytes_of(OLD.digest or "") is None
    journal.begin(change(), FileState(b"old"))
    assert journal.bytes_of(OLD.digest or "") == b"old"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"[" * 60_000,
        b'{"at": "1", "task": {"kind": "x", "id": "y"}, "path": "a", "before": {}, "after": {}}',
        b'{"at": 1, "task": {}, "path": "a", "before": {}, "after": {}}',
        *(
            json.dumps({"at": 1, "task": {"kind": "x", "id": "y"}, "path": "a", "before": mark, "after": {}}).encode()
            for mark in (
                {"sha256": "../../secret"},
                {"sha256": "0" * 63},
                {"sha256": "0" * 65},
                {"sha256": "A" * 64},
                {"sha256": "0" * 64 + "\n"},
                {"sha256": 1},
                {"sha256": "0" * 64, "link": "b.md"},
                {"link": ""},
                {"link": "b\0.md"},
                {"link": "b" * 4_096},
                {"link": ["b.md"]},
                {"link": "\ud800.md"},
                {"sha256": "0" * 64, "mode": 1 << 40},
                {"sha256": "0" * 64, "mode": -1},
            )
        ),
    ],
)
def test_a_file_that_is_no_entry_is_left_out_and_harms_nothing(tmp_path: Path, content: bytes) -> None:
    journal = Journal(tmp_path / "journal")
    note(journal, 1)
    (tmp_path / "journal" / "0000000000001-00000000.json").write_bytes(content)
    (tmp_path / "journal" / "readme.json").write_bytes(content)
    assert [entry.change.path for entry in journal.entries()] == ["1.md"]
    note(journal, 2)
    assert len(journal.entries()) == 2


def test_two_writers_at_once_lose_no_entry(tmp_path: Path) -> None:
    def fill(start: int) -> None:
        journal = Journal(tmp_path / "journal")
        for number in range(start, start + 10):
            note(journal, number)

    threads = [threading.Thread(target=fill, args=(start,)) for start in (0, 10, 20, 30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    entries = Journal(tmp_path / "journal").entries()
    assert {entry.change.path for entry in entries} == {f"{number}.md" for number in range(40)}
    assert all(Journal(tmp_path / "journal").bytes_of(entry.change.before.digest or "") for entry in entries)


def test_a_writer_that_holds_the_journal_up_delays_and_drops_nothing(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(journal_module, "_TURN_SECONDS", 0.03)
    journal = Journal(tmp_path / "journal", entries=1)
    note(journal, 1)
    with (tmp_path / "journal" / ".turn").open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        note(journal, 2)
        assert len(journal.entries()) == 2
    note(journal, 3)
    assert len(journal.entries()) == 1


def test_a_disk_without_kernel_locks_has_a_journal_too(tmp_path: Path, monkeypatch) -> None:
    def flock(*_: object) -> None:
        raise OSError("no locks")

    monkeypatch.setattr(fcntl, "flock", flock)
    journal = Journal(tmp_path / "journal", entries=1)
    note(journal, 1)
    note(journal, 2)
    assert len(journal.entries()) == 2


@pytest.mark.parametrize("failing", ["fsync", "open"])
def test_a_disk_that_fails_is_an_error_and_leaves_no_half_entry(tmp_path: Path, monkeypatch, failing: str) -> None:
    journal = Journal(tmp_path / "journal")
    note(journal, 1)

    def fail(*_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(os, failing, fail)
        with pytest.raises(JournalError, match="No space left"):
            journal.begin(change(), FileState(b"old"))
    assert [entry.change.path for entry in journal.entries()] == ["1.md"]
    assert list((tmp_path / "journal").rglob("*.new")) == []


def test_marking_and_taking_back_never_raise(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    journal.done("0000000000001-00000000")
    journal.abandon(JournalEntry("0000000000001-00000000", 1, change(), marked_done=False))


@pytest.mark.parametrize(
    ("before", "after", "action"),
    [(NOTHING, NEW, "create"), (OLD, NEW, "write"), (OLD, NOTHING, "delete"), (Mark(leads_to="x"), NOTHING, "delete")],
)
def test_a_change_is_called_what_it_does(before: Mark, after: Mark, action: str) -> None:
    assert change(before=before, after=after).action == action


@pytest.mark.parametrize("path", ["topic.md", "a/b.md", "caf\udce9.md", "line\nend.md"])
@pytest.mark.parametrize("before", [NOTHING, OLD, Mark(OTHER.digest, 3, 0o640), Mark(leads_to="../caf\udce9.md")])
def test_an_entry_is_read_as_it_was_written_in_plain_ascii(path: str, before: Mark) -> None:
    entry = JournalEntry("0000000000001-00000000", 5, change(path, before), marked_done=True)
    data = render_entry(entry)
    assert data.isascii()
    assert data.count(b"\n") == 1
    assert json.loads(data)["task"] == {"kind": "dream", "id": "task-7"}
    assert parse_entry(entry.id, data, marked_done=True) == entry


@pytest.mark.parametrize(("written", "read"), [("s-1", "s-1"), (7, None), (None, None)])
def test_the_session_of_a_task_is_read_where_one_was_written_down(written: object, read: str | None) -> None:
    entry = JournalEntry("0000000000001-00000000", 5, change("a.md", NOTHING), marked_done=True)
    values = json.loads(render_entry(entry))
    values["task"]["session"] = written
    parsed = parse_entry(entry.id, json.dumps(values).encode(), marked_done=True)
    assert parsed is not None
    assert parsed.change.task.session == read
    assert parse_entry(entry.id, render_entry(parsed), marked_done=True) == parsed


def entry_of(done: bool, before: Mark = OLD, after: Mark = NEW, path: str = "topic.md") -> JournalEntry:
    return JournalEntry("0", 1, change(path, before, after), marked_done=done)


@pytest.mark.parametrize(
    ("entry", "later", "now", "expected"),
    [
        (entry_of(True), [], OTHER, Outcome.DONE),
        (entry_of(False), [], NEW, Outcome.DONE),
        (entry_of(False), [], OLD, Outcome.WITHOUT_EFFECT),
        (entry_of(False), [], OTHER, Outcome.UNKNOWN),
        (entry_of(False), [], NOTHING, Outcome.UNKNOWN),
        (entry_of(False, NOTHING), [], NOTHING, Outcome.WITHOUT_EFFECT),
        (entry_of(False, OLD, NOTHING), [], NOTHING, Outcome.DONE),
        (entry_of(False), [entry_of(True, NEW, OTHER)], OTHER, Outcome.DONE),
        (entry_of(False), [entry_of(True, OLD, OTHER)], NEW, Outcome.WITHOUT_EFFECT),
        (entry_of(False), [entry_of(True, NEW, OTHER), entry_of(True, OLD, NEW)], NEW, Outcome.DONE),
        (entry_of(False), [entry_of(True, OLD, OTHER, "other.md")], NEW, Outcome.DONE),
        (entry_of(False, Mark(leads_to="a"), NOTHING), [], Mark(leads_to="a"), Outcome.WITHOUT_EFFECT),
        (entry_of(False, Mark("d", 3, 0o600), NEW), [], Mark("d", 3, 0o644), Outcome.WITHOUT_EFFECT),
    ],
)
def test_an_entry_without_its_mark_is_judged_by_what_came_after(
    entry: JournalEntry, later: list[JournalEntry], now: Mark, expected: Outcome
) -> None:
    assert outcome(entry, later, now) is expected

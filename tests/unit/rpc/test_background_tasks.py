"""What background tasks change, what ends them, and what is told of it, in sessions that are called without pipes."""

import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pi_sandbox.errors import FilesError
from pi_sandbox.project_memory import publish
from pi_sandbox.project_memory.undo import UndoError
from pi_sandbox.project_memory.write_paths import WriteRefusedError
from pi_sandbox.rpc import task_tools
from pi_sandbox.rpc.errors import RequestError
from tests.needs import Host, host_cannot, needs
from tests.unit.rpc.sessions import Session, begin, run


def changes_told(session: Session) -> list[tuple[str, str]]:
    told = [params["change"] for method, params in session.said if method == "memory/changed"]
    return [(change["action"], change["path"]) for change in told]


@pytest.fixture
def immutable(tmp_path: Path) -> Iterator[Callable[[Path], None]]:
    """Makes a file one that not even root can delete, for the time of the test."""
    needs("chattr")
    made: list[Path] = []

    def make(file: Path) -> None:
        tried = subprocess.run(["chattr", "+i", file], capture_output=True, text=True, check=False)
        if tried.returncode:
            host_cannot(Host.IMMUTABLE_FILES, tried.stderr)
        made.append(file)

    yield make
    for file in made:
        subprocess.run(["chattr", "-i", file], check=True)


def test_of_a_deletion_that_fails_in_the_middle_what_happened_is_told_and_known(open_session, immutable):
    session = open_session()
    first, second, third = (session.memory / f"p{number}.md" for number in (1, 2, 3))
    for file in (first, second, third):
        file.write_text("text")
    task = begin(session)
    assert session.read(task, first)
    immutable(second)

    with pytest.raises(RequestError) as error:
        session.ask("task/bash", taskId=task, command=f"rm {first} {second} {third}")

    assert "p2.md" in error.value.message
    assert f'deleted before that: "{first}"' in error.value.message
    assert changes_told(session) == [("delete", "p1.md")]
    assert [each["path"] for each in session.ask("journal/list", limit=9)["changes"]] == ["p1.md"]
    assert third.exists()
    first.write_text("somebody else's")
    with pytest.raises(RequestError) as error:
        session.ask("task/write", taskId=task, path=str(first), content="new")
    assert error.value.rule == "not-read-in-this-task"


def test_a_deletion_whose_task_ends_in_the_middle_tells_what_happened(open_session):
    session = open_session()
    files = [session.memory / f"p{number}.md" for number in (1, 2)]
    for file in files:
        file.write_text("text")
    task = begin(session)

    def revoke(method: str, params: Mapping[str, object]) -> None:
        session.said.append((method, params))
        session.ask("task/revoke", taskId=task)

    session.engine._session.tools._notify = revoke
    with pytest.raises(RequestError, match=r"p1\.md"):
        session.ask("task/bash", taskId=task, command=f"rm {files[0]} {files[1]}")
    assert changes_told(session) == [("delete", "p1.md")]
    assert files[1].exists()


def test_a_change_is_told_even_where_the_journal_can_no_longer_be_read(open_session, monkeypatch):
    session = open_session()
    task = begin(session)
    monkeypatch.setattr("pi_sandbox.project_memory.journal.Journal.done", lambda *_: None)

    def unreadable(*_: object) -> None:
        raise FilesError("the journal is gone")

    monkeypatch.setattr("pi_sandbox.project_memory.journal.Journal.entries", unreadable)
    session.ask("task/write", taskId=task, path=str(session.memory / "a.md"), content="x")
    assert changes_told(session) == [("create", "a.md")]


@pytest.mark.parametrize("how", ["delete", "write"])
@pytest.mark.parametrize("size", [17, 15, 5])
def test_what_could_not_be_taken_back_is_refused_before_it_is_taken(open_session, how, size):
    session = open_session()
    large = session.memory / "large.md"
    large.write_bytes(b"x" * (size << 20))
    task = begin(session)
    older = session.ask("task/write", taskId=task, path=str(session.memory / "a.md"), content="x")["id"]
    assert session.read(task, large)

    change = {
        "delete": partial(session.ask, "task/bash", command=f"rm {large}"),
        "write": partial(session.ask, "task/write", path=str(large), content="short"),
    }[how]
    with pytest.raises(WriteRefusedError, match="4194304 bytes"):
        change(taskId=task)
    assert large.stat().st_size == size << 20
    assert session.ask("journal/undo", id=older, force=False)["changes"]


def test_a_text_that_could_not_be_taken_back_is_not_written(open_session):
    session = open_session()
    with pytest.raises(WriteRefusedError, match="4194304 bytes"):
        session.ask("task/write", taskId=begin(session), path=str(session.memory / "a.md"), content="x" * (5 << 20))
    assert list(session.memory.iterdir()) == []


def test_one_task_does_not_push_what_others_did_out_of_the_journal(open_session):
    session = open_session()
    task = begin(session)
    older = session.ask("task/write", taskId=task, path=str(session.memory / "a.md"), content="x")["id"]
    session.ask("task/end", taskId=task, outcome="returned")
    task, gone = begin(session), 0
    for number in range(20):
        file = session.memory / f"n{number}.md"
        file.write_bytes(b"%d" % number * (1 << 20))
        try:
            session.ask("task/bash", taskId=task, command=f"rm {file}")
        except WriteRefusedError:
            assert file.exists()
        else:
            gone += 1
    assert 1 <= gone <= 4
    undone = session.ask("journal/undo", id=task, force=False)["changes"]
    assert len(undone) == gone
    assert session.ask("journal/undo", id=older, force=False)["changes"]


def test_people_take_back_what_a_task_did_and_are_told_what_cannot_go_back(open_session, tmp_path, immutable):
    session = open_session()
    kept, changed = session.memory / "kept.md", session.memory / "changed.md"
    for file in (kept, changed):
        file.write_text("old")
    task = begin(session)
    for file in (kept, changed):
        assert session.read(task, file)
        for content in ("new", "newer"):
            session.ask("task/write", taskId=task, path=str(file), content=content)
    immutable(kept)

    undone = run(tmp_path, "undo", task)
    assert undone.returncode != 0
    assert "kept.md" in undone.stderr
    assert "changed.md: done as change" in undone.stdout
    assert (kept.read_text(), changed.read_text()) == ("newer", "old")
    assert "Traceback" not in undone.stderr


def test_a_file_that_another_changed_between_a_task_s_changes_is_left_alone_unless_forced(open_session):
    session = open_session()
    file = session.memory / "a.md"
    file.write_text("old")
    task = begin(session)
    for content in ("one", "two"):
        assert session.read(task, file)
        session.ask("task/write", taskId=task, path=str(file), content=content)
        if content == "one":
            file.write_text("somebody else's")

    with pytest.raises(UndoError, match="between the changes"):
        session.ask("journal/undo", id=task, force=False)
    assert file.read_text() == "two"
    assert session.ask("journal/undo", id=task, force=True)["changes"]
    assert file.read_text() == "old"


def test_the_change_of_another_session_s_task_is_captured_with_its_id(open_session):
    one, other = open_session(), open_session(session_id="two")
    identity = one.ask("task/write", taskId=begin(one), path=str(one.memory / "a.md"), content="x")["id"]

    (change,) = other.ask("memory/capture")["changes"]
    assert (change["action"], change["path"], change["id"], change["task"]) == ("create", "a.md", identity, "extract")
    assert one.ask("memory/capture")["changes"] == []


def test_a_configuration_that_changes_during_a_write_stops_it_before_the_file_is_replaced(open_session, monkeypatch):
    session = open_session()
    file = session.memory / "a.md"
    task = begin(session)
    stage = publish.stage

    def turn_off(*arguments: Any, **options: Any) -> None:
        (session.root / "agent/project-memory/config.json").write_text('{"extract": {"enabled": false}}')
        stage(*arguments, **options)

    monkeypatch.setattr(publish, "stage", turn_off)
    with pytest.raises(WriteRefusedError, match=r"turned off in config\.json"):
        session.ask("task/write", taskId=task, path=str(file), content="x")
    assert list(session.memory.iterdir()) == []


def test_a_task_whose_time_is_over_is_refused_each_step(open_session, monkeypatch):
    session = open_session()
    task = begin(session)
    assert session.ask("task/turn", taskId=task, outputTokens=5)["ok"]
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 601)

    answers = [session.ask("task/turn", taskId=task, outputTokens=5), session.ask("task/check", taskId=task)]
    assert [answer["rule"] for answer in answers] == ["time", "time"]
    with pytest.raises(RequestError, match="has had its 10 minutes") as error:
        session.ask("task/write", taskId=task, path=str(session.memory / "a.md"), content="x")
    assert error.value.rule == "time"


@pytest.mark.parametrize("why", ["revoked", "turned off", "lock lost"])
def test_a_dream_that_was_stopped_keeps_its_attempt_also_where_it_failed_to_start(open_session, why):
    sessions = [open_session(session_id=name) for name in "abcdef"]
    for session in sessions[1:]:
        session.ask("session/seen")
    session = sessions[0]
    task = begin(session, "dream")
    if why == "revoked":
        session.ask("task/revoke", taskId=None)
    elif why == "turned off":
        (session.root / "agent/project-memory/config.json").write_text('{"dream": {"enabled": false}}')
    else:
        next((session.root / "agent/project-memory/memory-roots").glob("*/locks/dream.lock")).unlink()

    assert session.ask("task/end", taskId=task, outcome="failed-to-start") == {"attempt": "kept", "another": False}
    (session.root / "agent/project-memory/config.json").unlink(missing_ok=True)
    assert not session.dream_due()


@pytest.mark.parametrize("when", ["the next request", "the end"])
def test_an_attempt_that_could_not_be_rolled_back_is_rolled_back_later(open_session, when, monkeypatch):
    monkeypatch.setattr("pi_sandbox.rpc.background._STATE_WAIT_SECONDS", 0.05)
    sessions = [open_session(session_id=name) for name in "abcdef"]
    for session in sessions[1:]:
        session.ask("session/seen")
    session = sessions[0]
    task = begin(session, "dream")
    locks = next((session.root / "agent/project-memory/memory-roots").iterdir()) / "locks"
    (locks / "last-dream-at.lock").write_text('{"pid": 1, "token": "x", "acquiredAt": 4000000000000}')

    assert session.ask("task/end", taskId=task, outcome="failed-to-start") == {"attempt": "pending", "another": False}
    assert not session.dream_due()
    (locks / "last-dream-at.lock").unlink()
    if when == "the end":
        session.engine.close()
    else:
        assert session.dream_due()
    other = open_session(session_id="later")
    assert other.dream_due()


def test_two_engines_that_read_think_and_write_one_index_lose_no_line(open_session):
    """One extracts and one dreams, each adding a line to what it has read; whoever is too late reads again."""
    for name in "abcdef":
        open_session(session_id=name).ask("session/seen")
    kinds = ("extract", "dream")
    sessions = {kind: open_session(session_id=kind) for kind in kinds}
    index = sessions["extract"].memory / "MEMORY.md"
    index.write_text("")
    failed: list[Exception] = []

    def add(kind: str) -> None:
        session = sessions[kind]
        task = begin(session, kind)
        number = 0
        while number < 25 and not failed:
            shown = index.read_bytes()
            try:
                if session.read(task, index, shown):
                    content = f"{shown.decode()}{kind} {number}\n"
                    session.ask("task/write", taskId=task, path=str(index), content=content)
                    number += 1
            except RequestError as error:
                if error.rule != "changed-since-read":
                    failed.append(error)
            except Exception as error:
                failed.append(error)

    threads = [threading.Thread(target=add, args=(kind,)) for kind in kinds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert sorted(index.read_text().splitlines()) == sorted(f"{kind} {n}" for kind in kinds for n in range(25))


def test_a_note_says_which_session_and_task_taught_it_and_the_index_does_not(open_session):
    one, other = open_session(), open_session(session_id="two")
    file, index = one.memory / "deploy.md", one.memory / "MEMORY.md"
    note = "---\ndescription: how we deploy\n---\n\n# Deploy\n"
    first = begin(one)
    one.ask("task/write", taskId=first, path=str(file), content=note)
    one.ask("task/write", taskId=first, path=str(index), content="- [Deploy](deploy.md): how we deploy\n")
    made = file.read_text()
    assert f" by extract {first} in session one\n---\n" in made
    assert index.read_text() == "- [Deploy](deploy.md): how we deploy\n"
    assert one.ask("task/write", taskId=first, path=str(file), content=note)["id"] is None, "no change"
    one.ask("task/end", taskId=first)

    second = begin(other)
    assert other.read(second, file)
    assert other.ask("task/write", taskId=second, path=str(file), content=made)["id"] is None, "no change either"
    other.ask("task/write", taskId=second, path=str(file), content=note + "On Tuesdays.\n")
    assert f" by extract {first} in session one\nchanged: " in file.read_text()
    assert f" by extract {second} in session two\n---\n" in file.read_text()
    newest = other.ask("journal/list", limit=9)["changes"]
    assert [(each["taskId"], each["sessionId"]) for each in newest] == [(second, "two"), (first, "one"), (first, "one")]


def test_what_another_writes_while_the_origin_is_put_in_is_not_overwritten(open_session, monkeypatch):
    session = open_session()
    file = session.memory / "a.md"
    file.write_text("---\ndescription: a\n---\n")
    task = begin(session)
    assert session.read(task, file)
    standing = task_tools._standing

    def turned(of: Path | None) -> object:
        seen = standing(of)
        file.write_text("---\ndescription: a\ncreated: by somebody\n---\n")
        return seen

    monkeypatch.setattr(task_tools, "_standing", turned)
    with pytest.raises(RequestError) as error:
        session.ask("task/write", taskId=task, path=str(file), content="---\ndescription: b\n---\n")
    assert error.value.rule == "changed-since-read"
    assert "somebody" in file.read_text()

"""One session of the engine, called without pipes."""

import json
import os
import subprocess
import sys
import threading
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pi_sandbox.errors import FilesError
from pi_sandbox.rpc.call import Call
from pi_sandbox.rpc.errors import RequestError
from tests.unit.rpc.sessions import ENGINE, Session, begin, run


def test_an_extraction_and_a_dream_run_side_by_side(open_session):
    session = open_session()
    for name in "bcdef":
        open_session(session_id=name).ask("session/seen")

    extraction, dream = begin(session), begin(session, "dream")

    assert session.ask("task/check", taskId=extraction)["ok"]
    assert session.ask("task/check", taskId=dream)["ok"]
    session.ask("task/end", taskId=extraction, outcome="returned")
    assert session.ask("task/check", taskId=dream)["ok"]


def test_two_sessions_of_one_project_share_locks_and_memory(open_session):
    one, other = open_session(), open_session(session_id="two")
    task = begin(one)

    assert not other.ask("task/begin", kind="extract")["ok"]
    one.ask("task/end", taskId=task, outcome="returned")
    assert other.ask("task/begin", kind="extract")["ok"]


def test_only_other_sessions_since_the_last_dream_make_one_due(open_session):
    sessions = [open_session(session_id=str(number)) for number in range(6)]
    for session in sessions[:5]:
        session.ask("session/seen")
        session.ask("session/seen")
    assert not sessions[0].dream_due()
    assert sessions[5].dream_due()

    begin(sessions[5], "dream")
    assert not sessions[5].dream_due()


def test_an_engine_that_is_closed_gives_its_locks_back(open_session):
    one, other = open_session(), open_session(session_id="two")
    task = begin(one)
    one.engine.close()
    one.engine.close()

    assert begin(other)
    assert not one.ask("task/check", taskId=task)["ok"]
    with pytest.raises(RequestError) as error:
        one.ask("task/write", taskId=task, path=str(one.memory / "a.md"), content="x")
    assert error.value.rule == "ended"


def test_what_a_killed_write_left_is_gone_when_the_next_session_begins(open_session):
    session = open_session()
    gone, ours = session.memory / ".pi-memory.other.1.0.aa.tmp", session.memory / "a.md"
    for file in (gone, ours):
        file.write_text("half")
        os.utime(file, (0, 0))
    open_session(session_id="two")

    assert [each.name for each in session.memory.iterdir()] == ["a.md"]


@pytest.mark.parametrize("name", ["link.txt", ".git/link.md", "link.md"])
def test_a_write_is_judged_by_the_path_as_given_too_and_not_only_by_where_it_leads(open_session, name):
    session = open_session()
    (session.memory / ".git").mkdir()
    link = session.memory / name
    link.symlink_to(session.memory / "topic.md")
    ask = partial(session.ask, "task/write", taskId=begin(session), path=str(link), content="x")

    if name == "link.md":
        ask()
    else:
        with pytest.raises(FilesError, match=r"not a \.md file|version control"):
            ask()
    assert (session.memory / "topic.md").exists() is (name == "link.md")


def test_a_cancelled_write_changes_nothing(open_session):
    session = open_session()
    task, call = begin(session), Call()
    call.cancel()

    with pytest.raises(Exception, match="cancelled"):
        session.ask("task/write", call, taskId=task, path=str(session.memory / "a.md"), content="x")
    assert list(session.memory.iterdir()) == []


def test_many_writes_at_once_are_all_published_and_told(open_session):
    session = open_session()
    task = begin(session)
    failed: list[Exception] = []

    def write(number: int) -> None:
        try:
            session.ask("task/write", taskId=task, path=str(session.memory / f"n{number}.md"), content=str(number))
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failed == []
    assert {file.name: file.read_text() for file in session.memory.iterdir()} == {f"n{n}.md": str(n) for n in range(24)}
    assert len(session.said) == len(session.ask("journal/list", limit=100)["changes"]) == 24


def test_a_memory_that_can_only_be_read_has_recall_and_no_tasks(open_session, tmp_path, monkeypatch):
    memory = tmp_path / "shared"
    memory.mkdir()
    (memory / "a.md").write_text("---\ndescription: a thing\n---\n# A\n")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    session = open_session(memory=str(memory))

    assert session.found["readOnly"] is True
    assert session.ask("recall/prepare", prompt="what is a", usedUnits=0, usedUp=False)["ok"]
    assert "a.md" in session.ask("prompt/sections")["autoMemoryIndex"], "the index is shown, and not written"
    assert session.ask("prompt/sections")["notice"] is None, "what was never there is not gone"
    assert not (memory / "MEMORY.md").exists()
    assert "can only be read" in session.found["warnings"][0]
    due = session.ask("tasks/due")
    answers = [due["extract"], due["dream"], session.ask("task/begin", kind="extract"), session.ask("session/seen")]
    assert [(answer["ok"], answer["rule"]) for answer in answers] == [(False, "read-only")] * 4
    for method, params in (("journal/undo", {"id": "0", "force": False}), ("memory/forget", {"name": "a.md"})):
        with pytest.raises(RequestError) as error:
            session.ask(method, **params)
        assert error.value.rule == "read-only"


def test_only_a_file_is_suppressed(open_session):
    session = open_session()
    (session.memory / "folder.md").mkdir()
    (session.memory / "file.md").touch()
    os.mkfifo(session.memory / "pipe.md")
    suppressed = {
        name: session.ask("file/read", path=str(session.memory / name))["suppress"]
        for name in ("folder.md", "file.md", "pipe.md")
    }

    assert suppressed == {"folder.md": None, "file.md": "file.md", "pipe.md": None}


def recalled_once(session: Session, prompt: str) -> dict[str, Any]:
    """Asks for a recall and finishes it; gives what the selector was asked."""
    asked: dict[str, Any] = session.ask("recall/prepare", prompt=prompt, usedUnits=0, usedUp=False)
    finished = {"answer": '["a.md"]', "usedUnits": 0, "usedUp": False, "suppressed": []}
    session.ask("recall/finish", requestId=asked["requestId"], **finished)
    return asked


def test_an_engine_in_place_of_another_goes_on_byte_for_byte(open_session):
    one = open_session()
    (one.memory / "a.md").write_text("---\ndescription: a thing\n---\n# A\n")
    shown = one.ask("prompt/sections")
    first = recalled_once(one, "what is a")
    state = json.loads(json.dumps(one.ask("session/state")["state"]))
    one.engine.close()
    (one.memory / "MEMORY.md").write_text("- [A](a.md): another text\n")
    other, fresh = open_session(resume=state), open_session()
    told = other.ask("prompt/sections")
    second = recalled_once(other, "what is a, again")

    assert (other.found["resumed"], fresh.found["resumed"]) == (True, False)
    assert {**told, "notice": None} == shown
    assert told["notice"]
    assert second["system"] == first["system"]
    assert second["messages"][:2] == [*first["messages"], {"role": "assistant", "text": '["a.md"]'}]
    assert fresh.ask("prompt/sections") != shown
    assert len(recalled_once(fresh, "what is a, again")["messages"]) == 1


@pytest.mark.parametrize("off", [True, False])
def test_the_state_of_another_memory_is_not_taken_and_none_while_memory_is_off(open_session, tmp_path, off):
    one = open_session()
    one.ask("prompt/sections")
    state = one.ask("session/state")["state"]
    configuration = {"enabled": False} if off else {"autoMemoryDirectory": str(tmp_path / "elsewhere")}
    (tmp_path / "agent/project-memory/config.json").write_text(json.dumps(configuration))

    assert not open_session(resume=state).found["resumed"]


def linked(session: Session) -> None:
    """Gives the memory a topic with a second name, a third one that is a hard link, and a topic that lies elsewhere."""
    outside = session.root / "project" / "notes.md"
    (session.memory / "a.md").write_text("---\ndescription: how to deploy\n---\n# Deploy\n")
    outside.write_text("a note\n")
    (session.memory / "ln.md").symlink_to("a.md")
    (session.memory / "hard.md").hardlink_to(session.memory / "a.md")
    (session.memory / "lo.md").symlink_to(outside)
    os.utime(outside, (0, 0))


@pytest.mark.parametrize(
    ("read", "left"),
    [
        ("memory/a.md", ["lo.md"]),
        ("memory/ln.md", ["lo.md"]),
        ("memory/hard.md", ["lo.md"]),
        ("memory/lo.md", ["a.md"]),
        ("project/notes.md", ["a.md"]),
        ("project/other.md", ["a.md", "lo.md"]),
    ],
)
def test_a_topic_that_was_read_is_not_recalled_by_any_of_its_names(open_session, tmp_path, read, left):
    (tmp_path / "memory").mkdir()
    session = open_session(memory=str(tmp_path / "memory"))
    linked(session)
    (tmp_path / "project" / "other.md").touch()
    suppress = session.ask("file/read", path=str(tmp_path / read))["suppress"]
    asked = session.ask("recall/prepare", prompt="how do we deploy", usedUnits=0, usedUp=False)
    recalled = session.ask(
        "recall/finish",
        requestId=asked["requestId"],
        answer=json.dumps(["a.md", "ln.md", "hard.md", "lo.md"]),
        usedUnits=0,
        usedUp=False,
        suppressed=[] if suppress is None else [suppress],
    )

    assert recalled["topics"] == left


def test_a_topic_that_lies_elsewhere_is_memory_for_trust_reminder_and_lint(open_session):
    session = open_session()
    linked(session)
    path = str(session.memory / "lo.md")

    for tool in ("read", "write", "edit"):
        assert not session.ask("file/check", tool=tool, path=path, trusted=False)["ok"]
        assert session.ask("file/check", tool=tool, path="notes.md", trusted=False)["ok"]
    assert "lo.md" in session.ask("file/read", path=path)["reminder"]
    assert "lo.md" in session.ask("file/written", path=path)["reminder"]
    assert session.ask("file/read", path="notes.md")["reminder"] is None
    with pytest.raises(FilesError, match="leads out"):
        session.ask("task/write", taskId=begin(session), path=path, content="x")


def test_a_memory_that_is_a_link_can_be_tidied_by_both_of_its_names(open_session, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "named").symlink_to("real")
    session = open_session(memory=str(tmp_path / "named"))
    task = begin(session)
    for folder in ("real", "named"):
        (tmp_path / "real" / "b.md").write_text("x")
        asked = session.ask("task/bash", taskId=task, command=f"rm {tmp_path.resolve()}/{folder}/b.md")

        assert (asked["verdict"], asked["deleted"]) == ("delete", [str(tmp_path.resolve() / "real/b.md")])
    assert session.ask("task/bash", taskId=task, command=f"rm {tmp_path}/reality/b.md")["rule"] == "command"


TOKEN = "gl" + "pat-" + "x4Kq9Tz2Lm7Wc5Rb8Vy3"


@pytest.mark.parametrize(
    "line",
    [
        f"use {TOKEN} there",
        "Passwort des NAS: " + "Sommer" + "2024!",
        "Das WLAN-Passwort lautet " + "Winter" + "2024!",
        "postgres://ada:" + "x7Kq9Tz2Lm" + "@db.example.com/x",
        "AKIA" + "Q7X4Z2M9K3L5P8R1",
    ],
)
def test_a_background_write_that_would_add_a_secret_is_refused_by_its_line(open_session, line):
    session = open_session()
    task, file = begin(session), session.memory / "login.md"
    plain = "---\ndescription: how to log in\n---\n# Login\n\nThe password is in the keyring.\n"
    ask = partial(session.ask, taskId=task, path=str(file))
    with pytest.raises(RequestError) as refused:
        ask("task/write", content=f"{plain}{line}\n")
    assert (refused.value.rule, file.exists()) == ("secret", False)
    assert "line 7" in refused.value.message
    assert line.split()[-1] not in f"{refused.value.message} {refused.value.hint}"

    assert ask("task/write", content=plain)["reminder"] is None
    saved = file.read_text()
    digest = sha256(saved.encode()).hexdigest()
    with pytest.raises(RequestError) as refused:
        ask("task/edit", content=f"{saved}{line}\n", edits=[{"oldText": "# Login", "newText": "x"}], readDigest=digest)
    assert refused.value.rule == "secret"
    assert file.read_text() == saved
    assert len(session.ask("journal/list", limit=9)["changes"]) == 1


def test_a_secret_that_stood_there_before_is_told_and_keeps_no_task_from_the_rest(open_session):
    session = open_session()
    task, file = begin(session), session.memory / "login.md"
    before = f"---\ndescription: how to log in\n---\n# Login\n\nuse {TOKEN} there\n"
    file.write_text(before)
    digest = sha256(before.encode()).hexdigest()
    session.ask("task/read", taskId=task, path=str(file), truncated=False, image=False, digest=digest)
    told = session.ask(
        "task/write", taskId=task, path=str(file), content=before.replace("# Login\n", "# Login\n\nNew.\n")
    )

    assert "line 9" in told["reminder"], "the line in the saved file"
    assert TOKEN not in json.dumps(told)
    assert "line 9" in session.ask("file/written", path=str(file))["reminder"]


def test_a_secret_is_no_name_of_a_new_memory_file_either(open_session, tmp_path):
    """The folders above the memory are not the task's."""
    session = open_session(memory=str(tmp_path / TOKEN))
    ask = partial(session.ask, "task/write", taskId=begin(session), content="x")

    with pytest.raises(RequestError) as refused:
        ask(path=str(session.memory / f"{TOKEN}.md"))
    assert refused.value.rule == "secret"
    assert TOKEN not in f"{refused.value.message} {refused.value.hint}"
    ask(path=str(session.memory / "gitlab-token.md"))
    assert [file.name for file in session.memory.iterdir()] == ["gitlab-token.md"]


@pytest.mark.parametrize(
    "name", ["a\nb.md", "\x1b[31mred.md", "\u202egnp.md", "zero\u200bwidth.md", "<auto_memory>.md", "a\tb.md"]
)
def test_a_new_memory_file_has_a_name_that_is_seen_as_it_is(open_session, name):
    """One that stands there can be mended and taken away."""
    session = open_session()
    ask = partial(session.ask, taskId=begin(session))
    with pytest.raises(RequestError) as refused:
        ask("task/write", path=str(session.memory / name), content="x")
    assert refused.value.rule == "file-name"
    for plain in ("größe — 2 größer als 1.md", "a  b.md", "sub/MEMORY.md"):
        ask("task/write", path=str(session.memory / plain), content="x")
    (session.memory / name).write_bytes(b"old")
    ask("task/read", path=str(session.memory / name), digest=sha256(b"old").hexdigest(), image=False, truncated=False)
    ask("task/write", path=str(session.memory / name), content="new")


def test_people_see_the_changes_and_take_them_back(open_session, tmp_path):
    session = open_session()
    task = begin(session)
    session.ask("task/write", taskId=task, path=str(session.memory / "a.md"), content="first")
    identity = session.ask("task/write", taskId=task, path=str(session.memory / "a.md"), content="second")["id"]

    shown = run(tmp_path, "log")
    assert [line.split()[-2:] for line in shown.stdout.splitlines()] == [["write", "a.md"], ["create", "a.md"]]
    assert json.loads(run(tmp_path, "log", "--json", "--limit", "1").stdout)["id"] == identity

    assert {line.split()[-3] for line in shown.stdout.splitlines()} == {task}

    undone = run(tmp_path, "undo", identity)
    assert (undone.returncode, undone.stderr) == (0, "")
    assert (session.memory / "a.md").read_text() == "first"
    again = run(tmp_path, "undo", identity)
    assert again.returncode == 6
    assert "has changed since" in again.stderr
    assert "Traceback" not in again.stderr


@pytest.mark.parametrize("arguments", [["undo", "nope"], ["undo"], ["log", "--limit", "0"], ["no-such"], []])
def test_a_wrong_command_is_told_in_a_sentence(tmp_path, arguments):
    (tmp_path / "project").mkdir()
    done = run(tmp_path, *arguments) if arguments else subprocess.run([ENGINE], capture_output=True, text=True)

    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert done.stderr


def test_to_look_at_a_project_without_memory_makes_nothing(tmp_path):
    for name in ("agent", "project"):
        (tmp_path / name).mkdir()
    done = run(tmp_path, "log")

    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "background tasks changed nothing in this project's memory\n"
    assert list((tmp_path / "agent").iterdir()) == []


@pytest.mark.parametrize(
    "line",
    [
        "{engine} log --project /nonexistent",
        "cd {here}/gone; rmdir ../gone; {engine} log --agent-folder {here}",
        "{engine} stress --folder {here}",
        "{engine}",
    ],
)
def test_a_place_that_cannot_be_used_is_told_in_a_sentence(tmp_path, line):
    (tmp_path / "gone").mkdir()
    (tmp_path / "kept").touch()
    command = line.format(engine=ENGINE, here=tmp_path)
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode != 0
    assert done.stderr.startswith("pi-memory-engine: ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&-", "2>&-"])
@pytest.mark.parametrize("command", ["serve", "classify"])
def test_a_descriptor_that_is_closed_ends_it(tmp_path, command, closed):
    shell = ["sh", "-c", f"echo '{{}}' | {ENGINE} {command} {closed}"]
    done = subprocess.run(shell, capture_output=True, text=True, timeout=60, check=False)

    assert "Traceback" not in done.stderr


def test_a_time_that_no_calendar_has_is_shown_as_a_number(open_session, tmp_path):
    session = open_session()
    session.ask("task/write", taskId=begin(session), path=str(session.memory / "a.md"), content="first")
    folder = next((tmp_path / "agent/project-memory/memory-roots").iterdir()) / "journal"
    entry = next(each for each in folder.iterdir() if each.suffix == ".json")
    values = json.loads(entry.read_text())
    entry.write_text(json.dumps({**values, "at": 10**15}))
    done = run(tmp_path, "log")

    assert (done.returncode, done.stderr) == (0, "")
    assert "a.md" in done.stdout


def test_commands_are_classified_line_by_line_in_order(tmp_path):
    lines = [
        '{"command": "ls -la"}',
        '{"command": "rm -f /m/a.md"}',
        '{"command": "rm -f /other/a.md", "memory_dir": "/other"}',
        '{"command": "rm -f /m/a.md", "memory_dir": "/other"}',
        '{"command": 7}',
        "nonsense",
        "[" * 100_000,
        '{"command": "ls", "memory_dir": 7}',
        '{"command": "echo \\ud800"}',
        '{"command": "' + "x" * 2_000_000 + '"}',
        '{"command": "pwd"}',
    ]
    done = run(tmp_path, "classify", "--memory-dir", "/m", standard_input="\n".join(lines))

    answers = [json.loads(line) for line in done.stdout.splitlines()]
    verdicts = [answer["verdict"] for answer in answers]
    assert verdicts == ["read-only", "delete", "delete", *["reject"] * 7, "read-only"]
    assert all(set(answer) == {"verdict", "reason"} and answer["reason"] for answer in answers)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()


def test_a_reader_that_goes_away_ends_it_quietly(tmp_path):
    lines = '{"command": "ls"}\n' * 5000
    done = subprocess.run(
        ["sh", "-c", f"{ENGINE} classify 2>err | head -1 >out; cat err"],
        input=lines,
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.stdout == ""


def test_standard_output_holds_answers_and_nothing_else(tmp_path):
    """Whatever else prints, as a library may, goes to standard error."""
    program = (
        "import os, sys\n"
        "from pi_sandbox.rpc.server import Output, own_standard_output\n"
        "output = Output(own_standard_output())\n"
        "print('a stray line', flush=True); os.write(1, b'another\\n'); os.system('echo a child')\n"
        "output.write({'ours': True}); output.drain(5)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == '{"ours":true}\n'
    assert done.stderr.count("\n") == 3


def serving(tmp_path: Path) -> subprocess.Popen[bytes]:
    """Starts an engine with a session that has the lock of an extraction."""
    process = subprocess.Popen([ENGINE, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    places = {"cwd": "project", "agentFolder": "agent", "homeFolder": "home"}
    folders = {name: str(tmp_path.resolve() / place) for name, place in places.items()}
    for identity, method, params in (
        (1, "initialize", {"protocolVersion": 1, "sessionId": "x", **folders}),
        (2, "task/begin", {"kind": "extract", "trusted": True, "asked": False}),
    ):
        message = {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}
        process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        assert b'"result"' in process.stdout.readline()
    return process


@pytest.mark.parametrize("number", [15, 2, 1])
def test_a_signal_in_a_flood_of_requests_ends_the_engine_and_its_lock_is_free(open_session, tmp_path, number):
    session = open_session()
    for turn in range(3):
        process = serving(tmp_path)
        assert process.stdin is not None
        line = {"jsonrpc": "2.0", "method": "file/check", "params": {"tool": "read", "path": "a", "trusted": False}}
        process.stdin.write((json.dumps({"id": 3, **line}).encode() + b"\n") * (200 * turn))
        process.stdin.flush()
        process.send_signal(number)
        assert process.wait(20) == 128 + number
        assert process.communicate()[1] == b""
        begun = session.ask("task/begin", kind="extract")
        assert begun["ok"], begun
        session.ask("task/end", taskId=begun["taskId"], outcome="returned")


def test_an_engine_whose_answers_nobody_reads_ends_with_its_input(open_session, tmp_path):
    session = open_session()
    process = serving(tmp_path)
    assert process.stdin is not None
    line = b'{"jsonrpc":"2.0","id":9,"method":"prompt/sections","params":{"announced":null,"trusted":true}}\n'
    process.stdin.write(line * 600)
    process.stdin.close()

    assert process.wait(20) == 0
    assert session.ask("task/begin", kind="extract")["ok"]
    for stream in (process.stdout, process.stderr):
        assert stream is not None
        stream.close()


@pytest.mark.parametrize("outcome", ["returned", "failed-to-start"])
def test_a_damaged_state_costs_no_lock(open_session, outcome):
    session = open_session()
    for name in "bcdef":
        open_session(session_id=name).ask("session/seen")
    shared = next((session.root / "agent/project-memory/memory-roots").iterdir()) / "state.json"
    shared.write_text("")
    with pytest.raises(FilesError, match=r"state\.json"):
        session.ask("task/begin", kind="dream")
    shared.unlink()
    task = begin(session, "dream")

    shared.write_text("")
    if outcome == "returned":
        session.ask("task/end", taskId=task, outcome=outcome)
    else:
        with pytest.raises(FilesError, match=r"state\.json"):
            session.ask("task/end", taskId=task, outcome=outcome)
    shared.unlink()
    assert begin(session, "dream")

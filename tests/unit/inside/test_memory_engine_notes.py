"""`pi-memory-engine show`, `search` and `undo --json`, as people and programs call them."""

import json
from pathlib import Path

import pytest

from pi_sandbox.exit_codes import ExitCode
from tests.unit.rpc.sessions import Session, begin, run

EVIL = "safe \x1b[2J\x1b]0;owned\x07 \u202eback \u200b end"


@pytest.fixture
def session(tmp_path: Path) -> Session:
    session = Session(tmp_path.resolve())
    for name, text in {
        "MEMORY.md": "- [Shed](shed.md): where its key hangs\n",
        "shed.md": "---\ndescription: Where the key of the shed hangs\n---\nBehind the door.\n",
        "gate.md": "---\ndescription: When the gate is closed\n---\nAt night; the key is in the shed.\n",
        "evil.md": f"---\ndescription: {EVIL}\n---\n{EVIL}\n",
    }.items():
        (session.memory / name).write_text(text)
    return session


def test_a_note_is_shown_line_by_line(session: Session) -> None:
    done = run(session.root, "show", "shed")
    assert (done.returncode, done.stdout, done.stderr) == (0, (session.memory / "shed.md").read_text(), "")


@pytest.mark.parametrize("arguments", [("show", "evil"), ("search", "owned"), ("show", "evil", "--json")])
def test_what_a_terminal_would_act_on_is_made_visible(session: Session, arguments: tuple[str, ...]) -> None:
    shown = run(session.root, *arguments).stdout
    assert "owned" in shown
    assert not [character for character in shown if not character.isprintable() and character != "\n"]


def test_programs_get_a_note_as_it_is(session: Session) -> None:
    told = json.loads(run(session.root, "show", "evil", "--json").stdout)
    assert (told["name"], told["text"]) == ("evil.md", (session.memory / "evil.md").read_text())


def test_the_best_match_is_shown_first_with_its_lines(session: Session) -> None:
    done = run(session.root, "search", "shed", "key")
    assert [line for line in done.stdout.splitlines() if line[0] != " "] == [
        "shed.md  Where the key of the shed hangs",
        "gate.md  When the gate is closed",
        "MEMORY.md",
    ]
    assert "  4: At night; the key is in the shed." in done.stdout
    assert done.stderr == "3 of 4 files of this project's memory hold a word of these\n"
    found = [json.loads(line) for line in run(session.root, "search", "shed key", "--json").stdout.splitlines()]
    assert [each["name"] for each in found] == ["shed.md", "gate.md", "MEMORY.md"]
    assert found[1]["lines"] == [{"line": 4, "text": "At night; the key is in the shed."}]
    assert run(session.root, "search", "shed", "--limit", "1").stdout.count("shed.md") == 1


def test_nothing_found_is_no_fault_and_is_said(session: Session) -> None:
    done = run(session.root, "search", "volcano")
    assert (done.returncode, done.stdout) == (ExitCode.OK, "")
    assert done.stderr.startswith("0 of 4")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("show", "volcano"), ExitCode.USAGE),
        (("show", "../../config"), ExitCode.USAGE),
        (("show",), ExitCode.USAGE),
        (("search", "?!"), ExitCode.USAGE),
        (("search",), ExitCode.USAGE),
        (("undo", "volcano"), ExitCode.FILES),
    ],
)
def test_what_cannot_be_done_is_told_in_a_sentence_with_its_code(
    session: Session, arguments: tuple[str, ...], code: ExitCode
) -> None:
    done = run(session.root, *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith("pi-memory-engine: ")


def test_an_undo_tells_programs_what_it_did(session: Session) -> None:
    task = begin(session)
    text = "---\ndescription: a\n---\n"
    session.ask("task/write", taskId=task, path=str(session.memory / "new.md"), content=text)
    session.engine.close()
    told = json.loads(run(session.root, "undo", task, "--json").stdout)
    assert [(change["action"], change["path"]) for change in told["changes"]] == [("delete", "new.md")]
    assert told["left"] == []
    assert not (session.memory / "new.md").exists()

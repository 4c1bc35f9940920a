"""A session whose memory lies where the sandbox puts it: in the project's level of a store."""

import json
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_sandbox.errors import PiSandboxError
from pi_sandbox.memory_check.check import check_store
from pi_sandbox.memory_check.format_rules import StoreKind
from pi_sandbox.memory_check.memory_file import MemoryFile
from pi_sandbox.project_memory.fixed_place import FixedPlace
from tests.unit.rpc.sessions import ENGINE, Session, begin

Open = Callable[..., Session]
LEVEL = "store/host/group/repo"


@pytest.fixture
def place(tmp_path: Path) -> FixedPlace:
    """Gives the place in a store that has nothing at the project's level yet."""
    (tmp_path / "store").mkdir()
    (tmp_path / "config").mkdir()
    return FixedPlace(tmp_path.resolve() / "config/project-memory.json", tmp_path.resolve() / LEVEL / "auto")


def note(session: Session, name: str = "a.md") -> Path:
    path = session.memory / name
    text = "---\ndescription: a\n---\nfirst\n"
    assert session.ask("task/write", taskId=begin(session), path=str(path), content=text)["created"]
    return path


def below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def test_the_folder_is_made_by_the_first_note_and_not_before(open_session: Open, place: FixedPlace) -> None:
    session = open_session(place=place)
    assert (session.memory, session.found["readOnly"]) == (place.memory, False)
    session.ask("prompt/sections")
    session.ask("tasks/due")
    assert below(session.root / "store") == set()
    path = note(session)
    assert path.read_text().endswith("first\n")
    assert session.ask("recall/prepare", prompt="what is a")["ok"]


def test_without_a_fixed_place_the_folder_is_made_at_once(open_session: Open) -> None:
    assert open_session().memory.is_dir()


def test_a_write_that_is_refused_or_a_deletion_makes_nothing_that_is_no_memory(
    open_session: Open, place: FixedPlace
) -> None:
    session = open_session(place=place)
    task = begin(session)
    for path in (f"{session.root}/store/host/x.md", f"{session.memory}/x.txt", "x.md"):
        with pytest.raises(PiSandboxError):
            session.ask("task/write", taskId=task, path=path, content="x")
    assert session.ask("task/bash", taskId=task, command=f"rm -f {session.memory}/x.md")["verdict"] == "delete"
    assert {path for path in below(session.root / "store") if (session.root / "store" / path).is_file()} == set()


def test_what_an_extraction_writes_as_it_is_told_to_passes_the_check_before_a_push(
    open_session: Open, place: FixedPlace
) -> None:
    session = open_session(place=place)
    task = begin(session)
    notes = {
        "MEMORY.md": "- [Shed](shed.md): where its key hangs\n",
        "shed.md": "---\ndescription: Where the key of the shed hangs\n---\n# Shed\n\nBehind the door.\n",
    }
    for name, text in notes.items():
        made = session.ask("task/write", taskId=task, path=f"{session.memory}/{name}", content=text)
        assert made["reminder"] is None
    unlike = session.ask("task/write", taskId=task, path=f"{session.memory}/gate.md", content="no front matter\n")
    assert unlike["reminder"] is not None
    store = session.root / "store"
    files = [MemoryFile(str(path.relative_to(store)), path.read_bytes()) for path in sorted(store.rglob("*.md"))]
    found = check_store(files, store="work", store_kind=StoreKind.DOMAIN).findings
    assert {finding.path for finding in found if "auto" in finding.path} == {"host/group/repo/auto/gate.md"}
    assert b"by extract" in (session.memory / "shed.md").read_bytes()


def test_locks_state_and_journal_stay_out_of_the_store(open_session: Open, place: FixedPlace) -> None:
    session = open_session(place=place)
    note(session)
    session.ask("session/seen")
    assert below(session.root / LEVEL) == {"auto", "auto/a.md"}
    assert "locks" in {path.name for path in (session.root / "agent/project-memory").rglob("*")}


def test_two_sessions_share_the_locks_that_lie_beside_the_store(open_session: Open, place: FixedPlace) -> None:
    one, other = open_session(place=place), open_session(session_id="two", place=place)
    begin(one)
    assert not other.ask("task/begin", kind="extract")["ok"]


def test_a_note_that_went_with_its_folder_can_be_put_back(open_session: Open, place: FixedPlace) -> None:
    session = open_session(place=place)
    path = note(session)
    task = session.ask("journal/list", limit=1)["changes"][0]["taskId"]
    session.ask("journal/undo", id=task, force=False)
    path.parent.rmdir()
    undo = session.ask("journal/list", limit=1)["changes"][0]
    session.ask("journal/undo", id=undo["id"], force=False)
    assert path.exists()


def test_a_folder_that_becomes_a_link_during_the_session_is_not_written_through(
    open_session: Open, place: FixedPlace
) -> None:
    session = open_session(place=place)
    task = begin(session)
    elsewhere = session.root / "store/core"
    elsewhere.mkdir()
    session.memory.parent.mkdir(parents=True)
    session.memory.symlink_to(elsewhere)
    with pytest.raises(PiSandboxError):
        session.ask("task/write", taskId=task, path=f"{session.memory}/a.md", content="x")
    with pytest.raises(PiSandboxError):
        session.ask("task/write", taskId=task, path=f"{elsewhere}/a.md", content="x")
    assert list(elsewhere.iterdir()) == []


def test_memory_that_is_a_link_at_the_start_is_refused_by_name(open_session: Open, place: FixedPlace) -> None:
    assert place.memory is not None
    place.memory.parent.mkdir(parents=True)
    place.memory.symlink_to(place.memory.parent)
    with pytest.raises(PiSandboxError, match="leads elsewhere through a link"):
        open_session(place=place)


@pytest.mark.parametrize("there", [False, True])
def test_a_store_that_can_only_be_read_is_read_and_gets_nothing(
    open_session: Open, place: FixedPlace, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    assert place.memory is not None
    if there:
        place.memory.mkdir(parents=True)
        (place.memory / "a.md").write_text("---\ndescription: a\n---\nfirst\n")
    monkeypatch.setattr(os, "access", _read_only(place.memory.parents[3]))
    before = below(place.memory.parents[3])
    session = open_session(place=place)
    assert session.found["readOnly"]
    assert session.ask("prompt/sections")["ok"]
    assert session.ask("recall/prepare", prompt="what is a")["ok"] is there
    assert session.ask("task/begin", kind="extract")["rule"] == "read-only"
    assert below(place.memory.parents[3]) == before


def _read_only(store: Path) -> Callable[[Path, int], bool]:
    """Gives an `access` to which the store is on a read-only disk; root is refused nothing by permissions."""
    real = os.access
    return lambda path, mode: not (mode & os.W_OK and Path(path).is_relative_to(store)) and real(path, mode)


def test_the_owners_file_is_read_again_each_time_and_config_json_never(open_session: Open, place: FixedPlace) -> None:
    session = open_session(place=place)
    (session.root / "agent/project-memory/config.json").write_text('{"extract": {"enabled": false}}')
    assert session.ask("tasks/due")["extract"]["ok"]
    place.configuration.write_text('{"extract": {"enabled": false}}')
    refused = session.ask("tasks/due")["extract"]
    assert (refused["rule"], refused["reason"]) == ("off", "extraction is turned off in project-memory.json")
    place.configuration.write_text('{"autoMemoryDirectory": "/elsewhere"}')
    assert "autoMemoryDirectory cannot be set" in session.ask("tasks/due")["extract"]["reason"]
    place.configuration.unlink()
    assert session.ask("tasks/due")["extract"]["ok"]


def test_without_a_store_memory_is_off_and_nothing_is_made(open_session: Open, place: FixedPlace) -> None:
    session = open_session(place=FixedPlace(place.configuration, None))
    assert not session.found["configuration"]["enabled"]
    assert session.found["warnings"] == []
    refused = session.ask("task/begin", kind="extract")
    assert (refused["rule"], "no store" in refused["reason"]) == ("off", True)
    assert not session.ask("prompt/sections")["ok"]
    assert below(session.root / "agent/project-memory") == set()


def test_memory_that_is_turned_on_later_lies_in_its_fixed_place(open_session: Open, place: FixedPlace) -> None:
    place.configuration.write_text('{"enabled": false}')
    session = open_session(place=place)
    place.configuration.unlink()
    assert note(session).is_relative_to(session.root / LEVEL)


@pytest.mark.parametrize("umask", ["000", "022", "777"])
def test_what_the_engine_makes_is_its_users_alone_whatever_the_umask(
    tmp_path: Path, place: FixedPlace, umask: str
) -> None:
    for name in ("agent", "home", "project"):
        (tmp_path / name).mkdir()
    root = tmp_path.resolve()
    folders = {"cwd": f"{root}/project", "agentFolder": f"{root}/agent", "homeFolder": f"{root}/home"}
    write = {"path": f"{place.memory}/a.md", "content": "---\ndescription: a\n---\n"}
    engine = subprocess.Popen(
        ["sh", "-c", f"umask {umask}; exec {ENGINE} serve"],
        env={**os.environ, "PI_MEMORY_CONFIGURATION": str(place.configuration), "PI_MEMORY_FOLDER": str(place.memory)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    asked(engine, "initialize", {"protocolVersion": 1, "sessionId": "x", **folders})
    task = asked(engine, "task/begin", {"kind": "extract", "trusted": True, "asked": False})["taskId"]
    asked(engine, "task/write", {"taskId": task, **write})
    engine.communicate(timeout=30)
    made = [*(root / "store").rglob("*"), *(root / "agent").rglob("*")]
    assert root / LEVEL / "auto/a.md" in made
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in made}
    assert {path: mode for path, mode in modes.items() if mode != (0o700 if path.is_dir() else 0o600)} == {}


def asked(engine: "subprocess.Popen[bytes]", method: str, params: object) -> dict[str, object]:
    assert engine.stdin is not None
    assert engine.stdout is not None
    engine.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n")
    engine.stdin.flush()
    while True:
        answer = json.loads(engine.stdout.readline())
        if answer.get("id") == 1:
            result: dict[str, object] = answer["result"]
            return result

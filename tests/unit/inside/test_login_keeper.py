"""How pi's login goes into a session and what of its changes comes back."""

import fcntl
import json
import os
import stat
from pathlib import Path

import pytest

from pi_sandbox.inside import login_keeper
from pi_sandbox.inside.login_keeper import NOT_KEPT, LoginKeeper

COMMAND = {"type": "api_key", "key": "!touch ran"}


def key(word: str) -> dict[str, str]:
    return {"type": "api_key", "key": word}


def put(path: Path, entries: object) -> None:
    path.write_text(json.dumps(entries))


def taken(path: Path) -> object:
    return json.loads(path.read_text())


@pytest.fixture
def document(tmp_path: Path) -> Path:
    document = tmp_path / "document"
    put(document, {"a": key("old"), "b": key("old")})
    return document


def opened(document: Path, name: str = "auth.json") -> tuple[LoginKeeper, Path]:
    copy = document.parent / name
    keeper = LoginKeeper(document, copy)
    keeper.open()
    return keeper, copy


def test_pi_gets_what_is_plain_in_a_file_of_its_own(document: Path) -> None:
    put(document, {"a": key("old"), "evil": COMMAND})
    before = document.read_bytes()
    keeper, copy = opened(document)
    assert taken(copy) == {"a": key("old")}
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert list(keeper.close()) == []
    assert document.read_bytes() == before


@pytest.mark.parametrize("text", ["", "{", "[]", '{"a":'])
def test_without_a_usable_document_pi_starts_without_a_login(document: Path, text: str) -> None:
    document.write_text(text)
    assert taken(opened(document)[1]) == {}


def test_without_a_document_pi_starts_without_a_login(tmp_path: Path) -> None:
    keeper, copy = opened(tmp_path / "nothing")
    keeper.keep()
    assert taken(copy) == {}
    assert list(keeper.close()) == []


def test_a_change_is_kept_while_the_session_runs_and_the_file_stays_the_same_file(document: Path) -> None:
    keeper, copy = opened(document)
    inode = document.stat().st_ino
    put(copy, {"a": key("new"), "c": key("new")})
    keeper.keep()
    assert taken(document) == {"a": key("new"), "c": key("new")}
    assert document.stat().st_ino == inode


def test_a_change_right_before_the_end_is_kept(document: Path) -> None:
    keeper, copy = opened(document)
    put(copy, {"a": key("new"), "b": key("old")})
    keeper.close()
    assert taken(document) == {"a": key("new"), "b": key("old")}


def test_a_command_that_the_session_writes_is_not_kept_and_what_was_there_stays(document: Path) -> None:
    keeper, copy = opened(document)
    put(copy, {"a": COMMAND, "b": key("new"), "c": COMMAND})
    keeper.keep()
    assert taken(document) == {"a": key("old"), "b": key("new")}
    assert list(keeper.close()) == [NOT_KEPT]
    assert taken(copy) == {"a": COMMAND, "b": key("new"), "c": COMMAND}, "it is this session's own affair"


def test_what_the_owner_wrote_and_pi_does_not_get_is_not_deleted(document: Path) -> None:
    put(document, {"a": key("old"), "mine": COMMAND})
    keeper, copy = opened(document)
    put(copy, {"a": key("new")})
    keeper.keep()
    assert taken(document) == {"a": key("new"), "mine": COMMAND}


def test_two_sessions_bring_each_other_their_changes(document: Path) -> None:
    (one, first), (two, second) = opened(document, "first"), opened(document, "second")
    put(first, {"a": key("new"), "b": key("old")})
    one.keep()
    put(second, {"a": key("old"), "c": key("other")})
    two.keep()
    one.keep()
    assert taken(document) == taken(first) == taken(second) == {"a": key("new"), "c": key("other")}
    for keeper in (one, two):
        keeper.close()
    assert taken(document) == {"a": key("new"), "c": key("other")}


def test_nothing_is_read_again_where_nothing_changed(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keeper, copy = opened(document)
    put(copy, {})
    keeper.keep()
    keeper.keep()
    monkeypatch.setattr(login_keeper, "read_regular_file", None)
    keeper.keep()
    put(copy, {"a": key("x")})
    with pytest.raises(TypeError):
        keeper.keep()


def test_while_pi_holds_its_lock_nothing_is_touched(document: Path) -> None:
    keeper, copy = opened(document)
    lock = copy.with_name("auth.json.lock")
    lock.mkdir()
    put(copy, {"a": key("new")})
    keeper.keep()
    assert "new" not in document.read_text()
    lock.rmdir()
    keeper.keep()
    assert "new" in document.read_text()
    assert not lock.exists()


def test_at_the_end_a_lock_that_a_killed_pi_left_is_no_hindrance(document: Path) -> None:
    keeper, copy = opened(document)
    copy.with_name("auth.json.lock").mkdir()
    put(copy, {"a": key("new")})
    keeper.close()
    assert "new" in document.read_text()


def test_while_another_session_holds_the_document_it_stays_as_it_is(
    document: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(login_keeper, "LAST_SECONDS", 0.2)
    keeper, copy = opened(document)
    put(copy, {"a": key("new")})
    with document.open("r+b") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        keeper.keep()
        keeper.close()
        assert "new" not in document.read_text()
    keeper.keep()
    assert "new" in document.read_text()


@pytest.mark.parametrize("half", ["", "{", '{"a": {"type"'])
def test_a_copy_that_is_just_being_written_does_not_log_anybody_out(document: Path, half: str) -> None:
    keeper, copy = opened(document)
    before = document.read_bytes()
    copy.write_text(half)
    keeper.keep()
    keeper.close()
    assert document.read_bytes() == before


@pytest.mark.parametrize("odd", ["link", "pipe", "folder", "nothing"])
def test_an_odd_copy_is_neither_followed_nor_waited_for(document: Path, tmp_path: Path, odd: str) -> None:
    keeper, copy = opened(document)
    before = document.read_bytes()
    put(tmp_path / "other", {"a": key("new")})
    copy.unlink()
    match odd:
        case "link":
            copy.symlink_to(tmp_path / "other")
        case "pipe":
            os.mkfifo(copy)
        case "folder":
            copy.mkdir()
    keeper.keep()
    assert list(keeper.close()) == []
    assert document.read_bytes() == before


def test_a_document_that_grew_too_large_is_not_written(document: Path) -> None:
    keeper, copy = opened(document)
    before = document.read_bytes()
    put(copy, {f"p{number}": key("x" * 5000) for number in range(50)})
    keeper.keep()
    put(document, {**json.loads(document.read_text()), "mine": {"type": "x", "y": "z" * 200_000}})
    before = document.read_bytes()
    put(copy, {f"p{number}": key("y" * 5000) for number in range(50)})
    keeper.keep()
    assert document.read_bytes() == before


def test_a_full_disk_leaves_the_old_document(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keeper, copy = opened(document)
    put(copy, {"a": key("new" * 100)})
    before = document.read_bytes()
    write = os.pwrite

    def full(descriptor: int, data: bytes, offset: int) -> int:
        if b"new" in data:
            write(descriptor, data[:20], offset)
            raise OSError(28, "No space left on device")
        return write(descriptor, data, offset)

    monkeypatch.setattr(os, "pwrite", full)
    keeper.keep()
    assert document.read_bytes() == before

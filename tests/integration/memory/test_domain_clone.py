"""`domain add --clone`, `memory-clone`: memory from its remote, in the real container from the real git server."""

import secrets
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.git_server import USER
from tests.integration.memory.homes import Pushed, make_home, note
from tests.integration.session.sandbox import Finished, run_git, tree


def add(pushed: Pushed, store: str, token: str, *more: str) -> Finished:
    """Adds the domain club with the remote of a store."""
    url, command = pushed.server.url(pushed.remote(store)), f"printf %s '{token}'"
    options = ("--url", url, "--user", USER, "--token-cmd", command, *more)
    return pushed.call("domain", "add", "club", *options, changes={f"BRAIN_{store.upper()}_URL": ""})


@pytest.fixture
def token(pushed: Pushed) -> str:
    return pushed.server.token


def test_the_memory_of_a_new_domain_comes_from_its_remote(pushed: Pushed, token: str) -> None:
    assert pushed.sync("n", "y")[0] == 0
    ended = add(pushed, "private", token, "--clone")
    assert "club is a domain" in ended.ok()
    club = pushed.home.store("club")
    assert run_git(club, "rev-parse", "main").strip() == pushed.tip("private")
    assert run_git(club, "status", "--porcelain") == ""
    assert (club / "briefing.md").read_bytes() == (pushed.home.store("private") / "briefing.md").read_bytes()
    assert club.stat().st_mode & 0o777 == 0o700
    assert (pushed.home.home / "ws/club").is_dir()
    assert pushed.call("memory-check", "club", changes={"BRAIN_PRIVATE_URL": ""}).code == 0
    assert token not in ended.out + ended.err
    assert pushed.home.containers() == []


def test_an_empty_remote_gives_a_store_from_the_template(pushed: Pushed, token: str) -> None:
    ended = add(pushed, "core", token, "--clone")
    assert "the remote is empty" in ended.ok()
    assert (pushed.home.store("club") / "briefing.md").is_file()


def test_a_clone_that_fails_leaves_nothing_and_configures_nothing(pushed: Pushed) -> None:
    before = tree(pushed.home.home / "brain"), (pushed.home.home / ".env").read_bytes()
    wrong = "wr0ng" + secrets.token_hex(8)
    ended = add(pushed, "private", wrong, "--clone")
    assert ended.code == 30
    assert "did not accept the credential" in ended.out
    assert wrong not in ended.out + ended.err
    assert (tree(pushed.home.home / "brain"), (pushed.home.home / ".env").read_bytes()) == before
    assert not (pushed.home.home / "ws/club").exists()


def test_a_credential_that_cannot_be_had_leaves_nothing(pushed: Pushed) -> None:
    ended = pushed.call("domain", "add", "club", "--url", pushed.server.url("x"), "--token-cmd", "false", "--clone")
    assert ended.code == 30
    assert "BRAIN_CLUB_TOKEN_CMD" in ended.err
    assert not pushed.home.store("club").exists()


def test_a_store_that_is_there_is_not_replaced_and_a_clone_needs_a_url(pushed: Pushed, token: str) -> None:
    assert pushed.call("domain", "add", "club", "--clone").code == 2
    pushed.home.store("club").mkdir()
    (pushed.home.store("club") / "mine").write_text("x")
    ended = add(pushed, "private", token, "--clone")
    assert ended.code == 2
    assert "is there already" in ended.err
    assert [path.name for path in pushed.home.store("club").iterdir()] == ["mine"]


def second_machine(pushed: Pushed, folder: Path) -> Pushed:
    """Gives another home, as init makes it, with the same settings."""
    folder.mkdir()
    return replace(pushed, home=make_home(folder))


def test_on_a_second_machine_each_store_is_taken_from_where_the_first_one_pushed_it(
    pushed: Pushed, token: str, tmp_path: Path
) -> None:
    note(pushed.home, "private", "Every second day.")
    assert pushed.sync("y", "y")[0] == 0
    second = second_machine(pushed, tmp_path / "second")
    for store in ("core", "private"):
        ended = second.call("memory-clone", store)
        assert f"{store}: cloned {pushed.head(store)[:12]}" in ended.ok()
        assert second.head(store) == pushed.head(store)
        assert run_git(second.home.store(store), "status", "--porcelain") == ""
    status = second.call("memory-status", "private")
    assert "== private: 0 changed files, 0 unpushed commits (on main)" in status.out
    assert "last synced: never" not in status.out
    assert second.sync()[0] == 0
    assert {path.name for path in (second.home.home / "brain").iterdir()} == {
        path.name for path in (pushed.home.home / "brain").iterdir()
    }
    assert token not in ended.out + ended.err


def test_a_store_with_a_note_of_ones_own_is_not_replaced(pushed: Pushed, tmp_path: Path) -> None:
    assert pushed.sync("y", "y")[0] == 0
    second = second_machine(pushed, tmp_path / "second")
    mine = note(second.home, "private", "Never.")
    ended = second.call("memory-clone", "private")
    assert ended.code == 2
    assert "something was written into it" in ended.err
    assert mine.is_file()
    assert second.call("memory-clone", "privat").code == 2


def test_a_remote_that_is_empty_and_one_that_refuses_leave_the_store_as_it_is(pushed: Pushed) -> None:
    before = tree(pushed.home.home / "brain")
    assert "the remote is empty" in pushed.call("memory-clone", "core").ok()
    wrong = {"BRAIN_CORE_TOKEN_CMD": "printf %s wr0ng" + secrets.token_hex(8)}
    ended = pushed.call("memory-clone", "core", changes=wrong)
    assert ended.code == 30
    assert "what BRAIN_CORE_TOKEN_CMD prints" in " ".join(ended.out.split())
    assert "then again: pi-sandbox memory-clone core" in ended.err
    assert tree(pushed.home.home / "brain") == before

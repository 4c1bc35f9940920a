"""`domain add --clone`: a domain whose memory comes from its remote, in the real container from the real git server."""

import secrets

import pytest

from tests.fakes.git_server import USER
from tests.integration.memory.homes import Pushed
from tests.integration.session.sandbox import Finished, run_git, tree


def add(pushed: Pushed, store: str, token: str, *more: str) -> Finished:
    """Adds the domain club with the remote of a store."""
    url, command = pushed.server.url(pushed.remote(store)), f"printf %s '{token}'"
    options = ("--url", url, "--user", USER, "--token-cmd", command, *more)
    return pushed.call("domain", "add", "club", *options)


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
    assert pushed.call("memory-check", "club").code == 0
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

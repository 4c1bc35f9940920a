"""Whoever the host user is: check and sync work, and what the sync writes belongs to them."""

import os
from collections.abc import Iterator

import pytest

from tests.fakes.git_server import GitServer
from tests.integration.memory.homes import Pushed, note
from tests.integration.session.sandbox import run_git, sandbox_of_user
from tests.needs import Host

pytestmark = pytest.mark.needs(Host.ROOT)

UID = 12345


@pytest.fixture
def pushed_by_another(server: GitServer) -> Iterator[Pushed]:
    """A home of another user's own, and the commands run as that user."""
    with sandbox_of_user(UID) as sandbox:
        sandbox.call("init").ok()
        for store in ("core", "private"):
            server.add_repository(f"{store}-{UID}")
        yield Pushed(sandbox, server, UID)


def test_a_sync_of_another_user_leaves_every_file_theirs(pushed_by_another: Pushed) -> None:
    pushed = pushed_by_another
    written = note(pushed.home, "private", "The garden is watered every second day.")
    for path in (written, written.parent.parent / "index.md"):
        os.chown(path, UID, UID)
    assert pushed.call("memory-check", "private").code == 0
    code, said = pushed.sync("y", "y")
    assert code == 0, said
    assert pushed.call("memory-status", "private").ok().count("last synced: 2") == 2
    for store in ("core", "private"):
        in_store = run_git(pushed.home.store(store), "-c", "safe.directory=*", "rev-parse", "HEAD").strip()
        assert pushed.tip(store) == in_store
    owners = {path.lstat().st_uid for path in pushed.home.home.rglob("*")}
    assert owners == {UID}

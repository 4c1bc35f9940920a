"""Whoever the host user is: check and sync work, and what the sync writes belongs to them."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.git_server import GitServer
from tests.integration.memory.homes import Pushed, note
from tests.integration.session.sandbox import Sandbox, run_git
from tests.needs import Host

pytestmark = pytest.mark.needs(Host.ROOT)

UID = 12345
SOCKET = Path("/var/run/docker.sock")


@pytest.fixture
def pushed_by_another(server: GitServer) -> Iterator[Pushed]:
    """A home of another user's own, and the commands run as that user, who may use the engine by its group."""
    folder = Path(tempfile.mkdtemp(prefix="pi-sandbox-user-", dir="/var/tmp"))
    folder.chmod(0o755)
    home = folder / "user"
    home.mkdir()
    os.chown(home, UID, UID)
    become = (
        *("setpriv", f"--reuid={UID}", f"--regid={UID}", f"--groups={SOCKET.stat().st_gid}"),
        # The checkout may lie in a folder of root's own; reading is all that this right gives.
        *("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"),
    )
    sandbox = Sandbox(home / "pi", {"HOME": str(home)}, become)
    sandbox.call("init").ok()
    for store in ("core", "private"):
        server.add_repository(f"{store}-{UID}")
    yield Pushed(sandbox, server, UID)
    shutil.rmtree(folder)


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

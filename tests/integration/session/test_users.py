"""Whoever the host user is: files belong to them, and nothing fails for a missing passwd entry."""

import os
import stat
from collections.abc import Iterator

import pytest

from tests.integration.session.sandbox import (
    GIT_IDENTITY,
    SOCKET,
    Sandbox,
    probe_script,
    run_git,
    sandbox_of_user,
    sections,
)
from tests.needs import Host, host_cannot

pytestmark = pytest.mark.needs(Host.ROOT)

PROBES = {
    "name": "id -un; getent passwd $(id -u) | cut -d: -f1,3,4,6",
    "node": "node -p 'const me = os.userInfo(); `${me.username} ${me.uid} ${me.gid} ${me.homedir}`'",
    "python": "python3 -c 'import getpass, pathlib; print(getpass.getuser(), pathlib.Path.home())'",
    "git": "git status --short --branch && git log --format=%s",
    "commit": f"git init -q /tmp/own && cd /tmp/own && git {' '.join(GIT_IDENTITY)} commit -q --allow-empty -m x",
    "write": "echo made > made.txt && cd /brain/private && mkdir -p host.org && echo x > host.org/made.md",
    "home": "touch ~/made && mkdir -p ~/.cache/x && echo ok",
    "page": "head -c 2 /run/pi-session/context.md",
}


@pytest.fixture(params=[0, 501, 12345, 70000])
def user(request: pytest.FixtureRequest) -> Iterator[tuple[int, Sandbox]]:
    """A home of that user's own, and the command run as that user."""
    with sandbox_of_user(request.param) as sandbox:
        yield request.param, sandbox


def test_a_session_works_for_any_user_and_every_file_is_theirs(user: tuple[int, Sandbox]) -> None:
    uid, sandbox = user
    sandbox.call("init").ok()
    project = sandbox.project()
    for path in (sandbox.home / "ws", *(sandbox.home / "ws").rglob("*")):
        os.chown(path, uid, uid)
    said = sections(sandbox.shell(project, probe_script(PROBES)).ok())
    assert {name for name, text in said.items() if not text.endswith("code 0\n")} == set(), said
    assert said["name"].splitlines()[:2] == ["pi", f"pi:{uid}:{uid}:/home/pi"]
    assert said["node"].splitlines()[0] == f"pi {uid} {uid} /home/pi"
    assert said["python"].splitlines()[0] == "pi /home/pi"
    assert said["git"].splitlines()[1] == "First"
    owners = {path: (path.lstat().st_uid, path.lstat().st_gid) for path in sandbox.home.rglob("*")}
    assert {path for path, owner in owners.items() if owner != (uid, uid)} == set()
    assert (project / "made.txt").read_text() == "made\n"
    assert stat.S_IMODE((sandbox.home / ".env").stat().st_mode) == 0o600
    assert run_git(project, "-c", f"safe.directory={project}", "status", "--short") == "?? made.txt\n"


@pytest.mark.parametrize("whose", ["the project", "a store"])
@pytest.mark.parametrize(("mode", "deed"), [(0o755, "write in"), (0o700, "read")])
def test_a_folder_of_another_user_is_told_as_theirs_with_what_mends_it(
    sandbox: Sandbox, whose: str, mode: int, deed: str
) -> None:
    project = sandbox.project("somebodys/own")
    place = project if whose == "the project" else sandbox.store("private")
    before = stat.S_IMODE(place.stat().st_mode)
    place.chmod(mode)
    os.chown(place, 54_321, 54_321)
    refused = sandbox.shell(project, "true")
    os.chown(place, 0, 0)
    place.chmod(before)
    assert refused.code == 6
    assert f'"{place}" belongs to uid 54321 (without a name here), and you are root (uid 0)' in refused.err
    assert f"a session may not {deed} it" in refused.err
    assert f"chown -R 0:0 -- {place}" in refused.err
    assert sandbox.shell(project, "touch made /brain/private/made").ok() == "", "the control"


def test_a_user_who_may_not_use_the_engine_is_told_so_in_one_line(sandbox: Sandbox) -> None:
    if SOCKET.stat().st_mode & stat.S_IWOTH:
        host_cannot(Host.ENGINE_CLOSED)
    stranger = ("setpriv", "--reuid=12345", "--regid=12345", "--clear-groups")
    stranger += ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
    refused = Sandbox(sandbox.home, command=stranger).call("image", "status")
    assert refused.code == 3
    assert "permission" in refused.err.lower()
    assert "Traceback" not in refused.err

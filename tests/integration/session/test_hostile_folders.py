"""Folders that a session closed, nested or crowded: each is named, and the next sessions of any domain go on."""

import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_sandbox.session.left_behind import MOST_LINES
from pi_sandbox.session.mount_plan import MOST_HIDDEN
from tests.fakes.hostile_folders import names_to
from tests.integration.session.sandbox import Sandbox, sandbox_of_user
from tests.needs import Host

pytestmark = pytest.mark.needs(Host.ROOT)

SOCKET = "python3 -c 'import socket; socket.socket(1).bind(\"s\")'"
ODD = f"mkfifo pipe; ln -s loop loop; mkdir $'\\xff\\xfe' $'line\\nbreak'; {SOCKET}"
DIRECTLY_IN_A_STORE = ["README.md", "briefing.md", "index.md", "log.md", "notes"]
NEST = "for i in $(seq 1200); do mkdir x && cd x || exit 9; done"
COMMAND = re.compile(r"chmod (?:-R )?u\+\S+ (?:-- )?([^)\n]+)")


@pytest.fixture(params=[0, 12345])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A home of root, and one of an ordinary user."""
    with sandbox_of_user(request.param) as made:
        made.call("init").ok()
        for domain in ("private", "work"):
            made.project("host/repo", domain)
        _own(made, request.param)
        yield made


def _own(sandbox: Sandbox, uid: int) -> None:
    subprocess.run(("chown", "-R", "-h", f"{uid}:{uid}", sandbox.home), check=True)


def project(sandbox: Sandbox, domain: str) -> Path:
    return sandbox.home / "ws" / domain / "host/repo"


def warnings(text: str) -> list[str]:
    return re.findall(r"^pi-sandbox: warning: (.*)$", text, re.MULTILINE)


def run_as_owner(sandbox: Sandbox, command: str) -> None:
    """Runs a command that a message named, as the user whose home it is and with nothing but that user's rights."""
    become = [word for word in sandbox.command if word.startswith(("setpriv", "--reuid", "--regid", "--groups"))]
    subprocess.run([*become, "bash", "-c", command], check=True)


def test_whatever_a_work_session_leaves_no_session_of_another_domain_is_stopped(sandbox: Sandbox) -> None:
    core = sandbox.store("core")
    nested = ("/".join(names_to(core / "notes", length)) for length in range(4_089, 4_097))
    plant = (
        f"cd /brain/core/notes && {ODD}; mkdir -p a/inner && chmod 000 a",
        *(f"mkdir -p /brain/core/notes/{names}/.git" for names in nested),
        f"cd ~/.pi/agent/sessions && {NEST}",
        f"mkdir -p {project(sandbox, 'work')}/evil/.git",
        "chmod 000 /brain/core/notes",
    )
    ended = sandbox.shell(project(sandbox, "work"), "; ".join(f"({step})" for step in plant) + "; exit 7")
    assert ended.code == 7, ended.err
    assert [line for line in warnings(ended.err) if "evil/.git" in line]
    assert [line for line in warnings(ended.err) if f'"{core}/notes" may not be read' in line]

    _others_go_on(sandbox)
    sandbox.shell(project(sandbox, "work"), "chmod 000 /brain/core").ok()
    closed = _others_go_on(sandbox)
    page = sandbox.shell(project(sandbox, "private"), "cat /run/pi-session/context.md").ok()
    assert ("store closed" in page, "missing" in page) == (True, False)
    (line,) = [line for line in closed if "may not be read" in line]
    run_as_owner(sandbox, _command(line))
    assert "may not be read" not in sandbox.call("plan", project(sandbox, "private")).err

    (told,) = [line for line in warnings(ended.err) if f'"{core}/notes" may not be read' in line]
    run_as_owner(sandbox, _command(told))
    ended = sandbox.shell(project(sandbox, "private"), "ls /brain/core/notes/a && touch /brain/core/notes/a/x")
    assert ended.ok() == "inner\n"


def _command(line: str) -> str:
    found = COMMAND.search(line)
    assert found is not None, line
    return found[0]


def _others_go_on(sandbox: Sandbox) -> list[str]:
    """Does everything that one does with another domain, and gives what was warned of."""
    place = project(sandbox, "private")
    planned = sandbox.call("plan", place)
    planned.ok()
    sandbox.call("context", place).ok()
    assert sandbox.shell(place, "echo here; touch /brain/private/notes; exit 0").ok() == "here\n"
    assert sandbox.call("run", place, "--", "--version").ok()
    checked = sandbox.call("memory-check", "private")
    assert "== private: clean" in checked.out, checked.err
    assert "Traceback" not in checked.err
    synced = sandbox.call("memory-sync", "private")
    assert (synced.code, "BRAIN_PRIVATE_URL is not set" in synced.out + synced.err) == (30, True), synced.err
    doctor = json.loads(sandbox.call("doctor", "--json").out)["checks"]
    assert next(check for check in doctor if check["name"] == "mounts")["state"] == "good"
    assert next(check for check in doctor if check["name"] == "store private")["state"] == "good"
    return warnings(planned.err)


@pytest.mark.parametrize(
    ("close", "place"),
    [
        ("chmod 000 .", "ws/private/host/repo"),
        ("mkdir -p /brain/private/host && chmod 000 /brain/private/host", "brain/pi-memory-private/host"),
        ("chmod 000 ~/.pi/agent/sessions", "state/private/sessions/"),
    ],
)
def test_what_a_session_closed_for_the_next_one_of_its_project_is_refused_with_the_command_that_opens_it(
    sandbox: Sandbox, close: str, place: str
) -> None:
    here = project(sandbox, "private")
    sandbox.shell(here, close).ok()
    for refused in (sandbox.call("plan", here), sandbox.shell(here, "true")):
        assert refused.code == 2
        assert f'"{sandbox.home}/{place}' in refused.err
    assert "Traceback" not in sandbox.call("context", here).err
    sandbox.shell(project(sandbox, "work"), "true").ok()
    found = COMMAND.search(refused.err)
    assert found is not None, refused.err
    run_as_owner(sandbox, found[0])
    sandbox.shell(here, "touch here /brain/private/notes/x ~/.pi/agent/sessions/x").ok()


def test_a_path_of_the_greatest_length_that_is_mounted_is_read_only_in_the_session(sandbox: Sandbox) -> None:
    here = project(sandbox, "private")
    names = names_to(here, 3_000 - len("/.git"))
    sandbox.shell(here, f"mkdir -p {'/'.join(names)} && git init -q {'/'.join(names)}").ok()
    ended = sandbox.shell(here, f"cd {shlex.quote('/'.join(names))} && ! touch .git/x 2>/dev/null && echo read-only")
    assert ended.ok() == "read-only\n"


def test_as_many_folders_as_a_plan_hides_are_hidden_and_more_are_refused_until_they_are_removed(
    sandbox: Sandbox,
) -> None:
    here = project(sandbox, "private")
    made = f"for i in $(seq {MOST_HIDDEN}); do mkdir /brain/private/$i; done"
    said = warnings(sandbox.shell(here, f"{made}; echo x > /brain/private/1/x").err)
    assert f"{MOST_HIDDEN - MOST_LINES} more folders in the memory appeared" in said[-1]
    assert sandbox.shell(here, "ls /brain/private/1 && ! mkdir /brain/private/1000/x 2>/dev/null").ok() == ""
    sandbox.shell(here, "mkdir /brain/private/more").ok()
    refused = sandbox.shell(here, "true")
    assert refused.code == 2
    assert f'"{sandbox.store("private")}" holds more folders' in refused.err
    run_as_owner(sandbox, refused.err.partition("the empty ones: ")[2].strip())
    assert sandbox.shell(here, "ls /brain/private").ok().split() == ["1", *DIRECTLY_IN_A_STORE]


def test_a_project_that_is_gone_at_the_end_is_told(sandbox: Sandbox) -> None:
    here = project(sandbox, "private")
    with sandbox.session(here, "cat >/dev/null; mkdir -p /brain/core/x/.git; exit 7") as live:
        here.rename(here.with_name("moved"))
        _, said = live.process.communicate(timeout=60)
        assert live.process.returncode == 7
    lines = warnings(said.decode())
    assert [line for line in lines if f'"{here}" is no folder any more' in line]
    assert [line for line in lines if "pi-memory-core/x/.git" in line]

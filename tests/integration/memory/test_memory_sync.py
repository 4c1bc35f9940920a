"""`memory-sync` in a real terminal, in its real container, to a real git server."""

import contextlib
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from pi_sandbox.session.plan import HOME_LABEL
from tests.fakes.git_server import USER
from tests.integration.memory.homes import Pushed, Screen, note
from tests.integration.session.sandbox import docker, run_git, tree, wait_until

CORE, PRIVATE = "push core? [y/N] ", "push private? [y/N] "
ENGINE_FOLDER = Path("/var/lib/docker/containers")


def test_two_stores_are_reviewed_and_pushed_and_the_next_sync_finds_nothing_to_do(pushed: Pushed) -> None:
    code, said = pushed.sync("y", "y")
    assert code == 0, said
    today = datetime.now().astimezone().date().isoformat()
    for store in ("core", "private"):
        assert f"push {store}? [y/N] y" in said
        assert pushed.tip(store) == pushed.head(store)
        assert pushed.subject(store) == f"chore(memory): sync private {today}"
        assert run_git(pushed.home.store(store), "status", "--porcelain") == ""
    assert "added index.md" in said
    assert "Review list (check before answering y)" in said
    assert pushed.call("memory-status", "private").ok().count("last synced: 2") == 2
    code, said = pushed.sync()
    assert (code, said.count("nothing to push")) == (0, 2), said


def test_every_request_signs_in_at_this_server_only_after_it_asked(pushed: Pushed) -> None:
    before = len(pushed.server.requests())
    assert pushed.sync("y", "y")[0] == 0
    requests = pushed.server.requests()[before:]
    assert {header for status, header in requests if status != "401"} == {pushed.server.authorization}
    assert {header for status, header in requests if status == "401"} == {"-"}


@pytest.mark.parametrize("answer", ["n", "", "Y", "yes", "y y", " y", "j"])
def test_only_a_y_pushes(pushed: Pushed, answer: str) -> None:
    code, said = pushed.sync(answer, "y")
    assert code == 0, said
    assert "skipped, changes stay local" in said
    assert pushed.tip("core") is None
    assert pushed.tip("private") == pushed.head("private")


def test_the_end_of_input_is_no(pushed: Pushed) -> None:
    with pushed.syncing() as screen:
        screen.until(r"push core\? \[y/N\] ")
        screen.child.sendeof()
        screen.until(r"push private\? \[y/N\] ")
        screen.child.sendeof()
        code, said = screen.end()
    assert (code, said.count("skipped, changes stay local")) == (0, 2), said
    assert (pushed.tip("core"), pushed.tip("private")) == (None, None)


def test_personal_data_is_confirmed_line_by_line_and_not_asked_again_once_it_is_pushed(pushed: Pushed) -> None:
    note(pushed.home, "private", "Ask erika.mustermann" + "@" + "firma-beispiel.de about it.")
    code, said = pushed.sync("y", "n")
    assert code == 0, said
    assert "confirm notes/watering.md:6 personal-email? [y/N] n" in said
    assert "skipped (personal data not confirmed)" in said
    assert pushed.tip("private") is None
    code, said = pushed.sync("y", "y")
    assert code == 0, said
    assert pushed.tip("private") == pushed.head("private")
    note(pushed.home, "private", "Water it.", "more")
    code, said = pushed.sync("y")
    assert (code, "confirm notes" in said) == (0, False), said


def test_a_blocking_finding_stops_its_store_and_the_other_one_goes_on(pushed: Pushed) -> None:
    value = "Tr0ub4dor" + secrets.token_hex(6)
    note(pushed.home, "core", f"password: {value}")
    before = tree(pushed.home.store("core"))
    code, said = pushed.sync("y")
    assert code == 30, said
    assert "blocked by the memory check (fix the listed lines)" in said
    assert value not in said
    assert tree(pushed.home.store("core")) == before
    assert (pushed.tip("core"), pushed.tip("private")) == (None, pushed.head("private"))


@pytest.mark.parametrize(
    ("moment", "keys"),
    [
        (None, "y\r" * 20),
        ("== core", "y\r" * 20),
        ("asking the remote", "y\r" * 20),
        ("asking the remote", "y\r" * 20_000),
    ],
    ids=["before the container", "at the start", "right before", "a long paste right before"],
)
def test_keys_that_were_typed_before_a_question_do_not_answer_it(pushed: Pushed, moment: str | None, keys: str) -> None:
    with pushed.syncing() as screen:
        screen.child.delaybeforesend = None
        if moment is not None:
            screen.until(moment)
        screen.child.send(keys)
        screen.until(r"push core\? \[y/N\] ")
        time.sleep(1)
        assert pushed.tip("core") is None
        screen.child.send("n\r")
        screen.until(r"push private\? \[y/N\] ")
        screen.child.send("n\r")
        code, said = screen.end()
    assert (code, said.count("skipped, changes stay local")) == (0, 2), said
    assert (pushed.tip("core"), pushed.tip("private")) == (None, None)


@pytest.mark.parametrize("given", [b"", b"y\ny\n"])
def test_without_a_terminal_nothing_is_pushed(pushed: Pushed, given: bytes) -> None:
    ended = pushed.call("memory-sync", "private", stdin=given)
    assert ended.code == 0, ended.err
    assert ended.out.count("skipped, changes stay local") == 2
    assert (pushed.tip("core"), pushed.tip("private")) == (None, None)


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (lambda screen: screen.child.kill(signal.SIGTERM), 143),
        (lambda screen: screen.child.kill(signal.SIGHUP), 129),
        (lambda screen: screen.child.sendintr(), 130),
    ],
    ids=["SIGTERM", "the window is closed", "Ctrl-C"],
)
def test_whatever_ends_a_sync_at_a_question_nothing_is_pushed_and_nothing_changed(
    pushed: Pushed, end: Callable[[Screen], None], code: int
) -> None:
    before = tree(pushed.home.store("core"))
    with pushed.syncing() as screen:
        screen.until(r"push core\? \[y/N\] ")
        end(screen)
        ended, said = screen.end()
    assert ended == code, said
    assert tree(pushed.home.store("core")) == before
    assert pushed.tip("core") is None
    assert pushed.home.containers() == []


def test_the_credential_is_nowhere_while_a_sync_waits_and_after_it_was_killed(pushed: Pushed) -> None:
    """Looks at everything that another program of this machine could look at; the marker stands where it must stand."""
    began = str(int(time.time()) - 1)
    token = pushed.server.token
    command = pushed.environment()["BRAIN_CORE_TOKEN_CMD"]
    file = pushed.home.home / "token"
    file.write_text(token)
    by_file = {f"BRAIN_{store}_TOKEN_CMD": f"cat {file}" for store in ("CORE", "PRIVATE")}
    with pushed.syncing({**by_file, "PI_SANDBOX_DEBUG": "1"}) as screen:
        screen.until(r"push core\? \[y/N\] ")
        (container,) = pushed.home.containers()
        places = _places(container["Id"], began)
        assert [place for place, text in places.items() if token in text] == []
        assert token in docker("exec", container["Id"], "cat", *_credential_files(container["Id"]))
        assert "memory-sync" in places["inspect"]
        assert pushed.server.url(pushed.remote("core")) in places["environments"]
        screen.child.kill(signal.SIGKILL)
        wait_until(lambda: not _is_running(container["Id"]), "the sync ends with its wrapper")
    places = _places(container["Id"], began)
    assert [place for place, text in places.items() if token in text] == []
    assert token not in screen.said
    assert command not in screen.said
    assert pushed.sync("n", "n")[0] == 0
    assert pushed.home.containers() == []


def _places(container: str, began: str) -> dict[str, str]:
    everything = docker("ps", "--all", "--quiet", "--filter", f"label={HOME_LABEL}").split()
    images = docker("images", "--quiet").split()
    return {
        "inspect": docker("inspect", *everything, check=False),
        "images": docker("inspect", *images, check=False),
        "history": "".join(docker("history", "--no-trunc", image, check=False) for image in set(images)),
        "events": docker("events", "--since", began, "--until", str(int(time.time()) + 1)),
        "logs": docker("logs", container, check=False),
        "processes": _output("ps", "-ewwo", "args"),
        "environments": _environments(),
        "engine's folder": "".join(
            path.read_bytes().decode("latin-1") for path in ENGINE_FOLDER.glob(f"{container}/**/*") if path.is_file()
        ),
    }


def _environments() -> str:
    """The variables with which each process of this machine was started, those in containers too."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            found.append((process / "environ").read_bytes().decode("latin-1"))
    return "\n".join(found)


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _credential_files(container: str) -> list[str]:
    found = docker("exec", container, "find", "/tmp", "-name", "credential", "-type", "f").split()
    assert found, "the sync keeps its credential in another place"
    return found


def _is_running(container: str) -> bool:
    return docker("ps", "--quiet", "--no-trunc", "--filter", f"id={container}") != ""


def test_a_sync_sees_its_two_stores_and_the_record_and_nothing_else_of_this_machine(pushed: Pushed) -> None:
    with pushed.syncing() as screen:
        screen.until(r"push core\? \[y/N\] ")
        (report,) = pushed.home.containers()
        assert {mount["Destination"]: mount["RW"] for mount in report["Mounts"]} == {
            "/brain/core": True,
            "/brain/private": True,
            "/run/pi-marker": False,
            "/run/pi-sync": True,
        }
        assert report["HostConfig"]["NetworkMode"] == "pi-sandbox"
        assert report["HostConfig"]["ReadonlyRootfs"] is True
        assert report["Config"]["User"] == f"{os.getuid()}:{os.getgid()}"
        names = docker("exec", report["Id"], "ls", "/usr/local/bin", "/opt", "/home/pi")
        assert "node" not in names
        assert not {"pi", "claude"} & set(names.split())


def test_no_session_sees_the_record_of_the_syncs(pushed: Pushed) -> None:
    assert pushed.sync("y", "y")[0] == 0
    record = pushed.home.home / "state" / ".sync" / "core.json"
    assert pushed.head("core") in record.read_text()
    found = pushed.home.shell(
        pushed.home.project(), "ls -d /run/pi-sync; find / -name core.json -not -path '/proc/*' 2>&1"
    )
    assert "core.json" not in found.out


def test_a_commit_that_no_sync_made_is_flagged_also_when_it_looks_like_one(pushed: Pushed) -> None:
    assert pushed.sync("y", "y")[0] == 0
    note(pushed.home, "private", "Water it daily.")
    identity = ("-c", "user.name=pi-sandbox", "-c", "user.email=pi-sandbox@localhost")
    run_git(pushed.home.store("private"), "add", ".")
    run_git(pushed.home.store("private"), *identity, "commit", "-qm", "chore(memory): sync private 2026-01-31")
    code, said = pushed.sync("n")
    assert code == 0
    assert f"warning: commit {pushed.head('private')[:12]} was not made by memory-sync" in said


def test_without_the_ca_bundle_the_message_names_the_certificate_and_the_setting(
    pushed: Pushed,
) -> None:
    before = len(pushed.server.requests())
    code, said = pushed.sync(changes={"PI_SANDBOX_CA_BUNDLE": ""})
    assert code == 30
    assert "certificate" in said
    assert "PI_SANDBOX_CA_BUNDLE" in said
    assert pushed.server.authorization not in [header for _, header in pushed.server.requests()[before:]]


def test_a_credential_that_cannot_be_had_stops_its_store_only(pushed: Pushed) -> None:
    code, said = pushed.sync("y", changes={"BRAIN_CORE_TOKEN_CMD": "false"})
    assert code == 30
    assert "BRAIN_CORE_TOKEN_CMD failed with exit code 1" in said
    assert (pushed.tip("core"), pushed.tip("private")) == (None, pushed.head("private"))


def test_a_store_without_a_url_is_named_with_its_setting_and_the_other_one_goes_on(pushed: Pushed) -> None:
    code, said = pushed.sync("y", changes={"BRAIN_CORE_URL": ""})
    assert code == 30
    assert "BRAIN_CORE_URL is not set" in said
    assert pushed.tip("private") == pushed.head("private")


def test_a_wrong_token_is_said_without_showing_it(pushed: Pushed) -> None:
    wrong = "wr0ng" + secrets.token_hex(8)
    code, said = pushed.sync("y", changes={"BRAIN_CORE_TOKEN_CMD": f"printf %s {wrong}"})
    assert code == 30
    assert "did not accept the credential" in said
    assert wrong not in said


def test_a_missing_store_fails_and_nothing_is_made_in_its_place(pushed: Pushed) -> None:
    pushed.home.store("core").rename(pushed.home.home / "away")
    code, said = pushed.sync("y")
    assert code == 30
    assert "core: missing" in said
    assert not pushed.home.store("core").exists()
    assert pushed.tip("private") == pushed.head("private")


def test_a_command_may_ask_on_the_terminal_before_the_sync_has_it(pushed: Pushed) -> None:
    asks = """sh -c 'printf "unlock: " >/dev/tty; read -r answer </dev/tty; printf %s "$answer"'"""
    with pushed.syncing({"BRAIN_CORE_TOKEN_CMD": asks}) as screen:
        screen.until("unlock: ")
        screen.child.sendline(pushed.server.token)
        screen.until(r"push core\? \[y/N\] ")
        screen.child.sendline("y")
        screen.until(r"push private\? \[y/N\] ")
        screen.child.sendline("n")
        assert screen.end()[0] == 0
    assert pushed.tip("core") == pushed.head("core")


def test_a_running_session_is_named_and_a_second_sync_of_a_store_is_refused(pushed: Pushed) -> None:
    project = pushed.home.project()
    with pushed.home.session(project), pushed.syncing() as screen:
        said = screen.until(r"push core\? \[y/N\] ")
        assert f"of {project} is running and may write to core and private" in " ".join(said.split())
        second = pushed.call("memory-sync", "work")
        assert second.code == 30
        assert "another memory-sync has the store core" in second.err
        (note(pushed.home, "core", "Written meanwhile.")).touch()
        screen.child.sendline("y")
        screen.until(r"push private\? \[y/N\] ")
        screen.child.sendline("n")
        assert screen.end()[0] == 0
    assert pushed.tip("core") == pushed.head("core")
    assert "notes/watering.md" in run_git(pushed.home.store("core"), "status", "--porcelain", "-uall")


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Etc/GMT+12"])
def test_the_subject_has_the_owners_own_date_at_the_ends_of_the_earth(pushed: Pushed, zone: str) -> None:
    before = datetime.now(ZoneInfo(zone)).date().isoformat()
    assert pushed.sync("y", "n", changes={"TZ": zone})[0] == 0
    after = datetime.now(ZoneInfo(zone)).date().isoformat()
    assert pushed.subject("core").rpartition(" ")[2] in (before, after)


def test_a_store_that_redirects_configuration_is_refused_before_git_sees_it(pushed: Pushed, tmp_path: Path) -> None:
    tripwire = tmp_path / "ran"
    run_git(pushed.home.store("core"), "config", "core.fsmonitor", f"touch {tripwire}")
    (pushed.home.store("private") / ".git" / "commondir").write_text("../elsewhere\n")
    code, said = pushed.sync()
    assert code == 30
    assert f"git config --file {pushed.home.store('core')}/.git/config --unset-all core.fsmonitor" in said
    assert "commondir" in said
    assert not tripwire.exists()
    assert (pushed.tip("core"), pushed.tip("private")) == (None, None)


def test_the_domain_of_the_question_is_the_domain_of_the_command(pushed: Pushed) -> None:
    assert pushed.call("memory-sync", "core").code == 2
    assert pushed.call("memory-sync", "club").code == 2
    assert USER not in pushed.call("memory-sync", "club").err

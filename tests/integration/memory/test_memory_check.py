"""`memory-check` on real stores in its real container: what it says, sees and leaves alone."""

import json
import os
import secrets
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pi_sandbox import __version__
from pi_sandbox.session.plan import HOME_LABEL
from tests.fakes.borrowed_repository import borrowing_script
from tests.fakes.real_engines import engine_elsewhere
from tests.integration.memory.homes import note
from tests.integration.session.sandbox import Sandbox, docker, make_sandbox, tree, wait_until
from tests.needs import Host

SECRET = "password: " + "".join(("Tr0ub", "4dor", "&3x-"))
PERSON = "Ask erika.mustermann" + "@" + "firma-beispiel.de about it."


def secret() -> str:
    return SECRET + secrets.token_hex(6)


def test_clean_stores_are_clean_and_it_is_said_how_much_was_looked_at(home: Sandbox) -> None:
    ended = home.call("memory-check", "private")
    assert ended.ok().splitlines()[:2] == ["== core: clean", "== private: clean"]
    assert "looked at 12 files" in ended.out


@pytest.mark.parametrize(
    ("core", "private", "code", "lines"),
    [
        ("", "Plain.", 0, ["== private: clean"]),
        ("", PERSON, 31, ["== private: warnings", "notes/watering.md:6 confirm personal-email: "]),
        ("", "secret", 32, ["== private: blocked", "notes/watering.md:6 blocking secret: "]),
        (PERSON, "secret", 32, ["== core: warnings", "== private: blocked"]),
        ("missing", "Plain.", 30, ["== core: missing", "== private: clean"]),
        ("missing", PERSON, 30, ["== core: missing", "== private: warnings"]),
        ("missing", "secret", 32, ["== core: missing", "== private: blocked"]),
    ],
)
def test_the_report_and_the_exit_code_say_the_worst_of_both_stores(
    home: Sandbox, core: str, private: str, code: int, lines: list[str]
) -> None:
    value = secret()
    for store, text in (("core", core), ("private", private)):
        if text == "missing":
            home.store(store).rename(home.home / "away")
        elif text:
            note(home, store, value if text == "secret" else text)
    ended = home.call("memory-check", "private")
    assert ended.code == code
    assert [line for line in lines if line not in ended.out] == []
    assert value.removeprefix("password: ") not in ended.out + ended.err
    assert ("missing" in ended.err) is (core == "missing")


def test_a_repository_without_a_git_folder_blocks(home: Sandbox) -> None:
    notes = home.store("core") / "notes"
    subprocess.run(["bash", "-ec", borrowing_script(notes)], cwd=notes, check=True)
    ended = home.call("memory-check", "private")
    assert ended.code == 32
    assert "notes/src blocking nested-repository: " in ended.out
    (notes / "src/commondir").unlink()
    assert "nested-repository" not in home.call("memory-check", "private").out


def test_json_and_sarif_hold_the_same_findings(home: Sandbox) -> None:
    note(home, "private", secret())
    as_json = home.call("memory-check", "private", "--json")
    as_sarif = home.call("memory-check", "private", "--sarif")
    assert (as_json.code, as_sarif.code) == (32, 32)
    stores = {store["store"]: store for store in json.loads(as_json.out)["stores"]}
    assert stores["private"]["status"] == "blocked"
    (run,) = json.loads(as_sarif.out)["runs"]
    assert [
        (result["ruleId"], result["locations"][0]["physicalLocation"]["region"]["startLine"])
        for result in run["results"]
    ] == [(finding["category"], finding["line"]) for finding in stores["private"]["findings"]]


def test_nothing_of_the_home_changes_and_no_command_for_a_credential_runs(home: Sandbox, tmp_path: Path) -> None:
    tripwire = tmp_path / "ran"
    settings = {
        "BRAIN_PRIVATE_URL": "https://git.example.org/a.git",
        "BRAIN_PRIVATE_TOKEN_CMD": f"touch {tripwire}",
    }
    before = tree(home.home)
    assert home.call("memory-check", "private", environment=settings).code == 0
    assert home.call("memory-status", environment=settings).code == 0
    assert tree(home.home) == before
    assert not tripwire.exists()


def test_the_container_has_no_network_and_cannot_write_to_what_it_looks_at(home: Sandbox) -> None:
    with _slow_check(home) as (_, report):
        host = report["HostConfig"]
        assert host["NetworkMode"] == "none"
        assert host["ReadonlyRootfs"] is True
        assert host["CapDrop"] == ["ALL"]
        assert {mount["Destination"]: mount["RW"] for mount in report["Mounts"]} == {
            "/brain/core": False,
            "/brain/private": False,
            "/run/pi-marker": False,
            "/run/pi-sync": False,
        }
        name = report["Name"].lstrip("/")
        assert "Read-only file system" in _refused(name, "touch", "/brain/private/x")
        assert "unreachable" in _refused(
            name, "python3", "-c", "import socket; socket.create_connection(('1.1.1.1', 53))"
        )


def test_ctrl_c_ends_the_check_and_leaves_no_container(home: Sandbox) -> None:
    with _slow_check(home) as (process, _):
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130


def test_an_engine_that_sees_other_files_gives_no_report_at_all(tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    home = make_sandbox(hidden / "home")
    note(home, "private", secret())
    with engine_elsewhere(hidden) as other:
        _load_image(other.environ)
        ended = home.call("memory-check", "private", environment=other.environ)
    assert ended.code == 3, ended.out + ended.err
    assert "does not see" in ended.err
    assert ended.out == ""
    assert home.call("memory-check", "private").code == 32


@pytest.mark.needs(Host.ROOT)
def test_another_file_system_inside_a_store_is_named_and_nothing_is_started(home: Sandbox) -> None:
    inner = home.store("core") / "notes"
    subprocess.run(("mount", "-t", "tmpfs", "tmpfs", inner), check=True)
    try:
        ended = home.call("memory-check", "private")
    finally:
        subprocess.run(("umount", inner), check=True)
    assert ended.code == 2
    assert str(inner) in ended.err


def test_the_findings_do_not_depend_on_where_the_command_runs_or_how_the_store_is_reached(
    home: Sandbox, tmp_path: Path
) -> None:
    note(home, "private", secret())
    gone = tmp_path / "gone"
    gone.mkdir()
    here = {"PYTHONPATH": str(Path(__file__).parents[3])}
    expected = home.call("memory-check", "private").out
    assert "blocking secret" in expected
    for folder in (home.home, home.store("private") / "notes"):
        assert home.call("memory-check", "private", cwd=folder, environment=here).out == expected
    from_gone = f"cd {gone} && rmdir {gone} && exec {' '.join(home.command)} memory-check private"
    shell = subprocess.run(
        ("bash", "-c", from_gone), env=home.environment(here), capture_output=True, text=True, check=False
    )
    assert shell.stdout == expected, shell.stderr
    home.store("private").rename(tmp_path / "elsewhere")
    home.store("private").symlink_to(tmp_path / "elsewhere")
    assert home.call("memory-check", "private").out == expected


def test_a_reader_that_goes_away_makes_a_blocked_store_no_clean_one(home: Sandbox) -> None:
    note(home, "private", secret())
    line = f"{' '.join(home.command)} memory-check private | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(("bash", "-c", line), env=home.environment(), capture_output=True, text=True, check=True)
    first, code = done.stdout.splitlines()
    assert first == "== core: clean"
    assert int(code) in (32, 141)
    assert "Traceback" not in done.stderr


def test_the_input_of_a_loop_around_it_is_left_alone(home: Sandbox) -> None:
    loop = f"while read -r domain; do {' '.join(home.command)} memory-check $domain | head -1; done"
    done = subprocess.run(
        ("bash", "-c", loop),
        input="private\nwork\n",
        env=home.environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "== core: clean\n== core: clean\n", done.stderr


def test_without_a_home_there_is_no_store_and_nothing_is_made(tmp_path: Path) -> None:
    nowhere = Sandbox(tmp_path / "none")
    ended = nowhere.call("memory-check", "private")
    assert ended.code == 30
    assert "pi-sandbox init" in ended.err
    assert not nowhere.home.exists()


@pytest.mark.parametrize("name", ["core", "club"])
def test_only_a_configured_domain_is_checked(home: Sandbox, name: str) -> None:
    ended = home.call("memory-check", name)
    assert ended.code == 2
    assert "private, work" in ended.err


def test_the_status_names_what_is_not_pushed_yet(home: Sandbox) -> None:
    note(home, "private", PERSON)
    ended = home.call("memory-status")
    assert ended.ok().count("last synced: never") == 3
    assert "== private: 7 changed files, 0 unpushed commits" in ended.out
    (one,) = [
        store
        for store in json.loads(home.call("memory-status", "work", "--json").ok())["stores"]
        if store["store"] == "work"
    ]
    assert one["changed_files"] == 6


@contextmanager
def _slow_check(home: Sandbox) -> "Iterator[tuple[subprocess.Popen[bytes], dict[str, Any]]]":
    """Runs a check that takes a while; gives its process and the engine's report of its container."""
    for number in range(40):
        note(home, "private", "The garden is watered every two weeks.\n" * 25_000, f"watering-{number}")
    process = subprocess.Popen(
        (*home.command, "memory-check", "private"),
        env=home.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: docker("ps", "--quiet", "--filter", f"label={HOME_LABEL}={home.home}"), "the container runs")
        (container,) = home.containers()
        name = container["Name"].lstrip("/")
        wait_until(lambda: "pi_sandbox.inside.main" in docker("top", name, check=False), "the check has begun")
        yield process, container
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(20)
    assert home.containers() == []


def _refused(container: str, *command: str) -> str:
    done = subprocess.run(("docker", "exec", container, *command), capture_output=True, text=True, check=False)
    assert done.returncode != 0, done.stdout
    return done.stderr


def _load_image(environ: Mapping[str, str]) -> None:
    """Gives another engine the image of this one."""
    with subprocess.Popen(("docker", "save", f"pi-sandbox-sync:{__version__}"), stdout=subprocess.PIPE) as saved:
        subprocess.run(
            ("docker", "load"), stdin=saved.stdout, env={**os.environ, **environ}, check=True, stdout=subprocess.DEVNULL
        )

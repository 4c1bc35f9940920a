"""The doctor without an engine: one thing that is wrong hides no other, and what cannot be looked at is never good."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_sandbox.cli import render
from pi_sandbox.cli.main import root
from pi_sandbox.credentials.keyring_protocol import Answer, Outcome
from pi_sandbox.credentials.secret import Secret
from pi_sandbox.git_access.runner import make_repository
from pi_sandbox.launch import doctor
from pi_sandbox.launch.doctor import Check, State, examine, limits_check, system_calls_check
from pi_sandbox.launch.home import make_home, read_home_templates
from pi_sandbox.launch.home_plan import home_pieces
from pi_sandbox.settings.read import read_settings
from pi_sandbox.settings.settings import Limits
from tests.fakes.container_specs import FACTS
from tests.fakes.keyring import FakeKeyring


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    environ = {
        "PI_SANDBOX_HOME": str(tmp_path / "pi"),
        "HOME": str(tmp_path),
        "DOCKER_HOST": f"unix://{tmp_path}/nowhere.sock",
    }
    settings = read_settings(environ)
    make_home(settings.home, home_pieces(settings.domains, read_home_templates()), make_repository)
    return environ


def checks(environ: dict[str, str]) -> dict[str, Check]:
    return {check.name: check for check in examine(environ)}


def test_a_fresh_home_is_good_and_a_missing_engine_is_bad_with_its_address(environ: dict[str, str]) -> None:
    found = checks(environ)
    good = {name for name, check in found.items() if check.state is State.GOOD}
    assert {"settings", "home", "store core", "store private", "store work", "pi's settings", "disk"} <= good
    assert found["engine"].state is State.BAD
    assert "/nowhere.sock" in found["engine"].detail
    assert found["engine"].remedy


def test_what_needs_an_engine_is_not_applicable_without_one(environ: dict[str, str]) -> None:
    found = checks(environ)
    assert {found[name].state for name in ("image", "mounts", "leftovers")} == {State.NOT_APPLICABLE}


def test_every_bad_check_has_a_remedy_and_no_other_has(environ: dict[str, str]) -> None:
    for check in examine(environ):
        assert bool(check.remedy) == (check.state is State.BAD), check


@pytest.mark.parametrize(
    ("path", "name"),
    [("brain/pi-memory-core", "store core"), ("pi-config/agent/AGENTS.md", "pi's settings"), ("ws", "home")],
)
def test_what_is_missing_is_named_with_what_makes_it(environ: dict[str, str], path: str, name: str) -> None:
    place = Path(environ["PI_SANDBOX_HOME"], path)
    place.rename(place.with_name("away"))
    check = checks(environ)[name]
    assert check.state is State.BAD
    assert str(place) in check.detail
    assert "pi-sandbox init" in check.remedy


def test_a_file_in_the_place_of_one_of_the_homes_folders_is_not_called_missing(environ: dict[str, str]) -> None:
    state = Path(environ["PI_SANDBOX_HOME"]) / "state"
    shutil.rmtree(state)
    state.write_text("mine")
    home = checks(environ)["home"]
    assert home.detail == f"{state} is not a folder"
    assert home.remedy == "move it away, then pi-sandbox init"
    state.unlink()
    assert checks(environ)["home"].detail == f"{state} does not exist", "the control"


def test_a_home_that_others_may_write_in_is_bad(environ: dict[str, str]) -> None:
    Path(environ["PI_SANDBOX_HOME"]).chmod(0o777)
    assert checks(environ)["home"].state is State.BAD


def test_settings_that_cannot_be_read_do_not_hide_the_engine(environ: dict[str, str]) -> None:
    found = checks({**environ, "PI_SANDBOX_CPUS": "many"})
    assert (found["settings"].state, found["engine"].state) == (State.BAD, State.BAD)
    assert "PI_SANDBOX_CPUS" in found["settings"].detail
    assert "home" not in found


def test_the_keyring_is_asked_only_where_something_comes_from_it(environ: dict[str, str]) -> None:
    assert checks(environ)["keyring"].state is State.NOT_APPLICABLE
    named = {**environ, "PI_SANDBOX_PASS_SECRETS": "A_KEY", "A_KEY": "value"}
    assert checks(named)["keyring"].state is State.NOT_APPLICABLE


@pytest.mark.parametrize("arguments", [["doctor"], ["doctor", "--json"]])
def test_the_command_ends_with_1_and_shows_where_each_setting_came_from(
    environ: dict[str, str], arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    result = CliRunner().invoke(root, arguments, standalone_mode=False)
    assert result.return_value == 1
    assert "PI_SANDBOX_HOME" in result.output
    assert "environment" in result.output
    if "--json" in arguments:
        values = json.loads(result.output)
        assert {check["state"] for check in values["checks"]} <= {"good", "bad", "not applicable"}


def test_no_proxy_password_is_shown(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    word = "hunter" + "2" * 8
    for name, value in {**environ, "https_proxy": f"http://me:{word}@proxy.example.org:1"}.items():
        monkeypatch.setenv(name, value)
    output = CliRunner().invoke(root, ["doctor"], standalone_mode=False).output
    assert "https_proxy" in output
    assert word not in output


def test_a_key_that_the_keyring_does_not_have_is_named_with_both_ways_to_give_it(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeKeyring({"B_KEY": Secret("x")})
    monkeypatch.setattr(doctor, "system_keychain", lambda environ, *, attended: fake.keychain())
    check = checks({**environ, "PI_SANDBOX_PASS_SECRETS": "A_KEY,B_KEY"})["keyring"]
    assert check.state is State.BAD
    assert "A_KEY" in check.detail
    assert "B_KEY" not in check.detail
    assert "pi-sandbox secret set A_KEY" in check.remedy
    assert "export A_KEY=" in check.remedy
    assert checks({**environ, "PI_SANDBOX_PASS_SECRETS": "B_KEY"})["keyring"].state is State.GOOD


def test_a_keyring_that_does_not_work_is_told_by_the_name_of_what_is_needed(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeKeyring(refusal=Answer(Outcome.UNUSABLE))
    monkeypatch.setattr(doctor, "system_keychain", lambda environ, *, attended: fake.keychain())
    check = checks({**environ, "PI_SANDBOX_PASS_SECRETS": "A_KEY"})["keyring"]
    assert check.state is State.BAD
    assert "pi-sandbox / A_KEY" in check.detail


def test_a_bundle_of_certificates_that_does_not_exist_is_bad(environ: dict[str, str]) -> None:
    check = checks({**environ, "PI_SANDBOX_CA_BUNDLE": "/nope.pem"})["certificates"]
    assert check.state is State.BAD
    assert "does not exist" in check.detail


def test_settings_that_are_not_set_share_one_line(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    lines = CliRunner().invoke(root, ["doctor"], standalone_mode=False).output.splitlines()
    (unset,) = [line for line in lines if line.startswith("  not set: ")]
    assert "PI_SANDBOX_RUNTIME" in unset
    assert "BRAIN_WORK_USER" in unset
    assert [line for line in lines if line.strip().startswith("PI_SANDBOX_RUNTIME")] == []


def test_on_a_terminal_no_line_is_wider_than_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    told = render.doctor_text([Check("engine", State.BAD, "many words " * 12, "and advice " * 9)], [])
    assert max(map(len, told.splitlines())) <= 60
    assert told.split() == ["BAD", "engine", *["many", "words"] * 12, "→", *["and", "advice"] * 9]


def test_a_remedy_that_was_said_is_not_said_again() -> None:
    checks = [Check("push core", State.BAD, "no keyring", "start one"), Check("push work", State.BAD, "x", "start one")]
    assert render.doctor_text(checks, []).splitlines()[1::2] == [
        "                 → start one",
        "                 → as for push core",
    ]


@pytest.mark.parametrize(
    ("memory", "there", "state"),
    [
        (4 << 30, 16 << 30, State.GOOD),
        (16 << 30, 16 << 30, State.BAD),
        (4000 << 30, 16 << 30, State.BAD),
        (4000 << 30, 0, State.GOOD),
    ],
    ids=["less than there is", "all of it", "more than there is", "an engine that does not say"],
)
def test_a_limit_of_memory_that_is_none_is_bad(memory: int, there: int, state: State) -> None:
    check = limits_check(Limits(memory, 64.0, 1024), replace(FACTS, cpus=2, memory_bytes=there))
    assert check.state is state
    assert bool(check.remedy) == (state is State.BAD)
    assert state is State.BAD or "2 processors" in check.detail


@pytest.mark.parametrize(("seccomp", "state"), [(True, State.GOOD), (False, State.BAD)])
def test_an_engine_that_filters_no_system_calls_is_bad(seccomp: bool, state: State) -> None:
    check = system_calls_check(replace(FACTS, seccomp=seccomp))
    assert check.state is state
    assert bool(check.remedy) == (state is State.BAD)

"""A key that the owner passes on is in the agent's environment and in no record of anybody else."""

import os
import secrets
import subprocess
import time
from pathlib import Path

import pytest

from tests.fakes.private_keyring import private_bus
from tests.integration.session.sandbox import Sandbox, docker, inspect

NAME = "MADE_UP_API_KEY"


@pytest.fixture
def key() -> str:
    """A made-up key."""
    return "sk-made-up-" + secrets.token_hex(16)


def _passing(key: str) -> dict[str, str]:
    return {"PI_SANDBOX_PASS_SECRETS": NAME, NAME: key, "PI_SANDBOX_DEBUG": "1"}


def _folders_of_the_engine() -> list[str]:
    root = docker("info", "--format", "{{.DockerRootDir}}").strip()
    folders = (Path(root), Path("/var/run/docker"), Path("/run/containerd"), Path("/var/lib/containerd"))
    return [str(folder) for folder in folders if os.access(folder, os.R_OK | os.X_OK)]


def _found_on_disk(word: str, *folders: str) -> list[str]:
    """Searches what the engine itself keeps; the layers of images are searched through the image."""
    skipped = [f"--exclude-dir={name}" for name in ("overlay2", "fuse-overlayfs", "rootfs", "merged", "buildkit")]
    found = subprocess.run(
        ("grep", "-rlaF", "-D", "skip", *skipped, word, *folders), capture_output=True, text=True, check=False
    )
    return found.stdout.split()


def _found_in_layers_changed_lately(word: str) -> list[str]:
    root = docker("info", "--format", "{{.DockerRootDir}}").strip()
    script = 'find "$1" -xdev -type f -mmin -5 -size -20M -exec grep -laF "$2" {} +'
    found = subprocess.run(("sh", "-c", script, "sh", root, word), capture_output=True, text=True, check=False)
    return found.stdout.split()


def test_a_passed_key_is_in_the_agents_environment_and_nowhere_else(sandbox: Sandbox, key: str) -> None:
    project = sandbox.project()
    since = str(int(time.time()))
    length = f'printf %s "${{#{NAME}}}" > length'
    with sandbox.session(project, before=length, environment=_passing(key)) as live:
        everything = docker("ps", "--all", "--quiet").split() + docker("images", "--all", "--quiet").split()
        records = {
            "inspect": docker("inspect", *everything, check=False),
            "logs": docker("logs", live.container, check=False),
            "top": docker("top", live.container, "-ef"),
            "processes": subprocess.run(("ps", "-ef", "ww"), capture_output=True, text=True, check=True).stdout,
            "image history": docker("history", "--no-trunc", inspect(live.container)[0]["Image"]),
            "changes": docker("diff", live.container),
        }
        on_disk = _found_on_disk(key, *_folders_of_the_engine()) + _found_in_layers_changed_lately(key)
        environment = subprocess.run(("ps", "eww", "-e"), capture_output=True, text=True, check=True).stdout
    records["events"] = docker("events", f"--since={since}", f"--until={int(time.time()) + 1}")
    assert (project / "length").read_text() == str(len(key))
    assert {name for name, text in records.items() if key in text} == set()
    assert live.container in records["events"]
    assert on_disk == []
    assert key in environment, "the control: the agent's own environment, the documented place"
    (project / "length").unlink()


@pytest.mark.uses_keyring
def test_a_key_in_the_keyring_reaches_the_agent_and_not_the_engines_records(
    sandbox: Sandbox, key: str, tmp_path: Path
) -> None:
    project = sandbox.project()
    with private_bus(tmp_path) as bus:
        bus.unlocked_keyring()
        with_bus = {**bus.environ, "PI_SANDBOX_HOME": str(sandbox.home), "PI_SANDBOX_PASS_SECRETS": NAME}
        sandbox.call("secret", "set", NAME, environment=with_bus, stdin=key.encode()).ok()
        with sandbox.session(project, before=f'printf %s "${NAME}" > key', environment=with_bus) as live:
            assert key not in docker("inspect", live.container)
    assert (project / "key").read_text() == key
    (project / "key").unlink()


def test_a_key_given_as_the_engine_takes_it_would_be_found(sandbox: Sandbox, key: str) -> None:
    with sandbox.session(sandbox.project()) as live:
        (report,) = inspect(live.container)
    name = docker("create", f"--env={NAME}={key}", "--entrypoint=true", report["Image"]).strip()
    try:
        assert key in docker("inspect", name)
        assert _found_on_disk(key, *_folders_of_the_engine())
    finally:
        docker("rm", name)


def test_nothing_that_we_print_shows_a_key_even_in_a_crash_report(sandbox: Sandbox, key: str) -> None:
    project = sandbox.project()
    nowhere = {"DOCKER_HOST": f"unix://{sandbox.home}/no-engine.sock"}
    for ended in (
        sandbox.shell(project, "exit 3", environment=_passing(key)),
        sandbox.shell(project, "true", environment=_passing(key) | nowhere),
        sandbox.call("plan", project, "--format", "json", environment=_passing(key)),
        sandbox.call("plan", project, "--format", "compose", environment=_passing(key)),
        sandbox.call("doctor", environment=_passing(key)),
    ):
        assert key not in ended.out + ended.err
    assert NAME in sandbox.call("plan", project, "--format", "json", environment=_passing(key)).out


def test_a_key_that_has_no_value_makes_no_variable_and_is_told_of(sandbox: Sandbox) -> None:
    ended = sandbox.shell(sandbox.project(), f"env | grep -c ^{NAME}", environment={"PI_SANDBOX_PASS_SECRETS": NAME})
    assert ended.out == "0\n"
    assert f"{NAME} is not passed" in ended.err


def test_a_variable_that_is_not_named_stays_outside(sandbox: Sandbox, key: str) -> None:
    given = {NAME: key, "ANTHROPIC_API_KEY": key, "BRAIN_WORK_USER": key}
    assert sandbox.shell(sandbox.project(), f"env | grep -c {key}", environment=given).out == "0\n"


def test_a_key_with_every_kind_of_character_arrives_as_it_is(sandbox: Sandbox) -> None:
    value = "ä \"'$(x)`\\ =%0a\tend "
    said = sandbox.shell(sandbox.project(), f'printf %s "${NAME}"', environment=_passing(value))
    assert said.ok() == value


def test_the_key_is_not_left_in_a_file_of_the_session(sandbox: Sandbox, key: str) -> None:
    script = f'grep -rlaF "${NAME}" /run /tmp /home /etc /brain /opt/pi-sandbox /dev/shm 2>/dev/null | wc -l'
    assert sandbox.shell(sandbox.project(), script, environment=_passing(key)).ok() == "0\n"

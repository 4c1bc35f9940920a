"""The plan is what the engine is given, in every field, and nothing happens by planning."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from pi_sandbox.cli.session_commands import PLANNED_SESSION_ID
from tests.integration.session.sandbox import Sandbox, inspect, tree

ODD_NAMES = ("a:b", "a:ro", "a b", "a,b", "größe", "-rf", "$(x)", "${HOME}", "trailing ", "line\nbreak", 'quo"te')


def _expected_mounts(plan: dict[str, Any]) -> set[tuple[str, ...]]:
    return {
        ("tmpfs", mount["target"])
        if mount["kind"] == "mask"
        else ("bind", mount["source"], mount["target"], str(not mount["read_only"]))
        for mount in plan["mounts"]
    }


def _reported_mounts(report: dict[str, Any]) -> set[tuple[str, ...]]:
    masks = {mount["Target"] for mount in report["HostConfig"]["Mounts"] if mount["Type"] == "tmpfs"}
    binds = {
        ("bind", mount["Source"], mount["Destination"], str(mount["RW"]))
        for mount in report["Mounts"]
        if mount["Type"] == "bind"
    }
    return binds | {("tmpfs", target) for target in masks}


def _different_fields(plan: dict[str, Any], report: dict[str, Any], session_id: str) -> list[str]:
    """Gives the names of the fields in which the engine's report is not the plan, with the session's own id in it."""
    plan = json.loads(json.dumps(plan).replace(PLANNED_SESSION_ID, session_id))
    standing, config, host = plan["standing"], report["Config"], report["HostConfig"]
    own = {"dev.pi-sandbox.session", "dev.pi-sandbox.owner"}
    image = {entry.partition("=")[0]: entry for entry in inspect(plan["image"])[0]["Config"]["Env"]}
    pairs = {
        "name": (f"pi-sandbox-{session_id}", report["Name"].lstrip("/")),
        "image": (plan["image"], report["Image"]),
        "command": (plan["command"][:-1], config["Entrypoint"][: len(plan["command"]) - 1]),
        "user": (plan["user"], config["User"]),
        "working_dir": (plan["working_dir"], config["WorkingDir"]),
        "environment": (
            {f"{name}={value}" for name, value in plan["environment"]},
            {entry for entry in config["Env"] if image.get(entry.partition("=")[0]) != entry}
            | {entry for entry in image.values() if list(entry.split("=", 1)) in plan["environment"]},
        ),
        "labels": (
            {name: value for name, value in plan["labels"] if name not in own},
            {
                name: value
                for name, value in config["Labels"].items()
                if name not in own | set(inspect(plan["image"])[0]["Config"]["Labels"])
                or name == "dev.pi-sandbox.version"
            },
        ),
        "mounts": (_expected_mounts(plan), _reported_mounts(report)),
        "tty": (plan["tty"], config["Tty"]),
        "init": (standing["init"], host["Init"]),
        "read_only_root": (standing["read_only_root"], host["ReadonlyRootfs"]),
        "drop_capabilities": (standing["drop_capabilities"], host["CapDrop"]),
        "added capabilities": ([], host["CapAdd"] or []),
        "security_options": (
            [*standing["security_options"], f"seccomp={standing['seccomp']['rules']}"],
            host["SecurityOpt"],
        ),
        "network": (standing["network"], host["NetworkMode"]),
        "memory": (standing["memory_bytes"], host["Memory"]),
        "swap": (standing["memory_bytes"], host["MemorySwap"]),
        "cpus": (standing["cpus"], host["NanoCpus"] / 1e9),
        "processes": (standing["processes"], host["PidsLimit"]),
        "shared_memory": (standing["shared_memory_bytes"], host["ShmSize"]),
        "ulimits": (
            [(limit["name"], limit["soft"], limit["hard"]) for limit in standing["ulimits"]],
            [(limit["Name"], limit["Soft"], limit["Hard"]) for limit in host["Ulimits"]],
        ),
        "tmpfs": ({entry["target"]: entry["options"] for entry in standing["tmpfs"]}, host["Tmpfs"]),
        "log_driver": (standing["log_driver"], host["LogConfig"]["Type"]),
        "stop_seconds": (standing["stop_seconds"], config["StopTimeout"]),
        "hostname": (standing["hostname"], config["Hostname"]),
        "privileged": (False, host["Privileged"]),
        "devices": ([], host["Devices"] or []),
        "binds": ([], host["Binds"] or []),
    }
    return [name for name, (planned, reported) in pairs.items() if planned != reported]


def test_the_engine_reports_the_container_field_by_field_as_the_plan_says(sandbox: Sandbox) -> None:
    project = sandbox.project()
    options = ("--with-domain", "work", "--domain-wide")
    plan = json.loads(sandbox.call("plan", project, *options, "--format", "json").ok())["container"]
    with sandbox.session(project, "exec sleep 300", *options) as live:
        (report,) = inspect(live.container)
    session_id = report["Config"]["Labels"]["dev.pi-sandbox.session"]
    assert _different_fields(plan, report, session_id) == []


def test_the_comparison_with_the_engine_notices_a_container_of_another_plan(sandbox: Sandbox) -> None:
    project = sandbox.project()
    plan = json.loads(sandbox.call("plan", project, "--format", "json").ok())["container"]
    changed = {"PI_SANDBOX_MEMORY": "2g", "PI_SANDBOX_PIDS": "77", "TERM": "dumb"}
    with sandbox.session(project, "exec sleep 300", "--with-domain", "work", environment=changed) as live:
        (report,) = inspect(live.container)
    session_id = report["Config"]["Labels"]["dev.pi-sandbox.session"]
    assert {"environment", "mounts", "memory", "swap", "processes"} <= set(_different_fields(plan, report, session_id))


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_project_of_any_name_is_mounted_as_itself_or_refused_with_its_name_quoted(
    sandbox: Sandbox, name: str
) -> None:
    project = sandbox.project(f"odd/{name}")
    ended = sandbox.call("shell", "--", "bash", "-c", 'printf %s "$PWD" > here; git log --format=%s', cwd=project)
    if ended.code == 2:
        assert json.dumps(name, ensure_ascii=False)[1:-1] in ended.err
        assert not list(project.glob("here"))
    else:
        assert ended.ok() == "First\n"
        assert (project / "here").read_text() == str(project)
        (project / "here").unlink()
    assert sorted(path.name for path in project.iterdir()) == [".git", "README.md"]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_the_plan_of_a_project_of_any_name_is_a_compose_file_that_mounts_it_as_itself(
    sandbox: Sandbox, tmp_path: Path, name: str
) -> None:
    project = sandbox.project(f"odd/{name}")
    planned = sandbox.call("plan", "--format", "compose", cwd=project)
    if planned.code == 2:
        assert json.dumps(name, ensure_ascii=False)[1:-1] in planned.err
        return
    file = tmp_path / "compose.yaml"
    file.write_text(planned.ok(), encoding="utf-8")
    read = subprocess.run(
        ("docker-compose", "--file", file, "config"), capture_output=True, env=os.environ | {"x": "wrong"}, check=False
    )
    assert read.returncode == 0, read.stderr.decode()
    service = yaml.safe_load(read.stdout)["services"]["agent"]
    sources = {volume.get("source") for volume in service["volumes"]}
    assert str(project) in {str(source).replace("$$", "$") for source in sources}


def test_planning_and_showing_the_page_change_nothing_on_the_disk(sandbox: Sandbox) -> None:
    project = sandbox.project()
    before = tree(sandbox.home)
    for form in ("table", "json", "compose"):
        sandbox.call("plan", project, "--format", form).ok()
    sandbox.call("context", project).ok()
    assert tree(sandbox.home) == before
    (project / "control").touch()
    assert tree(sandbox.home) != before
    (project / "control").unlink()


def test_planning_works_without_an_engine_and_says_so(sandbox: Sandbox) -> None:
    project = sandbox.project()
    nowhere = {"DOCKER_HOST": f"unix://{sandbox.home}/no-engine.sock"}
    planned = sandbox.call("plan", project, "--format", "json", environment=nowhere)
    assert json.loads(planned.ok())["container"]["image"].startswith("pi-sandbox-agent:")
    assert "no-engine.sock" in planned.err
    assert sandbox.shell(project, "true", environment=nowhere).code == 3

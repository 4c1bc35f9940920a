"""A session makes the system calls of the plan's list and no others, works all the same, and never runs unfiltered."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pi_sandbox.containers.seccomp_profile import load_profile
from tests.fakes import system_call_probe
from tests.fakes.system_call_probe import LEFT, reached
from tests.integration.session.sandbox import SECONDS, Finished, Sandbox, probe_script, sections

NODE_WORKERS = """
const { Worker, isMainThread, parentPort } = require("node:worker_threads");
const fs = require("node:fs/promises");
if (isMainThread) {
    const worker = new Worker(__filename);
    worker.on("message", async (said) => {
        await fs.writeFile("/tmp/said", said);
        const { stdout } = await require("node:util").promisify(require("node:child_process").exec)("cat /tmp/said");
        console.log(stdout, Object.keys(require("node:os").networkInterfaces()).includes("eth0"));
    });
} else {
    parentPort.postMessage("from a worker");
}
"""
WORK = {
    "node": f"cat > /tmp/work.js <<'END'\n{NODE_WORKERS}END\nnode /tmp/work.js",
    "python": "python3 -m venv --without-pip /tmp/venv && /tmp/venv/bin/python -c 'import asyncio, ssl, sqlite3'",
    "threads": "python3 -c 'import concurrent.futures as c; print(*c.ThreadPoolExecutor(9).map(abs, range(-9, 0)))'",
    "processes": "python3 -c 'import multiprocessing as m; print(m.get_context(\"spawn\").Pool(2).map(abs, [-1, -2]))'",
    "git": "git init --quiet /tmp/made && cd /tmp/made && git status --short --branch",
    "search": "rg --files-with-matches A . && fd README",
    "pi": "pi --version",
}
LOOSENED = """
import sys
from pi_sandbox.containers import docker_engine
made = docker_engine.creation_body
def loosened(*arguments):
    body = made(*arguments)
    body["HostConfig"]["SecurityOpt"] = ["no-new-privileges:true", "seccomp=unconfined"]
    return body
docker_engine.creation_body = loosened
if sys.argv.pop(1) == "in secret":
    docker_engine.differences = lambda *reports: []
from pi_sandbox.__main__ import main
main()
"""

WITHOUT_SECCOMP = """
import dataclasses, sys
from pi_sandbox.containers import docker_engine
facts_of = docker_engine.facts_of
docker_engine.facts_of = lambda *reports: dataclasses.replace(facts_of(*reports), seccomp=False)
from pi_sandbox.__main__ import main
main()
"""


def run_changed(sandbox: Sandbox, code: str, *arguments: str) -> Finished:
    """Runs pi-sandbox after a change of its door to the engine."""
    ended = subprocess.run(
        (sys.executable, "-c", code, *arguments),
        env=sandbox.environment(),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return Finished(ended.returncode, ended.stdout, ended.stderr)


def test_a_session_reaches_nothing_that_the_list_refuses(sandbox: Sandbox) -> None:
    project = sandbox.project()
    probe = project / "probe.py"
    probe.write_bytes(Path(system_call_probe.__file__).read_bytes())
    try:
        found = json.loads(sandbox.shell(project, "python3 probe.py").ok())
    finally:
        probe.unlink()
    assert reached(found) == set()
    assert {name: found[name] for name in LEFT} == dict.fromkeys(LEFT, "open")


def test_tools_work_as_ever(sandbox: Sandbox) -> None:
    said = sections(sandbox.shell(sandbox.project(), probe_script(WORK)).ok())
    assert {name: text for name, text in said.items() if not text.endswith("code 0\n")} == {}
    assert said["node"].startswith("from a worker true")
    assert said["threads"].startswith("9 8 7")


@pytest.mark.parametrize(
    ("how", "words"),
    [("openly", "the engine made the container otherwise than planned: system calls"), ("in secret", "adjtimex")],
)
def test_an_engine_that_does_not_filter_is_refused_before_anything_runs(sandbox: Sandbox, how: str, words: str) -> None:
    project = sandbox.project()
    ended = run_changed(sandbox, LOOSENED, how, "shell", str(project), "--", "touch", "made")
    assert ended.code == 3
    assert words in ended.err
    assert not (project / "made").exists()
    assert sandbox.containers() == []


def test_an_engine_that_has_no_filter_is_told_by_the_plan_the_session_and_the_doctor(sandbox: Sandbox) -> None:
    project = str(sandbox.project())
    words = {
        "plan": "the engine has no seccomp",
        "shell": "filters no system calls",
        "doctor": "the engine filters none",
    }
    for command, arguments in {"plan": (project,), "shell": (project, "--", "true"), "doctor": ()}.items():
        said = run_changed(sandbox, WITHOUT_SECCOMP, command, *arguments)
        assert words[command] in said.out + said.err
        filtered = sandbox.call(command, *arguments)
        assert words[command] not in filtered.out + filtered.err


def test_the_plan_names_the_list_and_holds_it_whole(sandbox: Sandbox) -> None:
    profile = load_profile()
    shown = sandbox.call("plan", sandbox.project(), environment={"COLUMNS": "400"}).ok()
    planned = json.loads(sandbox.call("plan", sandbox.project(), "--format", "json").ok())
    assert profile.digest[:19] in shown
    assert json.loads(planned["container"]["standing"]["seccomp"]["rules"]) == json.loads(profile.file.read_text())

"""The project memory in a session: where the engine keeps it, and whom it shows it to."""

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.integration.session.sandbox import Finished, Sandbox, make_sandbox, script_model, tree, wait_until

pytestmark = pytest.mark.image

LEVEL = "git.example.org/group/repo"
RECORDING_MODEL = """
import { writeFileSync } from "node:fs";
import { fauxAssistantMessage, fauxProvider, fauxText } from "@earendil-works/pi-ai";
export default function register(pi: any) {
	const faux = fauxProvider({ provider: "recording", models: [{ id: "recording", name: "it writes" }] });
	faux.setResponses([(context: unknown) => {
		writeFileSync("asked.json", JSON.stringify(context));
		return fauxAssistantMessage([fauxText("noted")], { stopReason: "stop" });
	}]);
	pi.registerProvider(faux.provider);
}
"""
_INITIALIZE = {"protocolVersion": 1, "sessionId": "x", "agentFolder": "/home/pi/.pi/agent", "homeFolder": "/home/pi"}


def engine(*requests: tuple[str, dict[str, object]], cwd: Path) -> str:
    """Gives a command that asks the session's engine, as pi's extension does; its answers are one a line."""
    asked = [("initialize", {**_INITIALIZE, "cwd": str(cwd)}), *requests]
    lines = (
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for number, (method, params) in enumerate(asked)
    )
    return f"printf '%s\\n' {shlex.join(lines)} | pi-memory-engine serve"


def is_enabled(ended: Finished) -> bool:
    return bool(answers(ended.ok())[0]["configuration"]["enabled"])


def answers(said: str) -> list[dict[str, Any]]:
    found = (json.loads(line) for line in said.splitlines() if line.startswith("{"))
    return [each.get("result", each.get("error")) for each in found if "id" in each]


def extract(project: Path, folder: str, marker: str) -> str:
    """Gives a script that writes a note as an extraction does: it begins a task and writes by its id."""
    return f"""
import json, subprocess
engine = subprocess.Popen(["pi-memory-engine", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def ask(method, **params):
    engine.stdin.write(json.dumps({{"jsonrpc": "2.0", "id": 1, "method": method, "params": params}}).encode() + b"\\n")
    engine.stdin.flush()
    while (answer := json.loads(engine.stdout.readline())).get("id") != 1:
        pass
    return answer.get("result", answer.get("error"))
ask("initialize", **{_INITIALIZE!r}, cwd={str(project)!r})
task = ask("task/begin", kind="extract", trusted=True, asked=False)
print(json.dumps(task))
text = "---\\ndescription: {marker}\\n---\\n{marker}\\n"
print(json.dumps(ask("task/write", taskId=task.get("taskId"), path={folder!r} + "/note.md", content=text)))
engine.communicate()
"""


def python(script: str) -> str:
    return f"python3 -c {shlex.quote(script)}"


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return make_sandbox(tmp_path / "home")


def test_what_extraction_writes_in_one_domain_and_project_is_read_there_and_nowhere_else(sandbox: Sandbox) -> None:
    places = [(LEVEL, "work"), (LEVEL, "private"), ("git.example.org/group/other", "work"), (f"{LEVEL}/inner", "work")]
    projects = {place: sandbox.project(*place) for place in places}
    look = "grep -rhoE 'marker-[a-z]+-[0-9]' /brain /home/pi /run /tmp 2>/dev/null | sort -u"
    for number, ((level, domain), project) in enumerate(projects.items()):
        script = extract(project, f"/brain/{domain}/{level}/auto", f"marker-{domain}-{number}")
        done = sandbox.shell(project, python(script)).ok().splitlines()
        assert [json.loads(line).get("ok", json.loads(line).get("created")) for line in done] == [True, True], done
    for number, ((_, domain), project) in enumerate(projects.items()):
        seen = sandbox.shell(project, look).ok().split()
        assert seen == [f"marker-{domain}-{number}"], "its own, as the control, and no other"


def test_two_sessions_of_a_project_share_the_locks(sandbox: Sandbox) -> None:
    project = sandbox.project()
    begin = engine(("task/begin", {"kind": "extract", "trusted": True, "asked": False}), cwd=project)
    requests = begin.partition("|")[0]
    hold = f"({requests}; until test -e end; do sleep 0.1; done) | pi-memory-engine serve > answers &"
    wait = "until grep -q taskId answers; do sleep 0.1; done"
    with sandbox.session(project, before=f"{hold} {wait}", script="wait; touch ended; exec sleep 300"):
        other = answers(sandbox.shell(project, begin).ok())[1]
        assert (other["ok"], other["rule"]) == (False, "busy")
        (project / "end").touch()
        wait_until((project / "ended").exists, "the end of the first session's engine")
        assert answers(sandbox.shell(project, begin).ok())[1]["ok"], "the control: the lock is free again"


def test_the_owners_file_decides_and_what_a_session_leaves_in_the_state_folder_does_not(sandbox: Sandbox) -> None:
    project = sandbox.project()
    forge = "echo '{\"enabled\": false}' > ~/.pi/agent/project-memory/config.json"
    begin = engine(
        ("tasks/due", {"occasion": "settled", "ended": "normal", "newMessages": 1, "trusted": True}), cwd=project
    )
    assert answers(sandbox.shell(project, f"{forge}; {begin}").ok())[0]["configuration"]["enabled"]  # type: ignore[index]
    owners = sandbox.home / "pi-config/agent/project-memory.json"
    owners.write_text('{"enabled": false}')
    assert not answers(sandbox.shell(project, begin).ok())[0]["configuration"]["enabled"]  # type: ignore[index]
    written = sandbox.shell(project, "echo '{}' > /run/pi-config/project-memory.json; env | grep ^PI_MEMORY_[CF]").ok()
    assert written.split() == [
        "PI_MEMORY_CONFIGURATION=/run/pi-config/project-memory.json",
        f"PI_MEMORY_FOLDER=/brain/private/{LEVEL}/auto",
    ]
    assert owners.read_text() == '{"enabled": false}'


def test_without_the_domains_store_memory_is_off_with_one_warning_and_nothing_is_made(sandbox: Sandbox) -> None:
    project = sandbox.project()
    shutil.rmtree(sandbox.store("private"))
    sandbox.shell(project, "true").ok()
    before = tree(sandbox.home)
    ended = sandbox.shell(project, engine(cwd=project))
    assert not is_enabled(ended)
    assert answers(ended.out)[0]["warnings"] == []
    assert ended.err.count("project memory is off") == 1
    assert tree(sandbox.home) == before


def test_a_session_that_remembers_nothing_makes_nothing_in_the_store(sandbox: Sandbox) -> None:
    project = sandbox.project()
    before = tree(sandbox.store("private"))
    found = answers(
        sandbox.shell(project, engine(("prompt/sections", {"announced": None, "trusted": True}), cwd=project)).ok()
    )
    assert found[0]["memoryFolder"] == f"/brain/private/{LEVEL}/auto"
    assert tree(sandbox.store("private")) == before


def test_pi_has_the_memory_in_every_session_unless_the_owner_turned_it_off(sandbox: Sandbox) -> None:
    project = sandbox.project()
    script_model(sandbox, [[{"text": "noted"}]], extension=RECORDING_MODEL)
    memory = sandbox.store("private") / LEVEL / "auto"
    memory.mkdir(parents=True)
    (memory / "MEMORY.md").write_text("- [Shed](shed.md): the key hangs behind the marker door\n")
    ask = ("run", project, "--", "--model", "recording/recording", "-p", "hello")
    for file, has_memory in (("{}", True), ('{"enabled": false}', False)):
        (sandbox.home / "pi-config/agent/project-memory.json").write_text(file)
        ended = sandbox.call(*ask)
        assert ended.ok() == "noted\n"
        assert "without the project memory" not in ended.err
        asked = (project / "asked.json").read_text()
        assert ("behind the marker door" in asked) is has_memory
        assert (f"/brain/private/{LEVEL}/auto" in asked) is has_memory

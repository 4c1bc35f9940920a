"""Real pi with its memory in a session: what is said in one is known in the next. Only the model has a script."""

import json
from pathlib import Path
from typing import Any

import pexpect
import pytest

from tests.integration.session.sandbox import Sandbox, make_sandbox, wait_until
from tests.integration.session.window import Window

pytestmark = pytest.mark.image

LEVEL = "git.example.org/group/repo"
MODEL = """
import { appendFileSync, readdirSync } from "node:fs";
import { fauxAssistantMessage, fauxProvider, fauxText, fauxToolCall } from "@earendil-works/pi-ai";

const FACT = "The site is deployed on Thursdays (said by the user).";
const NOTE = `---\\ndescription: when the site is deployed\\n---\\n${FACT}\\n`;

function textsOf(message: any): string {
	const { content } = message;
	return typeof content === "string" ? content : content.map((part: any) => part.text ?? "").join("\\n");
}

function kindOf(messages: any[]): string {
	const told = messages.filter((each) => each.role === "user").map(textsOf).join("\\n");
	const hasTools = messages.some((each) => each.role === "system" && each.toolsAdded);
	if (!told.includes("# Tools")) return hasTools ? "main" : "selector";
	return told.includes("# The new part") ? "extract" : "dream";
}

export default function register(pi: any) {
	const faux = fauxProvider({ provider: "faux", models: [{ id: "main" }] });
	const answer = (context: any) => {
		const kind = kindOf(context.messages);
		const calledBefore = context.messages.at(-1).role === "toolResult";
		const request = { kind, messages: context.messages, translated: readdirSync("/tmp/jiti") };
		appendFileSync("requests.jsonl", JSON.stringify(request) + "\\n");
		if (kind === "selector") return fauxAssistantMessage('["deploy.md"]');
		if (kind === "extract" && !calledBefore && textsOf(context.messages.at(-1)).includes("memory")) {
			const folder = /\\/brain\\/[^\\s`"',]*\\/auto/.exec(JSON.stringify(context.messages))?.[0];
			const call = fauxToolCall("write", { path: `${folder}/deploy.md`, content: NOTE });
			return fauxAssistantMessage([call], { stopReason: "toolUse" });
		}
		return fauxAssistantMessage([fauxText("understood")], { stopReason: "stop" });
	};
	faux.setResponses(Array(100).fill(answer));
	pi.registerProvider(faux.provider);
}
"""
PI = ("--model", "faux/main")


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    sandbox = make_sandbox(tmp_path_factory.mktemp("memory") / "home")
    extensions = sandbox.home / "pi-config" / "agent" / "extensions"
    extensions.mkdir()
    (extensions / "model.ts").write_text(MODEL)
    return sandbox


def requests(project: Path) -> list[dict[str, Any]]:
    """Gives what the model was asked since the last call."""
    file = project / "requests.jsonl"
    found = [json.loads(line) for line in file.read_text().splitlines()]
    file.unlink()
    return found


def test_a_fact_of_one_session_is_known_in_the_next_and_nowhere_else(sandbox: Sandbox) -> None:
    project = sandbox.project(LEVEL, "work")
    ended = sandbox.call("run", project, "--", *PI, "-p", "we deploy the site on Thursdays")
    assert ended.ok() == "understood\n"
    assert [each["kind"] for each in requests(project)] == ["main", "extract", "extract"]
    note = sandbox.store("work") / LEVEL / "auto" / "deploy.md"
    assert "on Thursdays" in note.read_text()
    assert note.stat().st_mode & 0o777 == 0o600

    assert sandbox.call("run", project, "--", *PI, "-p", "when is the site deployed?").ok() == "understood\n"
    asked = requests(project)
    assert [each["kind"] for each in asked[:2]] == ["selector", "main"]
    assert "The site is deployed on Thursdays" in json.dumps(asked[1])

    other = sandbox.project(LEVEL, "private")
    assert sandbox.call("run", other, "--", *PI, "-p", "when is the site deployed?").ok() == "understood\n"
    assert "on Thursdays" not in json.dumps([each for each in requests(other) if each["kind"] == "main"])


def test_pi_finds_the_extension_translated_and_translates_nothing_else_of_ours(sandbox: Sandbox) -> None:
    project = sandbox.project("git.example.org/group/translated", "work")
    sandbox.call("run", project, "--", *PI, "-p", "hello").ok()
    used = set(requests(project)[0]["translated"])
    made = set(sandbox.shell(project, "ls /opt/pi-sandbox/extension-modules").ok().split())
    assert any(name.startswith("src-recall.") for name in made)
    assert {name.partition(".")[0] for name in used - made} == {"extensions-model"}, "the control: what is not ours is"


def test_in_a_terminal_the_memory_is_quiet_until_it_is_asked(sandbox: Sandbox) -> None:
    project = sandbox.project("git.example.org/group/terminal", "work")
    window = Window(sandbox, project, *PI)
    window.wait_for("work: core, work, git.example.org/group/terminal")
    window.type("we deploy the site on Thursdays")
    window.wait_for("understood")
    note = sandbox.store("work") / "git.example.org/group/terminal" / "auto" / "deploy.md"
    wait_until(note.exists, "the extraction has written its note")
    state = sandbox.home / "state" / "work" / "project-memory"
    wait_until(lambda: not list(state.rglob("extract.lock")), "the extraction is over")
    window.type("/memory")
    window.wait_for("extract.lock: free")
    assert "create deploy.md" in "\n".join(window.screen.display)
    window.type("/quit")
    window.process.expect(pexpect.EOF)
    window.process.close()
    assert window.process.exitstatus == 0

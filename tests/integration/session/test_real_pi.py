"""Real pi in a session. Only the model has a script: it writes down what it was given."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pexpect
import pytest

from tests.integration.session.sandbox import Sandbox, tree, wait_until

MODEL = """
import { writeFileSync } from "node:fs";
import { fauxAssistantMessage, fauxProvider, fauxText } from "@earendil-works/pi-ai";
export default function register(pi: any) {
	const faux = fauxProvider({ provider: "echo", models: [{ id: "echo", name: "writes down what it gets" }] });
	faux.setResponses([(context: unknown) => {
		writeFileSync("received.json", JSON.stringify(context));
		return fauxAssistantMessage([fauxText("written down")], { stopReason: "stop" });
	}]);
	pi.registerProvider(faux.provider);
}
"""
PROJECT_EXTENSION = """
import { writeFileSync } from "node:fs";
export default () => { writeFileSync("project-extension-ran", "x"); };
"""
ARGUMENTS = ("--model", "echo/echo")


@pytest.fixture(scope="module")
def project(sandbox: Sandbox) -> Path:
    """A project with instructions, an extension and settings of its own."""
    extensions = sandbox.home / "pi-config" / "agent" / "extensions"
    extensions.mkdir()
    (extensions / "echo-model.ts").write_text(MODEL)
    project = sandbox.project()
    (project / "AGENTS.md").write_text("# Rules\n\nSay marmalade.\n")
    (project / ".pi" / "extensions").mkdir(parents=True)
    (project / ".pi" / "extensions" / "own.ts").write_text(PROJECT_EXTENSION)
    (project / ".pi" / "settings.json").write_text('{"defaultThinkingLevel":"low"}')
    (sandbox.store("private") / "briefing.md").write_text("# Briefing\n\nThe shed key hangs behind the door.\n")
    return project


def _received(project: Path) -> str:
    return "\n".join(_texts(_request(project)))


def _request(project: Path) -> dict[str, Any]:
    request: dict[str, Any] = json.loads((project / "received.json").read_text())
    (project / "received.json").unlink()
    return request


def _appended(project: Path) -> str:
    """What stands in the request where pi appends to its own instructions."""
    section: str = _request(project)["messages"][0]["sections"].get("addendum", "<addendum>\n\n</addendum>")
    return section.removeprefix("<addendum>\n").removesuffix("\n</addendum>")


def _texts(value: object) -> list[str]:
    match value:
        case str():
            return [value]
        case dict():
            return [text for item in value.values() for text in _texts(item)]
        case list():
            return [text for item in value for text in _texts(item)]
    return []


def test_the_model_gets_the_page_as_it_is_printed_and_the_owners_and_the_projects_instructions(
    sandbox: Sandbox, project: Path
) -> None:
    assert sandbox.call("run", project, "--", *ARGUMENTS, "-p", "hello").ok() == "written down\n"
    received = _received(project)
    page = sandbox.call("context", project).ok()
    assert "The shed key hangs behind the door." in page
    assert page.strip() in received
    assert (sandbox.home / "pi-config" / "agent" / "AGENTS.md").read_text().strip() in received
    assert "Say marmalade." in received
    assert str(project) in received


def test_the_page_stands_where_the_memory_rules_say(sandbox: Sandbox, project: Path) -> None:
    rules = (sandbox.home / "pi-config" / "agent" / "AGENTS.md").read_text()
    said = re.findall(r"page \([^)]*\) stands (before|after) this text", rules.replace("\n", " "))
    sandbox.call("run", project, "--", *ARGUMENTS, "-p", "hello").ok()
    received = _received(project)
    page = received.index(sandbox.call("context", project).ok().strip())
    assert said == ["before" if page < received.index(rules.strip()) else "after"]


@pytest.fixture
def appended_files(sandbox: Sandbox, project: Path) -> Iterator[None]:
    """Words of the owner's and of the project's that pi appends by its own rule."""
    files = {
        sandbox.home / "pi-config" / "agent" / "APPEND_SYSTEM.md": "The owner says heather.\n",
        project / ".pi" / "APPEND_SYSTEM.md": "The project says gorse.\n",
    }
    for file, text in files.items():
        file.write_text(text)
    yield
    for file in files:
        file.unlink()
    (project / "project-extension-ran").unlink(missing_ok=True)


@pytest.mark.usefixtures("appended_files")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "heather"),
        (("--no-approve",), "heather"),
        (("--approve",), "gorse"),
        (("--append-system-prompt", "Say fern."), "fern"),
        (("--append-system-prompt", "Say fern.", "--append-system-prompt", "Say moss."), "moss"),
        (("--append-system-prompt", ""), ""),
    ],
    ids=["no option", "not trusted", "trusted", "an option", "two options", "an empty option"],
)
def test_the_page_and_all_that_pi_appends_by_itself_reach_the_model(
    sandbox: Sandbox, project: Path, arguments: Sequence[str], words: str
) -> None:
    sandbox.call("run", project, "--", *ARGUMENTS, *arguments, "-p", "hello").ok()
    with_page = _appended(project)
    sandbox.call("shell", project, "--", "pi", *ARGUMENTS, *arguments, "-p", "hello").ok()
    alone = _appended(project)
    assert words in alone, "the control: what pi appends without the page"
    page = sandbox.call("context", project).ok()
    assert with_page == (f"{page}\n\n{alone}" if alone else page)


@pytest.mark.usefixtures("appended_files")
@pytest.mark.parametrize(
    ("answer", "words"), [("\r", "gorse"), ("\x1b[B\x1b[B\x1b[B\x1b[B\r", "heather")], ids=["trusted", "not"]
)
def test_a_projects_words_are_appended_once_the_owner_trusts_it_on_the_screen(
    sandbox: Sandbox, project: Path, answer: str, words: str
) -> None:
    arguments = [*sandbox.command[1:], "run", str(project), "--", *ARGUMENTS, "hello"]
    window = pexpect.spawn(
        sandbox.command[0], arguments, env=sandbox.environment({"TERM": "xterm"}), timeout=60, dimensions=(50, 120)
    )
    window.expect("Do not trust")
    window.send(answer)
    wait_until((project / "received.json").exists, "the model was asked")
    wait_until(lambda: (project / "received.json").read_text().endswith("}"), "all was written down")
    window.close(force=True)
    assert words in _appended(project)


def test_json_mode_gives_events_and_rpc_mode_answers(sandbox: Sandbox, project: Path) -> None:
    events = sandbox.call("run", project, "--", *ARGUMENTS, "--mode", "json", "hello").ok().splitlines()
    assert [event for event in map(json.loads, events) if event["type"] == "message_end"]
    asked = b'{"id":"1","type":"get_state"}\n{"id":"2","type":"prompt","message":"hello"}\n'
    answers = [
        json.loads(line)
        for line in sandbox.call("run", project, "--", *ARGUMENTS, "--mode", "rpc", stdin=asked).out.splitlines()
    ]
    states = [answer for answer in answers if answer.get("id") == "1"]
    assert states[0]["success"]
    assert states[0]["data"]["model"]["id"] == "echo"
    (project / "received.json").unlink(missing_ok=True)


@pytest.mark.parametrize("mode", [("-p",), ("--mode", "json"), ("--mode", "rpc")])
def test_what_a_project_brings_does_not_run_unless_the_owner_approves(
    sandbox: Sandbox, project: Path, mode: tuple[str, ...]
) -> None:
    ran = project / "project-extension-ran"
    message = () if "rpc" in mode else ("hello",)
    sandbox.call("run", project, "--", *ARGUMENTS, *mode, *message).ok()
    assert not ran.exists()
    sandbox.call("run", project, "--", *ARGUMENTS, "--approve", *mode, *message).ok()
    assert ran.exists(), "the control: it would have run"
    ran.unlink()
    sandbox.call("run", project, "--", *ARGUMENTS, *mode, *message).ok()
    assert not ran.exists(), "an approval is for one run"
    (project / "received.json").unlink(missing_ok=True)


def test_pis_own_commands_and_version_work_and_leave_nothing(sandbox: Sandbox, project: Path) -> None:
    before = tree(sandbox.home)
    assert sandbox.call("run", project, "--", "--version").ok().strip() == "1.6.0"
    assert "Usage" in sandbox.call("run", project, "--", "--help").ok()
    assert sandbox.call("run", project, "--", "list").code == 0
    assert tree(sandbox.home) == before


def test_pis_own_code_is_the_commands(sandbox: Sandbox, project: Path) -> None:
    ended = sandbox.call("run", project, "--", "--model", "nobody/nothing", "-p", "hello")
    assert ended.code == 1
    assert "Traceback" not in ended.err


def test_the_trial_works_from_end_to_end(sandbox: Sandbox, tmp_path: Path) -> None:
    ended = sandbox.call("demo", environment={"XDG_CACHE_HOME": str(tmp_path)})
    said = ended.ok()
    assert "+Water the tomatoes every second day." in said
    assert "notes/watering.md" in said
    assert "a second session" in ended.err
    assert "not at noon: the leaves burn. You said so" in said
    assert "+Never at noon: the leaves burn (said by the user)." in said, "it stands in the review"
    assert "== private: " in said
    assert [f"{store}: pushed " in said for store in ("core", "private")] == [True, True]
    assert list(tmp_path.iterdir()) == []

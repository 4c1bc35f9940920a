"""What can be said without a model of ten made-up conversations (`tests/corpora/conversations`).

The prompt states each rule that their judgements rest on; a good memory passes through the engine as it is; and what
must not be kept is either refused or found by its patterns.
"""

import re
from pathlib import Path
from typing import Any

import pytest

from pi_sandbox.project_memory import prompts
from pi_sandbox.project_memory.configuration import Configuration
from pi_sandbox.project_memory.memory_reading import read_index
from pi_sandbox.project_memory.task_prompt import TaskSituation, task_prompt
from pi_sandbox.project_memory.topics import scan_topics
from pi_sandbox.project_memory.transcript import TalkMessage
from pi_sandbox.rpc.errors import RequestError
from pi_sandbox.rpc.memory_access import secret_lines
from tests.corpora.loader import corpus
from tests.unit.rpc.sessions import Session, begin

NOW = 1_785_456_000_000
"""2026-07-31."""
SECRETS = {"<token>": "gh" + "p_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5", "<password>": "Sommer" + "2024!"}
CONVERSATIONS = corpus("conversations")
KEEPING = Path(prompts.__file__).with_name("keeping.md").read_text("utf-8")


def filled(text: str) -> str:
    for name, value in SECRETS.items():
        text = text.replace(name, value)
    return text


def on_one_line(text: str) -> str:
    return " ".join(text.split())


def talk_of(case: dict[str, Any]) -> list[TalkMessage]:
    return [TalkMessage(role, filled(text)) for message in case["talk"] for role, text in message.items()]


def prompt_of(case: dict[str, Any], memory: Path, *, own: bool) -> str:
    for name, text in case["memory"].items():
        (memory / name).write_text(text)
    situation = TaskSituation(
        kind="extract",
        trailing=False,
        codemode="off",
        memory="/m",
        working_directory="/project",
        messages=talk_of(case),
        topics=scan_topics(memory),
        index=read_index(memory),
        now_ms=NOW,
    )
    return task_prompt(situation, Configuration(), secret_lines, own=own)


def facts_of(case: dict[str, Any]) -> list[dict[str, Any]]:
    return [fact for kind in ("must", "may", "must_not") for fact in case[kind]]


def unstated(case: dict[str, Any], told: str) -> list[str]:
    """Gives the rules that the judgements of a case rest on and a prompt does not state."""
    rules = [fact["by"] for fact in facts_of(case) if "by" in fact]
    return [rule for rule in rules if on_one_line(rule) not in on_one_line(told)]


def found(pattern: str, text: str) -> bool:
    escaped = {name: re.escape(value) for name, value in SECRETS.items()}
    for name, value in escaped.items():
        pattern = pattern.replace(name, value)
    return re.search(pattern, on_one_line(text), re.IGNORECASE) is not None


def broken(case: dict[str, Any], text: str) -> list[str]:
    """Gives the facts that should stand in a memory and do not, or the other way round."""
    missing = [fact["fact"] for fact in case["must"] if not all(found(each, text) for each in fact["patterns"])]
    kept = [fact["fact"] for fact in case["must_not"] if any(found(each, text) for each in fact["patterns"])]
    return missing + kept


def text_of(memory: Path) -> str:
    return "\n".join(file.read_text() for file in sorted(memory.rglob("*.md")))


def write_good(session: Session, case: dict[str, Any]) -> list[str]:
    """Changes the memory as the case says, with the tools of a task; gives what the engine has against it."""
    reminders = []
    task = begin(session)
    for name, text in case["good"].items():
        file = session.memory / name
        if text is None:
            session.ask("task/bash", taskId=task, command=f"rm {file}")
            continue
        if file.exists():
            assert session.read(task, file)
        reminders.append(session.ask("task/write", taskId=task, path=str(file), content=text)["reminder"])
    return [each for each in reminders if each is not None]


def test_there_are_ten():
    assert len(CONVERSATIONS) == 10


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("case", CONVERSATIONS)
def test_the_prompt_states_each_rule_that_a_judgement_rests_on(case, own, tmp_path):
    assert unstated(case, prompt_of(case, tmp_path, own=own)) == []
    assert all("by" in fact for kind in ("must", "must_not") for fact in case[kind])


def test_a_rule_that_the_prompt_does_not_state_is_noticed(tmp_path):
    case = CONVERSATIONS[0].values[0]
    told = on_one_line(prompt_of(case, tmp_path, own=True))
    rule = case["must"][0]["by"]
    assert set(unstated(case, told.replace(rule, "keep everything;"))) == {rule}


def test_each_thing_to_keep_and_never_to_keep_is_judged_by_a_conversation():
    judged = [on_one_line(fact["by"]) for case in CONVERSATIONS for fact in facts_of(case.values[0]) if "by" in fact]
    sections = KEEPING.partition("# How it is written")[0]
    rules = [on_one_line(line.removeprefix("- ")) for line in sections.splitlines() if line.startswith("- ")]

    assert len(rules) > 10
    assert [rule for rule in rules if not any(by in rule for by in judged)] == []


@pytest.mark.parametrize("case", CONVERSATIONS)
def test_no_secret_and_nothing_injected_is_shown_to_another_model(case, tmp_path):
    told = prompt_of(case, tmp_path, own=True)
    assert [secret for secret in SECRETS.values() if secret in told] == []
    assert "QUOKKA" not in told
    for message in talk_of(case):
        first = message.text.splitlines()[0][:40]
        if message.role != "injected" and not any(secret in message.text for secret in SECRETS.values()):
            assert first.replace('"', '\\"') in told


@pytest.mark.parametrize("case", CONVERSATIONS)
def test_a_good_memory_passes_through_the_engine_and_holds_what_it_must(case, open_session):
    session = open_session()
    for name, text in case["memory"].items():
        (session.memory / name).write_text(text)
    before = text_of(session.memory)

    assert write_good(session, case) == []
    assert broken(case, text_of(session.memory)) == []
    if case["must"]:
        assert broken(case, before), "the memory before is not good already"
    index = session.memory / "MEMORY.md"
    listed = re.findall(r"\]\(([^)]+)\)", index.read_text())
    assert sorted(listed) == sorted(file.name for file in session.memory.glob("*.md") if file != index)


@pytest.mark.parametrize("case", CONVERSATIONS)
def test_a_bad_text_is_noticed(case, open_session):
    session, bad = open_session(), filled(case["bad"]["text"])
    if case["bad"]["noticed_by"] == "must_not":
        assert any(found(each, bad) for fact in case["must_not"] for each in fact["patterns"])
        return
    with pytest.raises(RequestError) as error:
        session.ask("task/write", taskId=begin(session), path=str(session.memory / "bad.md"), content=bad)
    assert error.value.rule == case["bad"]["noticed_by"]

"""Two sessions write one memory file with pi's own tools, in every order of their steps: none is lost in silence."""

from collections.abc import Callable, Iterator
from itertools import combinations

import pytest

from pi_sandbox.project_memory.recent_changes import RecentChanges
from pi_sandbox.rpc import main_session
from tests.unit.rpc.sessions import Session, begin

FIRST = "---\ndescription: a list\n---\n- first\n"


class Agent:
    """A main agent that adds a line of its own, step by step as pi's tool does; keeps what it is told."""

    def __init__(self, session: Session, tool: str, name: str) -> None:
        self.session, self.tool, self.line = session, tool, f"- {name}"
        self.file = session.memory / "list.md"
        self.shown = self.text = ""
        self.told = ""

    def steps(self) -> list[Callable[[], None]]:
        if self.tool == "edit":
            return [self.check, self.pi_reads, self.pi_writes, self.written]
        return [self.pi_reads, self.read, self.check, self.pi_writes, self.written]

    def read(self) -> None:
        self.session.ask("file/read", path=str(self.file), texts=[self.shown])

    def check(self) -> None:
        assert self.session.ask("file/check", tool=self.tool, path=str(self.file), trusted=True) == {"ok": True}

    def pi_reads(self) -> None:
        self.shown = self.file.read_text()
        self.text = self.shown.replace("- first\n", f"- first\n{self.line}\n")

    def pi_writes(self) -> None:
        self.file.write_text(self.text)

    def written(self) -> None:
        edit = {"oldText": "- first\n", "newText": f"- first\n{self.line}\n"}
        how = {"content": self.text} if self.tool == "write" else {"edits": [edit]}
        self.told = self.session.ask("file/written", path=str(self.file), **how)["reminder"] or ""


def orders(one: int, other: int) -> Iterator[list[bool]]:
    """Gives each order of so many steps of the one and of the other."""
    for places in combinations(range(one + other), one):
        yield [place in places for place in range(one + other)]


def lost_in_silence(open_session: Callable[..., Session], tools: tuple[str, str]) -> int:
    """Gives in how many orders a line is neither in the file nor told to anybody."""
    sessions = [open_session(session_id=name) for name in ("one", "two")]
    silent = 0
    for order in orders(*(len(Agent(sessions[0], tool, "").steps()) for tool in tools)):
        agents = [
            Agent(session, tool, tool + str(n)) for n, (session, tool) in enumerate(zip(sessions, tools, strict=True))
        ]
        agents[0].file.write_text(FIRST)
        steps = [iter(agent.steps()) for agent in agents]
        for first in order:
            next(steps[0 if first else 1])()
        known = agents[0].file.read_text() + "".join(agent.told for agent in agents)
        silent += any(line not in known for line in ("- first", *(agent.line for agent in agents)))
    return silent


@pytest.mark.parametrize("tools", [("edit", "edit"), ("edit", "write"), ("write", "write")])
def test_no_order_of_two_writes_loses_a_line_without_a_word(open_session, tools):
    assert lost_in_silence(open_session, tools) == 0


def test_the_control_without_word_of_others_some_order_does(open_session, monkeypatch):
    monkeypatch.setattr(RecentChanges, "of_others", lambda *_: ())
    assert lost_in_silence(open_session, ("edit", "edit")) > 0


@pytest.mark.parametrize("tool", ["edit", "write"])
def test_who_writes_right_after_another_looked_whether_its_write_stands_there_is_told(open_session, monkeypatch, tool):
    one, two = (Agent(open_session(session_id=name), tool, name) for name in ("one", "two"))
    one.file.write_text(FIRST)
    rest = two.steps()[-2:]
    for step in (*one.steps()[:-2], *two.steps()[:-2]):
        step()
    one.pi_writes()
    look = main_session.read_for_baseline

    def look_then_let_the_other_write(file):
        monkeypatch.setattr(main_session, "read_for_baseline", look)
        seen = look(file)
        for step in rest:
            step()
        return seen

    monkeypatch.setattr(main_session, "read_for_baseline", look_then_let_the_other_write)
    one.written()

    assert one.line not in one.file.read_text()
    assert one.line in two.told


@pytest.mark.parametrize("tool", ["edit", "write"])
def test_a_write_that_nobody_disturbed_is_told_nothing(open_session, tool):
    session = open_session()
    agent = Agent(session, tool, "alone")
    agent.file.write_text(FIRST)
    for _ in range(2):
        for step in agent.steps():
            step()
        assert "another session" not in agent.told


def test_what_a_task_writes_while_pi_edits_is_told_too(open_session):
    session = open_session()
    agent = Agent(session, "edit", "mine")
    agent.file.write_text(FIRST)
    agent.check()
    agent.pi_reads()
    task = begin(session)
    data = agent.file.read_bytes()
    session.read(task, agent.file, data)
    session.ask("task/write", taskId=task, path=str(agent.file), content=data.decode() + "- the task's\n")
    agent.pi_writes()
    agent.written()

    assert "- the task's" not in agent.file.read_text()
    assert "- the task's" in agent.told


def test_a_note_that_is_written_without_having_been_read_tells_what_went(open_session):
    session = open_session()
    agent = Agent(session, "write", "new")
    agent.file.write_text(FIRST + "- by somebody\n")
    agent.check()
    agent.text = FIRST
    agent.pi_writes()
    agent.written()
    assert "- by somebody" in agent.told
    assert "- first" not in agent.told


def test_an_index_that_the_prompt_shows_counts_as_read(open_session):
    session = open_session()
    agent = Agent(session, "write", "index")
    agent.file = session.memory / "MEMORY.md"
    agent.file.write_text("- [A](a.md): the first\n")
    session.ask("prompt/sections")
    agent.file.write_text("- [A](a.md): the first\n- [B](b.md): by another session\n")
    agent.check()
    agent.text = "- [C](c.md): mine alone\n"
    agent.pi_writes()
    agent.written()
    assert "(b.md)" in agent.told
    assert "(a.md)" not in agent.told

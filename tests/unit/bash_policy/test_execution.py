"""Every allowed command is run in a room with tripwires, and does nothing there that it must not.

Each runs twice: as its plan says, among configuration that is a trap and out of a hostile environment; and as the text
that was written, by a plain bash among files with hostile names. Mutated commands that are still allowed run as well.

`BASH_POLICY_SHARE=1` runs every allowed command instead of each fourth, `BASH_POLICY_MUTANTS=20000` tries more mutants.
"""

import os
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_sandbox.bash_policy.classify import classify
from pi_sandbox.bash_policy.decision import Decision, RunPlan, Verdict
from pi_sandbox.bash_policy.environment import FIXED, INHERITED
from tests.needs import needs
from tests.running import SOON
from tests.unit.bash_policy.labelled import Labelled, corpus_commands, example_commands
from tests.unit.bash_policy.tripwires import Deed, Room, Watch, make_room

SHARE = int(os.environ.get("BASH_POLICY_SHARE", "4"))
MUTANTS = int(os.environ.get("BASH_POLICY_MUTANTS", "800"))

_OWN_SCRATCH = re.compile(r"\bjavac?\b")
"""Writes a file of its own below /tmp while it runs, unless it is told not to, as its plan does."""

_LONG = re.compile(r"(?<!\S)(?:/|/tmp)(?!\S)|\bsleep\b")
"""Looks through all that this machine holds, or is to wait."""

_OWN_PAGER = re.compile(r"\bless\b")
"""Runs what the file of keys in a person's own home names; in its plan cat stands in its place."""


def _runs_as_written(command: str) -> bool:
    return not _OWN_SCRATCH.search(command) and not _OWN_PAGER.search(command)


pytestmark = pytest.mark.needs("bash", "git")


@cache
def allowed() -> tuple[str, ...]:
    """Gives every command of the corpus and of the examples that is judged to only read."""
    commands = dict.fromkeys(entry.command for entry in _labelled() if _decision(entry).verdict is Verdict.READ_ONLY)
    return tuple(commands)


def _labelled() -> tuple[Labelled, ...]:
    return (*corpus_commands(), *example_commands())


def _decision(entry: Labelled) -> Decision:
    return classify(entry.command, entry.memory_dir)


@pytest.fixture(scope="module")
def hostile_room(tmp_path_factory: pytest.TempPathFactory) -> Room:
    return make_room(tmp_path_factory.mktemp("hostile") / "room", hostile_configuration=True)


@pytest.fixture(scope="module")
def plain_room(tmp_path_factory: pytest.TempPathFactory) -> Room:
    return make_room(tmp_path_factory.mktemp("plain") / "room", hostile_configuration=False)


def test_every_allowed_command_does_no_harm_and_ends_as_its_plan_says(hostile_room: Room) -> None:
    watch, ending = Watch(hostile_room), Watch(hostile_room, SOON, must_end=True)

    def run(plan: RunPlan) -> list[Deed]:
        return (watch if _LONG.search(plan.command) else ending).run_plan(plan)

    plans = [plan for command in allowed()[::SHARE] if (plan := classify(command).run) is not None]
    deeds = _of_all(run, plans)
    _assert_none([*deeds, *watch.deeds_in_the_room("all of them")])


def test_every_allowed_command_does_no_harm_as_it_was_written(plain_room: Room) -> None:
    watch = Watch(plain_room)
    texts = [command for command in allowed()[::SHARE] if _runs_as_written(command)]
    deeds = _of_all(watch.run_text, texts)
    _assert_none([*deeds, *watch.deeds_in_the_room("all of them")])


def _assert_none(deeds: list[Deed]) -> None:
    assert not deeds, "\n".join(f"{deed.command!r} {deed.what}" for deed in deeds[:100])


def _of_all(run: Callable[[Any], list[Deed]], items: Sequence[object]) -> list[Deed]:
    """Runs several at a time: what is harmless does not disturb another."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [deed for deeds in pool.map(run, items) for deed in deeds]


@cache
def _vocabulary() -> tuple[str, ...]:
    """Gives the words of all labelled commands, which hold every option that is refused somewhere."""
    words = {word for entry in _labelled() for word in entry.command.split()}
    return tuple(sorted(words))


_BETWEEN = ("; ", " && ", " | ", "\n", " || ", " 2>/dev/null ", " < a.md ", " \\\n", " -- ", " > /dev/null ", " ! ")
_WITHIN = ("'", '"', "\\", "*", "?", "[a]*", "~", "-", "--", "=", "#", "$", "{}", "/", "..", "%", ",", ":", "@", " ")


@st.composite
def mutants(draw: st.DrawFn) -> str:
    """Gives an allowed command with a few words, operators or characters put in, taken out or exchanged."""
    parts = re.split(r"(\s+)", draw(st.sampled_from(allowed())))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(parts) - 1))
        match draw(st.integers(0, 5)):
            case 0 | 1:
                parts[at:at] = [" ", draw(st.sampled_from(_vocabulary())), " "]
            case 2:
                parts[at] = draw(st.sampled_from(_vocabulary()))
            case 3:
                parts[at:at] = [draw(st.sampled_from(_BETWEEN))]
            case 4:
                place = draw(st.integers(0, len(parts[at])))
                parts[at] = parts[at][:place] + draw(st.sampled_from(_WITHIN)) + parts[at][place:]
            case 5:
                parts[at] = parts[at][: draw(st.integers(0, len(parts[at])))]
    return "".join(parts)


def test_a_mutant_that_is_still_allowed_does_no_harm(hostile_room: Room, plain_room: Room) -> None:
    hostile, plain = Watch(hostile_room), Watch(plain_room)
    tried: set[str] = set()

    @given(mutants())
    @settings(max_examples=MUTANTS, suppress_health_check=list(HealthCheck), database=None)
    def run(command: str) -> None:
        plan = classify(command).run
        if plan is None or command in tried:
            return
        assert hostile.run_plan(plan) == []
        assert not _runs_as_written(command) or plain.run_text(command) == []
        tried.add(command)

    run()
    assert [*hostile.deeds_in_the_room("all of them"), *plain.deeds_in_the_room("all of them")] == []
    assert len(tried) > MUTANTS / 20


@pytest.mark.needs("strace")
@pytest.mark.parametrize(
    ("command", "deed"),
    [
        ("sort -o out a.md", "for writing"),
        ("find . -name a.md -delete", "unlinkat"),
        ("echo x >/dev/tcp/127.0.0.1/9", "connect"),
        ("sh -c true", "started"),
        ("find . -maxdepth 0 -exec sh -c : \\;", "started"),
        ("touch a.md", "for writing"),
        ("mkdir new", "mkdir"),
        ("awk 'BEGIN { system(\"true\") }'", "started"),
        ("xargs rm < /dev/null", "started"),
        ("git -c core.pager=evil -c core.fsmonitor=evil status", "started"),
        ("less a.md", "started"),
        ("batcat a.md", "started"),
        ("/usr/bin/curl --version", "for writing"),
        ("sed -n -e 'w a.md' --version", "for writing"),
        ("original-awk --field-separator 'BEGIN { system(\"true\") }' a.md", "started"),
        ("xz -t -d a.xz", "for writing"),
        ("bzip2 -td a.bz2", "for writing"),
        ("diffstat -T -oout a.diff", "for writing"),
        ("git reflog delet[e@] 'HEAD@{0}'", "for writing"),
        ("ls -d -- --output=out | xargs git stash list --", "for writing"),
        ("echo /inet/tcp/0/127.0.0.1/9 | xargs gawk 1", "connect"),
    ],
)
def test_a_tripwire_sees_a_harmful_command(command: str, deed: str, tmp_path: Path) -> None:
    needs(command.split()[0])
    watch = Watch(make_room(tmp_path / "room", hostile_configuration=False), seconds=SOON)
    deeds = watch.run_text(command)
    assert any(deed in each.what for each in deeds), deeds


@pytest.mark.needs("strace")
@pytest.mark.parametrize(
    "command",
    [
        "git --no-pager status -v",
        "git --no-pager show --no-ext-diff --no-textconv --remerge-diff HEAD",
        "git --no-pager diff --no-ext-diff --no-textconv --submodule=diff",
        "git --no-pager diff --no-textconv",
    ],
)
def test_a_tripwire_sees_what_a_repository_makes_git_run_in_spite_of_the_fixed_variables(
    command: str, hostile_room: Room
) -> None:
    deeds = Watch(hostile_room, seconds=SOON).run_plan(RunPlan(command, FIXED, INHERITED))
    for mark in hostile_room.marks.iterdir():
        mark.unlink()
    assert any("started" in deed.what for deed in deeds), deeds


@pytest.mark.parametrize("command", ["tail -n1 -f", "tail -f a.md | head -1000", "cat /dev/zero"])
def test_the_watch_sees_a_command_that_does_not_end(command: str, tmp_path: Path) -> None:
    needs(command.split()[0])
    watch = Watch(make_room(tmp_path / "room", hostile_configuration=False), must_end=True)
    assert any("did not end" in deed.what for deed in watch.run_plan(RunPlan(command, FIXED, INHERITED)))


@pytest.mark.parametrize("command", ["touch a.md", "sort -o b.md a.md", "sh -c true", "ln -s a.md new.md", "evil"])
def test_the_room_shows_a_harmful_command_without_a_trace(command: str, tmp_path: Path) -> None:
    watch = Watch(make_room(tmp_path / "room", hostile_configuration=False), seconds=SOON)
    watch.run_text(command)
    assert watch.deeds_in_the_room(command) != []


def test_a_harmless_command_trips_nothing(tmp_path: Path) -> None:
    watch = Watch(make_room(tmp_path / "room", hostile_configuration=True))
    plan = classify("cat a.md | sort | uniq -c 2>/dev/null; ls -la; git log --oneline").run
    assert plan is not None
    assert watch.run_plan(plan) == []
    assert watch.deeds_in_the_room("") == []

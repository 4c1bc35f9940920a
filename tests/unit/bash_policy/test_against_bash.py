"""Our reading of a text is a real bash's reading: random texts near the border of what is accepted, run and compared.

`BASH_POLICY_TEXTS=300000 pytest tests/unit/bash_policy/test_against_bash.py` tries more, `BASH_POLICY_SEED=2` others.
"""

import os
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random

import pytest

from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.program import Program
from pi_sandbox.bash_policy.redirects import judge_redirection
from pi_sandbox.bash_policy.syntax import parse
from tests.unit.bash_policy.bash_view import (
    Call,
    calls_of_bash,
    calls_of_program,
    names_are_known,
    written_anew,
)
from tests.unit.bash_policy.random_texts import random_text

TEXTS = int(os.environ.get("BASH_POLICY_TEXTS", "10000"))
SEED = int(os.environ.get("BASH_POLICY_SEED", "1"))
FILES = ("-delete", "a.md", "b.md", "x y", "[a]", "a*", "~", "é", "{a}", "$", "!", "#x", "-n", "a=b", "t0", ".hidden")

pytestmark = pytest.mark.needs("bash")


@cache
def accepted_texts() -> dict[str, Program]:
    """Gives random texts that are accepted as far as the names of commands and variables allow a comparison."""
    random = Random(SEED)
    accepted = {}
    for _ in range(TEXTS):
        text = random_text(random)
        try:
            program = parse(text)
            _check_comparable(program)
        except Refused:
            continue
        accepted[text] = program
    return accepted


def _check_comparable(program: Program) -> None:
    if not names_are_known(program):
        raise Refused("another command")
    for command in (command for pipeline in program.pipelines for command in pipeline.commands):
        if any(assignment.name not in ("A", "B") for assignment in command.assignments):
            raise Refused("another variable")
        for redirection in command.redirections:
            judge_redirection(redirection)
            if redirection.sign in ("<", "0<") and redirection.target.text not in ("/dev/null", "in"):
                raise Refused("another file")


def test_enough_random_texts_are_accepted_for_the_comparison_to_mean_something() -> None:
    assert len(accepted_texts()) > TEXTS / 15


def test_bash_runs_the_words_redirections_and_variables_that_were_read(tmp_path: Path) -> None:
    texts = accepted_texts()
    theirs = _runs(list(texts), tmp_path, with_patterns=False)
    different = [text for text, calls in zip(texts, theirs, strict=True) if calls != calls_of_program(texts[text])]
    assert different == []


def test_the_text_that_is_written_anew_runs_as_the_text_that_came_in_among_files_with_hostile_names(
    tmp_path: Path,
) -> None:
    texts = accepted_texts()
    for name in FILES:
        (tmp_path / name).touch()
    before = _runs(list(texts), tmp_path, with_patterns=True)
    after = _runs([written_anew(program) for program in texts.values()], tmp_path, with_patterns=True)
    assert [text for text, one, other in zip(texts, before, after, strict=True) if one != other] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("t0 x${A}y", 2),
        ("t0 {a,b}", 3),
        ("t0 a {b}>/dev/null", 2),
        ("t0 $'\\x41'", 2),
        ("t0 a#b", 2),
        ("t0 #b", 1),
        ("t0 a\\\nb", 2),
    ],
)
def test_the_comparison_sees_what_bash_makes_of_a_text(text: str, words: int, tmp_path: Path) -> None:
    (calls,) = calls_of_bash([text], tmp_path)
    assert [len(call) - 3 for call in calls] == [words]


def test_the_comparison_sees_which_commands_run_and_where_their_descriptors_lead(tmp_path: Path) -> None:
    (calls,) = calls_of_bash(["f0 && t0; ! f1 2>&1 >/dev/null | t1 <in || A=1 t2"], tmp_path)
    expected = [("f0", "unset", "unset", "012"), ("f1", "unset", "unset", "0np"), ("t1", "unset", "unset", "i12")]
    assert calls == Counter([*expected, ("t2", "1", "unset", "012")])


def _runs(texts: list[str], room: Path, *, with_patterns: bool) -> list[Counter[Call]]:
    runs: list[Counter[Call]] = []
    for start in range(0, len(texts), 2_000):
        runs += calls_of_bash(texts[start : start + 2_000], room, with_patterns=with_patterns)
    return runs

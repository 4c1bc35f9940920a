"""xargs: what it runs is judged with words behind it that nobody has seen, wherever those come to stand."""

import pytest

from pi_sandbox.bash_policy.classify import classify


def _runs(command: str) -> str:
    decision = classify(command)
    assert decision.run is not None, decision.reason
    return decision.run.command


@pytest.mark.parametrize(
    ("command", "runs"),
    [
        ("xargs grep -l x", "xargs -- grep -l -- x"),
        ("xargs rg -- x", "xargs -- rg --no-config -- x"),
        (
            "xargs -n1 git log -1 --",
            "xargs -n1 -- git --no-pager --no-optional-locks log --no-ext-diff --no-textconv -n1 --",
        ),
        ("xargs -I{} head -1 {}", "xargs '-I{}' -- head -n1 -- '{}'"),
        ("xargs -I{} basename {} .md", "xargs '-I{}' -- basename '{}' .md"),
        ("xargs -I{} sed -n -- 1p notes/{}", "xargs '-I{}' -- sed --sandbox -n -- 1p 'notes/{}'"),
        ("xargs", "xargs"),
        ("xargs -0 -r", "xargs -0 -r"),
        ("xargs docker inspect", "xargs -- docker inspect"),
        ("xargs awk -F: -- 1", "POSIXLY_CORRECT=1 xargs -- awk -F: -- 1"),
        ("xargs -I{} gawk -- 1 notes/{}", "POSIXLY_CORRECT=1 xargs '-I{}' -- gawk --sandbox -- 1 'notes/{}'"),
        ("xargs less -N --", "xargs -- cat --"),
        ("xargs -n1 tail -n 2", "xargs -n1 -- tail -n2 --"),
    ],
)
def test_the_fixed_words_are_made_anew(command: str, runs: str) -> None:
    assert _runs(f"ls | {command}") == f"ls | {runs}"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("xargs rg x", "rg behind xargs needs a --"),
        ("xargs rg -e --", "rg behind xargs needs a --"),
        ("xargs find .", "find is refused behind xargs"),
        ("xargs git branch --", "git behind xargs needs a --"),
        ("xargs gawk 1", "gawk behind xargs needs a -- before its program"),
        ("xargs xargs cat", "xargs is refused behind xargs"),
        ("xargs -I{} {}", "holds the mark {}"),
        ("xargs awk 1", "awk behind xargs needs a -- before its program"),
        ("xargs -I{} sed -n -- '{}p' a", "the mark {} may only stand behind all options and scripts"),
        ("xargs -I{} stat -c '{}' a", "the mark {} may only stand behind all options and scripts"),
        ("xargs -Ic rg -- x c", "the mark c of xargs also stands in options"),
        ("xargs -I{} rg -- ./* {}", "a pattern before the mark"),
        ("xargs -I{} -n1 cat {}", "takes back -I"),
        ("xargs -p cat", "asks before each command"),
    ],
)
def test_a_command_that_words_could_make_do_more_is_refused(command: str, reason: str) -> None:
    decision = classify(f"ls | {command}")
    assert decision.run is None
    assert reason in decision.reason

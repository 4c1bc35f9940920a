"""find: a pattern passes only where no word of its language has its form."""

import fnmatch
import subprocess
from pathlib import Path

import pytest

from pi_sandbox.bash_policy.classify import classify
from pi_sandbox.bash_policy.commands import find

_ACTIONS = ("-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprint0", "-fprintf", "-fls", "-files0-from")


@pytest.mark.parametrize("pattern", ["*.md", "*a*.md", "a*", "notes/*", "./*", "[a-z]*.md", "*.[ch]", "?.md", "*.m?"])
def test_a_pattern_that_is_no_word_of_find_passes_as_a_value_and_as_a_path(pattern: str) -> None:
    decision = classify(f"find . -name {pattern}")
    assert decision.run is not None, decision.reason
    assert decision.run.command == f"find . -name '{pattern}'"
    assert not any(fnmatch.fnmatchcase(action, pattern) for action in _ACTIONS)
    assert classify(f"find {pattern} -type f").run is not None


@pytest.mark.parametrize(
    "pattern",
    ["*", "-*", "*e", "?delete", "[-]delete", "[!a]*", "*t", "-d*", "**", "[[:punct:]]delete", "[a-z-]*", "???", "?"],
)
def test_a_pattern_that_could_be_a_word_of_find_is_refused_as_a_value_and_as_a_path(pattern: str) -> None:
    assert classify(f"find . -name {pattern}").run is None
    assert classify(f"find {pattern} -type f").run is None


def test_find_knows_no_action_that_is_neither_listed_nor_refused() -> None:
    said = subprocess.run(["find", "--help"], capture_output=True, text=True, check=False).stdout
    words = {word.strip(",:.") for word in said.split() if word.startswith("-") and not word.startswith("--")}
    assert {"-exec", "-delete", "-printf", "-newer"} <= words
    assert words - {"-Olevel", "-N", "-"} <= set(find._LANGUAGE)


@pytest.mark.parametrize("action", _ACTIONS)
def test_every_action_that_does_more_is_refused_with_its_reason(action: str, tmp_path: Path) -> None:
    for command in (f"find {action}", f"find . {action} x", f"find . -name a {action} x", f"find . -name {action}"):
        decision = classify(command)
        assert decision.run is None
        assert action in decision.reason

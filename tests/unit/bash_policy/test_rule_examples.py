"""The examples beside each rule are true, and each rule has enough of them."""

import re

import pytest

from pi_sandbox.bash_policy.classify import classify
from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule
from pi_sandbox.bash_policy.program import RESERVED
from pi_sandbox.bash_policy.registry import rules_by_name
from tests.unit.bash_policy.labelled import rules


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.names[0])
def test_the_examples_of_a_rule_are_true(rule: CommandRule) -> None:
    for command in rule.allowed:
        decision = classify(command)
        assert decision.run is not None, f"{command!r} is refused: {decision.reason}"
    for command in rule.refused:
        decision = classify(command)
        assert decision.run is None, f"{command!r} is allowed and runs as {decision.run}"


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.names[0])
def test_each_rule_names_its_manual_and_has_an_allowed_and_a_refused_example(rule: CommandRule) -> None:
    assert rule.manual
    assert rule.allowed
    assert rule.refused or rule.added_words is AddedWords.HARMLESS


def test_no_command_has_a_name_that_means_something_else_to_bash_without_its_quotes() -> None:
    names = rules_by_name().keys()
    assert names.isdisjoint(RESERVED)
    assert [name for name in names if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.+-]*|[:\[]", name)] == []

"""The examples beside each rule are true, and each rule has enough of them."""

import pytest

from pi_sandbox.bash_policy.classify import classify
from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule
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

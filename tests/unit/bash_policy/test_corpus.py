"""Every labelled command of the corpus gets its verdict, and the corpus is one to trust."""

from collections import Counter

import pytest

from pi_sandbox.bash_policy.classify import LONGEST_REASON, classify
from pi_sandbox.bash_policy.decision import Verdict
from tests.unit.bash_policy.labelled import Labelled, corpus_commands

SOURCES = sorted({entry.source for entry in corpus_commands()})


@pytest.mark.parametrize("source", SOURCES)
def test_every_command_of_the_corpus_gets_its_verdict(source: str) -> None:
    wrong = [_said(entry) for entry in corpus_commands() if entry.source == source and not _is_right(entry)]
    assert not wrong, "\n".join(wrong)


def test_the_corpus_holds_at_least_1500_different_commands_and_no_two_labels_for_one() -> None:
    verdicts: dict[tuple[str, str | None], set[str]] = {}
    for entry in corpus_commands():
        verdicts.setdefault((entry.command, entry.memory_dir), set()).add(entry.verdict)
    assert len(verdicts) >= 1_500
    assert [command for command, labels in verdicts.items() if len(labels) > 1] == []


def test_the_corpus_holds_all_three_verdicts_in_numbers() -> None:
    verdicts = Counter(entry.verdict for entry in corpus_commands())
    assert verdicts.keys() == {verdict.value for verdict in Verdict}
    assert verdicts["read-only"] >= 500
    assert verdicts["reject"] >= 500
    assert verdicts["delete"] >= 30


def test_a_decision_carries_exactly_what_its_verdict_needs() -> None:
    for entry in corpus_commands():
        decision = classify(entry.command, entry.memory_dir)
        assert (decision.run is not None) == (decision.verdict is Verdict.READ_ONLY)
        assert (decision.delete is not None) == (decision.verdict is Verdict.DELETE)
        assert decision.reason.isprintable()
        assert 0 < len(decision.reason) <= LONGEST_REASON + 3


def test_what_runs_is_judged_read_only_itself_and_runs_unchanged() -> None:
    for entry in corpus_commands():
        decision = classify(entry.command, entry.memory_dir)
        if decision.run is not None:
            again = classify(decision.run.command)
            assert again.run is not None, (entry.command, decision.run.command, again.reason)


def _is_right(entry: Labelled) -> bool:
    decision = classify(entry.command, entry.memory_dir)
    return decision.verdict.value == entry.verdict and entry.reason in decision.reason


def _said(entry: Labelled) -> str:
    decision = classify(entry.command, entry.memory_dir)
    return (
        f"{entry.command!r}: {decision.verdict.value} ({decision.reason}) instead of {entry.verdict} ({entry.reason})"
    )

"""Options read against a table: which patterns may pass, what keeps its order, and what words are made anew."""

import pytest

from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.options import (
    Option,
    OptionTable,
    Parsed,
    Takes,
    literal,
    matches,
    one_of,
    plain_options,
    value_options,
    whole_number,
)
from pi_sandbox.bash_policy.words import Piece, Word

OPTIONS = (
    *plain_options("-i/--ignore -v"),
    *value_options("-g/--glob -e"),
    *value_options("-n", whole_number),
    *value_options("-s", literal),
    *value_options("--color/--colour", one_of("auto", "never"), takes=Takes.BOUND_VALUE),
)
TABLE = OptionTable("x", OPTIONS, number="-n")
ONLY_READS = OptionTable("x", OPTIONS, only_reads=True)
NO_DASHES = OptionTable("x", OPTIONS, dashed=frozenset({"-e"}))


def _open(text: str) -> Word:
    return Word((Piece(text, quoted=False),))


def _parse(table: OptionTable, *texts: str) -> Parsed:
    return table.parse(tuple(_open(text) for text in texts))


def _runs(table: OptionTable, *texts: str) -> list[str]:
    return [word.shell_text() for word in _parse(table, *texts).words()]


@pytest.mark.parametrize(
    ("given", "runs"),
    [
        (["-iv", "a"], ["-i", "-v", "--", "a"]),
        (["a", "-i"], ["-i", "--", "a"]),
        (["--ignore", "--glob=b", "--glob", "c"], ["-i", "-gb", "-gc"]),
        (["-gb", "-g", "c", "-ig", "d"], ["-gb", "-gc", "-i", "-gd"]),
        (["-5"], ["-n5"]),
        (["--color"], ["--color"]),
        (["--colour=never"], ["--color=never"]),
        (["-g", "-"], ["-g-"]),
        (["--"], ["--"]),
        (["--", "-x", "a"], ["--", "-x", "a"]),
        (["-", "a"], ["--", "-", "a"]),
        (["-g", ""], ["-g", "''"]),
        (["-g", "~/b"], ["-g", "~/b"]),
        (["~/b"], ["--", "~/b"]),
    ],
)
def test_options_are_made_anew_and_operands_cannot_be_options(given: list[str], runs: list[str]) -> None:
    assert _runs(TABLE, *given) == runs


@pytest.mark.parametrize(
    "given", [["-x"], ["--glo=b"], ["--ignore=1"], ["-n"], ["-nx"], ["--color=x"], ["-ix"], ["-n", "~/5"], ["---"]]
)
def test_what_the_table_does_not_hold_is_refused(given: list[str]) -> None:
    with pytest.raises(Refused):
        _parse(TABLE, *given)


@pytest.mark.parametrize(
    ("given", "runs"),
    [
        (["--glob=*.md"], ["'-g*.md'"]),
        (["-g*.md"], ["'-g*.md'"]),
        (["-ig*.md"], ["-i", "'-g*.md'"]),
        (["./*.md"], ["--", "./*.md"]),
        (["--", "*"], ["--", "*"]),
        (["a*"], ["--", "a*"]),
    ],
)
def test_a_pattern_that_cannot_become_another_option_passes(given: list[str], runs: list[str]) -> None:
    assert _runs(TABLE, *given) == runs


@pytest.mark.parametrize(
    "given",
    [
        ["*"],
        ["?x"],
        ["[-]x"],
        ["-*"],
        ["-i*"],
        ["-?"],
        ["--*"],
        ["--gl*=b"],
        ["-g", "*.md"],
        ["-n*"],
        ["-s*"],
        ["-[i]"],
    ],
)
def test_a_pattern_that_could_become_another_option_is_refused(given: list[str]) -> None:
    with pytest.raises(Refused):
        _parse(TABLE, *given)


def test_a_command_whose_options_only_read_takes_patterns_as_values_and_operands() -> None:
    assert _runs(ONLY_READS, "-g", "*.md", "*") == ["'-g*.md'", "--", "*"]


def test_a_value_that_looks_like_an_option_is_refused_where_a_program_may_disagree() -> None:
    with pytest.raises(Refused, match="looks like an option"):
        _parse(NO_DASHES, "-g", "--output=x")
    with pytest.raises(Refused, match="looks like an option"):
        _parse(NO_DASHES, "-g", "--", "a")
    assert _runs(NO_DASHES, "-e", "-x", "--glob=-y") == ["-e-x", "-g-y"]


def test_words_in_order_keep_their_places_and_the_end_of_options() -> None:
    parsed = _parse(TABLE, "a", "-i", "b", "-g", "c", "--", "d", "-v")
    assert [word.text for word in parsed.words_in_order()] == ["a", "-i", "b", "-gc", "--", "d", "-v"]
    assert [word.text for word in parsed.behind_end] == ["d", "-v"]


def test_a_table_that_stops_at_the_first_operand_leaves_the_rest_alone() -> None:
    parsed = _parse(OptionTable("x", OPTIONS, stops_at_operand=True), "-i", "a", "-unknown", "--", "b")
    assert [word.text for word in parsed.operands] == ["a", "-unknown", "--", "b"]
    assert not parsed.ended
    assert parsed.behind_end == ()


def test_without_an_end_of_options_an_operand_with_a_dash_is_refused() -> None:
    with pytest.raises(Refused, match="looks like an option"):
        _parse(TABLE, "--", "-x").words(end_of_options=False)
    assert [word.text for word in _parse(TABLE, "--", "x").words(end_of_options=False)] == ["x"]


def test_advice_stands_in_the_reason() -> None:
    with pytest.raises(Refused, match="the option -o of x writes; leave it out"):
        _parse(OptionTable("x", (Option(("-i",)),), advice={"-o": "writes; leave it out"}), "-o")


def test_a_check_by_form_wants_the_whole_value() -> None:
    assert matches("a+")("aaa")
    assert not matches("a+")("aab")
    assert not matches("a+")("aa\n")

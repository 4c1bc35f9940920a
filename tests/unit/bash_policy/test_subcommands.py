"""Programs with subcommands: a form is found by its names, and takes as many operands as it says."""

import pytest

from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.options import OptionTable, plain_options
from pi_sandbox.bash_policy.subcommands import Queries, Query, find_query, judge_operands
from pi_sandbox.bash_policy.words import Piece, Word

_TABLE = OptionTable("x", plain_options("-a"))
QUERIES: Queries = {
    ("list",): Query(_TABLE),
    ("stash", "list"): Query(_TABLE, most_operands=1),
    ("log",): Query(_TABLE),
    ("log", "show"): Query(_TABLE),
    ("branch",): Query(_TABLE),
    ("branch", "--current"): Query(_TABLE),
}


def _words(text: str) -> tuple[Word, ...]:
    return tuple(Word((Piece(part, quoted=False),)) for part in text.split())


def test_the_longest_names_are_taken() -> None:
    names, query, rest = find_query("x", QUERIES, _words("stash list -a b"))
    assert names == ("stash", "list")
    assert query is QUERIES["stash", "list"]
    assert [word.text for word in rest] == ["-a", "b"]
    assert find_query("x", QUERIES, _words("list stash"))[0] == ("list",)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("", "lacks a subcommand"),
        ("l*", "lacks a subcommand"),
        ("stash", "x stash is not among the forms that only read: stash list"),
        ("stash pop", "x stash pop is not among the forms that only read: stash list"),
        ("push", "x push is not among the subcommands"),
        ("-a list", "x -a is not among the subcommands"),
    ],
)
def test_other_names_are_refused(words: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        find_query("x", QUERIES, _words(words))


@pytest.mark.parametrize("words", ["a b", "./*", "-- -a", "-- -*"])
def test_operands_that_would_do_more_are_refused(words: str) -> None:
    query = QUERIES["stash", "list"]
    with pytest.raises(Refused):
        judge_operands("x", ("stash", "list"), query, query.table.parse(_words(words)))


def test_where_any_number_does_no_harm_patterns_pass() -> None:
    query = QUERIES[("list",)]
    judge_operands("x", ("list",), query, query.table.parse(_words("a ./* b -- *.md")))


@pytest.mark.parametrize("words", ["log dro[p]", "log -a dro[p]", "log a ./*", "log -- *"])
def test_behind_a_name_that_others_may_follow_a_pattern_is_refused(words: str) -> None:
    with pytest.raises(Refused, match="could become the name of another form of x"):
        find_query("x", QUERIES, _words(words))


@pytest.mark.parametrize("words", ["log a", "log -a*", "log show ./*", "branch ./*", "list ./*"])
def test_elsewhere_a_pattern_is_left_to_the_form(words: str) -> None:
    assert find_query("x", QUERIES, _words(words))

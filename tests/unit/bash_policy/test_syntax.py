"""A text becomes a program only where both readers agree, and never a program that bash does not run."""

import contextlib
import time

import pytest
from tree_sitter import Node

from pi_sandbox.bash_policy import syntax
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.program import Program
from pi_sandbox.bash_policy.syntax import LONGEST_COMMAND, parse
from pi_sandbox.bash_policy.tokens import tokenize, without_continuations


def _shape(program: Program) -> list[tuple[str, str, list[list[str]]]]:
    return [
        (pipeline.joined_by, pipeline.before, [[word.text for word in command.words] for command in pipeline.commands])
        for pipeline in program.pipelines
    ]


def test_a_program_is_pipelines_in_their_order_with_the_operator_before_each() -> None:
    assert _shape(parse("a 1 | b && c || ! d; time e | g\ntime -p f # h")) == [
        ("", "", [["a", "1"], ["b"]]),
        ("&&", "", [["c"]]),
        ("||", "!", [["d"]]),
        (";", "time", [["e"], ["g"]]),
        (";", "time -p", [["f"]]),
    ]


@pytest.mark.parametrize(
    "text",
    [
        *("time", "time -p", "time; a", "time\na", "time | a", "time && a", "time >/dev/null", "time A=1"),
        *("! time a", "time ! a", "a | time b", "A=1 time a", "2>/dev/null time a", "time time a"),
    ],
)
def test_time_stands_only_before_a_whole_pipeline(text: str) -> None:
    with pytest.raises(Refused):
        parse(text)


def test_redirections_and_variables_stand_beside_the_words_in_their_order() -> None:
    command = parse("LC_ALL=C 2>/dev/null TZ='a b' ls -l </dev/null x 2>&1").only_command
    assert command is not None
    assert [(each.name, each.value.text) for each in command.assignments] == [("LC_ALL", "C"), ("TZ", "a b")]
    assert [word.text for word in command.words] == ["ls", "-l", "x"]
    assert [(each.sign, each.target.text) for each in command.redirections] == [
        ("2>", "/dev/null"),
        ("<", "/dev/null"),
        ("2>&", "1"),
    ]


@pytest.mark.parametrize("text", ["a; b", "a | b", "! a", "a && b", "time a", "time -p a"])
def test_a_program_of_more_than_one_simple_command_has_no_only_command(text: str) -> None:
    assert parse(text).only_command is None


@pytest.mark.parametrize("changed", ["spans", "commands", "quotes"])
def test_a_difference_between_the_two_readers_is_a_refusal(changed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "ls 'a b' | wc -l"
    parse(text)
    take = syntax._TreeView.take

    def take_another_view(view: syntax._TreeView, node: Node) -> None:
        take(view, node)
        if node.type == "program":
            getattr(view, changed).pop()

    monkeypatch.setattr(syntax._TreeView, "take", take_another_view)
    with pytest.raises(Refused, match="differently"):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "if a; then b; fi",
            "f() { a; }",
            "(a)",
            "{ a; }",
            "a $(b)",
            "a `b`",
            "a <(b)",
            "a <<E\nE\n",
            "a ${b}",
            "a &",
        ),
        *("[[ a ]]", "while a; do b; done", "case a in b) c;; esac", "a=(b)", "((a))", "declare a", "export a=b"),
        *("unset a", "a $b", "a $((1))", "a <<< b", "a >| b", "a[0]=1 b", "a {1..3}"),
    ],
)
def test_the_tree_alone_refuses_what_is_not_on_its_list(text: str) -> None:
    """The wall of the tokenizer is left out here: each wall must hold by itself."""
    view = syntax._TreeView(None)
    root = syntax._parser().parse(text.encode()).root_node
    with pytest.raises(Refused):
        view.take(root)


@pytest.mark.parametrize("text", ["a \\\n b", "a\\\nb", '"a\\\nb"', "a \\\n\\\n b", "a # \\\n", "'a\\\nb'"])
def test_a_text_without_its_continuations_has_the_same_words(text: str) -> None:
    words = [token.word for token in tokenize(text)]
    joined = without_continuations(text)
    assert [token.word for token in tokenize(joined)] == words
    assert without_continuations(joined) == joined


def test_a_longer_command_than_any_that_reads_is_refused() -> None:
    parse("ls " + "a" * (LONGEST_COMMAND - 3))
    with pytest.raises(Refused, match="longer than"):
        parse("ls " + "a" * (LONGEST_COMMAND - 2))


@pytest.mark.parametrize(
    "part",
    ["&& a ", "|| a ", "a ", ";a", "|a", " 'a'", " <a", "\\\na", "é ", "(", "$(", "{", "[", '"$ "', "<<A\n", "for "],
)
def test_the_longest_command_is_judged_in_bounded_time(part: str) -> None:
    text = ("a " + part * LONGEST_COMMAND)[: LONGEST_COMMAND - 1]
    start = time.process_time()
    with contextlib.suppress(Refused):
        parse(text)
    assert time.process_time() - start < 2


@pytest.mark.parametrize("text", ["a \ud800", "\udfff"])
def test_a_text_that_is_not_unicode_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="Unicode"):
        parse(text)


@pytest.mark.parametrize(
    "text", ["a" + " && a" * 1_600, "a" + " || a" * 1_600, "[ " + "! " * 4_000 + "a ]", "a" + " | a" * 2_000]
)
def test_a_long_row_is_no_deeper_than_a_short_one(text: str) -> None:
    assert parse(text).pipelines

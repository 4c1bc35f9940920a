"""seq, factor, numfmt, expr, bc: numbers.

- seq takes numbers of at most nine digits, no infinity, and prints at most ten million. What the
  format of seq and numfmt may hold, they check.
- expr has no options; its words may be anything. A pattern in them is taken as it is written.
- bc is a language whose standard input is read by bc alone: it can neither run nor write. A file of it is not judged.
"""

from __future__ import annotations

import re
from decimal import Decimal

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.table_rules import option_table, table_rule
from pi_sandbox.bash_policy.words import Word

_SEQ = option_table("seq", "-f/--format= -s/--separator= -w/--equal-width", stops_at_operand=True)
_SEQ_NUMBER = re.compile(r"[+-]?[0-9]{1,9}(\.[0-9]{1,9})?")
_MOST_NUMBERS = 10_000_000
_BC = option_table("bc", "-l/--mathlib -q/--quiet -s/--standard -w/--warn")


def _judge_seq(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    parsed = _SEQ.parse(_with_end_of_options(words))
    for operand in parsed.operands:
        if not _is_number(operand):
            raise Refused(f"seq counts with numbers of at most nine digits, not {operand.text}")
    if _count([Decimal(operand.text) for operand in parsed.operands]) > _MOST_NUMBERS:
        raise Refused(f"seq with more than {_MOST_NUMBERS} numbers is refused; count fewer, or in greater steps")
    return Judged(parsed.words())


def _count(numbers: list[Decimal]) -> Decimal:
    """Give how many numbers seq prints, about: LAST, FIRST LAST or FIRST STEP LAST; seq refuses a step of nothing."""
    if len(numbers) not in (1, 2, 3):
        return Decimal(0)
    first = numbers[0] if len(numbers) > 1 else Decimal(1)
    step = numbers[1] if len(numbers) == 3 else Decimal(1)
    return (numbers[-1] - first) / step if step else Decimal(0)


def _with_end_of_options(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Put `--` before the first number, as seq ends its options there even if the number begins with a dash."""
    for index, word in enumerate(words):
        if word.text == "--":
            return words
        if _is_number(word) and not _is_value(words, index):
            return (*words[:index], Word.literal("--"), *words[index:])
    return words


def _is_number(word: Word) -> bool:
    return word.is_literal and _SEQ_NUMBER.fullmatch(word.text) is not None


def _is_value(words: tuple[Word, ...], index: int) -> bool:
    """Whether the word is the value of `-s` or `-f` before it."""
    return index > 0 and re.fullmatch(r"-w*[sf]|--separator|--format", words[index - 1].text) is not None


def _judge_expr(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    return Judged(tuple(word.taken_literally() if word.is_pattern else word for word in words))


def _judge_bc(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    parsed = _BC.parse(words)
    if parsed.operands:
        raise Refused(f"bc would run the file {parsed.operands[0].text}; write echo '1 + 1' | bc")
    return Judged(parsed.words())


RULES = (
    CommandRule(
        names=("seq",),
        manual="seq(1) of GNU coreutils 9.7",
        judge=_judge_seq,
        added_words=AddedWords.NEVER,
        allowed=("seq 5", "seq 1 2 9", "seq -w 1 10", "seq -s, 5 -1 1", "seq -5 5", "seq -s 1 2 5", "seq -f %03g 1 3"),
        refused=("seq inf", "seq 1 1 infinity", "seq 1 99999999999", "seq *", "seq 1 -x", "seq --sep=, 3", "seq nan"),
    ),
    table_rule(
        "factor(1) and numfmt(1) of GNU coreutils 9.7",
        option_table("factor", "-h/--exponents", only_reads=True),
        option_table(
            "numfmt",
            "--debug -d/--delimiter= --field= --format= --from= --from-unit= --grouping --header=? --invalid= "
            "--padding= --round= --suffix= --to= --to-unit= -z/--zero-terminated",
            only_reads=True,
        ),
        allowed=("factor 12 17", "numfmt --to=iec 1024", "numfmt --from=si --field=2 --header"),
        refused=("numfmt --output=x", "factor -o x 12", "numfmt --fiel=2"),
        opens_files=False,
    ),
    CommandRule(
        names=("expr",),
        manual="expr(1) of GNU coreutils 9.7",
        judge=_judge_expr,
        added_words=AddedWords.HARMLESS,
        allowed=("expr 1 + 2", "expr 2 * 3", "expr length abc", "expr a.md : '\\(.*\\)\\.md'"),
        refused=(),
    ),
    CommandRule(
        names=("bc",),
        manual="bc(1) 1.07 of GNU",
        judge=_judge_bc,
        added_words=AddedWords.NEVER,
        allowed=("bc", "bc -l", "bc -lq"),
        refused=("bc a.bc", "bc -l ./*", "bc -f a.bc", "bc -e 1+1", "bc -i"),
    ),
)

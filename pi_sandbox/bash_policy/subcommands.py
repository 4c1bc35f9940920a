"""Programs with subcommands: each form that only reads has a table of its own, and nothing else is accepted.

- A form is found by its one or two names (`stash list`), each written out. Behind the one name of a form that has
  siblings of two, no word is a pattern: it could become the second name of another form.
- Where more names would do more than read (`git branch NAME` creates), a form says how many it takes; then none of
  them may be a pattern, which can become several.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.options import OptionTable, Parsed
from pi_sandbox.bash_policy.words import Word


@dataclass(frozen=True, slots=True)
class Query:
    """A subcommand in a form that only reads.

    `most_operands` is None where any number does no harm. `check` refuses what the table cannot tell. `added` holds
    options that make the form certain. `dashes_behind_end` says that the form itself takes every word behind `--` for
    an operand; another may hand its operands on to a form that does not.
    """

    table: OptionTable
    most_operands: int | None = None
    check: Callable[[Parsed], None] | None = None
    added: tuple[str, ...] = ()
    dashes_behind_end: bool = False


Queries = Mapping[tuple[str, ...], Query]


def find_query(
    program: str, queries: Queries, words: tuple[Word, ...]
) -> tuple[tuple[str, ...], Query, tuple[Word, ...]]:
    """Give the names of the form that these words begin with, the form, and the words behind the names."""
    names = tuple(word.text for word in words[:2] if word.is_literal)
    if not words or not words[0].is_literal:
        raise Refused(f"{program} lacks a subcommand that is written out")
    for length in (2, 1):
        query = queries.get(names[:length])
        if len(names) >= length and query is not None:
            if length == 1 and _has_siblings(queries, names[0]):
                _refuse_open_name(program, words[1:])
            return names[:length], query, words[length:]
    forms = ", ".join(" ".join(key) for key in queries if key[0] == names[0])
    if forms:
        raise Refused(f"{program} {' '.join(names)} is not among the forms that only read: {forms}")
    raise Refused(f"{program} {names[0]} is not among the subcommands of {program} that only read")


def _has_siblings(queries: Queries, name: str) -> bool:
    return any(len(key) > 1 and key[0] == name and not key[1].startswith("-") for key in queries)


def _refuse_open_name(program: str, words: tuple[Word, ...]) -> None:
    for word in words:
        if word.is_pattern and not word.fixed_start.startswith("-"):
            raise Refused(f"the pattern {word.text} could become the name of another form of {program}; quote it")


def judge_operands(program: str, names: tuple[str, ...], query: Query, parsed: Parsed) -> None:
    """Raise `Refused` where the operands would make the form do more than read."""
    text = " ".join((program, *names))
    if query.check is not None:
        query.check(parsed)
    for operand in () if query.dashes_behind_end else parsed.behind_end:
        if operand.fixed_start.startswith("-"):
            raise Refused(f"the name {operand.text} looks like an option; write ./{operand.text}")
    if query.most_operands is None:
        return
    if len(parsed.operands) > query.most_operands:
        raise Refused(f"{text} with {len(parsed.operands)} names does more than read; give it fewer")
    for operand in parsed.operands:
        if operand.is_pattern:
            raise Refused(f"the pattern {operand.text} may be several names for {text}; write them out")

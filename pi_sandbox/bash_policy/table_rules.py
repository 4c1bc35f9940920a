"""Makes the rule of a command whose options, read against a table, are all there is to judge.

- The text of a table: `-a/--all` takes no value, `-n/--lines=` takes one, `--color=?` takes one only when it is bound.
- A command of which no option does harm may get any words; of another, operands that cannot become options.
- A device is not read: most have no end, and reading some does something. `ls` and its like only look at its entry.
"""

from __future__ import annotations

from collections.abc import Mapping

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.devices import option_values, refuse_devices
from pi_sandbox.bash_policy.options import Option, OptionTable, Takes
from pi_sandbox.bash_policy.words import Word


def option_list(text: str) -> tuple[Option, ...]:
    """Give the options of a table written as one text."""
    return tuple(_option(group) for group in text.split())


def _option(group: str) -> Option:
    if group.endswith("=?"):
        return Option(tuple(group[:-2].split("/")), Takes.BOUND_VALUE)
    if group.endswith("="):
        return Option(tuple(group[:-1].split("/")), Takes.VALUE)
    return Option(tuple(group.split("/")))


def option_table(
    command: str,
    options: str,
    *more: Option,
    number: str | None = None,
    only_reads: bool = False,
    stops_at_operand: bool = False,
    dashed: frozenset[str] = frozenset(),
    advice: Mapping[str, str] | None = None,
) -> OptionTable:
    """Give the table for a command: the options of the text, `--help`, `--version` and the further ones."""
    return OptionTable(
        command,
        option_list(options + " --help --version") + more,
        number=number,
        only_reads=only_reads,
        stops_at_operand=stops_at_operand,
        dashed=dashed,
        advice=advice or {},
    )


def table_rule(
    manual: str,
    *tables: OptionTable,
    allowed: tuple[str, ...],
    refused: tuple[str, ...],
    opens_files: bool = True,
) -> CommandRule:
    """Give the rule of the commands that these tables describe; all of them only read, or none is said to."""
    by_name = {table.command: table for table in tables}

    def judge(name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
        parsed = by_name[name].parse(words)
        if opens_files:
            refuse_devices(name, (*parsed.operands, *option_values(parsed)))
        return Judged(parsed.words(), options_ended=parsed.ended)

    only_reads = all(table.only_reads for table in tables)
    return CommandRule(
        names=tuple(by_name),
        manual=manual,
        judge=judge,
        allowed=allowed,
        refused=refused,
        added_words=AddedWords.HARMLESS if only_reads else AddedWords.AFTER_END_OF_OPTIONS,
    )

"""pwd, basename, dirname: names of places. They open nothing."""

from __future__ import annotations

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.options import OptionTable, plain_options, value_options
from pi_sandbox.bash_policy.words import Word

_TABLES = {
    "pwd": OptionTable("pwd", plain_options("-L -P")),
    "basename": OptionTable(
        "basename",
        plain_options("-a/--multiple -z/--zero --help --version") + value_options("-s/--suffix"),
        stops_at_operand=True,
    ),
    "dirname": OptionTable("dirname", plain_options("-z/--zero --help --version")),
}


def _judge(name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    return Judged(_TABLES[name].parse(words).words())


RULES = (
    CommandRule(
        names=("pwd", "basename", "dirname"),
        manual="bash(1) 5.2, basename(1) and dirname(1) of GNU coreutils 9.7",
        judge=_judge,
        added_words=AddedWords.HARMLESS,
        allowed=("pwd", "pwd -P", "basename notes/a.md .md", "dirname -z notes/a.md"),
        refused=("pwd --help=all", "basename --suf=.md a.md", "dirname --null a"),
    ),
)

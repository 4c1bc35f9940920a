"""date, cal, ncal: times and calendars.

- date sets the clock with -s, and, in GNU's and in the BSD's, with an operand that does not begin with a plus sign.
- `-f` reads a file in GNU's and gives the form of a time to set in the BSD's, so it is refused.
- `-v` and `-j` exist in the BSD's alone, where they only print; GNU's ends with an error.
"""

from __future__ import annotations

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.options import Option, Takes, matches
from pi_sandbox.bash_policy.table_rules import option_table, table_rule
from pi_sandbox.bash_policy.words import Word

_SETS = "sets the clock; write date, or date -d TIME to show another time"
_DATE = option_table(
    "date",
    "-d/--date= -u/--utc/--universal -R/--rfc-email/--rfc-822 -I/--iso-8601=? --rfc-3339= -r/--reference= --resolution "
    "--debug -j",
    Option(("-v",), Takes.VALUE, matches(r"[+-]?[0-9]{1,9}[ymwdHMS]")),
    dashed=frozenset({"-d", "--date"}),
    advice={
        "-s": _SETS,
        "--set": _SETS,
        "-f": "reads a file of times; write -d TIME",
        "--file": "reads a file of times",
    },
)
_CAL = "-1/--one -3/--three -A= -B= -b -C -d= -e -h -H= -j/--julian -J -m= -M -N -o -p -s= -S -w -W= -y/--year -V"


def _judge_date(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    parsed = _DATE.parse(words)
    for operand in parsed.operands:
        if not operand.is_literal or not operand.text.startswith("+"):
            raise Refused(
                f"date would set the clock to {operand.text}; a format begins with + and is quoted: date '+%F'"
            )
    return Judged(parsed.words(end_of_options=False))


RULES = (
    CommandRule(
        names=("date",),
        manual="date(1) of GNU coreutils 9.7",
        judge=_judge_date,
        added_words=AddedWords.NEVER,
        allowed=(
            "date",
            "date +%F",
            "date -u '+%Y-%m-%d %H:%M'",
            "date -d 'yesterday' +%s",
            "date -d @0 -Iseconds",
            "date --rfc-3339=seconds",
            "date -r a.md",
            "date -v-7d +%F",
        ),
        refused=(
            "date -s 2020-01-01",
            "date -us 12:00",
            "date --set=12:00",
            "date --se 12:00",
            "date 010112002020",
            "date -u 01011200",
            "date -- 0101",
            "date -f times",
            "date +%F*",
            "date *",
            "date -v 12:00",
        ),
    ),
    table_rule(
        "cal(1) and ncal(1) of Debian's ncal 12.1.8",
        option_table("cal", _CAL, only_reads=True),
        option_table("ncal", _CAL, only_reads=True),
        allowed=("cal", "cal -3", "cal 2025", "cal 3 2025", "ncal -w -m 5"),
        refused=("cal --output=x", "cal -Z", "ncal -f x"),
        opens_files=False,
    ),
)

"""more: with standard output that is no terminal it prints, as cat does.

- more runs commands only from a terminal; PAGERSECURE, set in `environment`, forbids them even there.
- less and bat have no rule: less takes LESSOPEN, a program, from ~/.lesskey, and bat a pager from its configuration. A
  text as it is written cannot keep them from it.
"""

from __future__ import annotations

from pi_sandbox.bash_policy.command_rule import CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.devices import refuse_devices
from pi_sandbox.bash_policy.table_rules import option_table
from pi_sandbox.bash_policy.words import Word

_MORE = option_table("more", "-d -e -f -l -p -c -s -u -n/--lines=", number="-n")


def _judge_more(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    parsed = _MORE.parse(words)
    for operand in parsed.operands:
        if operand.text.startswith("+"):
            raise Refused(f"more would take {operand.text} for a command; write sed -n or head, or ./ before a file")
    refuse_devices("more", parsed.operands)
    return Judged(parsed.words())


RULES = (
    CommandRule(
        names=("more",),
        manual="more(1) of util-linux 2.41",
        judge=_judge_more,
        allowed=("more a.md", "more -20 a.md", "more -- -x"),
        refused=("more +/x a.md", "more -- '+!touch x'", "more *", "more /dev/zero"),
    ),
)

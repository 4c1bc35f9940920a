"""timeout: another command, with a limit of time. What may run alone may run behind it, and nothing else."""

from __future__ import annotations

import re

from pi_sandbox.bash_policy.command_rule import CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.options import matches, value_options
from pi_sandbox.bash_policy.table_rules import option_table
from pi_sandbox.bash_policy.words import Word

_DURATION = r"[0-9]{1,4}(\.[0-9]{1,3})?[sm]?"
_TABLE = option_table(
    "timeout",
    "--foreground/-f --preserve-status/-p --verbose/-v",
    *value_options("-k/--kill-after", matches(_DURATION)),
    *value_options("-s/--signal", matches(r"(SIG)?(TERM|KILL|INT|HUP|QUIT)|9|15")),
    stops_at_operand=True,
)


def _judge(_name: str, words: tuple[Word, ...], surroundings: Surroundings) -> Judged:
    parsed = _TABLE.parse(words)
    if not parsed.operands and parsed.has("--help", "--version"):
        return Judged(parsed.words())
    duration, command = parsed.operands[:1], parsed.operands[1:]
    if not command or not duration[0].is_literal or not re.fullmatch(_DURATION, duration[0].text):
        raise Refused("timeout takes a number of seconds and a command, as timeout 10 grep -r word notes")
    if command[0].text.rpartition("/")[2] in ("timeout", "xargs"):
        raise Refused(f"{command[0].text} is refused behind timeout; write it without timeout")
    inner = surroundings.judge_inner(command)
    return Judged(parsed.with_operands((*duration, *inner.words)).words(), inner.environment)


RULES = (
    CommandRule(
        names=("timeout",),
        manual="timeout(1) of GNU coreutils 9.7",
        judge=_judge,
        allowed=("timeout 10 cat a.md", "timeout -k 1 5s ls -la", "timeout --signal=KILL 2 sort -n a.md"),
        refused=(
            "timeout",
            "timeout 10",
            "timeout 10 sh -c id",
            "timeout 10 sort -o b a",
            "timeout -s x 10 ls",
            "timeout 1d ls",
            "timeout 5 timeout 5 ls",
            "timeout 5 xargs ls",
            "timeout 5 cd notes",
            "timeout * ls",
            "timeout -- 5 rm a.md",
            "timeout --kill=1 5 ls",
        ),
    ),
)

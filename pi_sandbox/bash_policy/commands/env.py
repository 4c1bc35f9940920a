"""env: shows the environment, or runs another command with variables that may stand before any command.

- What may run alone may run behind it, and nothing else. Its options change what a command finds (`-i`, `-u`), where it
  runs (`-C`) or read words out of a text (`-S`), so none but `-0` is taken, and that only to print.
"""

from __future__ import annotations

from pi_sandbox.bash_policy.command_rule import CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.environment import judge_assignment
from pi_sandbox.bash_policy.program import as_assignment
from pi_sandbox.bash_policy.table_rules import option_table
from pi_sandbox.bash_policy.words import Word

_INSTEAD = "write the command itself, or env LC_ALL=C before it"
_TABLE = option_table(
    "env",
    "-0/--null",
    stops_at_operand=True,
    advice={
        **dict.fromkeys(
            ("-i", "--ignore-environment", "-u", "--unset"), f"takes variables away from the command; {_INSTEAD}"
        ),
        **dict.fromkeys(("-S", "--split-string"), f"makes words of a text; {_INSTEAD}"),
        **dict.fromkeys(("-C", "--chdir"), "runs the command elsewhere; write cd FOLDER && before it"),
    },
)
_NOT_BEHIND = ("env", "timeout", "xargs")


def _judge(_name: str, words: tuple[Word, ...], surroundings: Surroundings) -> Judged:
    parsed = _TABLE.parse(words)
    if not parsed.operands:
        return Judged(parsed.words())
    if parsed.options:
        raise Refused(f"the option {parsed.options[0].name} of env is only taken to print; leave it out")
    command, variables = list(parsed.operands), list[Word]()
    while command and (assignment := as_assignment(command[0])) is not None:
        variables.append(Word.literal(f"{assignment.name}={judge_assignment(assignment)}"))
        command.pop(0)
    if not command:
        raise Refused(f"env with a variable and no command only prints; write env, or {_INSTEAD}")
    if command[0].text.rpartition("/")[2] in _NOT_BEHIND:
        raise Refused(f"{command[0].text} is refused behind env; write the variable before it, without env")
    inner = surroundings.judge_inner(tuple(command))
    return Judged((Word.literal("--"), *variables, *inner.words), inner.environment)


RULES = (
    CommandRule(
        names=("env",),
        manual="env(1) of GNU coreutils 9.7",
        judge=_judge,
        allowed=(
            "env",
            "env -0",
            "env LC_ALL=C ls",
            "env -- LC_ALL=C TZ=UTC ls -la",
            "env NO_COLOR=1 git status --short",
            "env ls",
            "cat a.md | env LC_ALL=C sort | uniq -c",
            "/usr/bin/env LC_ALL=C sort a.md",
        ),
        refused=(
            "env sh",
            "env A=b",
            "env LC_ALL=C",
            "env LC_ALL=C sh -c id",
            "env LC_ALL=C sort -o b.md a.md",
            "env LC_ALL=../x ls",
            "env LC_ALL=* ls",
            "env PATH=. ls",
            "env LD_PRELOAD=./x ls",
            "env GIT_CONFIG_COUNT=0 git log",
            "env GIT_EXTERNAL_DIFF=id git diff",
            "env LC_ALL=C cd notes",
            "env LC_ALL=C rm a.md",
            "env LC_ALL=C env ls",
            "env LC_ALL=C xargs ls",
            "env -0 ls",
            "env -i sh",
            "env -i ls",
            "env -S 'sh -c id'",
            "env --split-string=sh",
            "env -u PATH ls",
            "env -u GIT_CONFIG_COUNT git log",
            "env -C / ls",
            "env -a x ls",
            "env --default-signal=PIPE ls",
            "env - ls",
            "env *",
            "env ./*",
            "ls | xargs env LC_ALL=C cat",
        ),
    ),
)

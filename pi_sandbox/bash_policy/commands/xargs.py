"""xargs: makes words of its input and runs one command with them.

- The command and its fixed words are judged as if they stood alone, with words behind them that nobody has seen: its
  rule says whether that is harmless, or only behind `--`.
- With `-I`, the input takes the place of a mark. Everything from the first word with the mark on counts as words that
  nobody has seen; so no name, option or script can hold it.
- Refused: `-p` (asks), `-o` (opens the terminal), `--process-slot-var` (sets a variable), and patterns among the fixed
  words, which could bring in a mark.
- The command of xargs has no standard input: xargs gives it /dev/null.
"""

from __future__ import annotations

from pi_sandbox.bash_policy.command_rule import CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.devices import option_values, refuse_devices
from pi_sandbox.bash_policy.options import (
    OptionTable,
    Parsed,
    Takes,
    literal,
    matches,
    plain_options,
    value_options,
    whole_number,
)
from pi_sandbox.bash_policy.words import Word

_TABLE = OptionTable(
    "xargs",
    plain_options("-0/--null -r/--no-run-if-empty -t/--verbose -x/--exit --show-limits --help --version")
    + value_options("-a/--arg-file -d/--delimiter -E -I", literal)
    + value_options("-n/--max-args -L -s/--max-chars -P/--max-procs", whole_number)
    + value_options("-i/--replace -e/--eof", literal, takes=Takes.BOUND_VALUE)
    + value_options("-l/--max-lines", matches("[0-9]{1,9}"), takes=Takes.BOUND_VALUE),
    stops_at_operand=True,
    advice={
        "-p": "asks before each command, and nobody is there to answer; leave it out",
        "--interactive": "asks before each command, and nobody is there to answer; leave it out",
        "-o": "opens the terminal; leave it out",
        "--open-tty": "opens the terminal; leave it out",
        "--process-slot-var": "sets a variable; leave it out",
    },
)


def _mark(parsed: Parsed) -> str | None:
    """Give the text that the input takes the place of, or None where the input is added to the end."""
    mark: str | None = None
    for option in parsed.options:
        if option.name in ("-I", "-i"):
            mark = option.value or "{}"
        elif option.name in ("-n", "-L", "-l"):
            mark = mark and _refuse_both(option.name)
    return mark


def _refuse_both(name: str) -> str:
    raise Refused(f"{name} of xargs takes back -I; leave one of the two out")


def _judge(_name: str, words: tuple[Word, ...], surroundings: Surroundings) -> Judged:
    parsed = _TABLE.parse(words)
    refuse_devices("xargs", option_values(parsed, "-a"))
    options = tuple(word for option in parsed.options for word in option.words())
    if not parsed.operands:
        return Judged(options)
    mark = _mark(parsed)
    fixed, rest = _split_at(mark, parsed.operands)
    if not fixed:
        raise Refused(f"the command of xargs holds the mark {mark}; write the name of the command out")
    if mark is not None and any(word.is_pattern for word in fixed):
        raise Refused("a pattern before the mark of xargs -I is refused; write the names out")
    try:
        nested = surroundings.judge_nested(fixed)
    except Refused as refusal:
        if not rest or " lacks " not in refusal.reason:
            raise
        raise Refused(f"{refusal.reason}; the mark {mark} may only stand behind all options and scripts") from None
    if mark is not None and any(mark in word.text for word in nested.words):
        raise Refused(f"the mark {mark} of xargs also stands in options of the command; use -I{{}} and write {{}}")
    return Judged((*options, Word.literal("--"), *nested.words, *rest), nested.environment)


def _split_at(mark: str | None, words: tuple[Word, ...]) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    for index, word in enumerate(words):
        if mark is not None and mark in word.text:
            return words[:index], words[index:]
    return words, ()


RULES = (
    CommandRule(
        names=("xargs",),
        manual="xargs(1) of GNU findutils 4.10",
        judge=_judge,
        allowed=(
            "find . -name '*.md' | xargs wc -l",
            "find . -name '*.md' -print0 | xargs -0 grep -l needle",
            "ls notes | xargs",
            "ls notes | xargs -n1",
            "ls notes | xargs -n 1 basename",
            "ls notes | xargs -I{} echo 'file: {}'",
            "ls notes | xargs -I % grep -c needle notes/%",
            "find notes -type f | xargs -r -P2 -L 5 cat",
            "rg -l needle | xargs rg -n -- other",
            "find notes -type f | xargs sed -n -- '1,5p'",
            "find notes -type f | xargs -I{} sed -n -- '1,5p' {}",
            "xargs -a list.txt cat",
            "ls notes | xargs -d '\\n' -t echo",
            "ls | xargs -i echo {}",
        ),
        refused=(
            "ls | xargs rm",
            "ls | xargs sh -c 'id'",
            "ls | xargs -I{} sh -c 'cat {}'",
            "ls | xargs find",
            "ls | xargs -I{} find {} -name a",
            "ls | xargs rg needle",
            "ls | xargs rg -e --",
            "ls | xargs sed -n 1,5p",
            "ls | xargs -I{} sed -n -- {} notes/a.md",
            "ls | xargs -I{} sed -n -- '/{}/p' notes/a.md",
            "ls | xargs -I{} {}",
            "ls | xargs -Ils ls -l",
            "ls | xargs -I- rg -- needle -",
            "ls | xargs -Ic rg -- x c",
            "ls | xargs -p cat",
            "ls | xargs -o cat",
            "ls | xargs --process-slot-var=PATH cat",
            "ls | xargs sort",
            "ls | xargs -I{} -n1 rg {}",
            "ls | xargs --arg=list cat",
            "ls | xargs xargs rm",
            "ls | xargs env rm",
            "ls | xargs git",
        ),
    ),
)

"""cat, head, tail, wc, tac, nl, rev: the content of files as it is, or parts and counts of it.

- No option of theirs writes, runs or connects (GNU coreutils 9.7, util-linux 2.41).
- `tail -f` waits for ever, so it is refused; where words follow that nobody has seen, tail runs with a `--` before
  them. The old forms `head -5` and `tail +5` are read as `-n 5` and `-n +5`.
- tac keeps what comes through a pipe in a file of its own in the folder for such files, and removes it at once.
- A device is read only where `head -c` says how few bytes of it.
"""

from __future__ import annotations

import re
from dataclasses import replace

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.devices import refuse_devices
from pi_sandbox.bash_policy.options import Option, OptionTable, Takes, matches
from pi_sandbox.bash_policy.table_rules import option_table, table_rule
from pi_sandbox.bash_policy.words import Word

_NEVER_ENDS = "follows the file for ever; write tail -n 50"
_count = matches(r"[+-]?[0-9]{1,18}[A-Za-z]{0,3}")
_COUNTS = (Option(("-n", "--lines"), Takes.VALUE, _count), Option(("-c", "--bytes"), Takes.VALUE, _count))
_ENDS = "-q/--quiet/--silent -v/--verbose -z/--zero-terminated"
_TABLES = {
    "head": option_table("head", _ENDS, *_COUNTS, number="-n", only_reads=True),
    "tail": option_table(
        "tail",
        _ENDS,
        *_COUNTS,
        number="-n",
        only_reads=True,
        advice=dict.fromkeys(("-f", "-F", "--follow", "--retry", "--pid", "-s", "--sleep-interval"), _NEVER_ENDS),
    ),
}
_BOUNDED_SOURCE = re.compile(r"/dev/(zero|random|urandom)")
_few_bytes = matches(r"[0-9]{1,6}")


def _judge(name: str, words: tuple[Word, ...], surroundings: Surroundings) -> Judged:
    if name == "tail":
        _refuse_following(words)
        words = _without_old_form(words)
    parsed = _TABLES[name].parse(words)
    counts = [option for option in parsed.options if option.name in ("-c", "-n")]  # the last one counts
    bounded = name == "head" and counts and counts[-1].name == "-c" and _few_bytes(counts[-1].value or "")
    refuse_devices(
        name,
        (word for word in parsed.operands if not (bounded and _BOUNDED_SOURCE.fullmatch(word.text))),
    )
    ended = parsed.ended or surroundings.words_follow
    return Judged(replace(parsed, ended=ended).words(), options_ended=parsed.ended)


def _refuse_following(words: tuple[Word, ...]) -> None:
    """Name the reason for `tail -50f` and the like, which the table would only call unknown."""
    if words and re.fullmatch(r"[-+][0-9]*[bcl]?f", words[0].text):
        raise Refused(f"the option {words[0].text} of tail {_NEVER_ENDS}")


def _without_old_form(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Write `+5` at the beginning as `-n +5` (tail(1), obsolescent form)."""
    if words and words[0].is_literal and re.fullmatch(r"\+[0-9]{1,9}", words[0].text):
        return (Word.literal("-n"), *words)
    return words


def _table(command: str, options: str) -> OptionTable:
    return option_table(command, options, only_reads=True)


RULES = (
    CommandRule(
        names=("head", "tail"),
        manual="head(1) and tail(1) of GNU coreutils 9.7",
        judge=_judge,
        added_words=AddedWords.HARMLESS,
        allowed=(
            "head -20 a.md",
            "head -n 5 *.md",
            "head -c 16 /dev/urandom",
            "tail -n +5 a.md",
            "tail +5 a.md",
            "tail -100 -q a.md b.md",
            "tail -c1K a.md",
        ),
        refused=(
            "tail -f a.md",
            "tail -F a.md",
            "tail -50f a.md",
            "tail --follow=name a.md",
            "tail -n 5 --pid=1 a.md",
            "head /dev/zero",
            "head -c -5 /dev/zero",
            "head -c 9G /dev/zero",
            "head -c 5 -n 5 /dev/zero",
            "head -n x a.md",
        ),
    ),
    table_rule(
        "cat(1), wc(1), tac(1), nl(1) of GNU coreutils 9.7, rev(1) of util-linux 2.41",
        _table(
            "cat",
            "-A/--show-all -b/--number-nonblank -e -E/--show-ends -n/--number -s/--squeeze-blank -t -T/--show-tabs -u "
            "-v/--show-nonprinting",
        ),
        _table("wc", "-c/--bytes -m/--chars -l/--lines --files0-from= -L/--max-line-length -w/--words --total="),
        _table("tac", "-b/--before -r/--regex -s/--separator="),
        _table(
            "nl",
            "-b/--body-numbering= -d/--section-delimiter= -f/--footer-numbering= -h/--header-numbering= "
            "-i/--line-increment= -l/--join-blank-lines= -n/--number-format= -p/--no-renumber -s/--number-separator= "
            "-v/--starting-line-number= -w/--number-width=",
        ),
        _table("rev", "-0/--zero -h -V"),
        allowed=(
            "cat a.md",
            "cat -n notes/a.md -",
            "cat *",
            "cat -- -delete",
            "cat ~/notes.md",
            "cat /dev/null",
            "wc -l *.md",
            "wc -lwc a.md",
            "tac a.md",
            "nl -ba a.md",
            "rev a.md",
        ),
        refused=(
            "cat /dev/zero",
            "cat /dev/../dev//random",
            "cat --output=x",
            "wc --lin a.md",
            "nl /dev/sda",
            "cat -o x",
        ),
    ),
)

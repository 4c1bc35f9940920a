"""less and more: with standard output that is no terminal they print, as cat does.

- more runs commands only from a terminal; PAGERSECURE, set in `environment`, forbids them even there.
- In the place of less, cat runs: less takes LESSOPEN, a program, from ~/.lesskey. Of its options, those pass that only
  change how a terminal shows the text. Refused: `+COMMAND`, and what writes (`-o`), or names a file of keys or tags.
- bat has no rule: it takes a pager from its configuration, and what it prints is not what cat prints.
"""

from __future__ import annotations

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.devices import refuse_devices
from pi_sandbox.bash_policy.options import value_options, whole_number
from pi_sandbox.bash_policy.table_rules import option_table
from pi_sandbox.bash_policy.words import Word

_MORE = option_table("more", "-d -e -f -l -p -c -s -u -n/--lines=", number="-n")
_WRITES = "writes a file; leave it out"
_KEYS = "names a file of keys, which can hold commands; leave it out"
_LESS = option_table(
    "less",
    "-a/--search-skip-screen -A/--SEARCH-SKIP-SCREEN -c/--clear-screen -C/--CLEAR-SCREEN -e/--quit-at-eof "
    "-E/--QUIT-AT-EOF -f/--force -F/--quit-if-one-screen -g/--hilite-search -G/--HILITE-SEARCH -i/--ignore-case "
    "-I/--IGNORE-CASE -J/--status-column -K/--quit-on-intr -L/--no-lessopen -m/--long-prompt -M/--LONG-PROMPT "
    "-n/--line-numbers -N/--LINE-NUMBERS -q/--quiet/--silent -Q/--QUIET/--SILENT -r/--raw-control-chars "
    "-R/--RAW-CONTROL-CHARS -s/--squeeze-blank-lines -S/--chop-long-lines -u/--underline-special "
    "-U/--UNDERLINE-SPECIAL -V -w/--hilite-unread -W/--HILITE-UNREAD -X/--no-init",
    *value_options("-x/--tabs -y/--max-forw-scroll -z/--window -h/--max-back-scroll -j/--jump-target", whole_number),
    advice={
        **dict.fromkeys(("-o", "-O", "--log-file", "--LOG-FILE"), _WRITES),
        **dict.fromkeys(("-k", "--lesskey-file", "--lesskey-src", "--lesskey-content"), _KEYS),
        **dict.fromkeys(
            ("-p", "--pattern", "-t", "--tag", "-T", "--tag-file"), "searches at a terminal; write grep -n"
        ),
    },
)


def _judge_more(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    parsed = _MORE.parse(words)
    _refuse_commands("more", parsed.operands)
    refuse_devices("more", parsed.operands)
    return Judged(parsed.words())


def _judge_less(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    parsed = _LESS.parse(words)
    if parsed.has("--help", "--version", "-V"):
        return Judged(parsed.words())
    _refuse_commands("less", parsed.operands[: len(parsed.operands) - len(parsed.behind_end)])
    refuse_devices("less", parsed.operands)
    operands = (Word.literal("--"), *parsed.operands) if parsed.operands or parsed.ended else ()
    return Judged(operands, options_ended=parsed.ended, instead="cat")


def _refuse_commands(name: str, operands: tuple[Word, ...]) -> None:
    for operand in operands:
        if operand.text.startswith("+"):
            raise Refused(f"{name} would take {operand.text} for a command; write sed -n or head, or ./ before a file")


RULES = (
    CommandRule(
        names=("more",),
        manual="more(1) of util-linux 2.41",
        judge=_judge_more,
        allowed=("more a.md", "more -20 a.md", "more -- -x"),
        refused=("more +/x a.md", "more -- '+!touch x'", "more *", "more /dev/zero"),
    ),
    CommandRule(
        names=("less",),
        manual="less(1) 668",
        judge=_judge_less,
        added_words=AddedWords.AFTER_END_OF_OPTIONS,
        allowed=("less a.md", "less -N a.md", "less -RSFX notes/a.md", "git log | less", "less -- *", "less ./*.md"),
        refused=(
            "less +F a.md",
            "less '+!touch x' a.md",
            "less a.md '+!touch x'",
            "less -o out a.md",
            "less -oout a.md",
            "less -O out a.md",
            "less --log-file=out a.md",
            "less -k keys a.md",
            "less --lesskey-src=keys a.md",
            "less --lesskey-content='#env' a.md",
            "less -p '!id' a.md",
            "less -t tag",
            "less *",
            "less /dev/zero",
            "LESSOPEN='|id' less a.md",
            "ls | xargs less",
        ),
    ),
)

"""less, more, bat: with standard output that is no terminal they print, as cat does.

- less runs the program of LESSOPEN, an editor, a shell and `+!command`, and writes logs (-o, -O) and a history:
  no word that begins with `+` is taken, and `environment` sets LESSSECURE and LESSHISTFILE and lets no LESSOPEN in.
- more runs commands only from a terminal; PAGERSECURE, set in `environment`, forbids them even there.
- bat runs a pager and reads a configuration that may name one: it runs with --no-config and --paging=never. Its word
  `cache` rebuilds files.
"""

from __future__ import annotations

from dataclasses import replace

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.options import Option, Takes, one_of
from pi_sandbox.bash_policy.table_rules import option_table, refuse_devices
from pi_sandbox.bash_policy.words import Word

_AS_CAT = "is more than reading; write cat FILE"
_LESS = option_table(
    "less",
    "-a -c -C -e/--quit-at-eof -E -F/--quit-if-one-screen -g -G -i/--ignore-case -I -J -m -M -n/--line-numbers "
    "-N/--LINE-NUMBERS -q/--quiet -Q -r/--raw-control-chars -R/--RAW-CONTROL-CHARS -s/--squeeze-blank-lines "
    "-S/--chop-long-lines -u -U -w -W -X/--no-init -~",
    advice=dict.fromkeys(("-o", "-O", "--log-file", "--LOG-FILE", "-k", "--lesskey-file", "-t", "-T", "-p"), _AS_CAT),
)
_MORE = option_table("more", "-d -e -f -l -p -c -s -u -n/--lines=", number="-n")
_BAT = option_table(
    "bat",
    "-A/--show-all -p/--plain -l/--language= -H/--highlight-line= --file-name= -n/--number --style= --theme= --tabs= "
    "--wrap= -S/--chop-long-lines --terminal-width= --color= --decorations= --italic-text= -f/--force-colorization "
    "-r/--line-range= -P --no-config -u/--unbuffered -s/--squeeze-blank --strip-ansi= -h -V",
    Option(("--paging",), Takes.VALUE, one_of("never", "auto")),
    advice={"--pager": "runs a program; leave it out", "-d": _AS_CAT, "--diff": _AS_CAT},
)

_BAT_PRINTS = (Word.literal("--no-config"), Word.literal("--paging=never"))


def _judge_less(name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    parsed = (_LESS if name == "less" else _MORE).parse(words)
    for operand in parsed.operands:
        if operand.text.startswith("+"):
            raise Refused(f"{name} would take {operand.text} for a command; write sed -n or head, or ./ before a file")
    refuse_devices(name, parsed.operands)
    return Judged(parsed.words())


def _judge_bat(name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    parsed = _BAT.parse(words)
    if any(operand.text == "cache" for operand in parsed.operands):
        raise Refused(f"{name} cache rebuilds files; write ./cache for a file of that name")
    refuse_devices(name, parsed.operands)
    kept = tuple(option for option in parsed.options if option.name not in ("--no-config", "--paging", "-P"))
    return Judged((*_BAT_PRINTS, *replace(parsed, options=kept).words()), options_ended=parsed.ended)


RULES = (
    CommandRule(
        names=("less", "more"),
        manual="less(1) 668, more(1) of util-linux 2.41",
        judge=_judge_less,
        added_words=AddedWords.NEVER,
        allowed=("less a.md", "less -RFX a.md", "less -N notes/a.md", "less -- -x", "more a.md", "more -20 a.md"),
        refused=(
            "less -o x a.md",
            "less -Ox a.md",
            "less --log-file=x a.md",
            "less +F a.md",
            "less '+!touch x' a.md",
            "less -- '+!touch x'",
            "less -k keys a.md",
            "less --lesskey-src=keys a.md",
            "less -t tag",
            "less *",
            "more +/x a.md",
            "more *",
        ),
    ),
    CommandRule(
        names=("bat", "batcat"),
        manual="bat(1) 0.25",
        judge=_judge_bat,
        added_words=AddedWords.AFTER_END_OF_OPTIONS,
        allowed=(
            "bat a.md",
            "bat -pp a.md",
            "batcat --plain --paging=never a.md",
            "bat -r 1:20 -n ./*.md",
            "bat --style=plain -- a",
        ),
        refused=(
            "bat --pager=sh a.md",
            "bat --pager sh --paging=always a.md",
            "bat --paging=always a.md",
            "bat cache --build",
            "bat cache --clear",
            "bat --diff a.md",
            "bat --config-file a",
            "bat *",
        ),
    ),
)

"""grep, egrep, fgrep: no option of theirs writes a file, runs a program or opens a connection.

- The pattern is a regular expression: where bash would look for files that match it, it is taken literally.
- `-f` and `--exclude-from` read a file. GREP_OPTIONS and GREP_COLORS are not inherited.
- With -R, grep reads the devices that it finds below a folder, which may have no end: `--devices=skip` is added, and
  the folder of devices and the root are refused.
"""

from __future__ import annotations

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.devices import is_device_folder, normal_path, option_values, refuse_devices
from pi_sandbox.bash_policy.options import OptionTable, Parsed, Takes, one_of, plain_options, value_options
from pi_sandbox.bash_policy.words import Word

_TABLE = OptionTable(
    "grep",
    plain_options(
        "-E/--extended-regexp -F/--fixed-strings -G/--basic-regexp -P/--perl-regexp -i/-y/--ignore-case "
        "--no-ignore-case -w/--word-regexp -x/--line-regexp -z/--null-data -s/--no-messages -v/--invert-match "
        "-V/--version --help -b/--byte-offset -n/--line-number --line-buffered -H/--with-filename -h/--no-filename "
        "-o/--only-matching -q/--quiet/--silent -a/--text -I -r/--recursive -R/--dereference-recursive "
        "-L/--files-without-match -l/--files-with-matches -c/--count -T/--initial-tab -Z/--null --no-group-separator "
        "-U/--binary"
    )
    + value_options(
        "-e/--regexp -f/--file -m/--max-count --label --binary-files -d/--directories --include --exclude "
        "--exclude-from --exclude-dir -B/--before-context -A/--after-context -C/--context --group-separator"
    )
    + value_options("-D/--devices", one_of("skip"))
    + value_options("--color/--colour", takes=Takes.BOUND_VALUE),
    number="-C",
    only_reads=True,
)


def _judge(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    parsed = _TABLE.parse(words)
    refuse_devices("grep", option_values(parsed, "-f", "--exclude-from"))
    expression = () if parsed.has("-e", "-f") else parsed.operands[:1]
    files = parsed.operands[len(expression) :]
    refuse_devices("grep", files)
    added = _skipping_devices(parsed, files) if parsed.has("-R") else ()
    operands = (*(word.taken_literally() for word in expression), *files)
    return Judged((*added, *parsed.with_operands(operands).words()))


def _skipping_devices(parsed: Parsed, files: tuple[Word, ...]) -> tuple[Word, ...]:
    for file in files:
        if is_device_folder(file) or normal_path(file.text) == "/":
            raise Refused(f"grep -R reads the devices below {file.text}, which may have no end; write grep -r")
    return () if parsed.has("-D") else (Word.literal("-Dskip"),)


RULES = (
    CommandRule(
        names=("grep", "egrep", "fgrep"),
        manual="grep(1) of GNU grep 3.11",
        judge=_judge,
        added_words=AddedWords.HARMLESS,
        allowed=(
            "grep -rn 'needle' notes",
            "grep -rniE 'a|b' . --include='*.md' --exclude-dir=.git",
            "grep -r --include=*.md needle notes",
            "grep -c needle notes/*.md",
            "grep needle *",
            "grep -5 needle notes/a.md",
            "grep -A3 -B 2 needle notes/a.md",
            "grep -e -x -e needle -- notes/a.md",
            "grep -oP '(?<=name: ).*' notes/a.md",
            "grep ^n.*e$ notes/a.md",
            "cat notes/a.md | egrep -v '^$'",
            "grep -qs needle notes/a.md && echo yes",
            "grep -f patterns.txt notes/a.md",
            "grep --color=never -lZ needle notes/a.md",
            "grep -Rn needle notes",
        ),
        refused=(
            "grep --includ=*.md needle notes",
            "grep -X needle notes",
            "grep -i* needle notes",
            "grep --unknown needle notes",
            "grep needle notes > found.txt",
            "grep --line-number=1 needle notes",
            "grep -e",
            "grep -R needle /",
            "grep -R needle /dev",
            "grep -R -e needle ./ /dev/../dev/",
        ),
    ),
)

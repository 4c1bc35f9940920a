"""diff, cmp, comm, diffstat: how files differ.

- diff -l runs pr; every other option of diff, cmp and comm only reads (GNU diffutils 3.10, coreutils 9.7). A number
  among the options of diff is an old form for lines of context (`-u5`).
- diffstat writes with -o, and runs a decompressor for an operand that is named like a compressed file.
"""

from __future__ import annotations

import re

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.devices import refuse_devices
from pi_sandbox.bash_policy.options import value_options, whole_number
from pi_sandbox.bash_policy.table_rules import option_table, table_rule
from pi_sandbox.bash_policy.words import Word

_RUNS_PR = "runs pr; write diff ... | pr"
_DIFF = option_table(
    "diff",
    "--normal -q/--brief -s/--report-identical-files -c -C= --context=? -u -U= --unified=? -e/--ed -n/--rcs "
    "-y/--side-by-side -W/--width= --left-column --suppress-common-lines -p/--show-c-function "
    "-F/--show-function-line= -L/--label= -t/--expand-tabs -T/--initial-tab --tabsize= --suppress-blank-empty "
    "-r/--recursive --no-dereference -N/--new-file -P/--unidirectional-new-file --ignore-file-name-case "
    "--no-ignore-file-name-case -x/--exclude= -X/--exclude-from= -S/--starting-file= --from-file= --to-file= "
    "-i/--ignore-case -E/--ignore-tab-expansion -Z/--ignore-trailing-space -b/--ignore-space-change "
    "-w/--ignore-all-space -B/--ignore-blank-lines -I/--ignore-matching-lines= -a/--text --strip-trailing-cr "
    "-D/--ifdef= --old-group-format= --new-group-format= --changed-group-format= --unchanged-group-format= "
    "--line-format= --old-line-format= --new-line-format= --unchanged-line-format= -d/--minimal --horizon-lines= "
    "-H/--speed-large-files --color=? --palette= -v -0 -1 -2 -3 -4 -5 -6 -7 -8 -9",
    advice={"-l": _RUNS_PR, "--paginate": _RUNS_PR},
)
_DIFFSTAT = option_table(
    "diffstat",
    "-b -c -C -E -h -k -K -l -m -q -R -s -t -T -u -v -V",
    *value_options("-f -n -N -p -r -w", whole_number),
    advice={"-o": "writes a file; leave it out, the result is printed"},
)
_COMPRESSED = re.compile(r".*\.(Z|z|gz|bz2?|lzma|xz|zst)", re.DOTALL)


def _judge_diffstat(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    parsed = _DIFFSTAT.parse(words)
    for operand in parsed.operands:
        if operand.is_pattern or _COMPRESSED.fullmatch(operand.text):
            raise Refused(f"diffstat runs a program to read a compressed file; write zcat -- {operand.text} | diffstat")
    refuse_devices("diffstat", parsed.operands)
    return Judged(parsed.words())


RULES = (
    table_rule(
        "diff(1) of GNU diffutils 3.10",
        _DIFF,
        allowed=(
            "diff a.md b.md",
            "diff -u a.md b.md",
            "diff -rq notes old",
            "diff -u10 a.md b.md",
            "diff -U5 --color=never -x .git notes old",
            "diff --from-file=a.md ./*.md",
            "diff - b.md",
        ),
        refused=(
            "diff -l a b",
            "diff -ul a b",
            "diff --paginate a b",
            "diff --pag a b",
            "diff --output=x a b",
            "diff *",
        ),
    ),
    table_rule(
        "cmp(1) of GNU diffutils 3.10, comm(1) of GNU coreutils 9.7",
        option_table(
            "cmp",
            "-b/--print-bytes -i/--ignore-initial= -l/--verbose -n/--bytes= -s/--quiet/--silent -v",
            only_reads=True,
        ),
        option_table(
            "comm",
            "-1 -2 -3 --check-order --nocheck-order --output-delimiter= --total -z/--zero-terminated",
            only_reads=True,
        ),
        allowed=("cmp a.md b.md", "cmp -s a.md b.md", "comm -12 a b", "comm --total *"),
        refused=("cmp --out=x a b", "comm -4 a b", "comm --output=x a b", "cmp a /dev/zero"),
    ),
    CommandRule(
        names=("diffstat",),
        manual="diffstat(1) 1.67",
        judge=_judge_diffstat,
        added_words=AddedWords.NEVER,
        allowed=("diffstat", "diffstat -p1 a.patch"),
        refused=(
            "diffstat -o x a.patch",
            "diffstat -ox",
            "diffstat a.patch.gz",
            "diffstat ./*.patch",
            "diffstat -D notes",
        ),
    ),
)

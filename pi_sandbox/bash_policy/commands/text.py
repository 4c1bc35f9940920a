"""cut, tr, paste, join, column, fold, fmt, pr, expand, unexpand: text laid out anew, on standard output only.

- No option of theirs writes, runs or connects (GNU coreutils 9.7, util-linux 2.41, and the BSD tools).
- The arrays of tr are written with brackets that bash would take for patterns; they are taken as they are written.
"""

from __future__ import annotations

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.options import OptionTable
from pi_sandbox.bash_policy.table_rules import option_table, table_rule
from pi_sandbox.bash_policy.words import Word

_TR = option_table(
    "tr",
    "-c/-C/--complement -d/--delete -s/--squeeze-repeats -t/--truncate-set1",
    only_reads=True,
    stops_at_operand=True,
)


def _judge_tr(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    parsed = _TR.parse(word.taken_literally() if word.is_pattern else word for word in words)
    return Judged(parsed.words(), options_ended=parsed.ended)


def _table(command: str, options: str, *, number: str | None = None) -> OptionTable:
    return option_table(command, options, number=number, only_reads=True)


RULES = (
    CommandRule(
        names=("tr",),
        manual="tr(1) of GNU coreutils 9.7",
        judge=_judge_tr,
        added_words=AddedWords.HARMLESS,
        allowed=("tr a-z A-Z", "tr [a-z] [A-Z]", "tr -d '\\r'", "tr -cs '[:alnum:]' '\\n'", "tr -s ' '"),
        refused=("tr --del a", "tr -o x", "tr --output=x a b"),
    ),
    table_rule(
        "cut(1), paste(1), join(1) of GNU coreutils 9.7",
        _table(
            "cut",
            "-b/--bytes= -c/--characters= -d/--delimiter= -f/--fields= -n --complement -s/--only-delimited "
            "--output-delimiter= -z/--zero-terminated",
        ),
        _table("paste", "-d/--delimiters= -s/--serial -z/--zero-terminated"),
        _table(
            "join",
            "-a= -e= -i/--ignore-case -j= -o= -t= -v= -1= -2= --check-order --nocheck-order --header "
            "-z/--zero-terminated",
        ),
        allowed=("cut -d: -f1,3 a.csv", "cut -c 1-80 *.md", "paste -sd, a.md", "paste a b", "join -t, -1 2 -2 1 a b"),
        refused=("cut --output=x -f1 a", "paste --out=x", "join -x a b", "cut -f1 /dev/zero"),
    ),
    table_rule(
        "fold(1), fmt(1), pr(1), expand(1), unexpand(1) of GNU coreutils 9.7",
        _table("fold", "-b/--bytes -c/--characters -s/--spaces -w/--width=", number="-w"),
        _table(
            "fmt",
            "-c/--crown-margin -p/--prefix= -s/--split-only -t/--tagged-paragraph -u/--uniform-spacing -w/--width= "
            "-g/--goal=",
            number="-w",
        ),
        _table(
            "pr",
            "--columns= --pages= -a/--across -c/--show-control-chars -d/--double-space -D/--date-format= "
            "-e/--expand-tabs=? -F/-f/--form-feed -h/--header= -i/--output-tabs=? -J/--join-lines -l/--length= "
            "-m/--merge -n/--number-lines=? -N/--first-line-number= -o/--indent= -r/--no-file-warnings "
            "-s/--separator=? -S/--sep-string=? -t/--omit-header -T/--omit-pagination -v/--show-nonprinting "
            "-w/--width= -W/--page-width=",
            number="--columns",
        ),
        _table("expand", "-i/--initial -t/--tabs=", number="-t"),
        _table("unexpand", "-a/--all --first-only -t/--tabs=", number="-t"),
        allowed=(
            "fold -s -w 80 a.md",
            "fold -80 a.md",
            "fmt -w 72 a.md",
            "pr -t -2 a.md",
            "expand -t4 a.md",
            "unexpand -a a.md",
        ),
        refused=("fold --output=x", "fmt -o x", "pr --out=x a", "expand --tab=4 a.md", "unexpand -x a.md"),
    ),
    table_rule(
        "column(1) of util-linux 2.41",
        _table(
            "column",
            "-t/--table -n/--table-name= -O/--table-order= -C/--table-column= -N/--table-columns= "
            "-l/--table-columns-limit= -E/--table-noextreme= -d/--table-noheadings -e/--table-header-repeat "
            "-H/--table-hide= -R/--table-right= -T/--table-truncate= -W/--table-wrap= -m/--table-maxout "
            "-L/--keep-empty-lines -J/--json -r/--tree= -i/--tree-id= -p/--tree-parent= -c/--output-width= "
            "-o/--output-separator= -s/--separator= -S/--use-spaces= -x/--fillrows -h -V",
        ),
        allowed=("column -t", "column -ts, a.csv", "column -t -s '|' -o ' | ' *.csv"),
        refused=("column --output=x", "column --sep=, a", "column -Z a"),
    ),
)

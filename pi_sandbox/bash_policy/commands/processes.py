"""ps, pgrep, pidof, pstree: what runs.

- No option of ps, pgrep, pidof and pstree writes, runs, signals or connects (procps 4.0, psmisc 23.7).
- ps reads three styles of options, so its words run as they are written.
- top makes a folder for its settings even in batch mode, so it has no rule: `ps aux --sort=-%cpu` says the same.
"""

from __future__ import annotations

import re

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.table_rules import option_table, table_rule
from pi_sandbox.bash_policy.words import Word

_PS = option_table(
    "ps",
    "-e -A -a -d -N/--deselect -c -f -F -j -l -P -y -Z/--context -M -H --forest -L -m -T -w -V -E -h -r -v -x "
    "-o/--format= -O= -p/--pid= --ppid= -q/--quick-pid= -u/--user= -U/--User= -C= -g= -G/--Group= --group= -s/--sid= "
    "-t/--tty= --sort= --cols/--columns/--width= --lines/--rows= --cumulative --headers --no-headers/--no-heading "
    "--info",
    only_reads=True,
)
_PS_OPERAND = re.compile(r"[A-Za-z0-9_%,=:+. -]{1,200}")


def _judge_ps(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    for operand in _PS.parse(words).operands:
        if not operand.is_literal or not _PS_OPERAND.fullmatch(operand.text):
            raise Refused(f"{operand.text} is no option of ps; write ps aux or ps -ef")
    return Judged(tuple(Word.literal(word.text) for word in words))


RULES = (
    CommandRule(
        names=("ps",),
        manual="ps(1) of procps 4.0.4",
        judge=_judge_ps,
        added_words=AddedWords.HARMLESS,
        allowed=(
            "ps",
            "ps aux",
            "ps -ef",
            "ps -eo pid,comm --sort=-%mem",
            "ps axo pid,args",
            "ps -p 1 -o comm=",
            "ps 1",
        ),
        refused=("ps --output=x", "ps aux > x", "ps ./x", "ps a?x", "ps --for"),
    ),
    table_rule(
        "pgrep(1) and pidof(1) of procps 4.0.4, pstree(1) of psmisc 23.7",
        option_table(
            "pgrep",
            "-d/--delimiter= -l/--list-name -a/--list-full -v/--inverse -w/--lightweight -c/--count -f/--full "
            "-g/--pgroup= -G/--group= -i/--ignore-case -n/--newest -o/--oldest -O/--older= -P/--parent= -s/--session= "
            "-t/--terminal= -u/--euid= -U/--uid= -x/--exact -F/--pidfile= -r/--runstates= -A/--ignore-ancestors "
            "--ns= --nslist= -V",
            only_reads=True,
        ),
        option_table(
            "pidof",
            "-s/--single-shot -c/--check-root -q -w/--with-workers -x -o/--omit-pid= -t -S/--separator= -V",
            only_reads=True,
        ),
        option_table(
            "pstree",
            "-a/--arguments -A/--ascii -c/--compact-not -C/--color= -g/--show-pgids -G/--vt100 -h/--highlight-all "
            "-H/--highlight-pid= -l/--long -n/--numeric-sort -N/--ns-sort= -p/--show-pids -s/--show-parents "
            "-S/--ns-changes -t/--thread-names -T/--hide-threads -u/--uid-changes -U/--unicode -V",
            only_reads=True,
        ),
        allowed=("pgrep -fl node", "pgrep -u root", "pidof sh", "pstree -p"),
        refused=("pgrep --signal KILL x", "pgrep -e x", "pidof --kill x", "pstree --out=x"),
        opens_files=False,
    ),
)

"""awk, mawk, gawk, original-awk: a program on the command line that only reads and prints.

- `awk_program` says what a program may hold. Refused besides: every program that nobody has seen (`-f`, `-E`, `-i`,
  `-l`, `--source`, `--include`), and every option but `-F` and `-v`. Their long names only gawk has;
  the original awk leaves out what it does not know, and the value behind it becomes the program.
- Options end at the program, in every awk. So names of files may be patterns.
- Files named /inet/... are refused, with any version digit: gawk opens a connection. Where words that nobody has seen
  follow, behind a `--` before the program, awk runs with POSIXLY_CORRECT, in which gawk takes such a name for a file:
  whatever awk is called, on many systems it is gawk. gawk runs with `--sandbox`.
"""

from __future__ import annotations

import re

from pi_sandbox.bash_policy.awk_program import judge_program
from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.devices import refuse_devices
from pi_sandbox.bash_policy.options import OptionTable, literal, matches, plain_options, value_options
from pi_sandbox.bash_policy.words import Word

_UNSEEN = "reads a program that nobody has seen; write it on the command line"
_NETWORK = re.compile(r"(?:[A-Za-z_]\w*=)?/inet[46]?/.*", re.DOTALL)
_variable = matches(r"(?!(?:ARGV|ARGC|SYMTAB|FUNCTAB|PROCINFO)=)[A-Za-z_]\w*=[^\n]*")
_NO_CONNECTIONS = {"POSIXLY_CORRECT": "1"}
_ADVICE = {
    **dict.fromkeys(("-f", "-E", "-e", "-i", "-l", "--file", "--exec", "--source", "--include", "--load"), _UNSEEN),
    "-W": "has options of its own in each awk; leave it out",
    "--field-separator": "is unknown to some awks, which run the next word; write -F",
    "--assign": "is unknown to some awks, which run the next word; write -v",
}


def _table(separator: str, variable: str) -> OptionTable:
    return OptionTable(
        "awk",
        plain_options("--version --sandbox") + value_options(separator, literal) + value_options(variable, _variable),
        stops_at_operand=True,
        dashed=frozenset({"-F"}),
        advice=_ADVICE,
    )


_EVERY_AWK = _table("-F", "-v")
_GAWK = _table("-F/--field-separator", "-v/--assign")


def _judge(name: str, words: tuple[Word, ...], surroundings: Surroundings) -> Judged:
    parsed = (_GAWK if name == "gawk" else _EVERY_AWK).parse(words)
    added = (Word.literal("--sandbox"),) if name == "gawk" and not parsed.has("--sandbox") else ()
    options = tuple(word for option in parsed.options for word in option.words())
    if parsed.has("--version"):
        return Judged(options)
    if not parsed.operands:
        raise Refused("awk lacks its program; write awk '{print $1}' FILE")
    program, *files = parsed.operands
    if not program.is_literal:
        raise Refused(f"the program {program.text} of awk is a pattern to bash; quote it")
    judge_program(program.text)
    for file in files:
        if _NETWORK.fullmatch(file.text):
            raise Refused(f"{file.text} is a connection to gawk, not a file; leave it out")
    refuse_devices(name, files)
    if surroundings.words_follow and not parsed.ended:
        raise Refused(f"{name} behind xargs needs a -- before its program; write xargs {name} -- '{{print $1}}'")
    return Judged(
        (*added, *options, Word.literal("--"), program, *files),
        environment=_NO_CONNECTIONS if surroundings.words_follow else {},
        options_ended=parsed.ended,
    )


RULES = (
    CommandRule(
        names=("awk", "mawk", "nawk", "original-awk"),
        manual="mawk(1) 1.3.4, original-awk(1) 2024, awk(1p), busybox 1.37",
        judge=_judge,
        added_words=AddedWords.AFTER_END_OF_OPTIONS,
        allowed=(
            "awk '{print $1}' notes/a.md",
            "awk -F '->' '{print $2}' notes/a.md",
            "awk --version",
            "awk -F - '{print $2}' notes/a.md",
            "awk -F: 'NR>5 && $2 > 3 {print $1}' notes/a.md",
            "awk -F '\\t' -v n=3 'NF > n' notes/*.md",
            "awk 'NR==1,NR==10' notes/a.md",
            "awk '/one/,/two/' notes/a.md",
            "awk '/a\\/b/ {print FILENAME\":\"$0}' *",
            "awk 'BEGIN {for (i = 0; i < 3; i++) s += i / 2; print s}'",
            "awk '{n[$1]++} END {for (k in n) printf \"%s %d\\n\", k, n[k]}' notes/a.md",
            "awk '{gsub(/[^a-z]/, \"\"); print length($0)}' notes/a.md",
            'awk \'{print ($1 > 2) ? "a" : "b"}\' notes/a.md',
            "awk '{if ($1 > 2) print; else print \"x\"}' notes/a.md",
            "awk '$1 ~ /^[0-9]+$/ {s += $1} END {print s/NR}' notes/a.md",
            "awk '/one/ {getline; print}' notes/a.md",
            "awk '/one/ {getline next_line; print next_line}' notes/a.md",
            "awk 'function f(x) {return x * 2} {print f($1)}' notes/a.md",
            "awk 'length > 80' notes/a.md",
            "awk '{print substr($0, 1, 10), toupper($2)}' notes/a.md",
            "awk '{print \"a > b | c\"}' notes/a.md",
            "awk '!seen[$0]++' notes/a.md",
            "awk 'END{print NR}' notes/a.md",
            "awk '{\n  # the first word\n  print $1\n}' notes/a.md",
            "awk 1 name=value notes/a.md",
            "awk '' notes/a.md",
            "cat notes/a.md | awk '{\n  print $NF\n}'",
            "find . -name '*.md' | xargs awk -- 'FNR < 5'",
            "ls notes | xargs -I{} awk -F: -- '{print $1}' notes/{}",
        ),
        refused=(
            "awk 'BEGIN {system(\"id\")}'",
            "awk 'BEGIN {system (\"id\")}'",
            "awk '{print | \"sort\"}' notes/a.md",
            "awk 'BEGIN {\"id\" | getline x; print x}'",
            'awk \'BEGIN {print "x" |& "cat"}\'',
            "awk '{print > \"out\"}' notes/a.md",
            "awk '{print $1 > $2}' notes/a.md",
            "awk '{print($1)(2) > \"out\"}' notes/a.md",
            'awk \'{printf("%s", $1) > "out"}\' notes/a.md',
            "awk '{print $1,\n$2 > \"out\"}' notes/a.md",
            "awk '{print >> \"out\"}' notes/a.md",
            "awk '{print a[1 > 0] > \"out\"}' notes/a.md",
            "awk 'BEGIN {getline x < \"/etc/passwd\"; print x}'",
            "awk 'BEGIN {while ((getline line < \"f\") > 0) print line}'",
            "awk 'BEGIN {ARGV[1] = \"/inet/tcp/0/localhost/80\"; ARGC = 2} {print}'",
            "awk 1 /inet/tcp/0/localhost/80",
            "awk '@include \"x\"'",
            'awk \'@load "filefuncs"; BEGIN {chdir("/")}\'',
            'awk \'BEGIN {f = "system"; @f("id")}\'',
            "awk 'BEGIN {awk::system(\"id\")}'",
            'awk \'BEGIN {if (1) /a"/; system("id"); y = /"b/}\'',
            "awk 'BEGIN {x = y++ /a\"/; print \"b/}'",
            "awk '/[/]/ {print}' notes/a.md",
            "awk 'BEGIN {0x1print > \"out\"}'",
            "awk '{print} # comment \\\n; print > \"out\"' notes/a.md",
            "find . -name '*.md' | xargs awk 'FNR < 5'",
            "ls | xargs awk 1 --",
            "ls | xargs awk -- '{print > \"out\"}'",
            "ls | xargs awk --",
            "ls | xargs awk -- 1 /inet/tcp/0/localhost/80",
            "ls | xargs -I{} awk -- '{}' a.md",
            "POSIXLY_CORRECT=x awk 1 a.md",
            "original-awk --field-separator 'BEGIN{system(\"id\")}' x",
            "original-awk --assign 'x=1;BEGIN{system(\"id\")}' x",
            "awk --field-separator=: '{print $1}' notes/a.md",
            "awk --version 'BEGIN {system(\"id\")}'",
            "awk -f program.awk notes/a.md",
            "awk -fprogram.awk notes/a.md",
            "mawk -W exec program.awk",
            "awk -v 'x' 1",
            "awk -v ARGV=1 1",
            "awk -v",
            "awk",
            "awk * notes/a.md",
            "awk -F* 1",
            "ls | xargs awk",
            "ls | xargs -I{} awk '{}'",
            "ls | xargs awk -v",
        ),
    ),
    CommandRule(
        names=("gawk",),
        manual="gawk(1) 5.2",
        judge=_judge,
        added_words=AddedWords.AFTER_END_OF_OPTIONS,
        allowed=(
            "gawk '{print $1}' notes/a.md",
            "gawk --field-separator=: '{print $1}' notes/a.md",
            "gawk 'BEGIN {print strftime(\"%F\", 0)}'",
            "gawk -F- 'NR > 1' a.md",
            "find . -name '*.md' | xargs gawk -- 'FNR < 5'",
        ),
        refused=(
            "gawk 1 /inet4/tcp/0/localhost/80",
            "gawk --sandbox 'BEGIN {system(\"id\")}'",
            "ls | xargs gawk 1",
            "gawk -i inplace '{print}' notes/a.md",
            "gawk -l filefuncs 1",
            "gawk -E program.awk",
            "gawk --source 'BEGIN {}'",
            "gawk -o 'BEGIN {}'",
            "gawk -p 'BEGIN {}'",
            "gawk -D 1",
            "gawk -d 1",
        ),
    ),
)

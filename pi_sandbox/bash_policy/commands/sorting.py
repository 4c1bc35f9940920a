"""sort, uniq, shuf, tsort: lines in another order, or each once.

- sort writes with -o and into the folder of -T, and runs the program of --compress-program.
- The second operand of uniq is the file that it writes, so it has one at most, and no pattern: that may be two.
- shuf writes with -o; with -r and no -n it never ends, and it holds the whole range of -i in memory.
- sort's and uniq's oldest forms, `+1`, are refused: whether that is a file depends on the version.
"""

from __future__ import annotations

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.devices import refuse_devices
from pi_sandbox.bash_policy.options import Option, Parsed, Takes, matches, one_of, value_options, whole_number
from pi_sandbox.bash_policy.table_rules import option_table, table_rule
from pi_sandbox.bash_policy.words import Word

_WRITES = "writes a file; leave it out, the result is printed"
_TEMPORARY = "says where to write; leave it out"
_SORT = option_table(
    "sort",
    "-b/--ignore-leading-blanks -d/--dictionary-order -f/--ignore-case -g/--general-numeric-sort "
    "-i/--ignore-nonprinting -M/--month-sort -h/--human-numeric-sort -n/--numeric-sort -R/--random-sort -r/--reverse "
    "-V/--version-sort -c -C --debug --files0-from= -m/--merge -s/--stable -u/--unique -z/--zero-terminated",
    *value_options("-k/--key", matches(r"[0-9][0-9.,bdfghinMRrVz]*")),
    *value_options("-t/--field-separator", matches(r"(?s:[^-].*|-)")),
    *value_options("-S/--buffer-size", matches(r"[0-9]{1,9}[%bKMGT]?")),
    *value_options("--parallel --batch-size", whole_number),
    Option(("--check",), Takes.BOUND_VALUE, one_of("diagnose-first", "quiet", "silent")),
    Option(
        ("--sort",), Takes.VALUE, one_of("general-numeric", "human-numeric", "month", "numeric", "random", "version")
    ),
    advice={
        "-o": _WRITES,
        "--output": _WRITES,
        "-T": _TEMPORARY,
        "--temporary-directory": _TEMPORARY,
        "--compress-program": "runs a program; leave it out",
    },
)
_UNIQ = option_table(
    "uniq",
    "-c/--count -d/--repeated -D --all-repeated=? --group=? -i/--ignore-case -u/--unique -z/--zero-terminated",
    *value_options("-f/--skip-fields -s/--skip-chars -w/--check-chars", whole_number),
)
_SHUF = option_table(
    "shuf",
    "-e/--echo -r/--repeat -z/--zero-terminated",
    *value_options("-i/--input-range", matches(r"[0-9]{1,7}-[0-9]{1,7}")),
    *value_options("-n/--head-count", whole_number),
    advice={"-o": _WRITES, "--output": _WRITES},
)


def _judge_sort(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    parsed = _SORT.parse(words)
    _refuse_plus("sort", parsed, "write -k for a key")
    refuse_devices("sort", parsed.operands)
    return Judged(parsed.words(), options_ended=parsed.ended)


def _judge_uniq(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    parsed = _UNIQ.parse(words)
    _refuse_plus("uniq", parsed, "write -s to skip characters")
    if len(parsed.operands) > 1:
        raise Refused(f"uniq writes its second file, {parsed.operands[1].text}; name one file")
    if any(operand.is_pattern for operand in parsed.operands):
        raise Refused(
            f"uniq writes a second file, and {parsed.operands[0].text} may be two; use cat FILES | sort | uniq"
        )
    refuse_devices("uniq", parsed.operands)
    return Judged(parsed.words())


def _judge_shuf(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    parsed = _SHUF.parse(words)
    if parsed.has("-r") and not parsed.has("-n"):
        raise Refused("shuf -r never ends without -n; say how many lines with -n")
    refuse_devices("shuf", parsed.operands)
    return Judged(parsed.words(), options_ended=parsed.ended)


def _refuse_plus(command: str, parsed: Parsed, instead: str) -> None:
    for operand in parsed.operands:
        if operand.text.startswith("+"):
            raise Refused(f"{operand.text} is an old form of an option of {command}; {instead}, or ./ before a file")


RULES = (
    CommandRule(
        names=("sort",),
        manual="sort(1) of GNU coreutils 9.7",
        judge=_judge_sort,
        added_words=AddedWords.AFTER_END_OF_OPTIONS,
        allowed=(
            "sort",
            "sort -rn a.md",
            "sort -t, -k2,2n a.csv",
            "sort -u ./*.md",
            "sort -- *.md",
            "sort notes/*.md",
            "sort --check=quiet a.md",
            "sort --sort=version a.md",
        ),
        refused=(
            "sort -o b.md a.md",
            "sort a.md -ob.md",
            "sort -uo a.md a.md",
            "sort --output=b a",
            "sort --out=b a",
            "sort -T /tmp a",
            "sort -t -o b a",
            "sort --compress-program=sh -S 1k a",
            "sort --compress-prog sh a",
            "sort *.md",
            "sort -[o]b a.md",
            "sort +1 -2 a.md",
        ),
    ),
    CommandRule(
        names=("uniq",),
        manual="uniq(1) of GNU coreutils 9.7",
        judge=_judge_uniq,
        added_words=AddedWords.NEVER,
        allowed=("uniq", "uniq -c", "uniq -d a.md", "uniq -f1 -- a.md", "uniq --group=both a.md"),
        refused=("uniq a.md b.md", "uniq - b.md", "uniq -c -- a.md b.md", "uniq ./*.md", "uniq -- *", "uniq +1 a.md"),
    ),
    table_rule(
        "tsort(1) of GNU coreutils 9.7",
        option_table("tsort", "", only_reads=True),
        allowed=("tsort a.md",),
        refused=("tsort -w a.md", "tsort /dev/zero"),
    ),
    CommandRule(
        names=("shuf",),
        manual="shuf(1) of GNU coreutils 9.7",
        judge=_judge_shuf,
        added_words=AddedWords.AFTER_END_OF_OPTIONS,
        allowed=("shuf a.md", "shuf -n 3 a.md", "shuf -i 1-10", "shuf -e a b c", "shuf -rn 2 a.md"),
        refused=(
            "shuf -o b a",
            "shuf -ob a",
            "shuf --output=b a",
            "shuf -r a",
            "shuf -i 1-9999999999",
            "shuf --random-source=/dev/zero a",
            "shuf *",
        ),
    ),
)

"""fd (Debian: fdfind): finds files. What it could run is refused.

- Refused: `-x`/`--exec` and `-X`/`--exec-batch` (programs), `-l`/`--list-details` (runs ls), `--gen-completions`.
- Its configuration is a file of patterns to ignore, which can do no more than hide files.
"""

from __future__ import annotations

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.options import OptionTable, Takes, plain_options, value_options
from pi_sandbox.bash_policy.words import Word

_EXECUTES = "runs a program for what is found; pipe the names to xargs instead"

_TABLE = OptionTable(
    "fd",
    plain_options(
        "-H/--hidden --no-hidden -I/--no-ignore --ignore --no-ignore-vcs --ignore-vcs --no-ignore-parent "
        "--ignore-parent --no-global-ignore-file --no-require-git --require-git -u/--unrestricted -s/--case-sensitive "
        "-i/--ignore-case -g/--glob --regex -F/--fixed-strings/--literal -a/--absolute-path --relative-path "
        "-L/--follow --no-follow -p/--full-path -0/--print0 --prune -1/--max-one-result -q/--quiet/--has-results "
        "--show-errors --one-file-system/--mount/--xdev -h/--help -V/--version"
    )
    + value_options(
        "--and -d/--max-depth/--maxdepth --min-depth --exact-depth -E/--exclude -t/--type -e/--extension -S/--size "
        "--changed-within/--change-newer-than/--newer/--changed-after --changed-before/--change-older-than/--older "
        "-o/--owner --ignore-file --ignore-contain -c/--color -j/--threads --max-results -C/--base-directory "
        "--path-separator --search-path --format"
    )
    + value_options("--strip-cwd-prefix --hyperlink", takes=Takes.BOUND_VALUE),
    dashed=frozenset({"-S", "--size"}),
    advice={
        **dict.fromkeys(("-x", "--exec", "-X", "--exec-batch"), _EXECUTES),
        **dict.fromkeys(("-l", "--list-details"), "runs ls; pipe the names to xargs ls -ld -- instead"),
    },
)


def _judge(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    parsed = _TABLE.parse(words)
    if parsed.operands:
        expression, *paths = parsed.operands
        parsed = parsed.with_operands((expression.taken_literally(), *paths))
    return Judged(parsed.words(), options_ended=parsed.ended)


RULES = (
    CommandRule(
        names=("fd", "fdfind"),
        manual="fd(1) of fd 10.2",
        judge=_judge,
        added_words=AddedWords.AFTER_END_OF_OPTIONS,
        allowed=(
            "fd",
            "fd needle",
            "fd -e md",
            "fd -e md . notes",
            "fd -g '*.md' notes",
            "fd -HI -t f -d 2 -E .git",
            "fd --type=f --extension md --changed-within 2d",
            "fd '^a.*\\.md$' notes -a",
            "fd -tf -0 . notes | xargs -0 wc -l",
            "fd -- -x notes",
            "fd . ~/notes --max-results 5",
        ),
        refused=(
            "fd -x cat",
            "fd -e md -x rm",
            "fd --exec cat {}",
            "fd -X wc -l",
            "fd --exec-batch wc",
            "fd -Hx cat",
            "fd -HXcat",
            "fd -l",
            "fd --list-details",
            "fd --gen-completions bash",
            "fd *",
            "fd -g *.md",
            "fd --ex cat",
            "fd -t --exec -- cat",
        ),
    ),
)

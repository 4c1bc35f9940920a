"""rg: searches files. What it could run is refused, and its configuration is never read.

- Refused: `--pre` and `--pre-glob` (a program for each file), `--hostname-bin` (a program), `-z`/`--search-zip` (the
  decompressing programs that PATH holds), `--hyperlink-format` (asks for the host's name), `--generate`.
- `--no-config` is added: the file that RIPGREP_CONFIG_PATH names can hold every one of these options.
- Without a path, rg searches a pipe or a file on standard input, else the working directory: as without this rule,
  since standard input is /dev/null.
"""

from __future__ import annotations

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.devices import option_values, refuse_devices
from pi_sandbox.bash_policy.options import Option, OptionTable, plain_options, value_options
from pi_sandbox.bash_policy.words import Word

_SWITCHES = (
    "auto-hybrid-regex binary block-buffered byte-offset column context-separator crlf encoding fixed-strings follow "
    "glob-case-insensitive heading hidden ignore-file-case-insensitive include-zero invert-match json line-buffered "
    "line-number max-columns-preview messages mmap multiline multiline-dotall one-file-system pcre2 pcre2-unicode "
    "require-git stats text trim unicode config ignore ignore-dot ignore-exclude ignore-files ignore-global "
    "ignore-messages ignore-parent ignore-vcs pre"
).split()

_TABLE = OptionTable(
    "rg",
    plain_options(
        "--auto-hybrid-regex --binary --block-buffered -b/--byte-offset -s/--case-sensitive --column -c/--count "
        "--count-matches --crlf --debug --files -l/--files-with-matches --files-without-match -F/--fixed-strings "
        "-L/--follow --glob-case-insensitive --heading -h/--help -./--hidden -i/--ignore-case "
        "--ignore-file-case-insensitive --include-zero -v/--invert-match --json --line-buffered -n/--line-number "
        "-x/--line-regexp --max-columns-preview --mmap -U/--multiline --multiline-dotall -0/--null --null-data "
        "--one-file-system -o/--only-matching --passthru/--passthrough -P/--pcre2 --pcre2-version -p/--pretty "
        "-q/--quiet -S/--smart-case --sort-files --stats --stop-on-nonmatch -a/--text --trace --trim --type-list "
        "-u/--unrestricted --version/-V --vimgrep -H/--with-filename -I/--no-filename -w/--word-regexp "
        "-N/--no-line-number --ignore --messages --require-git --unicode --pcre2-unicode "
        "--ignore-dot --ignore-exclude --ignore-files --ignore-global --ignore-messages --ignore-parent --ignore-vcs"
    )
    + tuple(Option((f"--no-{name}",)) for name in _SWITCHES if name != "line-number")
    + value_options(
        "-A/--after-context -B/--before-context -C/--context --color --colors --context-separator --dfa-size-limit "
        "-E/--encoding --engine --field-context-separator --field-match-separator -f/--file -g/--glob --iglob "
        "--ignore-file -M/--max-columns -m/--max-count --max-depth/--maxdepth/-d --max-filesize --path-separator "
        "--regex-size-limit -e/--regexp -r/--replace --sort --sortr -j/--threads -t/--type -T/--type-not --type-add "
        "--type-clear"
    ),
    dashed=frozenset({"-e", "--regexp", "-r", "--replace"}),
    advice={
        "--pre": "runs a program for each file; search the files as they are",
        "--pre-glob": "belongs to --pre, which runs a program for each file; leave it out",
        "--hostname-bin": "runs a program; leave it out",
        "-z": "runs decompressing programs; leave it out",
        "--search-zip": "runs decompressing programs; leave it out",
    },
)


def _judge(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    parsed = _TABLE.parse(words)
    paths = list(parsed.operands)
    if paths and not parsed.has("-e", "-f", "--files", "--type-list"):
        expression = paths.pop(0)
        parsed = parsed.with_operands((expression.taken_literally(), *paths))
    refuse_devices("rg", (*paths, *option_values(parsed, "-f", "--ignore-file")))
    added = () if parsed.has("--no-config", "--version") else (Word.literal("--no-config"),)
    return Judged((*added, *parsed.words()), options_ended=parsed.ended)


RULES = (
    CommandRule(
        names=("rg",),
        manual="rg(1) of ripgrep 14.1",
        judge=_judge,
        added_words=AddedWords.AFTER_END_OF_OPTIONS,
        allowed=(
            "rg needle",
            "rg -n 'needle' notes",
            "rg -i --hidden --glob '!.git' 'a|b' .",
            "rg --files -g '*.md' notes",
            "rg --files -g*.md notes",
            "rg -t md --sort path needle",
            "rg -c needle notes/*.md",
            "rg --glob=../*.md needle ..",
            "rg -U --multiline-dotall 'a.*b' notes",
            "rg -e needle -e other -- notes/a.md",
            "rg -- --pre notes",
            "rg needle -l | head -5",
            "cat notes/a.md | rg -o 'n\\w+'",
            "rg --json needle notes",
            "rg -uu --max-depth 2 needle ~/notes",
            "rg needle -A2 -B2 -C 3",
            "rg -r '$1' 'n(e)' notes",
            "rg -e --pre notes",
        ),
        refused=(
            "rg --pre cat needle",
            "rg --pre=./run needle",
            "rg --pre-glob '*.gz' needle",
            "rg -z needle",
            "rg -nz needle",
            "rg --search-zip needle",
            "rg --hostname-bin ./run needle",
            "rg --hyperlink-format default needle",
            "rg --generate man",
            "rg needle *",
            "rg needle *.md",
            "rg -g *.md needle",
            "rg --pr=cat needle",
            "rg -e",
            "rg -t --pre=cat needle",
            "rg -A --pre -- needle",
        ),
    ),
)

"""Which subcommands of git only read, and which options each of them has.

- Every option here was checked against git itself: whether it takes a value, and whether as a word of its own (a test
  asks the git that is installed). A value that is a word of its own may not begin with a dash.
- Not listed, so refused: what writes (--output), runs (--ext-diff, --textconv, --filters, --open-files-in-pager,
  --show-signature, %G in a format, --remerge-diff, and -m and --diff-merges=on, which may mean it), connects (remote
  show, ls-remote) or reads names that nobody has seen (--stdin of the log family, --pathspec-from-file).
- Behind `--`, the forms with `dashes_behind_end` take every word for a name (gitcli(7)). Not so `stash list` and
  `stash show`, which hand it on to log and diff without the `--`; nor forms of which nobody has looked that up.
- Subcommands that write as soon as they get a name (branch, tag, config, symbolic-ref, remote, notes ...) are listed in
  the forms that list or show.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.options import (
    Check,
    Option,
    OptionTable,
    Parsed,
    Takes,
    one_of,
    plain_options,
    value_options,
)
from pi_sandbox.bash_policy.subcommands import Queries, Query

_SIGNATURE = re.compile(r"%[-+ ]?G|signature")
_ADVICE = {
    **dict.fromkeys(("-o", "--output"), "writes a file; leave it out and read the output"),
    **dict.fromkeys(
        ("--ext-diff", "--textconv", "--filters"), "runs a program that the configuration names; leave it out"
    ),
    **dict.fromkeys(("-O", "--open-files-in-pager"), "runs a pager; leave it out"),
    **dict.fromkeys(("--exec", "--upload-pack"), "runs a program; leave it out"),
    "--show-signature": "runs gpg; leave it out",
    "--help": "opens a manual; leave it out",
    "--lost-found": "writes what it finds into the repository; write --dangling",
    **dict.fromkeys(("--dirty", "--broken"), "refreshes the index, which writes it; write git status --short as well"),
}
_LOG_ADVICE = {**_ADVICE, "-m": "may run a merge program that the configuration names; write --diff-merges=separate"}
_TAKES_DASHES = frozenset({"--sort"})  # for branch, tag and for-each-ref, in every version a key that a - may reverse
_NO_PROGRAMS = ("--no-ext-diff", "--no-textconv")


def _format_fits(value: str) -> bool:
    return _SIGNATURE.search(value) is None


def _bound(names: str, fits: Check | None = None) -> tuple[Option, ...]:
    return value_options(names, fits, takes=Takes.BOUND_VALUE)


_DIFFERENCES = (
    plain_options(
        "-p/-u/--patch -s/--no-patch --raw --patch-with-raw --patch-with-stat --numstat --shortstat --summary "
        "--compact-summary --name-only --name-status --no-renames --rename-empty --no-rename-empty --minimal "
        "--patience --histogram --indent-heuristic --no-indent-heuristic --full-index --binary --no-prefix "
        "--default-prefix -R -a/--text --ignore-cr-at-eol --ignore-space-at-eol -b/--ignore-space-change "
        "-w/--ignore-all-space --ignore-blank-lines -W/--function-context --exit-code --pickaxe-all "
        "--pickaxe-regex --find-copies-harder --irreversible-delete --cumulative --no-ext-diff "
        "--no-textconv --ita-invisible-in-index --check -z --no-color --no-color-moved "
        "--no-color-moved-ws --no-relative"
    )
    + value_options(
        "--color-moved-ws --diff-filter -S -G -l --inter-hunk-context --word-diff-regex --ws-error-highlight "
        "--src-prefix --dst-prefix --line-prefix --anchored --diff-algorithm --stat-width --stat-name-width "
        "--stat-count --stat-graph-width --find-object --rotate-to --skip-to -I/--ignore-matching-lines -O"
    )
    + _bound(
        "-M/--find-renames -C/--find-copies -B/--break-rewrites --stat --dirstat --color --color-moved "
        "-U/--unified --word-diff --color-words --abbrev --ignore-submodules --relative"
    )
    + _bound("--submodule", one_of("short", "log"))
)
_MERGES = plain_options("--cc -c -t --combined-all-paths --no-diff-merges --root --dd") + value_options(
    "--diff-merges", one_of("off", "none", "first-parent", "1", "separate", "combined", "c", "cc")
)
_REVISIONS = (
    plain_options(
        "--all --merges --no-merges --first-parent --not --reverse --full-history --dense --sparse --simplify-merges "
        "--simplify-by-decoration --show-pulls --topo-order --date-order --author-date-order --cherry-pick "
        "--cherry-mark --cherry --left-right --left-only --right-only --boundary --reflog -g/--walk-reflogs --merge "
        "--bisect --ignore-missing --invert-grep --all-match -i/--regexp-ignore-case -E/--extended-regexp "
        "-F/--fixed-strings -P/--perl-regexp --basic-regexp --no-min-parents --no-max-parents --remove-empty --do-walk "
        "--exclude-first-parent-only"
    )
    + value_options(
        "-n/--max-count --skip --since/--after --until/--before --since-as-filter --max-age --min-age --author "
        "--committer --grep --grep-reflog --glob --exclude"
    )
    + _bound("--branches --tags --remotes --no-walk --min-parents --max-parents --ancestry-path")
)
_FORMATS = (
    plain_options(
        "--oneline --graph --no-graph --no-decorate --clear-decorations --parents --children --abbrev-commit "
        "--no-abbrev-commit --no-abbrev --relative-date --no-notes --no-expand-tabs --log-size"
    )
    + value_options("--date --encoding")
    + _bound("--format/--pretty", _format_fits)
    + _bound("--decorate --notes --show-notes --expand-tabs --show-linear-break")
)
_LOG = (
    *_DIFFERENCES,
    *_MERGES,
    *_REVISIONS,
    *_FORMATS,
    *plain_options("--follow --full-diff --source --use-mailmap/--mailmap --no-mailmap -q/--quiet"),
    *value_options("-L --decorate-refs --decorate-refs-exclude"),
)
_LISTED = (
    plain_options("-i/--ignore-case --no-color --no-column --omit-empty")
    + value_options("--sort --contains --no-contains --merged --no-merged --points-at")
    + value_options("--format", _format_fits)
    + _bound("--color --column")
)
_TYPES = plain_options(
    "-z/--null --local --global --system --worktree --show-origin --show-scope --name-only --bool --int --bool-or-int "
    "--path --includes --no-includes --expiry-date"
) + value_options("--type --default -f/--file --blob")


def _table(
    name: str,
    options: tuple[Option, ...],
    *,
    number: str | None = None,
    advice: Mapping[str, str] = _ADVICE,
) -> OptionTable:
    return OptionTable(f"git {name}", options, number=number, dashed=_TAKES_DASHES, advice=advice)


def _query(
    name: str,
    plain: str,
    value: str = "",
    bound: str = "",
    *,
    most_operands: int | None = None,
    dashes_behind_end: bool = False,
) -> Query:
    options = plain_options(plain) + value_options(value) + _bound(bound)
    return Query(_table(name, options), most_operands=most_operands, dashes_behind_end=dashes_behind_end)


def _log(name: str, *, dashes_behind_end: bool = True) -> Query:
    table = _table(name, _LOG, number="-n", advice=_LOG_ADVICE)
    return Query(table, added=_NO_PROGRAMS, dashes_behind_end=dashes_behind_end)


def _differences(name: str, more: str) -> Query:
    return Query(_table(name, _DIFFERENCES + plain_options(more)), added=_NO_PROGRAMS, dashes_behind_end=True)


def _only_lists(creates: str, lists: tuple[str, ...], parsed: Parsed) -> None:
    if parsed.operands and not parsed.has(*lists):
        raise Refused(f"git {parsed.operands[0].text} {creates}; put --list before it to list")


def _one_key(parsed: Parsed) -> None:
    """Let `git config KEY` pass, which shows; one more word would be a value to write."""
    asks = parsed.has("--get", "--get-all", "--get-regexp", "--get-urlmatch")
    if parsed.has("--list"):
        most = 0
    elif asks:
        most = 2
    else:
        most = 1
    operands = parsed.operands
    if len(operands) > most:
        raise Refused("git config with a value writes it; write git config --get KEY")
    if not operands and not parsed.has("--list"):
        raise Refused("git config lacks what it is to show; write git config --get KEY or git config --list")
    if not asks and any(not re.fullmatch(r"[A-Za-z0-9-]+\..+", operand.text) for operand in operands):
        raise Refused(f"{operands[0].text} is no name of a key such as user.name")


def _shows_reflog(parsed: Parsed) -> None:
    if parsed.operands and not re.search(r"^(?:HEAD|main|master)\Z|[@/~^]", parsed.operands[0].text):
        raise Refused(f"write git reflog show {parsed.operands[0].text}")


def _asks_no_remote(parsed: Parsed) -> None:
    if parsed.operands and not parsed.has("-n"):
        raise Refused("git remote show connects; write git remote -v or git remote show -n NAME")


def _one_type(parsed: Parsed) -> None:
    if parsed.has("--batch", "--batch-check") and parsed.operands:
        raise Refused("git cat-file --batch takes its names from standard input")


_BRANCH_LISTS = ("--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at")
_BRANCHES = (
    _LISTED + plain_options("-a/--all -r/--remotes -v/--verbose -q/--quiet --list/-l --no-abbrev") + _bound("--abbrev")
)
_TAGS = _LISTED + plain_options("--list/-l") + _bound("-n")

_BLAME = Query(
    _table(
        "blame",
        plain_options(
            "-b --root --show-stats --no-progress -c -t -l -s -e/--show-email -w -f/--show-name -n/--show-number "
            "-p/--porcelain --line-porcelain --incremental --score-debug --minimal --first-parent --reverse "
            "--color-lines --color-by-age --no-textconv"
        )
        + value_options("-L --contents -S --since --ignore-rev --ignore-revs-file --date --encoding")
        + _bound("-M -C --abbrev"),
    ),
    added=("--no-textconv",),
    dashes_behind_end=True,
)

QUERIES: Queries = {
    ("log",): _log("log"),
    ("show",): _log("show"),
    ("whatchanged",): _log("whatchanged"),
    ("reflog", "show"): _log("reflog show"),
    ("stash", "list"): _log("stash list", dashes_behind_end=False),
    ("reflog",): Query(
        _table("reflog", _LOG, number="-n", advice=_LOG_ADVICE), added=_NO_PROGRAMS, check=_shows_reflog
    ),
    ("reflog", "exists"): _query("reflog exists", "", most_operands=1),
    ("stash", "show"): Query(
        _table("stash show", _DIFFERENCES + plain_options("--include-untracked --only-untracked")),
        added=_NO_PROGRAMS,
        most_operands=1,
    ),
    ("diff",): _differences(
        "diff",
        "--cached/--staged --merge-base --no-index -0/--unmerged --base -1 --ours -2 --theirs -3 --cc -c "
        "--combined-all-paths -q/--quiet",
    ),
    ("diff-tree",): Query(
        _table(
            "diff-tree",
            (
                *_DIFFERENCES,
                *_MERGES,
                *plain_options("-r -v --no-commit-id --always --merge-base -q/--quiet"),
                *_FORMATS,
            ),
        ),
        added=_NO_PROGRAMS,
        dashes_behind_end=True,
    ),
    ("diff-index",): _differences("diff-index", "--cached -m --merge-base -q/--quiet"),
    ("diff-files",): _differences("diff-files", "-0 -1 -2 -3 --base --ours --theirs -q --cc -c"),
    ("status",): Query(
        _table(
            "status",
            plain_options(
                "-s/--short -b/--branch --no-branch --show-stash --long -z --no-column --ahead-behind "
                "--no-ahead-behind --renames --no-renames"
            )
            + _bound("--porcelain -u/--untracked-files --ignored --column --find-renames -M --ignore-submodules"),
            advice={
                **_ADVICE,
                **dict.fromkeys(("-v", "--verbose"), "runs textconv programs; write git status and git diff --cached"),
            },
        ),
        dashes_behind_end=True,
    ),
    ("blame",): _BLAME,
    ("annotate",): _BLAME,
    ("grep",): Query(
        _table(
            "grep",
            plain_options(
                "-n/--line-number -i/--ignore-case -w/--word-regexp -l/--files-with-matches/--name-only "
                "-L/--files-without-match -c/--count -E/--extended-regexp -F/--fixed-strings -G/--basic-regexp "
                "-P/--perl-regexp -v/--invert-match -h -H -p/--show-function -W/--function-context --heading --break "
                "--cached --untracked --no-index --exclude-standard --no-exclude-standard -z/--null -o/--only-matching "
                "-r/--recursive --no-recursive --no-color --column --and --or --not --all-match -q/--quiet -a/--text "
                "-I --full-name --no-textconv --recurse-submodules --no-recurse-submodules"
            )
            + value_options(
                "-e -f -A/--after-context -B/--before-context -C/--context -m/--max-count --max-depth --threads"
            )
            + _bound("--color"),
            number="-C",
        ),
        dashes_behind_end=True,
    ),
    ("ls-files",): _query(
        "ls-files",
        "-c/--cached -d/--deleted -m/--modified -o/--others -i/--ignored -s/--stage -u/--unmerged -k/--killed -z -t -v "
        "--directory --no-empty-directory --eol --deduplicate --exclude-standard --error-unmatch --full-name --debug "
        "--sparse --resolve-undo --recurse-submodules",
        "-x/--exclude -X/--exclude-from --exclude-per-directory --with-tree --format",
        "--abbrev",
        dashes_behind_end=True,
    ),
    ("ls-tree",): _query(
        "ls-tree",
        "-d -r -t -l/--long -z --name-only/--name-status --object-only --full-name --full-tree",
        "--format",
        "--abbrev",
        dashes_behind_end=True,
    ),
    ("cat-file",): Query(
        _table(
            "cat-file",
            plain_options(
                "-t -s -e -p --batch-all-objects --unordered --buffer --follow-symlinks --allow-unknown-type -Z"
            )
            + _bound("--batch --batch-check"),
        ),
        check=_one_type,
    ),
    ("rev-parse",): _query(
        "rev-parse",
        "--show-toplevel --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir "
        "--is-bare-repository --is-shallow-repository --show-prefix --show-cdup --show-superproject-working-tree "
        "--verify -q/--quiet --symbolic --symbolic-full-name --all --not --revs-only --no-revs --flags --no-flags --sq "
        "--shared-index-path",
        "--git-path --default",
        "--short --abbrev-ref --branches --tags --remotes --path-format --since --until --show-object-format --glob "
        "--exclude --disambiguate",
    ),
    ("rev-list",): Query(
        _table(
            "rev-list",
            (
                *_REVISIONS,
                *_FORMATS,
                *plain_options(
                    "--count --timestamp --header --objects --objects-edge --no-commit-header --commit-header "
                    "--no-object-names --object-names -q/--quiet --in-commit-order --bisect-vars --bisect-all"
                ),
                *_bound("--disk-usage --abbrev"),
            ),
            number="-n",
        ),
        dashes_behind_end=True,
    ),
    ("shortlog",): Query(
        _table(
            "shortlog",
            plain_options("-s/--summary -n/--numbered -e/--email -c/--committer")
            + value_options("--group")
            + _bound("-w --format", _format_fits)
            + _REVISIONS,
        ),
        dashes_behind_end=True,
    ),
    ("describe",): _query(
        "describe",
        "--contains --all --tags --long --exact-match --first-parent --always --debug",
        "--match --exclude --candidates",
        "--abbrev",
    ),
    ("name-rev",): _query(
        "name-rev",
        "--tags --name-only --all --always --no-undefined --undefined --annotate-stdin --stdin",
        "--refs --exclude",
    ),
    ("merge-base",): _query("merge-base", "-a/--all --octopus --independent --is-ancestor --fork-point"),
    ("cherry",): _query("cherry", "-v/--verbose", bound="--abbrev"),
    ("show-branch",): _query(
        "show-branch",
        "-a/--all -r/--remotes --current --topo-order --date-order --sparse --merge-base --independent --list --topics "
        "--no-name --sha1-name --no-color",
        bound="--more --color -g/--reflog",
    ),
    ("for-each-ref",): Query(
        _table(
            "for-each-ref",
            plain_options("-s/--shell -p/--perl --python --tcl --ignore-case --omit-empty --include-root-refs")
            + value_options("--sort --count --points-at --contains --no-contains --merged --no-merged --exclude")
            + value_options("--format", _format_fits)
            + _bound("--color"),
        )
    ),
    ("show-ref",): _query(
        "show-ref",
        "--tags --heads --branches --head -d/--dereference --verify -q/--quiet --exists",
        bound="-s/--hash --abbrev",
    ),
    ("count-objects",): _query("count-objects", "-v/--verbose -H/--human-readable", most_operands=0),
    ("check-ignore",): _query(
        "check-ignore", "-q/--quiet -v/--verbose --stdin -z -n/--non-matching --no-index", dashes_behind_end=True
    ),
    ("check-attr",): _query("check-attr", "-a/--all --cached --stdin -z", "--source", dashes_behind_end=True),
    ("check-mailmap",): _query("check-mailmap", "--stdin"),
    ("check-ref-format",): _query(
        "check-ref-format", "--normalize --branch --allow-onelevel --no-allow-onelevel --refspec-pattern"
    ),
    ("fsck",): _query(
        "fsck",
        "-v/--verbose --unreachable --dangling --no-dangling --tags --root --cache --reflogs --no-reflogs --full "
        "--no-full --connectivity-only --strict --progress --no-progress --name-objects --no-name-objects",
    ),
    ("stripspace",): _query("stripspace", "-s/--strip-comments -c/--comment-lines", most_operands=0),
    ("var",): _query("var", "-l", most_operands=1),
    ("version",): _query("version", "--build-options", most_operands=0),
    ("worktree", "list"): _query("worktree list", "--porcelain -v/--verbose -z", most_operands=0),
    ("submodule",): _query("submodule", "", most_operands=0),
    ("submodule", "status"): _query("submodule status", "--cached --recursive"),
    ("bisect", "log"): _query("bisect log", "", most_operands=0),
    ("notes",): _query("notes", "", most_operands=0),
    ("notes", "list"): _query("notes list", "", most_operands=1),
    ("notes", "show"): _query("notes show", "", most_operands=1),
    ("sparse-checkout", "list"): _query("sparse-checkout list", "", most_operands=0),
    ("remote",): _query("remote", "-v/--verbose", most_operands=0),
    ("remote", "get-url"): _query("remote get-url", "--push --all", most_operands=1),
    ("remote", "show"): Query(_table("remote show", plain_options("-n")), most_operands=3, check=_asks_no_remote),
    ("symbolic-ref",): _query("symbolic-ref", "-q/--quiet --short --no-recurse --recurse", most_operands=1),
    ("branch", "--show-current"): _query("branch --show-current", "", most_operands=0),
    ("branch",): Query(
        _table("branch", _BRANCHES),
        check=partial(_only_lists, "creates a branch", _BRANCH_LISTS),
        added=("--list",),
        dashes_behind_end=True,
    ),
    ("tag",): Query(
        _table("tag", _TAGS),
        check=partial(_only_lists, "creates a tag", (*_BRANCH_LISTS, "-n")),
        added=("--list",),
        dashes_behind_end=True,
    ),
    ("config",): Query(
        _table("config", _TYPES + plain_options("--get --get-all --get-regexp --get-urlmatch --list/-l")),
        most_operands=2,
        check=_one_key,
    ),
    ("config", "list"): Query(_table("config list", _TYPES), most_operands=0),
    ("config", "get"): Query(
        _table(
            "config get",
            _TYPES
            + plain_options("--all --regexp --show-names --no-show-names --fixed-value")
            + value_options("--value --url"),
        ),
        most_operands=1,
    ),
}

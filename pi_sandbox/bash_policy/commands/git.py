"""git: subcommands that only read, in the forms that `git_queries` lists.

- Only subcommands that git itself has are accepted, so no alias of a configuration can take their place.
- Refused before the subcommand: -c, --config-env and --exec-path (code), --git-dir, --work-tree, --namespace and --bare
  (another repository's configuration than the folder's own), -p and --paginate. `-C FOLDER` is accepted.
- What runs is made deaf to the configuration where that is cheap: no pager, no external programs for differences, no
  refreshing of the index on the side; and by the environment (`environment.FIXED`) no file system monitor, no hooks, no
  gpg, no fetching. What is left are the clean filters of files that changed (gitattributes(5), `filter`), which no
  setting turns off. The specification accepts a hostile repository's configuration all the same: "Local Git includes
  and helper settings do not independently block read-only queries".
"""

from __future__ import annotations

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.devices import option_values, refuse_devices
from pi_sandbox.bash_policy.git_queries import QUERIES
from pi_sandbox.bash_policy.options import Parsed
from pi_sandbox.bash_policy.subcommands import Query, find_query, judge_operands
from pi_sandbox.bash_policy.words import Word

_CALM = ("--no-pager", "--no-optional-locks")
_SWITCHES = frozenset(
    "--no-pager -P --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs "
    "--no-replace-objects --no-lazy-fetch --no-advice".split()
)
_ALONE = frozenset({"--version", "-v", "--help", "-h"})
_ADVICE = {
    **dict.fromkeys(("-c", "--config-env"), "sets the configuration, which can run programs; leave it out"),
    "--exec-path": "changes which programs git runs; leave it out",
    **dict.fromkeys(
        ("--git-dir", "--work-tree", "--namespace", "--bare"), "points git at another repository; write git -C FOLDER"
    ),
    **dict.fromkeys(("-p", "--paginate"), "opens a pager; leave it out"),
}
_SHOWS_SETTINGS = {"GIT_CONFIG_COUNT": "0"}  # so that the settings of our own environment are not among them
_NAME_FILES = ("-f", "-X", "-O", "--contents", "--ignore-revs-file", "--exclude-per-directory")
_READS_STANDARD_INPUT = ("--all", "--branches", "--tags", "--remotes", "--glob")


def _judge(_name: str, words: tuple[Word, ...], surroundings: Surroundings) -> Judged:
    if len(words) == 1 and words[0].is_literal and words[0].text in _ALONE:
        return Judged(words)
    before, words = _before_subcommand(words)
    names, query, words = find_query("git", QUERIES, words)
    parsed = query.table.parse(_with_last_value(query, words))
    judge_operands("git", names, query, parsed)
    if names != ("grep",):
        refuse_devices("git", parsed.operands)
    refuse_devices("git", option_values(parsed, *_NAME_FILES))
    calm = (text for text in _CALM if not any(word.text == text for word in before))
    added = (text for text in query.added if not parsed.has(text))
    return Judged(
        (
            *(Word.literal(text) for text in calm),
            *before,
            *(Word.literal(text) for text in (*names, *added)),
            *parsed.words_in_order(),
            *(_head(surroundings, parsed) if names == ("shortlog",) else ()),
        ),
        environment=_SHOWS_SETTINGS if names[0] in ("config", "var") else {},
        options_ended=parsed.ended and query.dashes_behind_end and _allows_more(query, parsed),
    )


def _before_subcommand(words: tuple[Word, ...]) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    rest = list(words)
    before: list[Word] = []
    while rest and rest[0].fixed_start.startswith("-"):
        word = rest.pop(0)
        if word.is_literal and word.text in _SWITCHES:
            before.append(word)
        elif word.is_literal and word.text == "-C" and rest:
            folder = rest.pop(0)
            if folder.is_pattern or folder.text.startswith("-"):
                raise Refused(f"the folder {folder.text} of git -C is not certain; write its path out")
            before.extend((word, folder))
        else:
            name = word.text.partition("=")[0]
            raise Refused(f"the option {name} of git {_ADVICE.get(name, 'is not among those known to only read')}")
    return tuple(before), tuple(rest)


def _with_last_value(query: Query, words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Give `--merged` and its like the value that git takes where they stand last."""
    if words and words[-1].is_literal and words[-1].text in ("--contains", "--merged", "--no-merged", "--points-at"):
        option = query.table.find(words[-1].text)
        if option is not None:
            return (*words, Word.literal("HEAD"))
    return words


def _allows_more(query: Query, parsed: Parsed) -> bool:
    """Whether any number of names can follow: not where only a listing makes a name harmless that is not asked for."""
    return query.check is None or bool("--list" in query.added and parsed.has("--list"))


def _head(surroundings: Surroundings, parsed: Parsed) -> tuple[Word, ...]:
    """Give shortlog the revision that it would otherwise read from standard input, which is empty."""
    if parsed.operands or surroundings.reads_pipe or parsed.has(*_READS_STANDARD_INPUT) or parsed.ended:
        return ()
    return (Word.literal("HEAD"),)


RULES = (
    CommandRule(
        names=("git",),
        manual="git(1) and the page of each subcommand, git 2.47 and 2.39",
        judge=_judge,
        added_words=AddedWords.AFTER_END_OF_OPTIONS,
        allowed=(
            "git status",
            "git status --short --branch",
            "git status --porcelain=v2 -uno",
            "git log --oneline -10",
            "git --no-pager log -n 5 --stat",
            "git -C . log -1 --format='%H %an %s'",
            "git log --since='2 weeks ago' --author=a --grep one --all --graph",
            "git log -p -S needle -- notes/a.md",
            "git log --follow --pretty=format:%h -- notes/a.md",
            "git log HEAD~1..HEAD",
            "git log main --not HEAD",
            "git log -L1,1:notes/a.md",
            "git show HEAD",
            "git show HEAD:notes/a.md",
            "git show --stat --name-only HEAD",
            "git diff",
            "git diff --cached --stat",
            "git diff HEAD~1 -- notes",
            "git diff --no-index notes/a.md notes/b.md",
            "git diff -U5 --word-diff=plain --diff-filter=AM HEAD",
            "git blame -L 1,1 notes/a.md",
            "git blame HEAD -- notes/a.md",
            "git log --oneline -- -delete",
            "git diff HEAD -- --output=out",
            "git diff -O list.txt HEAD",
            "git log -p -Olist.txt -1",
            "git annotate notes/a.md",
            "git grep -n needle",
            "git grep -n -e one --and -e two -- '*.md'",
            "git ls-files",
            "git ls-files -o --exclude-standard notes/*",
            "git ls-tree -r --name-only HEAD",
            "git cat-file -p HEAD",
            "git cat-file blob HEAD:notes/a.md",
            "git rev-parse --show-toplevel",
            "git rev-parse --abbrev-ref HEAD",
            "git rev-list --count HEAD",
            "git describe --tags --always",
            "git shortlog -sne",
            "git reflog -5",
            "git reflog show HEAD",
            "git branch",
            "git branch -a -vv",
            "git branch --show-current",
            "git branch --list 'a*'",
            "git branch --contains HEAD",
            "git branch -r --merged",
            "git tag",
            "git tag -l 'v*' --sort=-creatordate",
            "git tag -n3",
            "git tag --points-at HEAD",
            "git remote -v",
            "git remote",
            "git config --get user.name",
            "git config user.name",
            "git config --list --show-origin",
            "git config --get-regexp 'user.*'",
            "git stash list",
            "git worktree list --porcelain",
            "git for-each-ref --format='%(refname:short)' refs/heads",
            "git show-ref --heads",
            "git symbolic-ref --short HEAD",
            "git merge-base HEAD HEAD~1",
            "git name-rev --name-only HEAD",
            "git diff-tree --no-commit-id --name-only -r HEAD",
            "git count-objects -vH",
            "git fsck --no-progress",
            "git check-ref-format --branch main",
            "cat notes/a.md | git stripspace",
            "git check-ignore -v notes/a.md",
            "git submodule status",
            "git version",
            "git --version",
            "git ls-files | xargs git log -1 --format=%cI --",
        ),
        refused=(
            "git",
            "git commit -m x",
            "git add .",
            "git checkout main",
            "git push",
            "git pull",
            "git fetch",
            "git ls-remote",
            "git clone x",
            "git archive HEAD",
            "git bundle create x HEAD",
            "git gc",
            "git apply x",
            "git help log",
            "git log --help",
            "git x",
            "git -c core.pager=id log",
            "git -c alias.x=!id x",
            "git -ccore.fsmonitor=id status",
            "git --config-env=core.pager=X log",
            "git --exec-path=. log",
            "git --git-dir=. log",
            "git --git-dir . log",
            "git --work-tree=/ status",
            "git --bare log",
            "git -p log",
            "git --paginate log",
            "git -C * log",
            "git log --output=out",
            "git log --output out",
            "git log --outpu=out",
            "git diff --output=out",
            "git diff -o out",
            "git diff -O /dev/zero",
            "git diff -O",
            "git stash list -- --output=out",
            "git stash show -- --output=out",
            "ls | xargs git stash list --",
            "ls | xargs git describe --contains --",
            "git show --output=out HEAD",
            "git log --ext-diff -p",
            "git diff --ext-diff",
            "git show --textconv HEAD:a",
            "git diff --textconv",
            "git cat-file --textconv HEAD:a",
            "git cat-file --filters HEAD:a",
            "git grep -O needle",
            "git grep -Oid needle",
            "git grep --open-files-in-pager=id needle",
            "git grep needle *",
            "git log *",
            "git log --format --output=out",
            "git log --show-signature",
            "git describe --always --dirty",
            "git log --format=%G?",
            "git log --pretty='%h %+GK'",
            "git for-each-ref --format='%(signature)'",
            "git log --stdin",
            "git log --remerge-diff",
            "git log --diff-merges=remerge",
            "git blame --textconv notes/a.md",
            "git branch new",
            "git branch -d main",
            "git branch -D main",
            "git branch -m a b",
            "git branch -f main HEAD",
            "git branch -u origin/main",
            "git branch -v new",
            "git branch --edit-description",
            "git branch --show-current new",
            "git branch --list -D main",
            "git branch -- new",
            "git tag v1",
            "git tag -a v1 -m x",
            "git tag -d v1",
            "git tag -v v1",
            "git tag --verify v1",
            "git tag -- v1",
            "git remote add x y",
            "git remote show origin",
            "git remote update",
            "git remote prune origin",
            "git remote set-url origin x",
            "git config user.name x",
            "git config --add user.name x",
            "git config --unset user.name",
            "git config --get a.b c d",
            "git config set user.name x",
            "git config edit",
            "git config -e",
            "git config --global --edit",
            "git config user.name -- x",
            "git config a.b ./*",
            "git config",
            "git stash",
            "git stash pop",
            "git stash drop",
            "git stash -p",
            "git reflog expire --all",
            "git reflog delete HEAD@{0}",
            "git reflog drop",
            "git worktree add x",
            "git worktree prune",
            "git notes add",
            "git notes x",
            "git submodule x",
            "git submodule update",
            "git submodule foreach id",
            "git symbolic-ref HEAD refs/heads/x",
            "git symbolic-ref -d HEAD",
            "git symbolic-ref HEAD ./*",
            "git bisect run id",
            "git bisect start",
            "git difftool",
            "git rev-parse --parseopt",
            "git hash-object -w a",
            "git update-index --refresh",
            "git verify-commit HEAD",
            "git fsck --lost-found",
            "git range-diff main HEAD~1 HEAD",
            "git ls-files | xargs git log -1",
            "ls | xargs git branch --",
            "ls | xargs git tag --",
            "ls | xargs git config --",
            "ls | xargs git symbolic-ref --",
        ),
    ),
)

"""gh: queries of GitHub.

- Listed are subcommands that list, view or search, with the options that choose what is shown. Refused: `--web`
  (opens a browser), `--watch` (does not end), `auth token` and `--show-token`, extensions, aliases, and everything that
  changes something.
- `gh api` only with the method GET: without fields, which would make it POST, unless `-X GET` is written; without
  `-F` and `--input`, which send files; without headers, which could ask for another method, and without `--cache`,
  which writes.
- `gh run view --log` keeps the log in a file and reads it there, so it is refused. What gh keeps on the side, such as
  what GitHub can do for `gh pr view`, has no place to be kept (XDG_CACHE_HOME in `environment`).
- A filter of `--jq` may not read the environment, which holds the credential.
- Questions go to github.com: another host in a repository's name or an address is refused.
"""

from __future__ import annotations

import re
from dataclasses import replace

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.jq_filter import judge_filter
from pi_sandbox.bash_policy.options import Check, Option, OptionTable, Parsed, matches, plain_options, value_options
from pi_sandbox.bash_policy.subcommands import Queries, Query, find_query, judge_operands
from pi_sandbox.bash_policy.words import Word

_repository = matches(r"(?:(?:https://)?github\.com/)?[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
_get = matches("(?i:get)")
_calm_header = matches(r"(?i:accept|x-github-api-version):[ -~]*")
_ADVICE = {
    **dict.fromkeys(("-w", "--web"), "opens a browser; leave it out"),
    "--watch": "does not end; leave it out",
    "--show-token": "shows a credential; leave it out",
    **dict.fromkeys(
        ("-F", "--field", "--input"), "sends a file or changes something; write -X GET with -f, or leave it out"
    ),
    "--cache": "writes a file; leave it out",
    **dict.fromkeys(("--log", "--log-failed"), "writes the log into a file of a cache; write gh run view ID --verbose"),
    "--hostname": "asks another host; leave it out",
}
_PLAIN_SETTINGS = ("git_protocol", "editor", "prompt", "prefer_editor_prompt", "pager", "http_unix_socket", "browser")
_JSON = value_options("--json -q/--jq -t/--template")
_IN_REPOSITORY = value_options("-R/--repo", _repository)
_SEARCH = _JSON + value_options("-L/--limit --order --sort --owner --visibility --match --created --updated --language")
_SEARCH_THREADS = (
    _SEARCH
    + plain_options(
        "--no-assignee --no-label --no-milestone --no-project --include-prs --locked --draft --merged --archived"
    )
    + value_options(
        "--app --assignee --author --closed --commenter --comments --interactions --involves --label --mentions "
        "--milestone --project --reactions --repo --state --team-mentions -B/--base --checks -H/--head --merged-at "
        "--review --review-requested --reviewed-by"
    )
)


def _query(name: str, options: tuple[Option, ...] = (), *, most_operands: int | None = None) -> Query:
    table = OptionTable(f"gh {name}", options + plain_options("--help"), advice=_ADVICE)
    is_search = name.startswith("search ")  # a query such as -label:bug stands behind --
    return Query(table, most_operands=most_operands, check=_asks_github, dashes_behind_end=is_search)


def _list(name: str, plain: str = "", values: str = "") -> Query:
    options = _JSON + _IN_REPOSITORY + plain_options(plain) + value_options(f"{values} -L/--limit")
    return _query(name, options, most_operands=0)


def _view(name: str, plain: str = "", values: str = "") -> Query:
    return _query(name, _JSON + _IN_REPOSITORY + plain_options(plain) + value_options(values), most_operands=1)


def _asks_github(parsed: Parsed) -> None:
    for operand in parsed.operands:
        at_github = operand.text.startswith(("https://github.com/", "https://gist.github.com/"))
        if ":/" in operand.text and not at_github:
            raise Refused(f"{operand.text} is at another host; only github.com is asked")


def _names_repository(parsed: Parsed) -> None:
    for operand in parsed.operands:
        if "/" in operand.text and not _repository(operand.text):
            raise Refused(f"{operand.text} is no repository at github.com; write OWNER/NAME")


def _shows_no_credential(parsed: Parsed) -> None:
    for operand in parsed.operands:
        if operand.text not in _PLAIN_SETTINGS:
            raise Refused(f"gh config get {operand.text} may show a credential; write gh config list")


def _only_gets(parsed: Parsed) -> None:
    if parsed.has("--help"):
        return
    if len(parsed.operands) != 1:
        raise Refused("gh api wants one endpoint, such as repos/OWNER/NAME/issues")
    endpoint = parsed.operands[0].text
    if ":/" in endpoint or re.match(r"/*graphql", endpoint):
        raise Refused(f"the endpoint {endpoint} of gh api is refused; write one such as repos/OWNER/NAME/issues")
    if parsed.has("-f") and not parsed.has("-X"):
        raise Refused("gh api with fields changes something; write -X GET with them")


def _api_options() -> tuple[Option, ...]:
    values: tuple[tuple[str, Check | None], ...] = (("-X/--method", _get), ("-H/--header", _calm_header))
    return (
        *plain_options("-i/--include --paginate --slurp --silent --help"),
        *(option for names, fits in values for option in value_options(names, fits)),
        *value_options("-q/--jq -t/--template -f/--raw-field"),
    )


_LISTS_AND_VIEWS: Queries = {
    ("pr", "list"): _list(
        "pr list", "-d/--draft", "--app -a/--assignee -A/--author -B/--base -H/--head -l/--label -S/--search -s/--state"
    ),
    ("pr", "view"): _view("pr view", "-c/--comments"),
    ("pr", "status"): _list("pr status", "-c/--conflict-status"),
    ("pr", "diff"): _view("pr diff", "--name-only --patch", "--color"),
    ("pr", "checks"): _view("pr checks", "--required"),
    ("issue", "list"): _list(
        "issue list", "", "--app -a/--assignee -A/--author -l/--label --mention -m/--milestone -S/--search -s/--state"
    ),
    ("issue", "view"): _view("issue view", "-c/--comments"),
    ("issue", "status"): _list("issue status"),
    ("run", "list"): _list(
        "run list", "-a/--all", "-b/--branch -c/--commit --created -e/--event -s/--status -u/--user -w/--workflow"
    ),
    ("run", "view"): _view("run view", "--exit-status -v/--verbose", "-a/--attempt -j/--job"),
    ("release", "list"): _list("release list", "--exclude-drafts --exclude-pre-releases", "-O/--order"),
    ("release", "view"): _view("release view"),
    ("repo", "list"): _query(
        "repo list",
        _JSON
        + plain_options("--archived --fork --no-archived --source")
        + value_options("-l/--language -L/--limit --topic --visibility"),
        most_operands=1,
    ),
    ("repo", "view"): Query(
        OptionTable(
            "gh repo view",
            _JSON + plain_options("--help") + value_options("-b/--branch"),
            advice=_ADVICE,
        ),
        most_operands=1,
        check=_names_repository,
    ),
    ("workflow", "list"): _list("workflow list", "-a/--all"),
    ("workflow", "view"): _view("workflow view", "-y/--yaml", "-r/--ref"),
    ("label", "list"): _list("label list", "", "--order -S/--search --sort"),
    ("cache", "list"): _list("cache list", "", "-k/--key -O/--order -r/--ref -S/--sort"),
    ("gist", "list"): _query(
        "gist list", plain_options("--public --secret") + value_options("-L/--limit"), most_operands=0
    ),
    ("gist", "view"): _query(
        "gist view", plain_options("--files -r/--raw") + value_options("-f/--filename"), most_operands=1
    ),
    ("search", "issues"): _query("search issues", _SEARCH_THREADS),
    ("search", "prs"): _query("search prs", _SEARCH_THREADS),
    ("search", "code"): _query("search code", _SEARCH + value_options("-R/--repo --extension --filename --size")),
    ("search", "commits"): _query(
        "search commits",
        _SEARCH
        + plain_options("--merge")
        + value_options(
            "--author --author-date --author-email --author-name --committer --committer-date --committer-email "
            "--committer-name --hash --parent --repo --tree"
        ),
    ),
    ("search", "repos"): _query(
        "search repos",
        _SEARCH
        + plain_options("--archived")
        + value_options(
            "--followers --forks --good-first-issues --help-wanted-issues --include-forks --license "
            "--number-topics --size --stars --topic"
        ),
    ),
    ("auth", "status"): _query("auth status", plain_options("-a/--active"), most_operands=0),
    **{
        (kind, "list"): _query(
            f"{kind} list", _JSON + _IN_REPOSITORY + value_options("-L/--limit -o/--org"), most_operands=0
        )
        for kind in ("alias", "extension", "config", "secret", "variable", "ruleset", "org", "project")
    },
    ("ruleset", "view"): _view("ruleset view", "", "-o/--org"),
    ("status",): _query("status", value_options("-e/--exclude -o/--org"), most_operands=0),
    ("project", "view"): _query("project view", _JSON + value_options("--owner --format"), most_operands=1),
    **{
        ("project", form): _query(
            f"project {form}", _JSON + value_options("--owner --format -L/--limit"), most_operands=1
        )
        for form in ("item-list", "field-list")
    },
    **{(kind, "list"): _query(f"{kind} list", _JSON, most_operands=0) for kind in ("ssh-key", "gpg-key")},
    ("variable", "get"): _query(
        "variable get", _JSON + _IN_REPOSITORY + value_options("-e/--env -o/--org"), most_operands=1
    ),
    ("config", "get"): replace(_query("config get", most_operands=1), check=_shows_no_credential),
    ("version",): _query("version", most_operands=0),
    ("api",): Query(OptionTable("gh api", _api_options(), advice=_ADVICE), check=_only_gets),
}
_ALIASES: Queries = {(kind, "ls"): query for (kind, *form), query in _LISTS_AND_VIEWS.items() if form == ["list"]}
_QUERIES: Queries = {**_LISTS_AND_VIEWS, **_ALIASES}


def _judge(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    if len(words) == 1 and words[0].is_literal and words[0].text in ("--version", "--help"):
        return Judged(words)
    names, query, rest = find_query("gh", _QUERIES, words)
    parsed = query.table.parse(rest)
    judge_operands("gh", names, query, parsed)
    for option in parsed.options:
        if option.name == "-q":
            judge_filter("gh", option.value or "")
    if names == ("api",):  # the ? of a query is a pattern to bash
        parsed = parsed.with_operands(tuple(operand.taken_literally() for operand in parsed.operands))
    return Judged((*(Word.literal(name) for name in names), *parsed.words()))


RULES = (
    CommandRule(
        names=("gh",),
        manual="gh(1) and the page of each subcommand, gh 2.46 and 2.23",
        judge=_judge,
        added_words=AddedWords.NEVER,
        allowed=(
            "gh pr list",
            "gh pr list --state all --limit 50 --json number,title",
            "gh pr view 12 --comments",
            "gh pr view https://github.com/owner/name/pull/12",
            "gh pr diff 12 --name-only",
            "gh pr checks 12 -R owner/name",
            "gh pr status",
            "gh issue list -l bug -S 'is:open needle'",
            "gh issue view 3 --json body --jq .body",
            "gh run list -L 5 -w ci.yml",
            "gh run view 1 --verbose",
            "gh search issues needle -- -label:bug",
            "gh release list",
            "gh release view v1 --repo owner/name",
            "gh repo view owner/name --json description",
            "gh repo list owner -L 10",
            "gh workflow list --all",
            "gh workflow view ci.yml --yaml",
            "gh label list",
            "gh search issues needle --repo owner/name",
            "gh search prs --author a --state open",
            "gh search code needle --language go",
            "gh auth status",
            "gh api repos/owner/name/issues --paginate --jq '.[].title'",
            "gh api -X GET search/issues -f q=needle",
            "gh api /user -H 'Accept: application/json'",
            "gh status",
            "gh secret list",
            "gh pr ls -L 5",
            "gh config get git_protocol",
            "gh api --help",
            "gh --version",
        ),
        refused=(
            "gh",
            "gh pr create",
            "gh pr merge 12",
            "gh pr checkout 12",
            "gh pr comment 12 -b x",
            "gh pr close 12",
            "gh pr view 12 --web",
            "gh pr view 12 -w",
            "gh pr view -cw 12",
            "gh pr checks 12 --watch",
            "gh pr view https://evil.example/owner/name/pull/12",
            "gh pr list -R evil.example/owner/name",
            "gh issue create -t x",
            "gh issue edit 3",
            "gh issue delete 3",
            "gh run view 1 --log",
            "gh run view 1 --log-failed",
            "gh run watch 1",
            "gh run rerun 1",
            "gh run cancel 1",
            "gh run download 1",
            "gh release create v1",
            "gh release download v1",
            "gh release delete v1",
            "gh repo clone owner/name",
            "gh repo view evil.example/owner/name",
            "gh repo create x",
            "gh repo delete owner/name",
            "gh workflow run ci.yml",
            "gh gist create a.md",
            "gh gist edit 1",
            "gh label create x",
            "gh secret set X",
            "gh auth token",
            "gh auth status --show-token",
            "gh auth status -t",
            "gh auth login",
            "gh alias set x y",
            "gh extension install x",
            "gh config set editor id",
            "gh config get oauth_token",
            "gh config get git_protocol -h github.com",
            "gh search ls x",
            "gh browse",
            "gh codespace ssh",
            "gh x",
            "gh api repos/owner/name/issues -f title=x",
            "gh api repos/owner/name/issues -F body=@/etc/passwd",
            "gh api -X POST repos/owner/name/issues",
            "gh api -XDELETE repos/owner/name",
            "gh api --method=PATCH repos/owner/name",
            "gh api -X GET -X POST repos/owner/name",
            "gh api repos/owner/name --input a.json",
            "gh api graphql -f query=x",
            "gh api -X GET graphql",
            "gh api https://evil.example/x",
            "gh api user --hostname evil.example",
            "gh api user -H 'X-HTTP-Method-Override: DELETE'",
            "gh api user --cache 1h",
            "gh api user --jq env",
            "gh pr view 1 --json body -q '$ENV.GH_TOKEN'",
            "gh issue list --json title --jq=env.GH_TOKEN",
            "gh api",
            "gh pr list *",
            "ls | xargs gh issue view --",
        ),
    ),
)

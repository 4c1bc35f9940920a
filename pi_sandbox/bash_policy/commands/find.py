"""find: starting points, then an expression of tests and of actions that print.

- The list holds every test, option and operator of the manual that only looks, and the actions -print, -print0,
  -printf, -ls, -prune and -quit. Refused: -exec, -execdir, -ok, -okdir (programs), -delete, -fprint, -fprint0,
  -fprintf, -fls (files), -files0-from (starting points that nobody has seen), -D.
- find has no end of options: a starting point that looks like a part of an expression is one. So a pattern may stand
  only where no word of the language of find has its form, and is taken literally as a value (`-name *.md`).
- A value may not be an action that is refused: what bash makes of a pattern before it could move it into that place.
"""

from __future__ import annotations

import re

from pi_sandbox.bash_policy.command_rule import CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.devices import may_match
from pi_sandbox.bash_policy.options import Check, matches, one_of
from pi_sandbox.bash_policy.words import Word

_GLOBAL_OPTIONS = frozenset({"-H", "-L", "-P", "-O0", "-O1", "-O2", "-O3"})
_OPERATORS = frozenset({"(", ")", "!", ",", "-not", "-a", "-and", "-o", "-or"})
_PLAIN = frozenset(
    "-depth -d -daystart -follow -nowarn -warn -mount -xdev -x -noleaf -ignore_readdir_race -noignore_readdir_race "
    "-empty -executable -readable -writable -nogroup -nouser -true -false -print -print0 -ls -prune -quit -help --help "
    "-version --version".split()
)
_count = matches(r"[-+]?[0-9]{1,12}(\.[0-9]{1,6})?")
_kinds = matches(r"[bcdpflsD](,[bcdpflsD])*")


def _any(_value: str) -> bool:
    return True


_WITH_VALUE: dict[str, Check] = {
    **dict.fromkeys("-maxdepth -mindepth".split(), matches(r"[0-9]{1,9}")),
    **dict.fromkeys("-amin -atime -cmin -ctime -mmin -mtime -gid -uid -inum -links -used".split(), _count),
    **dict.fromkeys(
        "-name -iname -path -ipath -wholename -iwholename -lname -ilname -regex -iregex -newer -anewer -cnewer "
        "-samefile -user -group -fstype -context -printf".split(),
        _any,
    ),
    "-size": matches(r"[-+]?[0-9]{1,18}[cwbkMGTP]?"),
    "-perm": matches(r"[-/+]?([0-7]{1,6}|[ugoa]*[-+=][rwxXstugo]*(,[ugoa]*[-+=][rwxXstugo]*)*)"),
    "-type": _kinds,
    "-xtype": _kinds,
    "-regextype": one_of(
        *("awk", "ed", "egrep", "emacs", "findutils-default", "gnu-awk", "grep", "posix-awk", "posix-basic"),
        *("posix-egrep", "posix-extended", "posix-minimal-basic", "sed"),
    ),
}
_NEWER = re.compile(r"-newer[aBcm][aBcmt]")
_PROGRAM = "runs a program for what is found; pipe the names to xargs instead: find … -print0 | xargs -0 …"
_FILE = "writes a file; leave it out and read the output"
_REFUSED = {
    **dict.fromkeys("-exec -execdir -ok -okdir".split(), _PROGRAM),
    **dict.fromkeys("-fprint -fprint0 -fprintf -fls".split(), _FILE),
    "-delete": "deletes what is found; leave it out",
    "-files0-from": "takes starting points that nobody has seen; write them out",
}
_LANGUAGE = (
    *_GLOBAL_OPTIONS,
    *_OPERATORS,
    *_PLAIN,
    *_WITH_VALUE,
    *_REFUSED,
    *("-D", "-f", "-E", "-X", "-s", "-newermt", "-newerma", "-newermc", "-newermB", "-newermm"),
)


def _judge(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    rest = list(words)
    judged: list[Word] = []
    while rest and rest[0].is_literal and rest[0].text in _GLOBAL_OPTIONS:
        judged.append(rest.pop(0))
    while rest and not _begins_expression(rest[0]):
        judged.append(_harmless_pattern(rest.pop(0)))
    while rest:
        judged.extend(_part(rest.pop(0), rest))
    return Judged(tuple(judged))


def _begins_expression(word: Word) -> bool:
    return word.fixed_start.startswith("-") or word.text in ("(", ")", "!", ",")


def _harmless_pattern(word: Word) -> Word:
    """Let a word pass that can only become names which find takes for no part of an expression."""
    if word.is_pattern and any(_may_become(word, known) for known in _LANGUAGE):
        raise Refused(f"the pattern {word.text} could become a part of the expression of find; quote it or write ./…")
    return word


def _may_become(word: Word, known: str) -> bool:
    return known.startswith(word.fixed_start) and may_match(word.text, known)


def _part(word: Word, rest: list[Word]) -> tuple[Word, ...]:
    name = word.text
    if word.is_pattern or word.starts_with_tilde:
        raise Refused(f"{name} stands where find wants a test or an action; put paths first and quote patterns")
    if name in _OPERATORS or name in _PLAIN:
        return (word,)
    check = _any if _NEWER.fullmatch(name) else _WITH_VALUE.get(name)
    if check is None:
        advice = _REFUSED.get(name, "is not among the tests and actions that only look; leave it out")
        raise Refused(f"{name} of find {advice}")
    if not rest:
        raise Refused(f"{name} of find lacks its value")
    value = _harmless_pattern(rest.pop(0))
    if value.text in _REFUSED or not check(value.text):
        raise Refused(f"the value {value.text} of {name} of find is not one that is allowed")
    return (word, value.taken_literally() if value.is_pattern else value)


RULES = (
    CommandRule(
        names=("find",),
        manual="find(1) of GNU findutils 4.10",
        judge=_judge,
        allowed=(
            "find",
            "find .",
            "find . -name '*.md' -type f",
            "find notes -maxdepth 1 -type f -mtime -7 | head -20",
            "find notes other -iname '*a*' -not -path '*/.git/*' -print0",
            "find . \\( -name '*.md' -o -name '*.txt' \\) -size +1k",
            "find . -type d -name .git -prune -o -type f -print",
            "find . -newermt '2024-01-01' -ls",
            "find . -printf '%T@ %p\\n'",
            "find -L ~/notes -regextype posix-extended -regex '.*(a|b).*'",
            "find . ! -empty -perm -u+r",
            "find . -name *.md",
            "find ./* -name 'a*'",
            "find notes/* -type f",
            "find . -newer notes/a.md -quit",
            "find . -user root -links 1 -empty",
        ),
        refused=(
            "find . -delete",
            "find . -name '*.md' -delete",
            "find . -exec cat {} \\;",
            "find . -exec cat {} +",
            "find . -execdir cat {} \\;",
            "find . -ok cat {} \\;",
            "find . -okdir cat {} \\;",
            "find . -fprint out",
            "find . -fprint0 out",
            "find . -fprintf out '%p'",
            "find . -fls out",
            "find -files0-from list",
            "find -D exec .",
            "find . -name * -print",
            "find *",
            "find -* -print",
            "find . -name *e",
            "find . -name -delete",
            "find . -name *.md -o -name -exec",
            "find ! -delete",
            "find . '-delete'",
            "find . -del*",
            "find . -type f other",
            "find . -mtime -7d",
            "find . -name",
            "find . -print > out",
        ),
    ),
)

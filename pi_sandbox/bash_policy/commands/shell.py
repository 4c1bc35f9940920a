"""Builtins of bash that only read, print or end: cd, echo, printf, test, [, type, which, command -v, exit, set -e.

What makes some of them dangerous is that bash evaluates the subscript of a variable's name, which can run a command:
`test -v NAME`, `printf -v NAME`, the `%n` of printf. Those are refused, and so is every word that may become one.
"""

from __future__ import annotations

import re

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.devices import is_device_folder
from pi_sandbox.bash_policy.options import OptionTable, plain_options
from pi_sandbox.bash_policy.words import Word

_CD = OptionTable("cd", plain_options("-L -P -e"), stops_at_operand=True)
_TYPE = OptionTable("type", plain_options("-a -f -p -P -t"), stops_at_operand=True)
_WHICH = OptionTable("which", plain_options("-a/--all"), stops_at_operand=True)
_COMMAND = OptionTable("command", plain_options("-v -V"), stops_at_operand=True)
_CONVERSION = re.compile(
    r"%(?:[-+ #0']*(?:\*|[0-9]{0,4})(?:\.(?:\*|[0-9]{0,4}))?(?:[diouxXeEfFgGaAcsbqQ]|\([^()]*\)T)|%)"
)
_NAME = re.compile(r"[A-Za-z0-9_.+:\[-]+")
_SET_OPTIONS = frozenset({"errexit", "nounset", "pipefail", "noglob"})


def _judge_anything(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    return Judged(words)


def _judge_cd(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    parsed = _CD.parse(words)
    if len(parsed.operands) > 1:
        raise Refused("cd takes one folder")
    if parsed.operands and parsed.operands[0].text == "-":
        raise Refused("cd - is refused; write the path of the folder")
    if parsed.operands and is_device_folder(parsed.operands[0]):
        raise Refused(f"cd to the folder of devices {parsed.operands[0].text} is refused; write ls /dev to see it")
    return Judged(parsed.words())


def _judge_printf(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    rest = list(words)
    if rest and rest[0].is_literal and rest[0].text == "--":
        rest.pop(0)
    elif rest and rest[0].fixed_start.startswith("-"):
        raise Refused(f"the option {rest[0].text} of printf is refused; write printf -- FORMAT")
    if not rest:
        raise Refused("printf lacks its format")
    if not rest[0].is_literal:
        raise Refused(f"the format {rest[0].text} of printf is a pattern; quote it")
    if "%" in _CONVERSION.sub("", rest[0].text):
        raise Refused(f"the format {rest[0].text} of printf holds a conversion other than those that print")
    return Judged((Word.literal("--"), *rest))


def _judge_test(name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    if name == "[" and not (words and words[-1].is_literal and words[-1].text == "]"):
        raise Refused("[ lacks its ]")
    for word in words:
        if word.is_pattern and word.fixed_start[:1] in ("", "-"):
            raise Refused(f"the pattern {word.text} in {name} may become an operator; write ./{word.text}")
        if word.text in ("-v", "-R"):
            raise Refused(f"{word.text} of {name} is refused: bash evaluates the name behind it")
    return Judged(words)


def _judge_names(name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    table = {"type": _TYPE, "which": _WHICH, "command": _COMMAND}[name]
    parsed = table.parse(words)
    if name == "command" and not parsed.has("-v", "-V"):
        raise Refused("command is refused without -v; run the command by its name")
    for operand in parsed.operands:
        if not operand.is_literal or not _NAME.fullmatch(operand.text):
            raise Refused(f"{operand.text} is no plain name of a command")
    return Judged(parsed.words(end_of_options=name != "which"))


def _judge_exit(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    if len(words) > 1 or any(not re.fullmatch(r"[0-9]{1,3}", word.text) for word in words):
        raise Refused("exit takes one number")
    return Judged(words)


def _judge_set(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    rest = [word.text for word in words if word.is_literal]
    if not words or len(rest) != len(words):
        raise Refused("set is refused without fixed options; only -e, -u, -f and -o pipefail are allowed")
    while rest:
        option = rest.pop(0)
        if not re.fullmatch(r"[-+][euf]*o?", option) or len(option) < 2:
            raise Refused(f"the option {option} of set is refused; only -e, -u, -f and -o pipefail are allowed")
        if option.endswith("o") and (not rest or rest.pop(0) not in _SET_OPTIONS):
            raise Refused("set -o is refused without one of errexit, nounset, noglob, pipefail")
    return Judged(words)


RULES = (
    CommandRule(
        names=("true", "false", ":", "echo"),
        manual="bash(1) 5.2, SHELL BUILTIN COMMANDS; echo(1), true(1), false(1) of GNU coreutils 9.7",
        judge=_judge_anything,
        added_words=AddedWords.HARMLESS,
        allowed=("true", "false", ":", "echo -n a *.md", "echo -e 'a\\tb'", "echo -- '-n'"),
        refused=("echo a > notes.md", "echo $HOME", "true &", ": > notes.md"),
    ),
    CommandRule(
        names=("cd",),
        manual="bash(1) 5.2, SHELL BUILTIN COMMANDS",
        judge=_judge_cd,
        is_builtin=True,
        allowed=(
            "cd",
            "cd notes && ls",
            "cd -- notes",
            "cd -P notes; pwd",
            "cd ~/notes && pwd",
            "cd notes 2>/dev/null",
        ),
        refused=("cd -", "cd a b", "cd -@ notes", "cd $HOME", "cd --help"),
    ),
    CommandRule(
        names=("printf",),
        manual="bash(1) 5.2, SHELL BUILTIN COMMANDS; printf(1) of GNU coreutils 9.7",
        judge=_judge_printf,
        added_words=AddedWords.HARMLESS,
        allowed=(
            "printf '%s\\n' a b",
            "printf 'a\\n'",
            "printf -- '-- %5.2f%%\\n' 1",
            "printf '%(%F)T' 0",
            "printf '%*d' 5 1",
        ),
        refused=(
            "printf -v name x",
            "printf -vname x",
            "printf -- '%n' 'a[0]'",
            "printf 'abc%5n' PATH",
            "printf * x",
            "printf -* x",
            "printf",
            "printf '%ln' x",
            "printf '%' x",
        ),
    ),
    CommandRule(
        names=("test", "["),
        manual="bash(1) 5.2, CONDITIONAL EXPRESSIONS; test(1) of GNU coreutils 9.7",
        judge=_judge_test,
        allowed=(
            "test -f notes/a.md",
            "[ -d notes ] && echo there",
            "[ ! -e notes ]",
            "test a = b",
            "[ 1 -lt 2 ]",
            "test notes/a.md -nt notes/b.md",
            "[ -n 'a b' -a -z '' ]",
            "test -f notes/*.md",
        ),
        refused=("test -v 'a[0]'", "[ -v name ]", "[ -R name ]", "test * = a", "[ -f a", "test ! -v name", "test -* x"),
    ),
    CommandRule(
        names=("type", "command"),
        manual="bash(1) 5.2, SHELL BUILTIN COMMANDS",
        judge=_judge_names,
        is_builtin=True,
        allowed=(
            "type git",
            "type -a ls cat",
            "type -p git",
            "command -v rg",
            "command -V [",
            "command -v git && git status",
        ),
        refused=("command ls", "command -p ls", "command", "type *", "type -x ls", "command -v -p ls"),
    ),
    CommandRule(
        names=("which",),
        manual="which(1) of debianutils 5.23 and GNU which 2.21",
        judge=_judge_names,
        allowed=("which git", "which -a python3 python", "which rg fd || echo missing", "which --all rg"),
        refused=("which --read-alias git", "which -i ls", "which *", "which --skip-alias ls"),
    ),
    CommandRule(
        names=("exit",),
        manual="bash(1) 5.2, SHELL BUILTIN COMMANDS",
        judge=_judge_exit,
        is_builtin=True,
        allowed=("exit", "test -f a || exit 0", "exit 1"),
        refused=("exit 'a[0]'", "exit 1 2", "exit -1"),
    ),
    CommandRule(
        names=("set",),
        manual="bash(1) 5.2, SHELL BUILTIN COMMANDS",
        judge=_judge_set,
        is_builtin=True,
        allowed=("set -e; ls", "set -euo pipefail; ls", "set -o pipefail && ls", "set +e"),
        refused=("set", "set -x", "set -- a", "set -o posix", "set -a", "set -o", "set -", "set *", "set -eo"),
    ),
)

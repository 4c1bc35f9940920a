"""Tokens -> program: pipelines that are joined by &&, || and ;, each of simple commands.

There are no groups, so the row of the tokens is the whole structure. A newline between commands is a `;`; behind
&&, || and | it is nothing. `time` or `time -p`, not quoted, at the beginning of a pipeline is a word of bash itself;
anywhere else it is the name of a program (bash(1), "SHELL GRAMMAR").
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.tokens import Kind, Token
from pi_sandbox.bash_policy.words import Word

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
_LIKE_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\[.*\])?\+?=", re.DOTALL)

_LOOPS = (
    "loops and conditions are refused; write each command out, joined with && or ||, or give all files to one command"
)
RESERVED: Mapping[str, str] = {
    **{word: f"{word} is refused: {_LOOPS}" for word in ("for", "while", "until", "if", "case", "select", "function")},
    **dict.fromkeys(("then", "else", "elif", "fi", "do", "done", "in", "esac"), _LOOPS),
    "time": "the program time is refused, since it can write a file; write time, not quoted, before all of a pipeline",
    "coproc": "coproc is refused; run the command itself",
    "[[": "[[ ]] is refused; write [ ... ] or test",
    "]]": "[[ ]] is refused; write [ ... ] or test",
    "!": "only one ! may stand before a command",
}
"""Words that bash takes for itself where a command may begin, and what to say of them."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """A variable before a command."""

    name: str
    value: Word


@dataclass(frozen=True, slots=True)
class Redirection:
    """A sign such as `2>`, and what it points to."""

    sign: str
    target: Word


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One command: its variables, its words (the name first, at least one), its redirections in their order."""

    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...]
    start: int


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands joined by |.

    `joined_by` is the operator before it, empty for the first; `before` the words of bash itself with which it begins,
    `!` or `time` or `time -p`, or empty.
    """

    joined_by: str
    before: str
    commands: tuple[SimpleCommand, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """A whole text, at least one pipeline."""

    pipelines: tuple[Pipeline, ...]

    @property
    def only_command(self) -> SimpleCommand | None:
        """The command of a text that is one simple command and nothing else."""
        if len(self.pipelines) == 1 and len(self.pipelines[0].commands) == 1 and not self.pipelines[0].before:
            return self.pipelines[0].commands[0]
        return None


def build_program(tokens: Sequence[Token]) -> Program:
    """Give the program of these tokens, or raise `Refused` where a command is missing or not simple."""
    pipelines: list[Pipeline] = []
    joined_by, waiting = "", False
    rest = [token for token in tokens if token.kind is not Kind.COMMENT]
    while rest:
        if _is_operator(rest[0], "\n"):
            rest.pop(0)
            continue
        pipelines.append(_pipeline(joined_by, rest))
        joined_by, waiting = _operator_between(rest)
    if waiting or not pipelines:
        raise Refused("the command ends where another one must follow" if pipelines else "there is no command")
    return Program(tuple(pipelines))


def _operator_between(rest: list[Token]) -> tuple[str, bool]:
    """Take the operator behind a pipeline; give how the next one is joined, and whether one must follow."""
    if not rest:
        return ";", False
    operator = rest.pop(0).text
    return (operator, True) if operator in ("&&", "||") else (";", False)


def _pipeline(joined_by: str, rest: list[Token]) -> Pipeline:
    start, before = rest[0].start, _words_of_bash(rest)
    commands = [_command(rest, start if before.startswith("time") else None)]
    while rest and _is_operator(rest[0], "|"):
        rest.pop(0)
        while rest and _is_operator(rest[0], "\n"):
            rest.pop(0)
        commands.append(_command(rest))
    return Pipeline(joined_by, before, tuple(commands))


def _words_of_bash(rest: list[Token]) -> str:
    """Take the words of bash itself with which a pipeline begins."""
    first = _plain_word(rest)
    if first not in ("!", "time"):
        return ""
    rest.pop(0)
    if first == "time" and _plain_word(rest) == "-p":
        rest.pop(0)
        return "time -p"
    return first


def _plain_word(rest: list[Token]) -> str:
    return rest[0].text if rest and rest[0].kind is Kind.WORD else ""


def _command(rest: list[Token], start: int | None = None) -> SimpleCommand:
    """Take a command; `start` is where the grammar sees it begin, if not at its own first token."""
    if start is None:
        start = rest[0].start if rest else 0
    assignments: list[Assignment] = []
    words: list[Word] = []
    redirections: list[Redirection] = []
    name_token: Token | None = None
    while rest and rest[0].kind is not Kind.OPERATOR:
        token = rest.pop(0)
        if token.kind is Kind.REDIRECTION:
            redirections.append(_redirection(token, rest))
            continue
        word = token.word
        if not words and (assignment := _ASSIGNMENT.match(token.text)):
            assignments.append(Assignment(assignment[1], _value(token, word, assignment.end())))
            continue
        if not words and _LIKE_ASSIGNMENT.match(token.text):
            raise Refused(f"the assignment {word.text} is refused: no += and no subscripts")
        name_token = name_token or token
        words.append(word)
    if not words:
        raise Refused(_missing(assignments, redirections))
    if name_token is not None and name_token.text in RESERVED:
        raise Refused(RESERVED[name_token.text])
    return SimpleCommand(tuple(assignments), tuple(words), tuple(redirections), start)


def as_assignment(word: Word) -> Assignment | None:
    """Give the variable that a word sets for a program such as env, whatever of it is quoted, or None."""
    found = _ASSIGNMENT.match(word.text)
    if found is None or not word.is_literal:
        return None
    return Assignment(found[1], Word.literal(word.text[found.end() :]))


def _missing(assignments: list[Assignment], redirections: list[Redirection]) -> str:
    if assignments:
        return f"the variable {assignments[0].name} is set without a command; put it before the command it is for"
    if redirections:
        return "a redirection stands without a command; name the command"
    return "a command is missing before or behind an operator"


def _value(token: Token, word: Word, skipped: int) -> Word:
    """Give the value of an assignment: the word without its first characters, which hold no quotes."""
    if not word.is_literal:
        raise Refused(f"the value of {token.text[: skipped - 1]} holds a pattern or a ~; quote it")
    return Word.literal(word.text[skipped:])


def _redirection(sign: Token, rest: list[Token]) -> Redirection:
    if not rest or rest[0].kind is not Kind.WORD:
        raise Refused(f"the redirection {sign.text} has no target")
    return Redirection(sign.text, rest.pop(0).word)


def _is_operator(token: Token, text: str) -> bool:
    return token.kind is Kind.OPERATOR and token.text == text

"""Whether an awk program only reads and prints, told from its tokens.

What always holds, for the original awk, mawk, gawk and busybox:

- A program is cut into tokens as all of them cut it; where they could differ, it is refused: a `/` of which it is not
  certain whether it divides or begins a regular expression, a regular expression of which it is not certain where it
  ends, a number with letters behind it, a comment with a backslash, a line break in a string, characters outside ASCII
  that are in no string, comment or expression.
- No program is run: `|`, `|&` and `system` are refused. No file is written: in `print` and `printf`, a `>` outside
  parentheses is refused up to the `;` or `}` that ends the statement, and `>>` everywhere.
- No code is brought in and no function called by a name made at run time: `@` is refused, and a call of a function that
  is neither built in nor defined in the program.
- No file is read but those on the command line: `getline` only in its plain forms, and the names of the files cannot
  change (ARGV, ARGC), since gawk opens connections under names such as /inet/tcp/0/host/80.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise, zip_longest

from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.pattern_ends import end_of_pattern


class _Kind(Enum):
    NAME = "a name"
    NUMBER = "a number"
    STRING = "a string"
    EXPRESSION = "a regular expression"
    SIGN = "an operator or a bracket"


@dataclass(frozen=True, slots=True)
class _Token:
    kind: _Kind
    text: str


_BLANK = re.compile(r"(?:[ \t]|\\\n)+|#[^\\\n]*(?=\n|\Z)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_NUMBER = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_STRING = re.compile(r'"(?:[^"\\\n]|\\[^\n])*"')
_SIGN = re.compile(r"\*\*=|&&|\|\||\+\+|--|!~|[-+*/%^<>=!]=|\*\*|>>|[-+*/%^<>=!~?:,;(){}\[\]$|@&\n]")

_STATEMENTS = frozenset("break case continue default delete do else exit for if next nextfile return switch".split())
_KEYWORDS = _STATEMENTS | frozenset("in while function func getline print printf BEGIN END BEGINFILE ENDFILE".split())
_FUNCTIONS = frozenset(
    "atan2 cos exp int log rand sin sqrt srand gsub index length match split sprintf sub substr tolower toupper "
    "gensub patsplit asort asorti strtonum strftime mktime systime and or xor lshift rshift compl isarray typeof "
    "fflush".split()
)
_REFUSED = {
    "system": "runs a command; leave it out",
    "close": "belongs to commands and files that are refused; leave it out",
    **dict.fromkeys(("ARGV", "ARGC"), "changes which files are read; name the files behind the program"),
    **dict.fromkeys(("SYMTAB", "FUNCTAB"), "reaches everything by a name made at run time; leave it out"),
}
_OPENS_EXPRESSION = frozenset("( { } , ; ! ~ !~ && || ? = == != < <= > >= += -= *= /= %= ^= + - * % ^ :".split()) | {
    "\n"
}
_BEFORE_CONDITION = frozenset({"if", "while", "for", "switch"})


def judge_program(text: str) -> None:
    """Raise `Refused` unless the program only reads its input and prints."""
    if any(character < " " and character not in "\t\n" for character in text):
        raise Refused("a control character in a program of awk is refused; leave it out")
    tokens = _Cutter(text).tokens()
    _judge_names(tokens)
    _judge_output(tokens)
    _judge_getline(tokens)


class _Cutter:
    """One pass over the text; knows as much of the grammar as telling a division from an expression takes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._tokens: list[_Token] = []
        self._parentheses: list[bool] = []  # for each open parenthesis, whether a condition stands in it
        self._behind_condition = False

    def tokens(self) -> tuple[_Token, ...]:
        while self._at < len(self._text):
            if self._take(_BLANK) is None:
                self._token()
        return tuple(self._tokens)

    def _take(self, pattern: re.Pattern[str]) -> str | None:
        found = pattern.match(self._text, self._at)
        if found is None:
            return None
        self._at = found.end()
        return found[0]

    def _token(self) -> None:
        character = self._text[self._at]
        if character == "#":
            raise Refused("a comment with a backslash in a program of awk is refused; leave it out")
        if character == '"':
            self._add(_Kind.STRING, self._take(_STRING))
        elif character == "/" and not self._divides():
            self._expression()
        elif (number := self._take(_NUMBER)) is not None:
            if _NAME.match(self._text, self._at):
                raise Refused(f"{number} is followed by letters in the program of awk; write a blank between them")
            self._add(_Kind.NUMBER, number)
        elif (name := self._take(_NAME)) is not None:
            self._add(_Kind.NAME, name)
        else:
            self._add(_Kind.SIGN, self._take(_SIGN))

    def _expression(self) -> None:
        end = end_of_pattern(self._text, self._at + 1, "/")
        if end is None:
            raise Refused("a regular expression of awk has a / in brackets or no end; write \\/ or [.] forms instead")
        self._tokens.append(_Token(_Kind.EXPRESSION, self._text[self._at : end]))
        self._at = end

    def _add(self, kind: _Kind, text: str | None) -> None:
        if text is None:
            raise Refused(
                f"{self._text[self._at : self._at + 10]} in the program of awk is not understood; quote it as a string"
            )
        self._behind_condition = False
        if text == "(" and kind is _Kind.SIGN:
            self._parentheses.append(bool(self._tokens) and self._tokens[-1].text in _BEFORE_CONDITION)
        elif text == ")" and kind is _Kind.SIGN:
            self._behind_condition = self._parentheses.pop() if self._parentheses else True
        self._tokens.append(_Token(kind, text))

    def _divides(self) -> bool:
        """Whether the `/` here divides; refuses where that depends on more than the token before it."""
        if not self._tokens:
            return False
        last = self._tokens[-1]
        match last.kind:
            case _Kind.NUMBER | _Kind.STRING:
                return True
            case _Kind.NAME if last.text not in _KEYWORDS and last.text not in _FUNCTIONS:
                return True
            case _Kind.SIGN if last.text == "]" or (last.text == ")" and not self._behind_condition):
                return True
            case _Kind.SIGN if last.text in _OPENS_EXPRESSION:
                return False
            case _Kind.NAME if last.text in ("print", "return", "in"):
                return False
        raise Refused(f"a / behind {last.text} in a program of awk is doubtful; put it in parentheses")


def _judge_names(tokens: tuple[_Token, ...]) -> None:
    defined = {
        name.text
        for keyword, name in pairwise(tokens)
        if keyword.kind is _Kind.NAME and keyword.text in ("function", "func")
    }
    for token, following in zip_longest(tokens, tokens[1:]):
        if token.kind is _Kind.SIGN:
            _judge_sign(token.text, following)
        if token.kind is not _Kind.NAME or token.text in _KEYWORDS:
            continue
        if token.text in _REFUSED:
            raise Refused(f"{token.text} in a program of awk {_REFUSED[token.text]}")
        is_called = following is not None and following == _Token(_Kind.SIGN, "(")
        if is_called and token.text not in _FUNCTIONS | defined and not _is_plain_word(token.text):
            raise Refused(f"the function {token.text} of awk is not among those known to only read; leave it out")


def _is_plain_word(name: str) -> bool:
    """Whether a name before a parenthesis is a variable of awk's own, which is then joined to what is in it."""
    return name in ("NF", "NR", "FNR", "FS", "OFS", "ORS", "RS", "FILENAME", "SUBSEP", "RSTART", "RLENGTH")


def _judge_sign(sign: str, following: _Token | None) -> None:
    if sign == "|":
        raise Refused("| in a program of awk runs a command; pipe the output of awk instead")
    if sign == "@":
        raise Refused("@ in a program of awk brings in code or calls by a name made at run time; leave it out")
    if sign == ">>":
        raise Refused(">> in a program of awk writes a file; print without it and read the output")
    if sign == ":" and following == _Token(_Kind.SIGN, ":"):
        raise Refused(":: in a program of awk names another namespace; leave it out")


def _judge_output(tokens: tuple[_Token, ...]) -> None:
    """Refuse `>` where print and printf would write a file."""
    prints = False
    depth = 0
    for token in tokens:
        if token.kind is _Kind.NAME and token.text in ("print", "printf"):
            if depth:
                raise Refused("print in parentheses is refused in a program of awk; write it as a statement")
            prints = True
        if token.kind is not _Kind.SIGN:
            continue
        if token.text == "(":
            depth += 1
        elif token.text == ")":
            depth = max(0, depth - 1)
        elif token.text in (";", "}") and depth == 0:
            prints = False
        elif token.text == ">" and prints and depth == 0:
            raise Refused("print > writes a file; print without it, or put a comparison in parentheses")


def _judge_getline(tokens: tuple[_Token, ...]) -> None:
    """Let getline read only the next line of the input, alone or into a variable."""
    ends = {_Token(_Kind.SIGN, text) for text in (";", "}", ")", "\n")}
    for index, token in enumerate(tokens):
        if token != _Token(_Kind.NAME, "getline"):
            continue
        behind = tokens[index + 1 : index + 3]
        if behind and behind[0].kind is _Kind.NAME and behind[0].text not in _KEYWORDS | _FUNCTIONS:
            behind = behind[1:]
        if behind and behind[0] not in ends:
            raise Refused("getline reads another file here; name the files behind the program of awk")

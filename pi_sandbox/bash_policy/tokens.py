"""Text -> tokens, by a tokenizer of our own for the small part of bash that is accepted; all else is `Refused`.

What is accepted outside quotes: blanks, newlines, comments, `&&`, `||`, `;`, `|`, redirections, a backslash before any
character, a backslash at the end of a line (bash drops both), file name patterns, a leading `~` or `~/`.
Quotes: '..', ".." without expansions, and $'..' with \\t, \\n, \\r, \\\\, \\' and \\" only.

- `$` is accepted where bash leaves it as it stands: at the end of a word, and in ".." before a character that begins
  no expansion.
- `{..}` is accepted where bash leaves it as it stands: nothing in it but plain characters, no comma, no `..`.
- `{name}>` is refused: bash opens a descriptor and puts its number into a variable.
- A `~` behind `=` or `:` is refused: bash replaces it in words that look like assignments.

Source: bash(1) 5.2, "DEFINITIONS", "QUOTING", "EXPANSION", "REDIRECTION"; proven against bash
itself by the tests (`test_against_bash`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.words import Piece, Word


class Kind(Enum):
    """What a token is."""

    WORD = "a word"
    OPERATOR = "joins two commands: && || ; | or a newline"
    REDIRECTION = "the sign of a redirection, a file descriptor before it included"
    COMMENT = "from # to the end of the line"


_NO_WORD = Word(())


@dataclass(frozen=True, slots=True)
class Token:
    """One token, where it stands in the text, and for a word what it means and where its quotes stand."""

    kind: Kind
    text: str
    start: int
    end: int
    word: Word = _NO_WORD
    quotes: tuple[tuple[int, int], ...] = ()


_BLANK = re.compile(r"(?:[ \t]|\\\n)+")
_CONTINUATION = re.compile(r"\\\n")
_OPERATOR = re.compile(r"&&?|\|\|?&?|;[;&]*|\n")
_REDIRECTION = re.compile(r"(?:[0-9]+(?=[<>]))?(?:&>>?|<<<|<<-?|<>|<&|<|>>|>&|>\||>)")
_PLAIN = re.compile(r"[^\s'\"\\$`;&|<>(){}~*?\[]+")
_OPEN = re.compile(r"[*?\[]+")
_BRACES = re.compile(r"\{(?:(?!\.\.)[^\s'\"\\$`;&|<>(){}~*?\[\],])*\}")
_SINGLE = re.compile(r"'([^']*)'")
_DOUBLE_PLAIN = re.compile(r"[^\"\\$`]+")
_ANSI = re.compile(r"\$'((?:[^'\\]|\\[tnr\\'\"])*)'")
_ANSI_ESCAPE = re.compile(r"\\(.)")
_ANSI_VALUES = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\", "'": "'", '"': '"'}
_WORD_END = frozenset(" \t\n;&|<>")
_BEGINS_NO_EXPANSION = frozenset('"|)/,.;:%&=^~+]}\\\n')
_EXPANSIONS = {
    "(": "a command substitution $(...): run the inner command on its own first",
    "{": "a variable expansion ${...}: write the value out",
    "[": "an arithmetic expansion $[...]: write the value out",
    '"': 'a translated string $"...": write "..."',
    "'": "an escape in $'...' other than \\t, \\n, \\r, \\\\, \\' and \\\": write the character itself",
}


def tokenize(text: str) -> tuple[Token, ...]:
    """Give the tokens of a text, newlines and comments included, or raise `Refused` at what is not accepted.

    bash drops a backslash at the end of a line before it looks at what it has, even between the two characters of an
    operator or behind a `$`. So a text that holds some is read twice, the second time without them, and what is read
    must be the same; the tokens stand where they stand in `without_continuations(text)`.
    """
    first = _Tokenizer(text)
    tokens = first.all()
    if not first.continuations:
        return tuple(tokens)
    again = _Tokenizer(_without(text, first.continuations))
    joined = again.all()
    if again.continuations or [_meaning(token) for token in tokens] != [_meaning(token) for token in joined]:
        raise Refused("a backslash at the end of a line stands inside an operator or expansion; write it on one line")
    return tuple(joined)


def without_continuations(text: str) -> str:
    """Give the text without the backslashes at the ends of lines that bash drops; the text must be accepted."""
    reading = _Tokenizer(text)
    reading.all()
    return _without(text, reading.continuations)


def _without(text: str, continuations: Sequence[int]) -> str:
    starts = [0, *(at + 2 for at in continuations)]
    return "".join(text[start:end] for start, end in zip(starts, [*continuations, len(text)], strict=True))


def _meaning(token: Token) -> tuple[Kind, str]:
    return token.kind, token.word.shell_text() if token.kind is Kind.WORD else token.text


class _Tokenizer:
    """One pass over a text; `_at` is the place of the next character."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self.continuations: list[int] = []

    def all(self) -> list[Token]:
        tokens: list[Token] = []
        while True:
            if blank := _BLANK.match(self._text, self._at):
                self.continuations.extend(self._at + found.start() for found in _CONTINUATION.finditer(blank[0]))
                self._at = blank.end()
            if self._at >= len(self._text):
                return tokens
            tokens.append(self._next())

    def _next(self) -> Token:
        text, start = self._text, self._at
        if text[start] == "#":
            end = text.find("\n", start)
            return self._token(Kind.COMMENT, len(text) if end < 0 else end)
        if found := _REDIRECTION.match(text, start):
            if "<<" in found[0]:
                raise Refused("a here-document or here-string is refused; name a file, or use printf and a pipe")
            return self._token(Kind.REDIRECTION, found.end())
        if found := _OPERATOR.match(text, start):
            if found[0] == "&":
                raise Refused("a command in the background (&) is refused; join commands with && or ;")
            if found[0] not in ("&&", "||", ";", "|", "\n"):
                raise Refused(f"the operator {found[0]} is refused; join commands with && || ; or |")
            return self._token(Kind.OPERATOR, found.end())
        return self._word()

    def _token(self, kind: Kind, end: int) -> Token:
        start, self._at = self._at, end
        return Token(kind, self._text[start:end], start, end)

    def _word(self) -> Token:
        start = self._at
        pieces: list[Piece] = []
        quotes: list[tuple[int, int]] = []
        while self._at < len(self._text) and self._text[self._at] not in _WORD_END:
            before = self._at
            piece, is_quotes = self._piece(pieces)
            if is_quotes:
                quotes.append((before, self._at))
            if piece is not None:
                pieces.append(piece)
        text = self._text[start : self._at]
        if text.endswith("}") and self._text[self._at : self._at + 1] in ("<", ">"):
            raise Refused("braces glued to a redirection are refused: bash may take them for a variable; write a space")
        return Token(Kind.WORD, text, start, self._at, _word_of(pieces), tuple(quotes))

    def _piece(self, before: list[Piece]) -> tuple[Piece | None, bool]:
        """Give the next piece of a word, and whether it stood in quotes."""
        text, at = self._text, self._at
        if found := _PLAIN.match(text, at) or _OPEN.match(text, at):
            self._at = found.end()
            return Piece(found[0], quoted=False), False
        match text[at]:
            case "'":
                return Piece(self._single(), quoted=True), True
            case '"':
                return Piece(self._double(), quoted=True), True
            case "\\":
                escaped = self._escaped()
                return (Piece(escaped, quoted=True) if escaped else None), False
            case "$":
                return self._dollar()
            case "~":
                return self._tilde(before), False
            case "{":
                return self._braces(), False
        raise _refused_character(text[at])

    def _single(self) -> str:
        found = _SINGLE.match(self._text, self._at)
        if found is None:
            raise Refused("a single quote is not closed; close it")
        self._at = found.end()
        return found[1]

    def _double(self) -> str:
        text = self._text
        self._at += 1
        value = ""
        while self._at < len(text):
            if found := _DOUBLE_PLAIN.match(text, self._at):
                value += found[0]
                self._at = found.end()
                continue
            match text[self._at]:
                case '"':
                    self._at += 1
                    return value
                case "\\":
                    value += self._escaped_in_double()
                case "$":
                    value += self._dollar_in_double()
                case _:
                    raise _refused_character("`")
        raise Refused("a double quote is not closed; close it")

    def _escaped_in_double(self) -> str:
        following = self._text[self._at + 1 : self._at + 2]
        self._at += 2
        if following == "\n":
            self.continuations.append(self._at - 2)
            return ""
        return following if following in ("$", "`", '"', "\\") else "\\" + following

    def _dollar_in_double(self) -> str:
        following = self._text[self._at + 1 : self._at + 2]
        if following not in _BEGINS_NO_EXPANSION:
            raise _refused_expansion(following if following not in ("'", '"') else "")
        self._at += 1
        return "$"

    def _escaped(self) -> str:
        following = self._text[self._at + 1 : self._at + 2]
        if not following:
            raise Refused("the command ends in a backslash; leave it out")
        self._at += 2
        if following == "\n":
            self.continuations.append(self._at - 2)
            return ""
        return following

    def _dollar(self) -> tuple[Piece, bool]:
        if found := _ANSI.match(self._text, self._at):
            self._at = found.end()
            return Piece(_ANSI_ESCAPE.sub(lambda escape: _ANSI_VALUES[escape[1]], found[1]), quoted=True), True
        following = self._text[self._at + 1 : self._at + 2]
        if following and following not in _WORD_END:
            raise _refused_expansion(following)
        self._at += 1
        return Piece("$", quoted=True), False

    def _tilde(self, before: list[Piece]) -> Piece:
        following = self._text[self._at + 1 : self._at + 2]
        if before:
            if before[-1].text[-1:] in ("=", ":", ""):
                raise Refused("a ~ behind = or : may become a home folder; write the path out, or quote the ~")
        elif following and following != "/" and following not in _WORD_END:
            raise Refused("only ~ and ~/ name a home folder here; write the path out, or quote the ~")
        self._at += 1
        return Piece("~", quoted=bool(before))

    def _braces(self) -> Piece:
        found = _BRACES.match(self._text, self._at)
        if found is None:
            raise Refused("braces { } that bash may expand are refused; write each word out, or quote the braces")
        self._at = found.end()
        return Piece(found[0], quoted=True)


def _refused_expansion(following: str) -> Refused:
    what = _EXPANSIONS.get(following, "a variable expansion: write the value out, or put it in single quotes")
    return Refused(f"the command holds {what}")


def _refused_character(character: str) -> Refused:
    match character:
        case "`":
            return Refused("the command holds a command substitution `...`: run the inner command on its own first")
        case "(" | ")":
            return Refused("parentheses ( ) are refused outside quotes: no subshell, function or substitution")
        case "}":
            return Refused("a lone } is refused; quote it")
    return Refused("the command holds a blank that is neither a space nor a tab; write a space")


def _word_of(pieces: list[Piece]) -> Word:
    """Give the word of these pieces, in one piece where bash does nothing more with it."""
    word = Word(tuple(pieces))
    return Word.literal(word.text) if word.is_literal or word.text == "[" else word

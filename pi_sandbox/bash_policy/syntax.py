"""Text -> program, seen by two parsers that must agree: our own tokenizer and tree-sitter's grammar of bash.

There are texts with a clean tree that bash reads differently, and a tokenizer of one's own may be wrong as well. So

- the first wall refuses every character that is not seen, or that one of the readers may take for something else;
- the tree may hold only the kinds of nodes listed here, and no error;
- each token of ours must stand in the tree at the same place, and each of the tree's among ours; each command must
  begin at the same place, and the quotes must be the same.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.program import RESERVED, Program, build_program
from pi_sandbox.bash_policy.tokens import Kind, Token, tokenize, without_continuations
from pi_sandbox.memory_text.invisible import without_invisible

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser

LONGEST_COMMAND = 8_192
"""Characters of a command; more than any that is written to read something. Keeps the time for a judgement bounded."""

_INNER = frozenset(
    {
        "program",
        "list",
        "pipeline",
        "redirected_statement",
        "negated_command",
        "command",
        "command_name",
        "file_redirect",
        "test_command",
        "unary_expression",
        "binary_expression",
    }
)
_COMMANDS = frozenset({"command", "test_command"})
_WORDS = frozenset(
    {"word", "number", "string", "raw_string", "ansi_c_string", "concatenation", "variable_assignment", "test_operator"}
    | {"extglob_pattern", "regex"}
)
_QUOTES = frozenset({"string", "raw_string", "ansi_c_string"})
_WORD_PARTS = frozenset({"word", "number", "string_content", "variable_name", "=", "$", '"', "concatenation"}) | _QUOTES
_SIGNS = frozenset(
    {"&&", "||", ";", "|", "!", "[", "]", "=", "==", "!=", "file_descriptor", "comment", "-a", "-o"}
    | {"<", ">", ">>", ">&", "&>", "&>>"}
)
_LOOP = re.compile(r"(?:^|[;&|\n])[ \t]*(for|while|until)\s")
_LOOP_BEGINS = re.compile(r"\bdo\b")
_LOOP_ENDS = re.compile(r"\bdone\b")
_ESCAPED_BLANK = re.compile(r"\\[ \t]")
_CONTROL_FLOW = re.compile(r"\s*(for|while|until|if|case|select|function)\s")
_DIFFERS = "bash and the parser may read this text differently; write it more simply: one command, plain quotes"


def parse(text: str) -> Program:
    """Give the program of a text, or raise `Refused` where it is not accepted or the two readers differ."""
    _check_characters(text)
    if control := _CONTROL_FLOW.match(text):
        raise Refused(RESERVED[control[1]])
    try:
        tokens = tokenize(text)
    except Refused as refusal:
        loop = _LOOP.search(text)
        begins = loop and _LOOP_BEGINS.search(text, loop.end())
        if loop and begins and _LOOP_ENDS.search(text, begins.end()):
            raise Refused(RESERVED[loop[1]]) from refusal
        raise
    program = build_program(tokens)
    _compare(without_continuations(text) if "\\\n" in text else text, tokens, program)
    return program


def _check_characters(text: str) -> None:
    if len(text) > LONGEST_COMMAND:
        raise Refused(f"the command is longer than {LONGEST_COMMAND} characters; shorten it")
    if text.isascii() and text.isprintable():
        return
    for character in text:
        if character in "\n\t":
            continue
        if character < " " or "\x7f" <= character <= "\x9f":
            raise Refused(f"the command holds the control character {character!r}; leave it out")
        if character > " " and character.isspace():
            raise Refused(f"the command holds the blank U+{ord(character):04X}; write a space")
        if "\ud800" <= character <= "\udfff":
            raise Refused("the command is not valid Unicode")
    if without_invisible(text) != text:
        raise Refused("the command holds an invisible character; leave it out")


def _compare(text: str, tokens: Sequence[Token], program: Program) -> None:
    data = _with_blanks_covered(text, tokens).encode()
    view = _TreeView(None if len(data) == len(text) else _characters_of_bytes(text))
    root = _parser().parse(data).root_node
    if root.has_error:
        raise Refused(_DIFFERS)
    view.take(root)
    if view.spans != [span for token in tokens for span in _spans(token)]:
        raise Refused(_DIFFERS)
    if view.commands != [command.start for pipeline in program.pipelines for command in pipeline.commands]:
        raise Refused(_DIFFERS)
    if view.quotes != [quote for token in tokens for quote in token.quotes]:
        raise Refused(_DIFFERS)


def _with_blanks_covered(text: str, tokens: Sequence[Token]) -> str:
    """Give the text with an escaped blank right behind quotes covered, where the grammar ends the word too early."""
    for token in tokens:
        for _start, end in token.quotes:
            if end < token.end and _ESCAPED_BLANK.match(text, end):
                text = f"{text[:end]}xx{text[end + 2 :]}"
    return text


def _spans(token: Token) -> tuple[tuple[int, int], ...]:
    """Give where the tree has this token: not at all for a newline, in two parts for a sign with a descriptor."""
    if token.text == "\n":
        return ()
    descriptor = len(token.text) - len(token.text.lstrip("0123456789")) if token.kind is Kind.REDIRECTION else 0
    if descriptor:
        return ((token.start, token.start + descriptor), (token.start + descriptor, token.end))
    return ((token.start, token.end),)


def _characters_of_bytes(text: str) -> dict[int, int]:
    """Give the place in the text for each place in its UTF-8 bytes where a character begins, and for the end."""
    places, at = {}, 0
    for index, character in enumerate(text):
        places[at] = index
        at += len(character.encode())
    places[at] = len(text)
    return places


class _TreeView:
    """What the tree says: where words and signs stand, where commands begin, where quotes stand."""

    def __init__(self, characters_of_bytes: Mapping[int, int] | None) -> None:
        self._characters = characters_of_bytes
        self.spans: list[tuple[int, int]] = []
        self.commands: list[int] = []
        self.quotes: list[tuple[int, int]] = []

    def take(self, root: Node) -> None:
        """Take in all below this node; without recursion, for a row of && is as deep as it is long."""
        waiting = root.children[::-1]
        while waiting:
            node = waiting.pop()
            kind = node.type
            if kind in _WORDS:
                self.spans.append(self._span(node))
                self._take_word(node, kind)
            elif kind in _INNER:
                if kind in _COMMANDS:
                    self.commands.append(self._span(node)[0])
                waiting.extend(node.children[::-1])
            elif kind in _SIGNS:
                self.spans.append(self._span(node))
            else:
                raise Refused(_DIFFERS)

    def _take_word(self, node: Node, kind: str) -> None:
        if kind in _QUOTES:
            self.quotes.append(self._span(node))
        if kind == "word" or not node.child_count:
            return
        for child in node.children:
            if child.type not in _WORD_PARTS:
                raise Refused(_DIFFERS)
            self._take_word(child, child.type)

    def _span(self, node: Node) -> tuple[int, int]:
        start, end = node.start_byte, node.end_byte
        if self._characters is None:
            return start, end
        return self._characters[start], self._characters[end]


_state = threading.local()


def _parser() -> Parser:
    """Give this thread's parser; loading the grammar takes longer than judging a command."""
    parser: Parser | None = getattr(_state, "parser", None)
    if parser is None:
        from tree_sitter import Parser

        parser = _state.parser = Parser(_language())
    return parser


@cache
def _language() -> Language:
    import tree_sitter_bash
    from tree_sitter import Language

    return Language(tree_sitter_bash.language())

"""Reads the options of a command against a table, as getopt_long(3) does, and refuses what the table does not hold.

- Long options are written out: an abbreviation that getopt would complete is refused, because a later version of the
  command may complete it to something else.
- A cluster of short options (`-la`) is taken apart; the first that takes a value takes the rest of the word.
- Options end at `--`, or, with `stops_at_operand`, at the first operand (POSIX utility syntax, guideline 9).
- A pattern may stand where whatever names bash puts in its place does no harm: in a value that is bound to its
  option (`--include=*.md` only becomes the same option again) if any value is fine; as an operand that cannot begin
  with a dash (`./*.md`, or behind `--`); anywhere where the command has no option that does harm. A value that is a
  pattern then runs as it is written, as the author meant it. Other patterns are refused.
- The words that run are made anew: every option in its first name, its value bound to it, then `--` where the
  command knows it, then the operands. So an operand can never be read as an option.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.words import Word


class Takes(Enum):
    """Whether an option takes a value."""

    NOTHING = "no value"
    VALUE = "a value, bound or as the next word"
    BOUND_VALUE = "a value only when it is bound to the option (--color=auto, -U3)"


Check = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Option:
    """One option under all its names (`-n`, `--lines`); `fits` says whether a value is one that is allowed."""

    names: tuple[str, ...]
    takes: Takes = Takes.NOTHING
    fits: Check | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """An option as it was given: its first name, and its value; `home` holds a value that is below a home folder."""

    name: str
    value: str | None = None
    home: Word | None = None

    def words(self) -> tuple[Word, ...]:
        """Give the option as one word, or as two where a short one has an empty value or bash fills in `~`."""
        if self.value is None:
            return (Word.literal(self.name),)
        if self.home is not None:
            return (Word.literal(self.name), self.home)
        if self.name.startswith("--"):
            return (Word.literal(f"{self.name}={self.value}"),)
        if not self.value:
            return (Word.literal(self.name), Word.literal(""))
        return (Word.literal(self.name + self.value),)


@dataclass(frozen=True, slots=True)
class Parsed:
    """The options in their order and the operands in theirs; `ended` says whether a `--` stood there.

    `before_end` holds the options and operands before the `--` in the order in which they were given.
    """

    options: tuple[Given, ...]
    operands: tuple[Word, ...]
    ended: bool
    before_end: tuple[Given | Word, ...]

    @property
    def behind_end(self) -> tuple[Word, ...]:
        """The operands behind the `--`."""
        return self.operands[sum(isinstance(item, Word) for item in self.before_end) :]

    def with_operands(self, operands: tuple[Word, ...]) -> Parsed:
        """Give the same options with other operands, for `words`."""
        return replace(self, operands=operands)

    def words_in_order(self) -> tuple[Word, ...]:
        """Give the words that run in the order as given, for commands to which it matters; `--` where it stood."""
        words: list[Word] = []
        for item in self.before_end:
            words.extend((item,) if isinstance(item, Word) else item.words())
        if self.ended:
            words.extend((Word.literal("--"), *self.behind_end))
        return tuple(words)

    def has(self, *names: str) -> bool:
        """Whether one of these options was given, by its first name."""
        return any(option.name in names for option in self.options)

    def words(self, *, end_of_options: bool = True) -> tuple[Word, ...]:
        """Give the words that run; without `end_of_options` an operand that begins with a dash is refused."""
        options = tuple(word for option in self.options for word in option.words())
        if not end_of_options:
            for operand in self.operands:
                if operand.text.startswith("-") and operand.text != "-":
                    raise Refused(f"the operand {operand.text} looks like an option; write ./{operand.text}")
            return options + self.operands
        if not self.operands and not self.ended:
            return options
        return (*options, Word.literal("--"), *self.operands)


@dataclass(frozen=True, slots=True)
class OptionTable:
    """What a command accepts. `number` is the long or short option that `-5` stands for, where it does.

    `only_reads` says that no option of the command, known here or not, writes, runs or connects. Of another command, a
    value that is a word of its own may not begin with a dash: where a version of the command took no value there, it
    would be an option. `dashed` names options to which that does not apply. `advice` holds, for an option that is
    refused, what it does and what to write instead.
    """

    command: str
    options: tuple[Option, ...]
    number: str | None = None
    stops_at_operand: bool = False
    only_reads: bool = False
    dashed: frozenset[str] = frozenset()
    advice: Mapping[str, str] = field(default_factory=dict)

    def parse(self, words: Iterable[Word]) -> Parsed:
        """Give the options and operands of these words, or raise `Refused` at the first that is not known."""
        return _Reading(self, tuple(words)).all()

    def find(self, name: str) -> Option | None:
        """Give the option of that name, written out."""
        return next((option for option in self.options if name in option.names), None)


def plain_options(names: str) -> tuple[Option, ...]:
    """Give options without a value from a text such as `"-a/--all -l -r/--reverse"`."""
    return tuple(Option(tuple(group.split("/"))) for group in names.split())


def value_options(names: str, fits: Check | None = None, *, takes: Takes = Takes.VALUE) -> tuple[Option, ...]:
    """Give options with a value from the same kind of text."""
    return tuple(Option(tuple(group.split("/")), takes, fits) for group in names.split())


def one_of(*values: str) -> Check:
    """Give the check that a value is one of these."""
    return lambda value: value in values


def matches(pattern: str) -> Check:
    """Give the check that the whole value has this form."""
    compiled = re.compile(pattern)
    return lambda value: compiled.fullmatch(value) is not None


def literal(_value: str) -> bool:
    """Let a value pass as it is written; as a check, it keeps patterns out that any value would let in."""
    return True


_ALONE = frozenset({"--help", "--version"})
"""Options after which some versions of a command look at nothing else, and others go on."""

whole_number = matches(r"[0-9]{1,9}")


class _Reading:
    """The state of one pass over the words."""

    def __init__(self, table: OptionTable, words: tuple[Word, ...]) -> None:
        self._table = table
        self._is_only_word = len(words) == 1
        self._rest = list(words)
        self._options: list[Given] = []
        self._operands: list[Word] = []
        self._in_order: list[Given | Word] = []

    def all(self) -> Parsed:
        while self._rest:
            word = self._rest.pop(0)
            if word.text == "--" and word.is_literal:
                return self._parsed(self._rest, ended=True)
            if not word.fixed_start.startswith("-") or word.text == "-":
                self._operand(word)
                if self._table.stops_at_operand:
                    self._in_order.extend(self._rest)
                    return self._parsed(self._rest, ended=False)
                continue
            self._option(word)
        return self._parsed([], ended=False)

    def _parsed(self, rest: list[Word], *, ended: bool) -> Parsed:
        return Parsed(tuple(self._options), (*self._operands, *rest), ended, tuple(self._in_order))

    def _operand(self, word: Word) -> None:
        if word.is_pattern and not word.fixed_start and not self._table.only_reads:
            raise Refused(
                f"the pattern {word.text} could become an option of {self._table.command}; write ./{word.text}"
            )
        self._operands.append(word)
        self._in_order.append(word)

    def _option(self, word: Word) -> None:
        if word.text.startswith("--"):
            self._long(word)
        else:
            self._short(word)

    def _long(self, word: Word) -> None:
        name, equals, value = word.text.partition("=")
        option = self._known(name)
        if option.takes is Takes.NOTHING and equals:
            raise Refused(f"the option {name} of {self._table.command} takes no value")
        if word.is_pattern:
            self._fixed_as_far_as(word, name + equals, option)
        if option.takes is Takes.VALUE and not equals:
            self._add_next_value(option, name)
        else:
            self._add(option, value if equals else None)

    def _short(self, word: Word) -> None:
        if self._table.number and re.fullmatch(r"-[0-9]{1,9}", word.text):
            self._add(self._known(self._table.number), word.text[1:])
            return
        rest = word.text[1:]
        while rest:
            name, rest = f"-{rest[0]}", rest[1:]
            option = self._known(name)
            read = len(word.text) - len(rest)
            if word.is_pattern and (option.takes is not Takes.NOTHING or not rest or read > len(word.fixed_start)):
                self._fixed_as_far_as(word, word.text[:read], option)
            if option.takes is Takes.NOTHING:
                self._add(option, None)
                continue
            if option.takes is Takes.VALUE and not rest:
                self._add_next_value(option, name)
            else:
                self._add(option, rest or None)
            return

    def _fixed_as_far_as(self, word: Word, start: str, option: Option) -> None:
        """Let a pattern pass only if it begins in the value of an option that may have any value."""
        if option.takes is Takes.NOTHING or option.fits is not None or not word.fixed_start.startswith(start):
            raise Refused(f"the option {word.text} of {self._table.command} holds a pattern; quote it")

    def _known(self, name: str) -> Option:
        option = self._table.find(name)
        if option is None:
            advice = self._table.advice.get(name, "is not among those known to only read; leave it out")
            raise Refused(f"the option {name} of {self._table.command} {advice}")
        return option

    def _add_next_value(self, option: Option, name: str) -> None:
        if not self._rest:
            raise Refused(f"the option {name} of {self._table.command} lacks its value")
        word = self._rest.pop(0)
        if word.is_pattern and not self._table.only_reads:
            raise Refused(f"the value {word.text} of {name} is a pattern; quote it")
        fits = option.fits is None or option.fits(word.text)
        if fits and word.text.startswith("-") and word.text != "-" and self._may_be_option(name):
            joined = f"{name}={word.text}" if name.startswith("--") else name + word.text
            raise Refused(f"the value {word.text} of {name} looks like an option; write {joined}")
        self._add(option, word.text, home=word if word.starts_with_tilde else None)

    def _may_be_option(self, name: str) -> bool:
        return not self._table.only_reads and name not in self._table.dashed

    def _add(self, option: Option, value: str | None, *, home: Word | None = None) -> None:
        name = option.names[0]
        if name in _ALONE and not self._is_only_word:
            raise Refused(f"the option {name} of {self._table.command} is only taken alone; leave the other words out")
        if value is not None and option.fits is not None and (home is not None or not option.fits(value)):
            raise Refused(
                f"the value {value} of the option {name} of {self._table.command} is not one that is known to only "
                "read; write a plain one or leave the option out"
            )
        given = Given(name, value, home)
        self._options.append(given)
        self._in_order.append(given)

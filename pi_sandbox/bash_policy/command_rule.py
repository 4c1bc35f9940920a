"""The shape of one command's rule: its names, how its arguments are judged, and its examples.

- A rule lists what is allowed. An option, an operand or a form that it does not know is refused with a reason.
- `judge` gets the words after the name and gives the words that run; it may add words and variables that make the
  command more harmless (`--no-config`, `--sandbox`), or put a plainer program in its place, never one that does more.
- `added_words` says what may happen when words that nobody has seen follow (as `xargs` adds them).
- The examples are part of the rule: a test judges each of them, and runs the allowed ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from pi_sandbox.bash_policy.words import Word


class AddedWords(Enum):
    """Whether a command stays harmless when unknown words are added to the end of its arguments."""

    HARMLESS = "whatever they are: no option of the command writes, runs or connects"
    AFTER_END_OF_OPTIONS = "only behind an explicit -- (`Judged.options_ended`), where they cannot be options"
    NEVER = "an operand can write, run or connect too"


@dataclass(frozen=True, slots=True)
class Judged:
    """The arguments that a judged command runs with, and the variables that are set for it alone.

    `instead` names the program that runs in the place of the one that was written, where that is another.
    `options_ended` says that whatever words follow do no harm, in the text as written as in the words that run: mostly
    because it holds the `--` behind which no word is an option.
    """

    words: tuple[Word, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    options_ended: bool = False
    instead: str | None = None

    def command(self, name: Word) -> tuple[Word, ...]:
        """Give the whole command that runs, where its name was written as `name`."""
        return (name if self.instead is None else Word.literal(self.instead), *self.words)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a rule may know besides its own words.

    `judge_nested` takes a whole command, its name first, which unknown words will follow, and gives the whole command
    that runs; it raises `Refused`. `judge_inner` does so for one that nothing follows (behind `timeout`). `reads_pipe`
    says whether standard input is a pipe or a file rather than empty, `words_follow` whether words that nobody has seen
    follow the command.
    """

    judge_nested: Callable[[tuple[Word, ...]], Judged]
    judge_inner: Callable[[tuple[Word, ...]], Judged]
    reads_pipe: bool
    words_follow: bool = False


@dataclass(frozen=True, slots=True)
class CommandRule:
    """One command, or several with the same options.

    `manual` names the page and the version that was read. `judge(name, words, surroundings)` raises `Refused`.
    `allowed` and `refused` hold whole commands. `is_builtin` says that only bash itself has the command, or that bash's
    own and the program of that name differ: then it is accepted by its bare name alone, and not behind `xargs`.
    """

    names: tuple[str, ...]
    manual: str
    judge: Callable[[str, tuple[Word, ...], Surroundings], Judged]
    allowed: tuple[str, ...]
    refused: tuple[str, ...]
    added_words: AddedWords = AddedWords.NEVER
    is_builtin: bool = False

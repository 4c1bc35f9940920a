"""Decides which lines the slow detectors see, without losing one.

Every detector names literals (needles, in lower case) or shapes of which at least one stands in each line it can
report;
none of them holds white space. So it is enough to look at each *different word* of the texts once, and a line needs a
detector exactly if one of its words was marked. `tests/unit/memory_check/test_prefilter.py` compares with no filter at
all.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

from pi_sandbox.memory_check.text_views import cleaned_lines, in_lower_case


@dataclass(frozen=True)
class Trigger:
    """What marks a word: it holds one of the needles (any case), one of the shapes matches in it, or the test says so.

    With `test_needles` only the words that hold one of them are tested.
    """

    needles: tuple[str, ...] = ()
    shapes: tuple[re.Pattern[str], ...] = ()
    test: Callable[[str], bool] | None = None
    test_needles: tuple[str, ...] = ()


def shortest(needles: Iterable[str]) -> tuple[str, ...]:
    """Gives the needles without those that hold another one, which mark no word that the other does not."""
    different = sorted(set(needles))
    return tuple(needle for needle in different if not any(other in needle for other in different if other != needle))


def _after_newline(start: int, length: int) -> int:
    return start + length + 1


class _Searchable:
    """Words joined to one string, and which of them a place in it belongs to."""

    def __init__(self, words: Sequence[str], *, folded: bool) -> None:
        self._words = words
        text = "\n".join(words)
        self._text = in_lower_case(text) if folded else text
        self._starts = [0, *accumulate(map(len, words), _after_newline)]
        self._characters = frozenset(self._text)

    def holding(self, literal: str) -> Iterator[str]:
        """Yields each word that holds the literal, once."""
        if not self._characters.issuperset(literal):
            return
        at = self._text.find(literal)
        while at >= 0:
            number = bisect_right(self._starts, at) - 1
            yield self._words[number]
            at = self._text.find(literal, self._starts[number + 1])

    def matching(self, shape: re.Pattern[str]) -> Iterator[str]:
        """Yields the words in which the shape matches."""
        return (self._words[bisect_right(self._starts, found.start()) - 1] for found in shape.finditer(self._text))


_NUMBER_LIKE = re.compile(r"[0-9a-fA-F`.,:;()\[\]|_-]+")
"""Digests, ids and numbers: many in ordinary notes, and no needle but one of the same characters can stand in them."""


class DistinctWords:
    """The different words of some texts, each held once, searchable together."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = list(dict.fromkeys(words))
        letters = [word for word in self._words if _NUMBER_LIKE.fullmatch(word) is None]
        self._plain = _Searchable(self._words, folded=False)
        self._lowered = _Searchable(letters, folded=True)
        self._all_lowered: _Searchable | None = None

    def all(self) -> Sequence[str]:
        """Gives the words in the order they were first seen."""
        return self._words

    def marked(self, trigger: Trigger) -> set[str]:
        """Gives the words that the trigger marks."""
        found = self._holding_any(trigger.needles)
        for shape in trigger.shapes:
            found.update(self._plain.matching(shape))
        if trigger.test is not None:
            tested = self._holding_any(trigger.test_needles) if trigger.test_needles else self._words
            found.update(filter(trigger.test, tested))
        return found

    def _holding_any(self, needles: Iterable[str]) -> set[str]:
        found: set[str] = set()
        for needle in needles:
            found.update((self._with_numbers() if _NUMBER_LIKE.fullmatch(needle) else self._lowered).holding(needle))
        return found

    def _with_numbers(self) -> _Searchable:
        if self._all_lowered is None:
            self._all_lowered = _Searchable(self._words, folded=True)
        return self._all_lowered

    def holding(self, literals: Iterable[str]) -> dict[str, list[str]]:
        """Gives for each word that holds one of the literals (in their own case) which ones it holds."""
        found: dict[str, list[str]] = {}
        for literal in literals:
            for word in self._plain.holding(literal):
                found.setdefault(word, []).append(literal)
        return found


@dataclass(frozen=True)
class TextBatch:
    """Some texts in two readings of the same lines, raw and freed of decoration; the words of each line in both
    readings, and the different words of all."""

    raw: tuple[list[str], ...]
    freed: tuple[list[str], ...]
    split: tuple[list[list[str]], ...]
    words: DistinctWords

    @classmethod
    def of(cls, texts: Iterable[Sequence[str]]) -> "TextBatch":
        """Gives the batch of some texts, each a sequence of lines."""
        raw = tuple(list(lines) for lines in texts)
        freed = tuple(cleaned_lines(lines) for lines in raw)
        split = tuple(
            [_words(line, clean) for line, clean in zip(lines, cleans, strict=True)]
            for lines, cleans in zip(raw, freed, strict=True)
        )
        return cls(raw, freed, split, DistinctWords(chain.from_iterable(chain.from_iterable(split))))


def _words(line: str, clean: str) -> list[str]:
    return line.split() if clean is line else [*line.split(), *clean.split()]


def merged_marks(words: DistinctWords, triggers: Sequence[Trigger]) -> dict[str, int]:
    """Gives for each marked word a mask whose bit n says that trigger n marks it."""
    marks: dict[str, int] = {}
    for number, trigger in enumerate(triggers):
        for word in words.marked(trigger):
            marks[word] = marks.get(word, 0) | 1 << number
    return marks


def mask_of(words: Iterable[str], marks: Mapping[str, int]) -> int:
    """Gives what the words of a line are marked with, together."""
    mask = 0
    for word in words:
        if word in marks:
            mask |= marks[word]
    return mask

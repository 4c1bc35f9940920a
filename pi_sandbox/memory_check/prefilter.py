"""Decides which lines the slow detectors see, without losing one.

Every detector names literals (needles, in lower case) or shapes of which at least one stands in each line it can report;
none of them holds white space. So it is enough to look at each *different word* of the texts once, and a line needs a
detector exactly if one of its words was marked. `tests/unit/memory_check/test_prefilter.py` compares with no filter at all.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True)
class Trigger:
    """What marks a word: it holds one of the needles (any case), one of the shapes matches in it, or the test says so."""

    needles: tuple[str, ...] = ()
    shapes: tuple[re.Pattern[str], ...] = ()
    test: Callable[[str], bool] | None = None


class DistinctWords:
    """The different words of some texts, each held once, searchable as one string."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = list(dict.fromkeys(words))
        self._text = "\n".join(self._words)
        lowered = [word.lower() for word in self._words]
        self._lowered = "\n".join(lowered)
        self._starts = _starts(self._words)
        self._lowered_starts = _starts(lowered)

    def all(self) -> Sequence[str]:
        """Gives the words in the order they were first seen."""
        return self._words

    def marked(self, trigger: Trigger) -> set[str]:
        """Gives the words that the trigger marks."""
        found: set[str] = set()
        for needle in trigger.needles:
            found.update(self._words[place] for place in _places(self._lowered, needle, self._lowered_starts))
        for shape in trigger.shapes:
            found.update(self._words[bisect_right(self._starts, match.start()) - 1] for match in shape.finditer(self._text))
        if trigger.test is not None:
            found.update(filter(trigger.test, self._words))
        return found

    def holding(self, literals: Iterable[str]) -> dict[str, list[str]]:
        """Gives for each word that holds one of the literals (in their own case) which ones it holds."""
        found: dict[str, list[str]] = {}
        for literal in literals:
            for place in _places(self._text, literal, self._starts):
                found.setdefault(self._words[place], []).append(literal)
        return found


def _starts(words: Sequence[str]) -> list[int]:
    return [0, *accumulate(len(word) + 1 for word in words)][: len(words)]


def _places(text: str, needle: str, starts: Sequence[int]) -> Iterable[int]:
    """Gives the numbers of the words of `text` that hold the needle, each once."""
    places = []
    at = text.find(needle)
    while at >= 0:
        place = bisect_right(starts, at) - 1
        places.append(place)
        end = text.find("\n", at)
        if end < 0:
            break
        at = text.find(needle, end)
    return places


def merged_marks(words: DistinctWords, triggers: Sequence[Trigger]) -> dict[str, int]:
    """Gives for each marked word a mask whose bit n says that trigger n marks it."""
    marks: dict[str, int] = {}
    for number, trigger in enumerate(triggers):
        for word in words.marked(trigger):
            marks[word] = marks.get(word, 0) | 1 << number
    return marks

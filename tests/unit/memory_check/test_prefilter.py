"""The prefilter loses nothing: the same hits with and without it, on the corpus, mixtures of it and made-up text."""

import random
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_sandbox.memory_check import (
    personal_contact,
    personal_numbers,
    personal_rows,
    personal_statements,
    private_keys,
    secret_accounts,
    secret_commands,
    secret_providers,
    secret_words,
)
from pi_sandbox.memory_check.personal_data import find_personal
from pi_sandbox.memory_check.prefilter import DistinctWords, Trigger
from pi_sandbox.memory_check.secret_scan import scan_text
from tests.corpora.memory_check.everyday import everyday_store
from tests.corpora.memory_check.make_corpus import make_items

ITEMS = make_items(seed=3)
_PIECES = sorted({piece for item in ITEMS for piece in re.findall(r"\S+|\s+", item.text)})


def assert_nothing_lost(lines: list[str]) -> None:
    assert scan_text(lines) == scan_text(lines, prefiltered=False)
    assert find_personal(lines) == find_personal(lines, prefiltered=False)


@pytest.mark.parametrize("part", range(8))
def test_the_prefilter_loses_nothing_of_the_corpus(part: int) -> None:
    lines = [line for item in ITEMS[part::8] for line in [*item.text.split("\n"), ""]]
    assert scan_text(lines), "a corpus without a hit proves nothing"
    assert_nothing_lost(lines)


def test_the_prefilter_loses_nothing_of_everyday_notes() -> None:
    for note in everyday_store(60_000, items=20):
        assert_nothing_lost(list(note.lines))


@settings(max_examples=60)
@given(st.lists(st.lists(st.sampled_from(_PIECES), max_size=9).map("".join), max_size=4))
def test_the_prefilter_loses_nothing_of_lines_put_together_from_pieces_of_the_corpus(lines: list[str]) -> None:
    assert_nothing_lost([part for line in lines for part in line.split("\n")])


@settings(max_examples=60)
@given(st.lists(st.text(st.characters(exclude_characters="\n\r", exclude_categories=("Cs",)), max_size=60), max_size=4))
def test_the_prefilter_loses_nothing_of_any_text(lines: list[str]) -> None:
    assert_nothing_lost(lines)


@pytest.mark.parametrize("value", ["2025-03İ01x", "2025ö03ö01", "ab²cdef³gh", "１２３４ab!", "Tiger#ſ42x"])
def test_the_prefilter_loses_nothing_whose_letters_or_digits_are_not_of_ascii(value: str) -> None:
    assert_nothing_lost([f"Key rotation: {value}", f"password {value}", f"the token is {value}{value}"])


def test_the_prefilter_loses_nothing_when_items_are_damaged() -> None:
    chance = random.Random(5)
    for item in chance.sample(ITEMS, 250):
        text = list(item.text)
        for _ in range(3):
            place = chance.randrange(len(text))
            text[place] = chance.choice(["", " ", "\u200b", "*", text[place].swapcase(), "İ", "\t"])
        assert_nothing_lost("".join(text).split("\n"))


def _expressions() -> list[re.Pattern[str]]:
    """Gives every expression that a detector's module holds, however deep in its tables."""
    found: list[re.Pattern[str]] = []
    waiting: list[object] = [
        value
        for module in (
            personal_contact,
            personal_numbers,
            personal_rows,
            private_keys,
            secret_accounts,
            secret_commands,
            secret_providers,
            secret_words,
        )
        for name, value in vars(module).items()
        if not name.startswith("__")
    ]
    waiting += [topic.words for topic in personal_statements._TOPICS]
    while waiting:
        value = waiting.pop()
        if isinstance(value, re.Pattern):
            found.append(value)
        elif isinstance(value, tuple | list):
            waiting += value
    return sorted(set(found), key=lambda pattern: pattern.pattern)


@pytest.mark.parametrize("expression", _expressions(), ids=lambda pattern: pattern.pattern[:30])
def test_the_prefilter_loses_nothing_that_an_expression_of_a_detector_matches(expression: re.Pattern[str]) -> None:
    @settings(max_examples=2, suppress_health_check=list(HealthCheck), database=None)
    @given(st.from_regex(expression), st.sampled_from(["", "Anna Weber ", "password ", "4711;", "call "]))
    def check(example: str, before: str) -> None:
        assert_nothing_lost((before + example + " Tiger" + "42!blau 456 78 90").split("\n"))

    check()


@pytest.mark.parametrize(
    "word", "Tel Telefon phone mobil mobile Handy Fax Rufnummer Durchwahl WhatsApp cell ☎ 📞".split()
)
def test_the_prefilter_keeps_a_number_that_only_a_word_makes_a_phone_number(word: str) -> None:
    lines = [f"{word}: 456 78 90"]
    assert find_personal(lines)
    assert_nothing_lost(lines)


def test_a_word_is_marked_by_needle_shape_or_test_and_by_nothing_else() -> None:
    words = DistinctWords(["Token=x", "a1b2c3", "plain", "plain"])
    assert words.marked(Trigger(needles=("token",))) == {"Token=x"}
    assert words.marked(Trigger(needles=("b2",))) == {"a1b2c3"}
    assert words.marked(Trigger(shapes=(re.compile(r"\d[a-z]\d"),))) == {"a1b2c3"}
    assert words.marked(Trigger(test=str.isalpha)) == {"plain"}
    assert words.marked(Trigger(needles=("absent",))) == set()

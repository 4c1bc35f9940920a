"""The best match stands first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_sandbox.project_memory.search import Note, search, words_of


def note(name: str, description: str = "", text: str = "", modified: int = 0) -> Note:
    return Note(name, modified, f"---\ndescription: {description}\n---\n{text}\n")


def names(wanted: str, *notes: Note) -> list[str]:
    return [match.note.name for match in search(notes, wanted)]


def test_a_note_without_any_of_the_words_is_not_found() -> None:
    assert names("shed key", note("gate.md", "When the gate is closed", "At night.")) == []


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        pytest.param(note("a.md", "", "shed and key"), note("b.md", "The shed, shed, shed"), id="more of the words"),
        pytest.param(note("a.md", "The key"), note("b.md", "", "key key key"), id="what it says of itself"),
        pytest.param(note("key.md"), note("b.md", "", "key"), id="its name"),
        pytest.param(note("a.md", "", "the key"), note("b.md", "", "keyboards and monkeys"), id="a whole word"),
        pytest.param(note("a.md", "", "key, key"), note("b.md", "", "key"), id="more often"),
        pytest.param(note("a.md", "", "key"), note("MEMORY.md", "", "key, key, key", 9), id="no index"),
        pytest.param(note("b.md", "", "key", 2), note("a.md", "", "key", 1), id="newer"),
        pytest.param(note("a.md", "", "key", 1), note("b.md", "", "key", 1), id="by name at last"),
    ],
)
def test_of_two_notes_the_better_match_stands_first(better: Note, worse: Note) -> None:
    for order in ((better, worse), (worse, better)):
        assert names("shed key", *order) == [better.name, worse.name]


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ("GARTEN", "im garten"),
        ("garten", "Gartenschlauch"),
        ("garten", "Gärten"),
        ("gärten", "Garten"),
        ("straße", "STRASSE"),
        ("e\u0301te", "\u00e9té"),
        ("ﬁle", "file"),
        ("v1.2", "since v1 there are 2"),
    ],
)
def test_a_word_is_found_in_any_case_with_or_without_accents_and_inside_a_longer_one(wanted: str, text: str) -> None:
    assert names(wanted, note("a.md", "", text)) == ["a.md"]


def test_the_lines_that_hold_the_most_of_the_words_are_given_in_their_order() -> None:
    (match,) = search([note("a.md", "", "shed\nnothing\nthe key of the shed\nkey\nkey")], "shed key")
    assert match.lines == ((4, "shed"), (6, "the key of the shed"), (7, "key"))
    (match,) = search([Note("MEMORY.md", 0, "- [Shed](shed.md): key\n")], "key")
    assert match.lines == ((1, "- [Shed](shed.md): key"),)


def test_the_front_matter_is_no_text() -> None:
    (match,) = search([note("a.md", "the key")], "key")
    assert match.lines == ()
    assert search([note("a.md")], "description") == ()


def test_a_pattern_is_only_its_words() -> None:
    assert words_of("(.*) [key] --shed") == ("key", "shed")
    assert words_of("-- ?! …") == ()


@given(st.lists(st.text(max_size=30), max_size=5), st.text(max_size=20))
def test_whatever_is_looked_for_in_whatever_notes_each_found_note_holds_a_word(texts: list[str], wanted: str) -> None:
    notes = [Note(f"{number}.md", number, text) for number, text in enumerate(texts)]
    matches = search(notes, wanted)
    assert len({match.note.name for match in matches}) == len(matches) <= len(notes)
    assert all(1 <= match.words <= len(words_of(wanted)) for match in matches)
    assert all(1 <= number <= match.note.text.count("\n") + 1 for match in matches for number, _ in match.lines)

"""How topics are listed, and which names can be topics."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_sandbox.memory_text.sanitise import sanitise_memory_text
from pi_sandbox.note_format.names import is_topic_name
from pi_sandbox.project_memory.catalogue import Topic, by_label, catalogue_text, day, newest_first, one_line


@pytest.mark.parametrize(
    "name",
    ["a.md", "größe.md", "a b.md", "sub/a.md", "sub/deep/er/a.md", ".hidden.md", "MEMORY.md.md", "memory.md", "-.md"],
)
def test_a_lower_case_md_file_is_a_topic(name: str) -> None:
    assert is_topic_name(name)


@pytest.mark.parametrize(
    "name",
    [
        *("MEMORY.md", "sub/MEMORY.md", "a.MD", "a.Md", "a.txt", "a.md.bak", "a.md~", "a", "", ".md", "sub/.md"),
        *("/a.md", "../a.md", "sub/../a.md", "./a.md", "sub//a.md", "a\n.md", "a\x00.md", "a\x9b.md", "a\udcff.md"),
        *(".git/a.md", ".hg/a.md", ".svn/a.md", ".bzr/a.md", ".jj/a.md", ".sl/a.md", "sub/.git/a.md"),
        "a" * 510 + ".md",
    ],
)
def test_anything_else_is_none(name: str) -> None:
    assert not is_topic_name(name)


def test_the_newest_stands_first_and_names_decide_between_equals() -> None:
    topics = [Topic("b.md", 1), Topic("c.md", 2), Topic("a.md", 1)]
    assert [topic.name for topic in newest_first(topics)] == ["c.md", "a.md", "b.md"]


def test_a_line_of_the_catalogue_is_json() -> None:
    text = catalogue_text([Topic("a b.md", 1_764_460_800_000, "t", 'says "x"'), Topic("c.md", 0)])
    assert [json.loads(line) for line in text.split("\n")] == [
        {"file": "a b.md", "modified": "2025-11-30", "description": 'says "x"'},
        {"file": "c.md", "modified": "1970-01-01", "description": ""},
    ]


@given(st.text(), st.text(), st.integers())
def test_no_topic_takes_more_than_its_line_whatever_it_says(name: str, description: str, modified_ms: int) -> None:
    text = catalogue_text([Topic(name, modified_ms, None, description)])
    assert len(text.splitlines()) == 1
    assert sanitise_memory_text(text) == text
    assert len(json.loads(text)["description"]) <= 300


def test_names_that_are_shown_alike_are_listed_once_as_the_newer() -> None:
    newer, older = Topic("a\u200b.md", 2), Topic("a.md", 1)
    assert by_label([newer, older]) == {"a.md": newer}


@given(st.text())
def test_one_line_is_one_sanitised_line(text: str) -> None:
    line = one_line(text)
    assert line.splitlines() in ([], [line])
    assert one_line(line) == line == line.strip()


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [(0, "1970-01-01"), (-1, "1969-12-31"), (10**18, "9999-12-31"), (-(10**18), "0001-01-01")],
)
def test_any_time_has_a_day(milliseconds: int, shown: str) -> None:
    assert day(milliseconds) == shown

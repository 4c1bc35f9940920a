"""What is read of a topic's front matter."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_sandbox.note_format.front_matter import FrontMatter, front_matter_of, read_front_matter
from pi_sandbox.note_format.limits import FRONT_MATTER_BYTES
from tests.corpora.loader import corpus


@pytest.mark.parametrize("case", corpus("front_matter"))
def test_the_corpus_is_read(case: dict[str, Any]) -> None:
    assert front_matter_of(case["text"]) == FrontMatter(case.get("title"), case.get("description"))


def test_an_end_within_the_first_65536_bytes_is_seen() -> None:
    filled = b"---\ndescription: d\nx: "
    last = filled + b"a" * (FRONT_MATTER_BYTES - len(filled) - 4) + b"\n---"
    assert len(last) == FRONT_MATTER_BYTES
    assert read_front_matter(last).description == "d"
    assert read_front_matter(last.replace(b"\n---", b"a\n---")[: FRONT_MATTER_BYTES + 1]).description is None


def test_broken_utf_8_is_replaced_and_not_refused() -> None:
    assert read_front_matter(b"---\ndescription: a\xffb\n---\n").description == "a\ufffdb"


@given(st.binary(max_size=200) | st.binary(max_size=100).map(lambda data: b"---\ndescription: " + data + b"\n---\n"))
def test_whatever_the_bytes_are_they_are_read(data: bytes) -> None:
    found = read_front_matter(data)
    assert found.description is None or found.description.strip()

"""Which page of pi's `read` is the whole file."""

from pathlib import Path

import pytest

from pi_sandbox.project_memory.limits import READ_BYTES
from pi_sandbox.project_memory.tool_pages import Page

THREE_LINES = "one\ntwo\nthree\n"


@pytest.mark.parametrize(
    ("text", "page", "whole"),
    [
        (THREE_LINES, Page(), True),
        (THREE_LINES, Page(offset=1), True),
        (THREE_LINES, Page(offset=0), True),
        (THREE_LINES, Page(limit=3), True),
        (THREE_LINES, Page(limit=4), True),
        (THREE_LINES, Page(offset=1, limit=9_000), True),
        ("one\ntwo\nthree", Page(limit=3), True),
        ("", Page(limit=1), True),
        (THREE_LINES, Page(offset=2), False),
        (THREE_LINES, Page(limit=2), False),
        (THREE_LINES, Page(limit=2.5), False),
        (THREE_LINES, Page(limit=-1), False),
        ("one\ntwo\nthree", Page(limit=2), False),
        (THREE_LINES, Page(cut=True), False),
    ],
)
def test_a_page_is_the_whole_file_if_it_has_its_first_line_and_its_last(
    tmp_path: Path, text: str, page: Page, *, whole: bool
) -> None:
    file = tmp_path / "topic.md"
    file.write_text(text)
    assert page.shows_all_of(file) is whole


def test_a_page_is_not_all_of_a_file_that_is_larger_than_a_page_or_gone(tmp_path: Path) -> None:
    large = tmp_path / "large.md"
    large.write_text("x" * (READ_BYTES + 1))
    assert not Page(limit=1).shows_all_of(large)
    assert not Page(limit=1).shows_all_of(tmp_path / "gone.md")

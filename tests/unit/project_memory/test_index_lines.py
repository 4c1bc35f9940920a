"""Which lines of the index go with a note."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_sandbox.project_memory.index_lines import points_to, without_note


@pytest.mark.parametrize(
    "line",
    [
        "- [Build](build.md): how it is built",
        "* [Build](./build.md)",
        "1. see [Build]( build.md ) and more",
        "- [Build](<build.md>)",
        '- [Build](build.md "a title"): how',
        "- [Build](build.md#steps)",
        "- [B [x] y](build.md)",
        "- [Other](other.md), [Build](build.md)",
        "- [Build](%62uild.md)",
    ],
)
def test_a_link_to_the_note_in_each_form_points_to_it(line: str) -> None:
    assert points_to(line, "build.md")


@pytest.mark.parametrize(
    "line",
    [
        "- [Test](test.md): see build.md",
        "- [Rebuild](rebuild.md)",
        "- [Build](old/build.md)",
        "- [Build](build.md.bak)",
        "- [Site](https://example.org/build.md)",
        "build.md",
        "",
    ],
)
def test_another_link_or_the_bare_name_does_not(line: str) -> None:
    assert not points_to(line, "build.md")


def test_a_note_in_a_folder_and_one_with_a_blank_are_found() -> None:
    assert points_to("- [Build](how/build.md)", "how/build.md")
    assert points_to("- [My build](<my build.md>)", "my build.md")
    assert points_to("- [My build](my%20build.md)", "my build.md")


@given(st.text())
def test_what_points_to_nothing_stays_byte_for_byte(index: str) -> None:
    assert without_note(index, "\0never.md") == index

"""The texts for models are files with places for values, and nothing a value holds is a place."""

from pathlib import Path

import pytest

from pi_sandbox.project_memory import prompts
from pi_sandbox.project_memory.prompts import prompt

FILES = sorted(Path(prompts.__file__).parent.glob("*.md"))


def test_a_value_goes_in_as_it_is_whatever_it_looks_like():
    text = prompt("trailing")
    assert text == text.strip()
    assert prompt("codemode_on")
    assert "{{today}}" in prompt("new_part_own", left_out="{{messages}}", messages="{{today}} \\1 $x")


@pytest.mark.parametrize("values", [{}, {"left_out": ""}, {"left_out": "", "messages": "", "more": ""}])
def test_a_value_that_is_missing_or_too_many_is_an_error(values):
    with pytest.raises(ValueError, match="new_part_own"):
        prompt("new_part_own", **values)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_text_is_plain_and_ends_with_one_line_break(file):
    text = file.read_text("utf-8")
    assert text.isascii()
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert all(line == line.rstrip() for line in text.splitlines())

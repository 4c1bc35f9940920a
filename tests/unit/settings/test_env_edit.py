import contextlib
import shlex
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pi_sandbox.errors import SettingsError
from pi_sandbox.settings.env_edit import edit_env_file
from pi_sandbox.settings.env_file import parse_env_file
from tests.unit.settings.test_env_file import TEXTS

FILE = Path("/home/someone/pi/.env")


def edit(text: str, **changes: str | None) -> str:
    return edit_env_file(text.encode(), changes, FILE).decode()


def values(text: str) -> dict[str, str]:
    return {name: binding.value for name, binding in parse_env_file(text.encode(), FILE).items()}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "NAME=new\n"),
        ("# a comment", "# a comment\nNAME=new\n"),
        ("OTHER=1\r\n", "OTHER=1\r\nNAME=new\r\n"),
        ("NAME=old", "NAME=new"),
        ("NAME=old\nOTHER=1\n", "NAME=new\nOTHER=1\n"),
        ("\n\n  export NAME = old  # why\n\n# end\n", "\n\n  export NAME =new  # why\n\n# end\n"),
        ("NAME='o # l\\'d' # why\r\n# end", "NAME=new # why\r\n# end"),
        ('NAME="old" \nOTHER="NAME=1"\n', 'NAME=new \nOTHER="NAME=1"\n'),
        ("# NAME=example\n", "# NAME=example\nNAME=new\n"),
        ("\ufeffNAME=old\n", "\ufeffNAME=new\n"),
    ],
)
def test_a_setting_changes_in_its_place_and_a_new_one_comes_at_the_end(before: str, after: str) -> None:
    assert edit(before, NAME="new") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("NAME=old", ""),
        ("# a\n\nNAME='old' # why\n# b\n", "# a\n\n# b\n"),
        ("A=1\r\n\r\n  export NAME=old\r\nB=2\r\n", "A=1\r\n\r\nB=2\r\n"),
        ("# NAME=example\n", "# NAME=example\n"),
    ],
)
def test_a_setting_goes_with_its_line_and_nothing_else(before: str, after: str) -> None:
    assert edit(before, NAME=None) == after


@pytest.mark.parametrize(
    "value",
    [
        "op read op://Private/codeberg-pi-memory/credential",
        shlex.join(["pass", "it's", 'a "quoted"', "back\\slash", "#hash", "$HOME", "`x`"]),
        "a\\",
        "'",
        '"',
        "# not a comment",
        "grün",
        "x" * 3000,
    ],
)
def test_a_value_reads_back_as_it_was_given_beside_others_that_have_quotes(value: str) -> None:
    around = "FIRST='a' # it's\nLAST=\"b\"\n"
    made = edit(around, NAME=value)
    assert values(made) == {"FIRST": "a", "LAST": "b", "NAME": value}
    assert made.startswith(around)
    assert values(edit(made, NAME="other", FIRST="c")) == {"FIRST": "c", "LAST": "b", "NAME": "other"}


@pytest.mark.parametrize("value", ["", " ", "two\nlines", "bell\a", "\u202e", "x" * 5000])
def test_a_value_that_no_line_can_hold_is_refused(value: str) -> None:
    with pytest.raises(SettingsError, match="cannot hold the value of NAME"):
        edit("A=1\n", NAME=value)


def test_a_file_that_cannot_be_read_is_not_edited() -> None:
    with pytest.raises(SettingsError, match="line 1"):
        edit("what is this\n", NAME="new")


@given(TEXTS, st.text(max_size=40), st.sampled_from(["A", "PI_SANDBOX_CPUS", "NEW"]))
@example("A='x\\\\'\nB='y'\n", "b\\", "A")
@example("A=1\rB=2\r", "c", "A")
def test_any_value_reads_back_and_nothing_else_changes_in_any_file(text: str, value: str, name: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    with contextlib.suppress(SettingsError):
        before = {key: binding.value for key, binding in parse_env_file(data, FILE).items()}
        made = edit_env_file(data, {name: value}, FILE)
        after = {key: binding.value for key, binding in parse_env_file(made, FILE).items()}
        assert after == {**before, name: value}
        gone = edit_env_file(made, {name: None}, FILE)
        assert {key: binding.value for key, binding in parse_env_file(gone, FILE).items()} == {
            key: kept for key, kept in before.items() if key != name
        }


@given(st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=60))
def test_every_visible_value_without_blanks_can_be_written(value: str) -> None:
    assert values(edit("OTHER='it'\n", NAME=value))["NAME"] == value

"""Tables and lists fit the terminal, and no path is cut."""

from pathlib import Path

import pytest

from pi_sandbox.cli.tables import hanging, headed_table, pairs, split_command, table
from pi_sandbox.errors import for_a_shell, quoted

PATH = "/home/ada/pi/brain/" + "a-long-name/" * 6 + "pi-memory-private"
ROWS = [("/brain/core", PATH, "read-write", "the memory that holds for everything"), ("/tmp", "", "read-only", "")]


def test_without_a_terminal_a_row_is_a_line() -> None:
    assert len(table(ROWS).splitlines()) == 2


def test_where_it_fits_a_table_stays_one() -> None:
    assert table([("a", "b"), ("cc", "d")], 80) == "  a   b\n  cc  d\n"


def test_where_it_does_not_fit_a_row_goes_on_below_itself_and_no_path_is_cut() -> None:
    lines = table(ROWS, 60).splitlines()
    assert lines[0] == "  /brain/core"
    assert lines[1].strip() == PATH
    assert lines[2].split() == "read-write the memory that holds for everything".split()
    assert lines[3] == "  /tmp  read-only"
    assert [line for line in lines if len(line) > 60 and PATH not in line] == []


def test_a_headed_table_becomes_lists_of_named_values() -> None:
    headings = ("domain", "store", "pushed to")
    assert headed_table(headings, [("work", "/a", "nowhere yet")], 80).splitlines()[0].split() == [
        *("domain", "store", "pushed", "to")
    ]
    assert headed_table(headings, [("work", PATH, "nowhere yet")], 60) == (
        f"  work\n    store      {PATH}\n    pushed to  nowhere yet\n"
    )


def test_a_value_of_a_pair_breaks_between_words_and_hangs() -> None:
    lines = pairs(
        [("git", "to read: the agent can look, you commit on the host"), ("runtime", "runc")], 45
    ).splitlines()
    assert lines == ["  git      to read: the agent can look, you", "           commit on the host", "  runtime  runc"]


NAMES = ["plain", "with blanks and more", "it's", 'dou"ble', "new\nline", "gr\u00f6\u00dfe", "a; b, c: rm -- d"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "command", ["rm -r -- {}", "mv -- {} {}", "chmod u+rwX -- {}", "git -C {} status", "pi-sandbox run {}"]
)
def test_a_command_at_the_end_of_a_text_stands_on_a_row_of_its_own_as_it_is(command: str, name: str) -> None:
    word = for_a_shell(Path("/a home", name))
    whole = command.format(word, word)
    text = f"{quoted(name)} is in the way: look at it, then remove it: {whole}"
    *rows, last = hanging("  -> ", text, 60)
    assert last.strip() == whole
    assert rows


@pytest.mark.parametrize(
    "text",
    [
        "a repository inside the store: git runs what its settings name, and so it blocks everything here",
        "give it to yourself: rm -r -- /a/b; or run pi-sandbox as somebody else, who may write in that folder",
        'the name "a: rm -r -- b" holds a colon and some more words, and what stands there is no command at all',
    ],
)
def test_words_that_only_look_like_a_command_are_broken_like_others(text: str) -> None:
    assert split_command(text) == (text, "")

"""Tables and lists fit the terminal, and no path is cut."""

from pi_sandbox.cli.tables import headed_table, pairs, table

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

"""Two machines of one owner: what the sync advises is followed to the letter, and nothing is lost or wrongly pushed."""

import dataclasses
import os
import subprocess

import pytest

from pi_sandbox.memory_sync.outcome import StoreOutcome
from pi_sandbox.memory_sync.status import standing, standing_lines
from pi_sandbox.memory_sync.store_check import check_folder
from tests.integration.sync_inside.stores import NOTE

BEGIN, HALF, END = "<" * 7, "=" * 7, ">" * 7


@pytest.fixture
def other(pushed, tmp_path):
    """The second machine: a clone of the store, with a record of its own."""
    records = tmp_path / "other-records"
    records.mkdir()
    second = dataclasses.replace(pushed.elsewhere(tmp_path / "other"), records=records)
    assert second.sync("y").outcome is StoreOutcome.NOTHING
    return second


def run(store, line):
    """Runs one line in a shell on the owner's host, with an editor that changes nothing."""
    environment = {**os.environ, "GIT_EDITOR": "true"}
    command = line.strip().replace("~/pi/brain/store", f"'{store.folder}'")
    return subprocess.run(command, shell=True, env=environment, capture_output=True, check=False).returncode


def follow(store, hint, *, only=""):
    """Runs every command of a hint in its order, whatever the one before came to, and gives how they ended."""
    lines = [line for line in hint.splitlines() if line.strip().startswith("git ") and only in line]
    assert lines, hint
    return [run(store, line) for line in lines]


def everything_pushed(store):
    """Each content in every commit of the remote."""
    bare = ("-c", "safe.directory=*", "-C", str(store.server.repository(store.remote_name)))
    return store.git(*bare, "log", "-p", "--text", "--format=%B", "--all")


def markers_in(text):
    return [line for line in text.splitlines() if line.lstrip("+- ").startswith((BEGIN, END))]


def push_from(store, text):
    store.note("build", text)
    assert store.sync("y").outcome is StoreOutcome.PUSHED


def stopped(store, *words):
    tip = store.tip
    result = store.sync("y", "y")
    assert result.outcome is StoreOutcome.FAILED, result.said.text
    for word in words:
        assert word in result.message, result.message
    assert store.tip == tip
    return result


LACKS = "the remote has commits the local repo lacks"


def test_the_same_line_changed_on_two_machines_is_joined_by_what_each_message_says(pushed, other):
    push_from(pushed, "It is built by make, here.")
    other.note("build", "It is built by make, there.")
    other.note("more", "Only there.")
    ended = follow(other, stopped(other, LACKS).hint)
    assert ended[:2] == [0, 0]
    assert ended[2] != 0, "the control: git could not join the two"
    second = stopped(other, "a rebase is not finished")
    other.note("build", "It is built by make, here and there.")
    on, _, _ = second.hint.partition("or, to be where you were before")
    assert follow(other, on) == [0, 0]

    assert other.sync("y").outcome is StoreOutcome.PUSHED
    assert markers_in(everything_pushed(other)) == []
    for text in ("make, here.", "make, here and there.", "Only there."):
        assert text in everything_pushed(other)


def test_the_way_back_from_a_join_is_where_the_owner_was(pushed, other):
    push_from(pushed, "It is built by make, here.")
    other.note("build", "It is built by make, there.")
    follow(other, stopped(other, LACKS).hint)
    assert follow(other, stopped(other, "a rebase is not finished").hint, only="--abort") == [0]

    assert "make, there." in (other.folder / "notes/build.md").read_text()
    stopped(other, LACKS)


def test_an_owner_who_takes_the_marked_file_as_it_is_pushes_no_marker(pushed, other):
    push_from(pushed, "It is built by make, here.")
    other.note("build", "It is built by make, there.")
    follow(other, stopped(other, LACKS).hint)
    on, _, _ = stopped(other, "a rebase is not finished").hint.partition("or, to be where you were before")
    assert follow(other, on) == [0, 0]
    assert len(markers_in((other.folder / "notes/build.md").read_text())) == 2, "the control"
    third = stopped(other, "blocked by the memory check")
    assert "  notes/build.md:6 blocking conflict-marker" in third.said.text
    other.note("build", "It is built by make, here and there.")
    fourth = stopped(other, "blocked by the memory check")
    assert f"commit {other.head[:12]} notes/build.md:6 blocking conflict-marker" in fourth.said.text
    assert follow(other, fourth.hint) == [0]

    assert other.sync("y").outcome is StoreOutcome.PUSHED
    assert markers_in(everything_pushed(other)) == []


@pytest.mark.parametrize("command", ["rebase --autostash pi-sandbox/main", "pull-by-hand"])
def test_what_git_could_not_put_back_from_the_stash_is_refused_until_it_is_joined(pushed, other, command):
    push_from(pushed, "It is built by make, here.")
    other.note("build", "It is built by make, there.")
    stopped(other, LACKS)
    if command == "pull-by-hand":
        other.git("stash")
        other.git("rebase", "pi-sandbox/main")
        run(other, "git -C ~/pi/brain/store stash pop")
    else:
        assert run(other, f"git -C ~/pi/brain/store {command}") == 0, "the control: git ends well, and leaves markers"
    assert markers_in((other.folder / "notes/build.md").read_text()) != []
    report = check_folder("private", other.folder, other.records)
    assert ("notes/build.md", "unmerged") in [(one.path, one.category) for one in report.findings]
    refused = stopped(other, 'git could not join "notes/build.md"')
    assert follow(other, refused.hint, only="add --all") == [0]
    blocked = stopped(other, "blocked by the memory check")
    assert "notes/build.md:6 blocking conflict-marker" in blocked.said.text
    other.note("build", "It is built by make, here and there.")
    assert follow(other, refused.hint, only="stash drop") == [0]

    assert other.sync("y").outcome is StoreOutcome.PUSHED
    assert markers_in(everything_pushed(other)) == []


def test_without_changes_of_ones_own_the_same_commands_take_what_came(pushed, other):
    push_from(pushed, "It is built by make, here.")
    ended = follow(other, stopped(other, LACKS).hint)

    assert (ended[0], ended[2]) == (0, 0)
    assert other.head == pushed.head
    assert other.sync("y").outcome is StoreOutcome.NOTHING


def test_a_note_that_both_machines_made_is_not_overwritten(pushed, other):
    for store, text in ((pushed, "Made here."), (other, "Made there.")):
        store.note("new", text)
    assert pushed.sync("y").outcome is StoreOutcome.PUSHED
    follow(other, stopped(other, LACKS).hint)
    text = (other.folder / "notes/new.md").read_text()

    assert ("Made here." in text, "Made there." in text) == (True, True)
    stopped(other, "a rebase is not finished")


@pytest.mark.parametrize("joined", [False, True], ids=["before the join", "after the join"])
def test_the_other_machines_commits_do_not_count_as_unpushed(pushed, other, joined):
    push_from(pushed, "It is built by make, here.")
    other.note("more", "Only there.")
    refused = stopped(other, LACKS)
    before = standing("private", other.folder, other.records)
    assert (before.unpushed_commits, before.changed_files) == (0, 1)
    if joined:
        assert follow(other, refused.hint) == [0, 0, 0]
        assert other.git("rev-list", "--count", "HEAD") == "3"
        one = standing("private", other.folder, other.records)
        assert one.unpushed_commits == 1
        assert "1 unpushed commit (" in "\n".join(standing_lines(one))
        assert [found.path for found in check_folder("private", other.folder, other.records).findings] == [
            "notes/more.md"
        ]
        assert other.sync("y").outcome is StoreOutcome.PUSHED
        assert standing("private", other.folder, other.records).unpushed_commits == 0


def test_a_commit_of_the_other_machine_that_no_sync_fetched_counts_until_one_does(pushed, other):
    push_from(pushed, "It is built by make, here.")
    other.git("pull", "--quiet", "--ff-only", str(pushed.folder), "main")

    assert standing("private", other.folder, other.records).unpushed_commits == 1
    assert other.sync("y").outcome is StoreOutcome.NOTHING
    assert standing("private", other.folder, other.records).unpushed_commits == 0


def test_markers_in_a_note_block_and_the_same_note_without_them_is_pushed(pushed):
    text = f"{BEGIN} Updated upstream\nIt is made.\n{HALF}\nIt is built.\n{END} Stashed changes"
    pushed.note("build", text)
    result = stopped(pushed, "blocked by the memory check")
    assert [line for line in result.said.lines if "conflict-marker" in line and ":6 " in line]
    assert [line for line in result.said.lines if "conflict-marker" in line and ":10 " in line]
    pushed.write("notes/build.md", NOTE.format(text="\n".join(f"    {line}" for line in text.splitlines())))

    assert pushed.sync("y").outcome is StoreOutcome.PUSHED

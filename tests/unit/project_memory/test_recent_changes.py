"""The recent changes of each file: a hint that is there when it can be, and never in the way."""

import os
import time

import pytest

from pi_sandbox.project_memory.limits import RECENT_CHANGE_BYTES, RECENT_CHANGE_SECONDS, RECENT_CHANGES
from pi_sandbox.project_memory.recent_changes import RecentChange, RecentChanges

CHANGE = RecentChange(1_000, ("a line", "größe \udce9"))
EARLIER = RecentChange(999, ("an earlier line",))


def test_what_others_did_to_a_file_is_read_from_a_time_on_and_what_one_did_oneself_is_not(tmp_path):
    RecentChanges(tmp_path / "recent").note("a.md", "session one", CHANGE)
    RecentChanges(tmp_path / "recent").note("a.md", "session two", EARLIER)
    recent = RecentChanges(tmp_path / "recent")

    assert recent.of_others("a.md", "session three", 0) == (EARLIER, CHANGE)
    assert recent.of_others("a.md", "session three", 1_000) == (CHANGE,)
    assert recent.of_others("a.md", "session one", 0) == (EARLIER,)
    assert recent.of_others("b.md", "session three", 0) == ()
    assert [oct(path.stat().st_mode & 0o777) for path in (tmp_path / "recent", *(tmp_path / "recent").iterdir())] == [
        "0o700",
        "0o600",
        "0o600",
    ]


def test_an_author_s_last_changes_of_a_file_are_kept(tmp_path):
    recent = RecentChanges(tmp_path)
    changes = tuple(RecentChange(at, (f"line {at}",)) for at in range(RECENT_CHANGES + 2))
    for change in changes:
        recent.note("a.md", "session one", change)
    assert recent.of_others("a.md", "session two", 0) == changes[2:]


def test_a_very_long_change_is_kept_without_its_lines(tmp_path):
    recent = RecentChanges(tmp_path)
    recent.note("a.md", "session one", RecentChange(5, ("y" * RECENT_CHANGE_BYTES,)))
    assert recent.of_others("a.md", "session two", 0) == (RecentChange(5, ()),)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"{}", b"[1]", b'[{"at": "x"}]', b"[" * 100_000, b"x" * (RECENT_CHANGE_BYTES + 1)]
)
def test_what_is_none_of_ours_is_no_change(tmp_path, content):
    recent = RecentChanges(tmp_path)
    recent.note("a.md", "session one", CHANGE)
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)
    assert recent.of_others("a.md", "session two", 0) == ()


def test_a_folder_that_cannot_be_made_is_no_failure(tmp_path):
    (tmp_path / "file").touch()
    recent = RecentChanges(tmp_path / "file" / "recent")
    recent.note("a.md", "session one", CHANGE)
    recent.sweep()
    assert recent.of_others("a.md", "session two", 0) == ()


def test_what_is_old_goes_and_what_is_not_stays(tmp_path):
    recent = RecentChanges(tmp_path)
    recent.note("old.md", "session one", CHANGE)
    (old,) = tmp_path.iterdir()
    then = time.time() - RECENT_CHANGE_SECONDS - 1
    os.utime(old, (then, then))
    recent.note("new.md", "session one", CHANGE)
    recent.sweep()
    assert [recent.of_others(name, "session two", 0) for name in ("old.md", "new.md")] == [(), (CHANGE,)]

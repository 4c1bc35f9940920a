"""The last change of each file: a hint that is there when it can be, and never in the way."""

import os
import time

import pytest

from pi_sandbox.project_memory.limits import RECENT_CHANGE_BYTES, RECENT_CHANGE_SECONDS
from pi_sandbox.project_memory.recent_changes import RecentChange, RecentChanges

CHANGE = RecentChange("session one", None, "d1", ("a line", "größe \udce9"))


def test_the_last_change_of_a_file_is_read_by_another_session(tmp_path):
    RecentChanges(tmp_path / "recent").note("a.md", RecentChange("session two", "d0", "d1", ()))
    RecentChanges(tmp_path / "recent").note("a.md", CHANGE)
    recent = RecentChanges(tmp_path / "recent")

    assert recent.last("a.md") == CHANGE
    assert recent.last("b.md") is None
    assert [oct(path.stat().st_mode & 0o777) for path in (tmp_path / "recent", *(tmp_path / "recent").iterdir())] == [
        "0o700",
        "0o600",
    ]


def test_a_very_long_change_is_kept_without_its_lines(tmp_path):
    recent = RecentChanges(tmp_path)
    recent.note("a.md", RecentChange("x", None, "d", ("y" * RECENT_CHANGE_BYTES,)))
    assert recent.last("a.md") == RecentChange("x", None, "d", ())


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"by": 1}', b"[" * 100_000, b"x" * (RECENT_CHANGE_BYTES + 1)])
def test_what_is_none_of_ours_is_no_change(tmp_path, content):
    recent = RecentChanges(tmp_path)
    recent.note("a.md", CHANGE)
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)
    assert recent.last("a.md") is None


def test_a_folder_that_cannot_be_made_is_no_failure(tmp_path):
    (tmp_path / "file").touch()
    recent = RecentChanges(tmp_path / "file" / "recent")
    recent.note("a.md", CHANGE)
    recent.sweep()
    assert recent.last("a.md") is None


def test_what_is_old_goes_and_what_is_not_stays(tmp_path):
    recent = RecentChanges(tmp_path)
    recent.note("old.md", CHANGE)
    (old,) = tmp_path.iterdir()
    then = time.time() - RECENT_CHANGE_SECONDS - 1
    os.utime(old, (then, then))
    recent.note("new.md", CHANGE)
    recent.sweep()
    assert (recent.last("old.md"), recent.last("new.md")) == (None, CHANGE)

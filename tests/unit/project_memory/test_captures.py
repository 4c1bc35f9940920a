"""What others changed in a memory is told once, and nothing else is."""

import os
from pathlib import Path

import pytest

from pi_sandbox.errors import FilesError
from pi_sandbox.project_memory import captures as captures_module
from pi_sandbox.project_memory.captures import Captures, ExternalChange
from pi_sandbox.project_memory.file_states import digest_of

LONG_AGO = 1_000_000_000


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    memory = (tmp_path / "memory").resolve()
    (memory / "deep").mkdir(parents=True)
    for name in ("MEMORY.md", "a.md", "deep/b.md"):
        (memory / name).write_text(f"{name}: one\n")
        os.utime(memory / name, (LONG_AGO, LONG_AGO))
    return memory


@pytest.fixture
def captures(memory: Path) -> Captures:
    captures = Captures(memory)
    captures.begin()
    return captures


def told(captures: Captures) -> list[tuple[str, str]]:
    return [(change.action, change.path) for change in captures.capture()]


def test_added_modified_and_deleted_files_are_told_once(memory: Path, captures: Captures) -> None:
    assert told(captures) == []
    (memory / "new.md").write_text("new")
    (memory / "a.md").write_text("other")
    (memory / "deep" / "b.md").unlink()
    assert told(captures) == [("write", "a.md"), ("delete", "deep/b.md"), ("create", "new.md")]
    assert told(captures) == []


def test_a_change_carries_the_digest_of_what_stands_there(memory: Path, captures: Captures) -> None:
    (memory / "a.md").write_text("other")
    assert captures.capture() == (ExternalChange("a.md", "write", digest_of(b"other")),)


def test_other_bytes_of_the_same_size_at_the_same_time_are_seen(memory: Path, captures: Captures) -> None:
    assert told(captures) == []
    (memory / "a.md").write_text("a.md: two\n")
    os.utime(memory / "a.md", (LONG_AGO, LONG_AGO))
    assert told(captures) == [("write", "a.md")]


@pytest.mark.parametrize("settled", [True, False])
def test_a_change_within_one_tick_of_the_disk_s_clock_is_seen(
    memory: Path, monkeypatch: pytest.MonkeyPatch, settled: bool
) -> None:
    """The times say nothing here; the control is a disk that is taken to be settled at once, where it is missed."""
    monkeypatch.setattr(captures_module, "_signature", lambda status: (status.st_ino, status.st_size, 0, 0))
    monkeypatch.setattr(captures_module, "_is_settled", lambda _: settled)
    captures = Captures(memory)
    captures.begin()
    assert told(captures) == []
    with (memory / "a.md").open("r+") as file:
        file.write("b")
    assert told(captures) == ([] if settled else [("write", "a.md")])


def test_the_same_bytes_at_another_time_or_with_other_permissions_are_no_change(
    memory: Path, captures: Captures
) -> None:
    told(captures)
    (memory / "a.md").chmod(0o600)
    (memory / "deep" / "b.md").touch()
    beside = memory / "beside"
    beside.write_bytes((memory / "MEMORY.md").read_bytes())
    beside.rename(memory / "MEMORY.md")
    assert told(captures) == []


def test_what_is_noted_is_no_news_and_what_another_makes_of_it_is(memory: Path, captures: Captures) -> None:
    (memory / "a.md").write_text("ours")
    captures.noted("a.md", digest_of(b"ours"))
    (memory / "deep" / "b.md").unlink()
    captures.noted("deep/b.md", None)
    assert told(captures) == []
    (memory / "a.md").write_text("ours")
    captures.noted("a.md", digest_of(b"ours"))
    (memory / "a.md").write_text("not ours")
    (memory / "deep" / "b.md").write_text("back")
    assert told(captures) == [("write", "a.md"), ("create", "deep/b.md")]


def test_a_folder_that_cannot_be_listed_for_a_moment_deletes_nothing(
    memory: Path, captures: Captures, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(captures_module, "memory_files", lambda _: iter(()))
        assert told(captures) == []
    (memory / "a.md").write_text("other")
    assert told(captures) == [("write", "a.md")]


def test_a_file_that_cannot_be_read_now_is_told_when_it_can(
    memory: Path, captures: Captures, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Path) -> None:
        raise FilesError("it changes while it is read")

    (memory / "a.md").write_text("other")
    (memory / "new.md").write_text("new")
    with monkeypatch.context() as broken:
        broken.setattr(captures_module, "read_for_baseline", fail)
        assert told(captures) == []
    assert told(captures) == [("write", "a.md"), ("create", "new.md")]


def test_a_file_is_told_by_its_own_name_and_not_by_a_link_to_it_as_well(memory: Path, captures: Captures) -> None:
    (memory / "link.md").symlink_to("a.md")
    assert told(captures) == [("create", "link.md")]
    (memory / "a.md").write_text("other")
    assert told(captures) == [("write", "a.md")]
    (memory / "link.md").unlink()
    assert told(captures) == [("delete", "link.md")]


def test_a_link_out_of_memory_is_told_when_what_it_leads_to_changes(memory: Path, captures: Captures) -> None:
    outside = memory.parent / "outside.md"
    outside.write_text("one")
    (memory / "out.md").symlink_to(outside)
    told(captures)
    outside.write_text("other")
    assert told(captures) == [("write", "out.md")]


def test_a_very_large_file_is_judged_without_reading_it(
    memory: Path, captures: Captures, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(captures_module, "CAPTURE_DIGEST_BYTES", 5)
    monkeypatch.setattr(captures_module, "_is_settled", lambda _: True)
    monkeypatch.setattr(captures_module, "read_for_baseline", None)
    assert told(captures) == []
    (memory / "a.md").write_text("another")
    assert told(captures) == [("write", "a.md")]
    assert told(captures) == []


def test_other_files_pipes_and_folders_of_version_control_are_no_memory(memory: Path, captures: Captures) -> None:
    (memory / ".git").mkdir()
    (memory / ".git" / "x.md").write_text("x")
    (memory / "notes.txt").write_text("x")
    os.mkfifo(memory / "pipe.md")
    assert told(captures) == []

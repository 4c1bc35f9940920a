import json

import pytest

from pi_sandbox.errors import FilesError
from pi_sandbox.memory_sync import record as module
from pi_sandbox.memory_sync.record import Push, SyncRecord, read_record, record_path, write_record

PUSH = Push("a" * 40, "main", "https://git.example.org/a.git", "2026-01-31T12:00:00Z")


def test_a_record_comes_back_as_it_was_written(tmp_path):
    path = record_path(tmp_path, "private")
    write_record(path, SyncRecord(("a" * 40, "b" * 40), PUSH, "c" * 40))

    assert path.name == "private.json"
    assert read_record(path) == SyncRecord(("a" * 40, "b" * 40), PUSH, "c" * 40)
    assert path.stat().st_mode & 0o777 == 0o600


def test_no_record_yet_is_an_empty_one(tmp_path):
    assert read_record(tmp_path / "core.json") == SyncRecord()


def test_a_commit_stands_in_it_once():
    assert SyncRecord().with_commit("a").with_commit("b").with_commit("a").commits == ("a", "b")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"version": 2, "commits": [], "last_push": null}',
        '{"version": 1, "commits": [1], "last_push": null}',
        '{"version": 1, "commits": [], "last_push": {}}',
        '{"version": 1, "commits": null, "last_push": null}',
        '{"version": 1, "commits": [], "last_push": null, "fetched": 1}',
    ],
)
def test_a_record_that_is_none_is_refused_with_the_way_out(tmp_path, text):
    (tmp_path / "core.json").write_text(text)
    with pytest.raises(FilesError, match="cannot be read") as refused:
        read_record(tmp_path / "core.json")
    assert "state/.sync" in refused.value.hint


def test_a_link_in_its_place_is_refused(tmp_path):
    (tmp_path / "real.json").write_text(json.dumps({"version": 1, "commits": [], "last_push": None}))
    (tmp_path / "core.json").symlink_to(tmp_path / "real.json")
    with pytest.raises(FilesError):
        read_record(tmp_path / "core.json")


def test_a_full_disk_leaves_the_old_record_whole(tmp_path, monkeypatch):
    path = tmp_path / "core.json"
    write_record(path, SyncRecord(("a",)))

    def full(*_arguments, **_named):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "atomic_write", full)
    with pytest.raises(FilesError, match="No space left"):
        write_record(path, SyncRecord(("b",)))
    assert read_record(path) == SyncRecord(("a",))

"""State files change by compare-and-swap, and nothing in them is forgotten without a word."""

import json
from pathlib import Path

import pytest

from pi_sandbox.errors import FilesError
from pi_sandbox.project_memory.state import (
    STATE_BYTES,
    State,
    StateTooLargeError,
    last_dream_at,
    read_shared_state,
    read_state,
    swap,
)
from pi_sandbox.project_memory.storage import reserve


def held() -> bool:
    return True


def test_a_file_that_is_not_there_is_version_zero(tmp_path):
    assert read_state(tmp_path / "state.json") == State(0, {})


def test_a_swap_writes_the_next_version_and_keeps_other_keys(tmp_path):
    path = tmp_path / "state.json"
    path.write_text('{"version": 4, "lastDreamAt": 1, "ofLater": [1]}')

    assert swap(path, read_state(path), read_state(path).with_value("lastDreamAt", 7), held)
    assert json.loads(path.read_text()) == {"version": 5, "lastDreamAt": 7, "ofLater": [1]}


def test_of_two_swaps_of_one_version_the_second_fails_and_writes_nothing(tmp_path):
    path = tmp_path / "state.json"
    seen = read_state(path)

    assert swap(path, seen, seen.with_value("lastDreamAt", 1), held)
    assert not swap(path, seen, seen.with_value("lastDreamAt", 2), held)
    assert last_dream_at(read_state(path)) == 1


def test_a_swap_without_the_lock_writes_nothing(tmp_path):
    assert not swap(tmp_path / "state.json", State(), State().with_value("a", 1), lambda: False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        "{",
        '{"version": "1"}',
        '{"version": true}',
        '{"version": -1}',
        "[" * 100_000,
        "\0",
    ],
    ids=lambda text: repr(text[:16]),
)
def test_a_file_that_is_no_state_is_named_and_stays(tmp_path, text):
    path = tmp_path / "state.json"
    path.write_text(text)

    with pytest.raises(FilesError, match=r"state\.json"):
        read_state(path)
    assert path.read_text() == text


def test_a_state_that_is_too_large_is_named(tmp_path):
    (tmp_path / "state.json").write_bytes(b" " * (STATE_BYTES + 1))

    with pytest.raises(FilesError, match="larger than"):
        read_state(tmp_path / "state.json")


def test_a_state_that_could_not_be_read_again_is_refused_before_it_is_written(tmp_path):
    path = tmp_path / "state.json"
    around = len('{"a": "", "version": 1}\n')
    fits, too_large = (State().with_value("a", "x" * (STATE_BYTES - around + more)) for more in (0, 1))

    with pytest.raises(StateTooLargeError, match=r"state\.json"):
        swap(path, State(), too_large, held)
    assert list(tmp_path.iterdir()) == []
    assert swap(path, State(), fits, held)
    assert read_state(path).version == 1


def test_the_shared_state_begins_with_what_an_earlier_version_left(tmp_path):
    storage = reserve(tmp_path, Path("/srv/site"))
    storage.legacy_state.write_text('{"lastDreamAt": 1700000000000}')

    migrated = read_shared_state(storage)
    assert migrated == State(0, {"lastDreamAt": 1700000000000})

    assert swap(storage.shared_state, migrated, migrated.with_value("lastDreamAt", 1800000000000), held)
    assert last_dream_at(read_shared_state(storage)) == 1800000000000
    assert storage.legacy_state.read_text() == '{"lastDreamAt": 1700000000000}'


def test_a_shared_state_without_a_time_is_not_overruled_by_the_old_one(tmp_path):
    storage = reserve(tmp_path, Path("/srv/site"))
    storage.legacy_state.write_text('{"lastDreamAt": 1700000000000}')
    storage.shared_state.write_text('{"version": 2}')

    assert last_dream_at(read_shared_state(storage)) is None


@pytest.mark.parametrize("value", [None, True, "1", -1, 2**53, [1], 1e300])
def test_a_time_that_is_none_counts_as_none(value):
    assert last_dream_at(State(1, {"lastDreamAt": value})) is None


def test_a_time_with_a_fraction_is_cut(tmp_path):
    assert last_dream_at(State(1, {"lastDreamAt": 12.9})) == 12

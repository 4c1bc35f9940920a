"""When dreams and extractions run, and what stays written of an attempt."""

from dataclasses import replace
from pathlib import Path

import pytest

from pi_sandbox.project_memory.configuration import Configuration
from pi_sandbox.project_memory.maintenance import (
    DreamAttempt,
    ExtractionState,
    after_extraction,
    after_new_conversation,
    begin_dream,
    roll_back_dream,
    sessions_since,
    why_no_dream,
    with_session,
)
from pi_sandbox.project_memory.state import State, last_dream_at, read_shared_state, read_state, swap
from pi_sandbox.project_memory.storage import ProjectStorage, reserve

HOUR = 3_600_000
NOW = 1_800_000_000_000
DEFAULT = Configuration()


@pytest.fixture
def storage(tmp_path: Path) -> ProjectStorage:
    return reserve(tmp_path, Path("/srv/site"))


def held() -> bool:
    return True


@pytest.mark.parametrize(
    ("last", "sessions", "due"),
    [
        (None, 5, True),
        (None, 4, False),
        (NOW - 24 * HOUR, 5, True),
        (NOW - 24 * HOUR + 1, 5, False),
        (NOW - 24 * HOUR, 4, False),
        (NOW, 5, False),
        (NOW + 1, 5, True),
        (NOW + 10_000 * HOUR, 5, True),
    ],
)
def test_a_dream_is_due_after_the_interval_and_the_sessions(last, sessions, due):
    assert (why_no_dream(NOW, last, sessions, DEFAULT) is None) == due


def test_the_interval_and_the_count_are_the_configured_ones():
    configured = replace(DEFAULT, dream_min_interval_hours=0.5, dream_min_sessions=0)

    assert why_no_dream(NOW, NOW - HOUR // 2, 0, configured) is None
    assert why_no_dream(NOW, NOW - HOUR // 2 + 1, 0, configured) is not None


def test_sessions_are_counted_once_each_without_the_current_and_since_the_last_dream():
    store = State()
    for session, seen in (("a", 10), ("b", 20), ("a", 30), ("c", 40)):
        store = with_session(store, session, seen, None)

    assert sessions_since(store, None, "c") == 2
    assert sessions_since(store, 25, "x") == 2
    assert sessions_since(store, 30, "x") == 1


def test_sessions_before_the_last_dream_are_dropped_and_other_shapes_are_none():
    store = with_session(State(3, {"sessions": {"old": 5, "odd": "x", "new": 50}, "other": 1}), "now", 60, 10)

    assert store.values == {"other": 1, "sessions": {"new": 50, "now": 60}}
    assert store.version == 3
    assert sessions_since(State(1, {"sessions": [1]}), None, "x") == 0


def test_at_most_ten_thousand_sessions_are_remembered_the_newest():
    store = State(1, {"sessions": {str(number): number for number in range(10_000)}})

    kept = with_session(store, "newest", 20_000, None).values["sessions"]

    assert isinstance(kept, dict)
    assert len(kept) == 10_000
    assert "0" not in kept
    assert "newest" in kept


def test_ten_thousand_sessions_fit_into_the_state_and_of_longer_ones_the_newest(tmp_path):
    for letters, all_fit in ((36, True), (256, False)):
        names = [f"{number:0{letters}}" for number in range(10_000)]
        store = State(0, {"sessions": {name: NOW + number for number, name in enumerate(names)}})
        wanted = with_session(store, names[-1], NOW + 20_000, None)

        assert swap(tmp_path / f"{letters}.json", State(), wanted, lambda: True)
        kept = read_state(tmp_path / f"{letters}.json").values["sessions"]
        assert isinstance(kept, dict)
        assert (len(kept) == 10_000) is all_fit
        assert set(kept) == set(names[-len(kept) :])


def test_the_current_session_is_kept_however_long_its_name_is():
    wanted = with_session(State(0, {"sessions": {"old": 1}}), "x" * 2_000_000, 2, None)

    assert list(wanted.values["sessions"]) == ["x" * 2_000_000]


def test_an_attempt_is_written_at_once_and_only_once(storage):
    assert begin_dream(storage, NOW, held) == DreamAttempt(NOW, None)
    assert last_dream_at(read_shared_state(storage)) == NOW
    assert begin_dream(storage, NOW + 1, lambda: False) is None
    assert last_dream_at(read_shared_state(storage)) == NOW


def test_a_rollback_puts_the_old_time_back(storage):
    begin_dream(storage, NOW, held)
    second = begin_dream(storage, NOW + HOUR, held)

    assert second == DreamAttempt(NOW + HOUR, NOW)
    assert roll_back_dream(storage, second, held)
    assert last_dream_at(read_shared_state(storage)) == NOW


def test_a_rollback_of_the_first_attempt_leaves_no_time(storage):
    attempt = begin_dream(storage, NOW, held)

    assert attempt is not None
    assert roll_back_dream(storage, attempt, held)
    assert "lastDreamAt" not in read_state(storage.shared_state).values


def test_a_rollback_never_takes_back_a_newer_attempt(storage):
    first = begin_dream(storage, NOW, held)
    begin_dream(storage, NOW + 5, held)

    assert first is not None
    assert not roll_back_dream(storage, first, held)
    assert last_dream_at(read_shared_state(storage)) == NOW + 5


def test_a_rollback_without_the_lock_writes_nothing(storage):
    attempt = begin_dream(storage, NOW, held)

    assert attempt is not None
    assert not roll_back_dream(storage, attempt, lambda: False)
    assert last_dream_at(read_shared_state(storage)) == NOW


def test_conversation_during_an_extraction_is_one_trailing_extraction():
    assert after_new_conversation(ExtractionState.IDLE) is ExtractionState.IDLE
    state = ExtractionState.RUNNING
    for _ in range(3):
        state = after_new_conversation(state)
    assert after_extraction(state) == (ExtractionState.IDLE, True)
    assert after_extraction(ExtractionState.RUNNING) == (ExtractionState.IDLE, False)

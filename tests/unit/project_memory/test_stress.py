"""The stress run finds nothing with the lock, and finds it without."""

import dataclasses
import os
from pathlib import Path

import pytest

from pi_sandbox.errors import FilesError
from pi_sandbox.project_memory import stress
from pi_sandbox.project_memory.lease import Terms
from pi_sandbox.project_memory.stress import run_stress
from pi_sandbox.project_memory.stress_checks import (
    Span,
    StressPlan,
    StressResult,
    lost_lines,
    overwritten_lines,
    seal,
    unsealed,
    with_line,
)
from pi_sandbox.project_memory.stress_writer import Places, run_writer

SMALL = StressPlan(writers=3, kills=4, lines=20, namespaces=1, lease=1.0, arbitration=1.0, pause=0.3)
CLEAN = StressResult(8, 200, 2, 60.0, 100, 100, lost=0, torn=0, stuck=0, overlaps=0, unexplained=0)


def test_killed_writers_lose_tear_and_block_nothing(tmp_path: Path) -> None:
    result = run_stress(tmp_path / "run", SMALL)
    assert (result.lost, result.torn, result.stuck, result.overlaps, result.unexplained) == (0, 0, 0, 0, 0)
    assert result.passed
    assert result.acknowledged >= 20
    assert result.namespaces == 1
    assert (tmp_path / "run" / "messages").read_text() == ""


def test_the_same_run_without_the_lock_is_found_wrong(tmp_path: Path) -> None:
    result = run_stress(tmp_path / "run", dataclasses.replace(SMALL, kills=2, lines=60, with_lock=False))
    assert not result.passed
    assert result.overlaps > 0
    assert result.lost > 0


INDEPENDENT = dataclasses.replace(SMALL, writers=4, lines=60, independent=True)


def test_writers_with_locks_of_their_own_beside_a_main_session_lose_nothing(tmp_path: Path) -> None:
    result = run_stress(tmp_path / "run", INDEPENDENT)
    assert (result.lost, result.torn, result.stuck) == (0, 0, 0), result
    assert result.passed
    writers = {line.partition(".")[0] for line in (tmp_path / "run" / "acknowledged").read_text().splitlines()}
    assert writers == {"main", "0", "1", "2", "3"}
    assert (tmp_path / "run" / "messages").read_text() == ""


def test_the_same_run_in_the_order_check_stage_journal_rename_is_found_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stress, "_WRITER", "tests.unit.project_memory.old_order_writer")
    result = run_stress(tmp_path / "run", dataclasses.replace(INDEPENDENT, kills=0, lines=150))
    assert not result.passed
    assert result.lost > 0
    assert (tmp_path / "run" / "messages").read_text() == ""


def test_a_lock_that_nobody_gets_is_found_stuck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begin = stress._Writers.__enter__

    def blocked(writers: stress._Writers) -> stress._Writers:
        (tmp_path / "run" / "locks" / "extract.lock").mkdir()
        (tmp_path / "run" / "locks" / "extract.lock.recover").mkdir()
        return begin(writers)

    monkeypatch.setattr(stress._Writers, "__enter__", blocked)
    monkeypatch.setattr(stress, "_lock_can_be_had", lambda *_: False)
    monkeypatch.setattr(stress, "_PATIENCE", 0.2)
    result = run_stress(tmp_path / "run", dataclasses.replace(SMALL, writers=1, kills=1))
    assert result.stuck >= 2
    assert not result.passed


def test_a_folder_that_is_in_use_is_not_run_in(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    with pytest.raises(FilesError, match="cannot be used"):
        run_stress(tmp_path, SMALL)


def test_a_writer_ends_by_itself_when_its_run_was_killed(tmp_path: Path) -> None:
    places = Places(tmp_path)
    places.alive.touch()
    assert places.goes_on()
    os.utime(places.alive, (1, 1))
    run_writer(places, "0.1", Terms(1, 1), with_lock=True, seed=1)
    assert not places.acknowledged.exists()


def test_a_system_without_namespaces_runs_in_one_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stress, "_works", lambda _: False)
    plan = dataclasses.replace(SMALL, writers=1, kills=0, lines=1, namespaces=2)
    assert run_stress(tmp_path / "run", plan).namespaces == 1


@pytest.mark.parametrize("what", ["lost", "torn", "stuck", "overlaps", "unexplained"])
def test_one_wrong_thing_of_any_kind_fails_the_run(what: str) -> None:
    assert CLEAN.passed
    assert not dataclasses.replace(CLEAN, **{what: 1}).passed


@pytest.mark.parametrize("what", ["acknowledged", "looks"])
def test_a_run_in_which_nothing_happened_is_no_success(what: str) -> None:
    assert not dataclasses.replace(CLEAN, **{what: 0}).passed


def test_a_result_is_told_with_all_its_counts() -> None:
    told = dataclasses.replace(CLEAN, lost=1, torn=2, stuck=3, overlaps=4, unexplained=5).summary()
    assert told == (
        "8 writers, 200 kills, namespaces: 2, 60 s, 100 lines acknowledged, 100 looks at files\n"
        "lost 1, torn 2, stuck 3, overlaps 4, unexplained 5"
    )


@pytest.mark.parametrize("body", [b"", b"text\n", b"sealed ", seal(b"twice")])
def test_a_sealed_file_is_known_to_be_whole(body: bytes) -> None:
    assert unsealed(seal(body)) == body


def test_each_missing_or_changed_byte_of_a_sealed_file_is_seen() -> None:
    whole = seal(b"some text\n")
    for at in range(len(whole)):
        assert unsealed(whole[:at]) is None
        assert unsealed(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]) is None
    assert unsealed(whole + b"x") is None


def test_a_line_is_lost_unless_it_stands_in_the_ledger_once() -> None:
    ledger = with_line(with_line(with_line(b"", "a"), "b"), "b")
    assert lost_lines(["a"], ledger) == []
    assert lost_lines(["a", "b", "c"], ledger) == ["b", "c"]
    assert lost_lines(["a"], ledger[:-1]) == ["a"]
    assert lost_lines([], b"") == []


def test_only_a_line_that_came_between_reading_and_writing_of_the_main_session_counts_as_overwritten() -> None:
    published = {"before": Span(1, 2), "between": Span(3, 5), "after": Span(7, 8)}
    lost = ["before", "between", "after", "main.1"]
    assert overwritten_lines(lost, published, [Span(4, 6)]) == ["between"]
    assert overwritten_lines(lost, published, []) == []

"""The stress run of the issue: eight writers in two namespaces, two hundred kills."""

from pathlib import Path

from pi_sandbox.project_memory.stress import run_stress
from pi_sandbox.project_memory.stress_checks import StressPlan


def test_eight_writers_in_two_namespaces_killed_two_hundred_times_lose_tear_and_block_nothing(tmp_path: Path) -> None:
    result = run_stress(tmp_path / "run", StressPlan(writers=8, kills=200, namespaces=2))
    assert (result.writers, result.kills, result.namespaces) == (8, 200, 2)
    assert (result.lost, result.torn, result.stuck, result.overlaps, result.unexplained) == (0, 0, 0, 0, 0), result
    assert result.passed


def test_eight_writers_with_locks_of_their_own_and_a_main_session_lose_nothing_in_two_hundred_kills(
    tmp_path: Path,
) -> None:
    result = run_stress(tmp_path / "run", StressPlan(writers=8, kills=200, namespaces=2, independent=True))
    assert (result.writers, result.kills, result.namespaces) == (8, 200, 2)
    assert (result.lost, result.torn, result.stuck) == (0, 0, 0), result
    assert result.passed

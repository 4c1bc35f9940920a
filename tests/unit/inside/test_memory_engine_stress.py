"""The command `pi-memory-engine stress`."""

from pathlib import Path

from click.testing import CliRunner

from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.inside.memory_engine_commands import commands
from pi_sandbox.project_memory.stress_checks import StressFailedError


def test_a_run_is_told_in_two_lines_and_leaves_its_files_in_the_folder(tmp_path: Path) -> None:
    options = ["--writers", "2", "--kills", "0", "--namespaces", "1", "--folder", str(tmp_path / "run")]
    done = CliRunner().invoke(commands, ["stress", *options])
    assert done.exit_code == 0
    assert done.output.startswith("2 writers, 0 kills, namespaces: 1, ")
    assert done.output.endswith("\nlost 0, torn 0, stuck 0, overlaps 0, unexplained 0\n")
    assert (tmp_path / "run" / "memory" / "ledger.md").exists()


def test_the_control_run_fails_with_its_own_code() -> None:
    done = CliRunner().invoke(commands, ["stress", "--writers", "3", "--kills", "0", "--without-lock"])
    assert isinstance(done.exception, StressFailedError)
    assert done.exception.exit_code is ExitCode.FINDINGS
    assert "overlaps 0" not in done.output

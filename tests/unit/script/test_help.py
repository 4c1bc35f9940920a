"""Every script says what it is for, and does nothing else, when it is asked for help; what it does not know it refuses
before it does anything."""

import shutil
import subprocess
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[3]
SCRIPTS = sorted(path for path in (CHECKOUT / "script").iterdir() if path.is_file())


@pytest.mark.parametrize("options", [["--help"], ["-h"], ["--keep", "--help"]], ids=" ".join)
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_help_is_the_comment_at_the_head(script: Path, options: list[str]) -> None:
    told = subprocess.run([script, *options], capture_output=True, text=True, check=True, timeout=20)
    comment = script.read_text("utf-8").split("\n")[1:]
    assert told.stdout.splitlines()[0] == comment[0].removeprefix("# ")
    assert "set -euo" not in told.stdout
    assert told.stderr == ""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The scripts and the benchmarks, with a set-up that leaves a mark and fails."""
    for folder in ("script", "bench"):
        shutil.copytree(CHECKOUT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "script" / "setup").write_text(f"#!/bin/sh\ntouch {tmp_path}/began\nexit 9\n")
    return tmp_path


@pytest.mark.parametrize(
    ("script", "arguments", "unknown"),
    [
        ("bench", ["nope"], "nope"),
        ("bench", ["command_start", "nope"], "nope"),
        ("bench", ["side_by_side"], "side_by_side"),
        ("bench", ["../bench/command_start"], "../bench/command_start"),
        ("bench", ["--json", "figures", "--jsn"], "--jsn"),
        ("bench", ["--json=figures", "--json-nope"], "--json-nope"),
        ("demo", ["--kep"], "--kep"),
        ("demo", ["--keep", "more"], "more"),
        ("lint", ["--fx"], "--fx"),
        ("picture", ["new"], "new"),
    ],
)
def test_what_it_does_not_know_is_refused_before_anything_is_installed(
    checkout: Path, script: str, arguments: list[str], unknown: str
) -> None:
    told = subprocess.run(
        [checkout / "script" / script, *arguments], capture_output=True, text=True, check=False, timeout=20
    )
    assert told.returncode == 2
    assert told.stderr == f"{script}: unknown argument {unknown}\n  See script/{script} --help.\n"
    assert not (checkout / "began").exists()


@pytest.mark.parametrize(
    ("script", "arguments"),
    [
        ("bench", []),
        ("bench", ["--json", "nope", "command_start", "memory_check"]),
        ("demo", ["--keep"]),
        ("lint", ["--fix"]),
        ("picture", []),
    ],
)
def test_the_control_what_it_knows_comes_to_the_set_up(checkout: Path, script: str, arguments: list[str]) -> None:
    told = subprocess.run([checkout / "script" / script, *arguments], capture_output=True, check=False, timeout=20)
    assert told.returncode == 9
    assert (checkout / "began").exists()


def test_a_benchmark_without_its_file_is_refused_too(checkout: Path) -> None:
    told = subprocess.run([checkout / "script" / "bench", "--json"], capture_output=True, check=False, timeout=20)
    assert told.returncode == 2
    assert not (checkout / "began").exists()


@pytest.mark.parametrize("arguments", [["nope"], ["--no-tests", "--no-engine"]], ids=" ".join)
def test_the_set_up_refuses_what_it_does_not_know(arguments: list[str]) -> None:
    told = subprocess.run(
        [CHECKOUT / "script" / "setup", *arguments], capture_output=True, text=True, check=False, timeout=20
    )
    assert told.returncode == 2
    assert told.stderr.startswith(f"setup: unknown argument {arguments[-1]}\n")

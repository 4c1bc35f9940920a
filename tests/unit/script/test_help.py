"""Every script says what it is for, and does nothing else, when it is asked for help."""

import subprocess
from pathlib import Path

import pytest

SCRIPTS = sorted(path for path in (Path(__file__).parents[3] / "script").iterdir() if path.is_file())


@pytest.mark.parametrize("option", ["--help", "-h"])
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_help_is_the_comment_at_the_head(script: Path, option: str) -> None:
    told = subprocess.run([script, option], capture_output=True, text=True, check=True, timeout=20)
    comment = script.read_text("utf-8").split("\n")[1:]
    assert told.stdout.splitlines()[0] == comment[0].removeprefix("# ")
    assert "set -euo" not in told.stdout
    assert told.stderr == ""

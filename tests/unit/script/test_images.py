"""script/lib/images.sh builds what is missing, and makes a base from Debian packages only where it has to."""

import subprocess
from pathlib import Path

import pytest

LIBRARY = Path(__file__).parents[3] / "script" / "lib" / "images.sh"
NO_BASE = "  → run: pi-sandbox image build --bootstrap-base"


def ensure_images(folder: Path, answers: dict[str, tuple[int, str]]) -> tuple[int, list[str]]:
    """Runs `ensure_images` with a small program as pi-sandbox; gives the exit code and the command lines it saw."""
    program = folder / "bin" / "pi-sandbox"
    program.parent.mkdir()
    cases = "".join(f"'{line}') echo '{text}' >&2; exit {code} ;;\n" for line, (code, text) in answers.items())
    program.write_text(f'#!/bin/sh\necho "$*" >>{folder}/calls\ncase "$*" in\n{cases}*) exit 99 ;;\nesac\n')
    program.chmod(0o755)
    script = f"set -euo pipefail; venv={folder}; say() {{ echo $*; }}; . {LIBRARY}; ensure_images"
    finished = subprocess.run(["bash", "-c", script], capture_output=True, check=False, stdin=subprocess.DEVNULL)
    return finished.returncode, (folder / "calls").read_text().splitlines()


@pytest.mark.parametrize(
    ("answers", "code", "calls"),
    [
        pytest.param({"image status": (0, "")}, 0, ["image status"], id="nothing to do"),
        pytest.param(
            {"image status": (4, ""), "image build": (0, "")},
            0,
            ["image status", "image build"],
            id="a base can be had",
        ),
        pytest.param(
            {"image status": (4, ""), "image build": (4, NO_BASE), "image build --bootstrap-base": (0, "")},
            0,
            ["image status", "image build", "image build --bootstrap-base"],
            id="no registry",
        ),
        pytest.param(
            {"image status": (4, ""), "image build": (4, "npm failed")},
            4,
            ["image status", "image build"],
            id="another failure is not hidden behind a new base",
        ),
        pytest.param(
            {"image status": (3, ""), "image build": (3, "no engine")},
            3,
            ["image status", "image build"],
            id="no engine",
        ),
    ],
)
def test_images_are_built_once_and_a_base_is_made_only_without_a_registry(tmp_path, answers, code, calls):
    assert ensure_images(tmp_path, answers) == (code, calls)

"""A small real repository to damage."""

import subprocess
from pathlib import Path

from pi_sandbox.git_access.runner import make_repository


def make(folder: Path, *, commit: bool = True) -> Path:
    folder.mkdir(parents=True)
    make_repository(folder)
    (folder / "a.md").write_text("a\n")
    if commit:
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", "first")
    return folder


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=A", "-c", "user.email=a@localhost"]
    command = ["git", "-C", str(folder), *identity, *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()

"""What the trial says where its session could not be had, and what it leaves behind."""

import subprocess
import sys
from pathlib import Path

import pytest

from pi_sandbox.cli.demo_command import own_command
from pi_sandbox.cli.main import run
from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.launch.demo import demo_home, keep_home, session_failure

SAID = """pi-sandbox: warning: something
pi-sandbox: building it
pi-sandbox: the image is broken
  → build it again
pi-sandbox: warning: it was so
"""


@pytest.mark.parametrize(
    ("code", "said", "message", "hint", "ends_with"),
    [
        (4, SAID, "the session could not be had: the image is broken", "build it again", ExitCode.IMAGE),
        (77, SAID, "the session could not be had: the image is broken", "build it again", ExitCode.FINDINGS),
        (1, "pi: no model", "the session ended with code 1", "run `pi-sandbox doctor`", ExitCode.FINDINGS),
        (9, "", "the session ended with code 9", "run `pi-sandbox doctor`", ExitCode.FINDINGS),
    ],
)
def test_the_sessions_own_error_is_told_once_with_its_own_code(
    code: int, said: str, message: str, hint: str, ends_with: ExitCode
) -> None:
    error = session_failure(code, said)
    assert (error.message, error.hint, error.exit_code) == (message, hint, ends_with)


def test_without_an_engine_nothing_is_made_and_the_code_says_so(tmp_path, monkeypatch, capsysbinary) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nowhere.sock")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert run(["demo"]) == ExitCode.ENGINE
    assert not (tmp_path / "cache").exists()
    said = capsysbinary.readouterr().err.decode()
    assert said.count("→") == 1
    assert "throw-away" not in said


def test_a_throw_away_home_goes_and_takes_those_of_killed_trials_with_it(tmp_path: Path) -> None:
    environ = {"XDG_CACHE_HOME": str(tmp_path)}
    program = (
        "import os\nfrom pi_sandbox.launch.demo import demo_home\n"
        "with demo_home(os.environ) as home:\n    (home / 'x').touch()\n    os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", program], env=environ, cwd=Path(__file__).parents[3], check=False)
    (left,) = tmp_path.iterdir()
    kept = keep_home(environ)
    with demo_home(environ) as running:
        assert not left.exists()
        with demo_home(environ):
            assert running.is_dir()
        assert kept.is_dir()
    assert list(tmp_path.iterdir()) == [kept]


def test_the_next_command_is_one_that_can_be_typed_where_the_user_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "checkout/.venv/bin/pi-sandbox"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path / "checkout")
    assert own_command(str(program), {"PATH": "/nowhere"}) == "./.venv/bin/pi-sandbox"
    assert own_command(str(program), {"PATH": str(program.parent)}) == "pi-sandbox"
    monkeypatch.chdir("/")
    assert own_command(str(program), {"PATH": "/nowhere"}) == f".{program}"
    assert own_command("/x/__main__.py", {"PATH": "/nowhere"}) == "pi-sandbox"

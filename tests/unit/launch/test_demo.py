"""What the trial says where its session could not be had."""

import pytest

from pi_sandbox.cli.main import run
from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.launch.demo import session_failure

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

"""Which lines are told as secrets, by the detectors of the memory check."""

from pi_sandbox.memory_check.findings import LINE_LIMIT
from pi_sandbox.project_memory.lint import SecretLines
from pi_sandbox.rpc.memory_access import secret_lines

SECRET = "ghp_" + "A1b2C3d4E5f6" * 3


def test_a_line_with_a_secret_is_told_and_one_beyond_the_limit_is_told_apart() -> None:
    text = f"a\npassword: {SECRET}\n{'password a ' * (LINE_LIMIT // 10)}\nb"

    lines = secret_lines(text)

    assert lines.found == {2}
    assert lines.too_long == {3}


def test_an_ordinary_text_has_neither() -> None:
    assert secret_lines("a\n\nThe password is kept in the keyring.\n") == SecretLines()

"""What pi does with its arguments, as far as a session depends on it."""

import pytest

from pi_sandbox.session.agent_arguments import appends_files, has_screen, keeps_history


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("hello",),
        ("--continue",),
        ("--model", "x", "do it"),
        ("--mode", "text"),
        ("--", "-p"),
        ("--", "--version"),
        ("do", "list"),
    ],
)
def test_pi_opens_its_screen(arguments: tuple[str, ...]) -> None:
    assert has_screen(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ("-p", "hello"),
        ("--model", "x", "--print", "hello"),
        ("--mode", "json", "hello"),
        ("--mode", "rpc"),
        ("--version",),
        ("--help",),
        ("--list-models",),
        ("--export", "x"),
        ("list",),
        ("auth", "login", "groq"),
    ],
)
def test_pi_writes_lines_only(arguments: tuple[str, ...]) -> None:
    assert not has_screen(arguments)


def test_a_session_that_is_kept_elsewhere_or_nowhere_is_not_in_the_history() -> None:
    assert keeps_history(("--model", "x"))
    assert keeps_history(("--", "--no-session"))
    assert not keeps_history(("--no-session",))
    assert not keeps_history(("--session-dir", "/tmp"))


@pytest.mark.parametrize(
    ("arguments", "appends"),
    [
        ((), True),
        (("--model", "x", "hello"), True),
        (("--append-system-prompt", "a"), False),
        (("--append-system-prompt", "a", "--append-system-prompt", "b", "-p", "hello"), False),
        (("--append-system-prompt", ""), False),
        (("--append-system-prompt",), True),
        (("--", "--append-system-prompt", "a"), True),
        (("hello --append-system-prompt a",), True),
    ],
)
def test_pi_appends_its_file_unless_the_option_is_given_a_value(arguments: tuple[str, ...], appends: bool) -> None:
    assert appends_files(arguments) is appends

"""What a remote says reaches the owner up to a bound."""

from pathlib import Path
from typing import cast

from pi_sandbox.git_access.private_git import PrivateGit
from pi_sandbox.git_access.runner import GitResult
from pi_sandbox.memory_sync.console import GuardedConsole
from pi_sandbox.memory_sync.push_access import Network, PushAccess
from pi_sandbox.memory_sync.remote import SHOWN_LINES, Remote
from tests.unit.memory_sync.test_console import TOKEN, Written


class GitThatSays:
    """Answers every call with the same messages, and well."""

    folder = Path("/nowhere")

    def __init__(self, errors: str) -> None:
        self._errors = errors

    def attempt(self, *_arguments: str, **_options: object) -> GitResult:
        return GitResult(0, b"", self._errors)


def pushed(errors: str) -> list[str]:
    written = Written()
    access = PushAccess("https://git.example.org/core.git", "ada", TOKEN)
    console = GuardedConsole(written, access.live_secrets)
    Remote(cast(PrivateGit, GitThatSays(errors)), access, Network(None, None, None), console).push("c" * 40, "main")
    return written.lines


def test_a_hook_that_floods_is_shown_up_to_a_bound_and_the_rest_is_counted() -> None:
    *shown, last = pushed("remote: flood\n" * (SHOWN_LINES + 7))
    assert shown == ["remote: flood"] * SHOWN_LINES
    assert "at least 7 more lines" in last


def test_a_hook_that_says_little_is_shown_whole() -> None:
    assert pushed("remote: thanks\nprogress\n") == ["remote: thanks"]


def test_a_credential_beyond_the_shown_lines_is_not_shown_and_hides_nothing_else() -> None:
    assert TOKEN not in "\n".join(pushed("remote: flood\n" * SHOWN_LINES + f"remote: {TOKEN}\n"))

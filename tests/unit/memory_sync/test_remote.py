"""What a remote says reaches the owner up to a bound."""

from pathlib import Path
from typing import cast

import pytest

from pi_sandbox.git_access.private_git import PrivateGit
from pi_sandbox.git_access.runner import GitResult
from pi_sandbox.memory_sync.console import GuardedConsole
from pi_sandbox.memory_sync.outcome import SyncFailedError
from pi_sandbox.memory_sync.push_access import Network, PushAccess
from pi_sandbox.memory_sync.remote import SHOWN_LINES, Remote
from tests.unit.memory_sync.test_console import TOKEN, Written


class GitThatSays:
    """Answers every call with the same messages, and well."""

    folder = Path("/nowhere")

    def __init__(self, errors: str, output: str = "") -> None:
        self._errors = errors
        self._output = output.encode()

    def attempt(self, *_arguments: str, **_options: object) -> GitResult:
        return GitResult(0, self._output, self._errors)


def remote(written: Written, errors: str, output: str = "") -> Remote:
    access = PushAccess("https://git.example.org/core.git", "ada", TOKEN)
    console = GuardedConsole(written, access.live_secrets)
    return Remote(cast(PrivateGit, GitThatSays(errors, output)), access, Network(None, None, None), console)


def pushed(errors: str) -> list[str]:
    written = Written()
    remote(written, errors).push("c" * 40, "main")
    return written.lines


def branches(*names: str) -> str:
    return "".join(f"{'c' * 40}\trefs/heads/{name}\n" for name in names)


@pytest.mark.parametrize("end", ["\u2028", "\x85", "\u2029", "\x0c"])
def test_the_name_of_a_branch_ends_at_the_end_of_the_line_alone(end: str) -> None:
    state = remote(Written(), "", branches(f"main{end}x", "other")).state()
    assert set(state.branches) == {f"main{end}x", "other"}


def test_more_branches_than_anybody_has_are_refused() -> None:
    names = [f"b{number}" for number in range(10_000)]
    assert len(remote(Written(), "", branches(*names)).state().branches) == 10_000
    with pytest.raises(SyncFailedError, match="more than 10000 branches"):
        remote(Written(), "", branches(*names, "one-more")).state()


def test_ten_branches_are_named_and_the_rest_is_counted() -> None:
    names = [f"b{number:02d}" for number in range(12)]
    named = remote(Written(), "", branches(*names, "c" * 300)).state().names()
    assert named == ", ".join(f'"b{number:02d}"' for number in range(10)) + " and 3 more"
    assert len(remote(Written(), "", branches("c" * 300)).state().names()) < 100


def test_a_hook_that_floods_is_shown_up_to_a_bound_and_the_rest_is_counted() -> None:
    *shown, last = pushed("remote: flood\n" * (SHOWN_LINES + 7))
    assert shown == ["remote: flood"] * SHOWN_LINES
    assert "at least 7 more lines" in last


def test_a_hook_that_says_little_is_shown_whole() -> None:
    assert pushed("remote: thanks\nprogress\n") == ["remote: thanks"]


def test_a_credential_beyond_the_shown_lines_is_not_shown_and_hides_nothing_else() -> None:
    assert TOKEN not in "\n".join(pushed("remote: flood\n" * SHOWN_LINES + f"remote: {TOKEN}\n"))

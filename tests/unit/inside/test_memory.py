"""The entry of the containers that work on stores: what its command is started with."""

import os
import sys
from pathlib import Path

import pytest

from pi_sandbox.errors import UsageError
from pi_sandbox.inside import memory
from pi_sandbox.session.control_messages import Start
from pi_sandbox.session.store_plan import COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_started_isolated_and_with_its_own_arguments(command: str) -> None:
    child = memory.prepare([command, "private"], Start({}, None, 0, 0))
    assert child.command == [sys.executable, "-I", "-m", "pi_sandbox.inside.main", command, "private"]


@pytest.mark.parametrize("arguments", [[], ["bash"], ["serve-memory"], ["--help"]])
def test_nothing_else_is_started(arguments: list[str]) -> None:
    with pytest.raises(UsageError):
        memory.prepare(arguments, Start({}, None, 0, 0))


def test_what_the_wrapper_sends_reaches_the_command_and_not_the_entry() -> None:
    word = "ada:" + "t" * 20
    environment = memory.prepare(["memory-sync"], Start({"BRAIN_CORE_TOKEN": word}, None, 0, 0)).environment
    assert environment["BRAIN_CORE_TOKEN"] == word
    assert "BRAIN_CORE_TOKEN" not in os.environ


def test_a_ca_bundle_is_trusted_by_git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(memory, "trust", lambda bundle: {"GIT_SSL_CAINFO": f"a file with {bundle}"})
    environment = memory.prepare(["memory-sync"], Start({}, "the bundle", 0, 0)).environment
    assert environment["GIT_SSL_CAINFO"] == "a file with the bundle"

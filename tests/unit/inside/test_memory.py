"""The entry of the containers that work on stores: what its command is started with."""

import os
import sys
from pathlib import Path

import pytest

from pi_sandbox.errors import UsageError
from pi_sandbox.inside import handover, memory
from pi_sandbox.inside.handover import VARIABLE, hand_over, with_received
from pi_sandbox.session.control_messages import Start
from pi_sandbox.session.store_plan import COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_started_isolated_and_with_its_own_arguments(command: str) -> None:
    child = memory.prepare([command, "private"], Start({}, None, 0, 0))
    assert child.command == [sys.executable, "-I", "-m", "pi_sandbox.inside.main", command, "private"]


def test_the_memory_engine_is_started_isolated_with_its_own_arguments_and_nothing_that_the_wrapper_sends() -> None:
    word = "ada:" + "t" * 20
    child = memory.prepare(["project-memory", "search", "--", "project-memory"], Start({"KEY": word}, None, 0, 0))
    assert child.command[:4] == [sys.executable, "-I", "-m", "pi_sandbox.inside.memory_engine"]
    assert child.command[4:] == ["search", "--", "project-memory"]
    assert word not in str(child.environment)
    assert VARIABLE not in child.environment


@pytest.mark.parametrize("arguments", [[], ["bash"], ["serve-memory"], ["--help"]])
def test_nothing_else_is_started(arguments: list[str]) -> None:
    with pytest.raises(UsageError):
        memory.prepare(arguments, Start({}, None, 0, 0))


def test_what_the_wrapper_sends_reaches_the_command_by_a_pipe_and_is_no_variable() -> None:
    word = "ada:" + "t" * 20
    environment = memory.prepare(["memory-sync"], Start({"BRAIN_CORE_TOKEN": word}, None, 0, 0)).environment
    assert word not in str(environment)
    assert "BRAIN_CORE_TOKEN" not in environment
    assert "BRAIN_CORE_TOKEN" not in os.environ

    received = with_received(environment)
    assert received["BRAIN_CORE_TOKEN"] == word
    assert {name: received[name] for name in os.environ} == dict(os.environ)
    assert VARIABLE not in received


def test_what_was_handed_over_can_be_read_once() -> None:
    descriptor = hand_over({"A": "b" * 200_000})
    again = os.dup(descriptor)
    assert with_received({VARIABLE: str(descriptor)}) == {"A": "b" * 200_000}
    assert os.read(again, 1) == b""
    os.close(again)


def test_more_than_a_pipe_may_hold_is_a_failure_that_leaves_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(handover.fcntl, "fcntl", refuse)
    before = sorted(os.listdir("/proc/self/fd"))
    with pytest.raises(PermissionError):
        hand_over({"A": "b"})
    assert sorted(os.listdir("/proc/self/fd")) == before


def test_without_anything_handed_over_the_environment_is_as_it_is() -> None:
    assert with_received({"A": "b"}) == {"A": "b"}


def test_a_ca_bundle_is_trusted_by_git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(memory, "trust", lambda bundle: {"GIT_SSL_CAINFO": f"a file with {bundle}"})
    environment = memory.prepare(["memory-sync"], Start({}, "the bundle", 0, 0)).environment
    assert environment["GIT_SSL_CAINFO"] == "a file with the bundle"

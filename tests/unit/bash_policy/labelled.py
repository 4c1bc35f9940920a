"""The labelled commands: the corpus `tests/corpora/bash_policy`, and the examples that stand beside each rule."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from pi_sandbox.bash_policy.command_rule import CommandRule
from pi_sandbox.bash_policy.registry import rules_by_name

_CORPUS = Path(__file__).parents[2] / "corpora" / "bash_policy"
_KEYS = {"command", "verdict", "memory_dir", "reason", "note"}


@dataclass(frozen=True, slots=True)
class Labelled:
    """A command, what must become of it, a part of the reason where one is expected, and where it comes from."""

    command: str
    verdict: str
    memory_dir: str | None
    reason: str
    source: str


@cache
def corpus_commands() -> tuple[Labelled, ...]:
    """Gives every entry of the corpus; an entry with an unknown key is an error."""
    return tuple(entry for file in sorted(_CORPUS.glob("*.yaml")) for entry in _entries(file))


def _entries(file: Path) -> Iterable[Labelled]:
    for entry in yaml.load(file.read_text("utf-8"), yaml.CSafeLoader):
        if not isinstance(entry, dict) or not entry.keys() <= _KEYS or not isinstance(entry.get("command"), str):
            raise AssertionError(f"{file.name}: {entry!r} is no labelled command")
        yield Labelled(
            entry["command"], entry["verdict"], entry.get("memory_dir"), entry.get("reason") or "", file.stem
        )


def rules() -> tuple[CommandRule, ...]:
    """Gives each rule once."""
    return tuple({id(rule): rule for rule in rules_by_name().values()}.values())


def example_commands() -> tuple[Labelled, ...]:
    """Gives the examples of all rules."""
    return tuple(
        Labelled(command, verdict, None, "", rule.names[0])
        for rule in rules()
        for verdict, commands in (("read-only", rule.allowed), ("reject", rule.refused))
        for command in commands
    )

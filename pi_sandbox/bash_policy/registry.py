"""Every rule under the name of its command."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache

from pi_sandbox.bash_policy import commands
from pi_sandbox.bash_policy.command_rule import CommandRule


@cache
def rules_by_name() -> Mapping[str, CommandRule]:
    """Give the rule for each command name; two rules for one name are an error of this package."""
    found: dict[str, CommandRule] = {}
    for module in pkgutil.iter_modules(commands.__path__):
        rules: tuple[CommandRule, ...] = importlib.import_module(f"{commands.__name__}.{module.name}").RULES
        for rule in rules:
            for name in rule.names:
                if name in found:
                    raise ValueError(f"two rules for the command {name}")
                found[name] = rule
    return found

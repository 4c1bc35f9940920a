"""What pi does with its arguments, as far as a session depends on it (pi's docs/cli.md)."""

import itertools
from collections.abc import Sequence

OWN_COMMANDS = frozenset({"install", "remove", "uninstall", "update", "list", "config", "auth", "mcp"})
"""pi's own subcommands; they are no session and take no system prompt."""

_NO_SCREEN = frozenset({"-p", "--print", "--export", "--list-models", "-h", "--help", "-v", "--version"})
_NO_SCREEN_MODES = frozenset({"json", "rpc"})


def has_screen(arguments: Sequence[str]) -> bool:
    """Whether pi opens its screen with these arguments on a terminal, and so wipes what stood there."""
    options = _options_of(arguments)
    modes = [after for option, after in itertools.pairwise(options) if option == "--mode"]
    return not (set(arguments[:1]) & OWN_COMMANDS or set(options) & _NO_SCREEN or set(modes) & _NO_SCREEN_MODES)


def keeps_history(arguments: Sequence[str]) -> bool:
    """Whether what is said in the session goes into the project's history."""
    return not {"--no-session", "--session-dir"} & set(_options_of(arguments))


def _options_of(arguments: Sequence[str]) -> Sequence[str]:
    """Gives the arguments before `--`, behind which pi takes everything for a message."""
    return arguments[: arguments.index("--")] if "--" in arguments else arguments

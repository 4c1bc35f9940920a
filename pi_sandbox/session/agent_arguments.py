"""What pi does with its arguments, as far as a session depends on it (pi's docs/cli.md)."""

import itertools
from collections.abc import Sequence

OWN_COMMANDS = frozenset({"install", "remove", "uninstall", "update", "list", "config", "auth", "mcp"})
"""pi's own subcommands; they are no session and take no system prompt."""

APPEND_OPTION = "--append-system-prompt"
APPENDED_FILE = "APPEND_SYSTEM.md"
"""What pi appends to its instructions where the option is not given: the trusted project's, or the owner's."""

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


def appends_files(arguments: Sequence[str]) -> bool:
    """Whether pi would append `APPENDED_FILE` with these arguments. The option counts if anything follows it."""
    return APPEND_OPTION not in _options_of(arguments)[:-1]


def _options_of(arguments: Sequence[str]) -> Sequence[str]:
    """Gives the arguments before `--`, behind which pi takes everything for a message."""
    return arguments[: arguments.index("--")] if "--" in arguments else arguments

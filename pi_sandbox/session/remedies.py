"""Commands that mend a folder, written so that a shell means exactly that folder, and paths short enough to be read."""

import os
from pathlib import Path

from pi_sandbox.errors import for_a_shell, quoted

_COMMAND_BYTES = 1_000
"""A longer path is not given to a command: the system takes 4,095 bytes (limits.h, PATH_MAX), a reader fewer."""

_SHOWN_START = 300
_SHOWN_END = 100


def shown(path: Path) -> str:
    """Gives a path for a message, quoted; of a very long one its beginning and its end, each of whole names."""
    text = str(path)
    if len(text) <= _SHOWN_START + _SHOWN_END:
        return quoted(text)
    start, end = text.rfind("/", 0, _SHOWN_START) + 1, text.rfind("/", 0, -_SHOWN_END)
    return quoted(text) if end <= start else f"{quoted(text[:start])} … {quoted(text[end:])}"


def opening(folder: Path) -> str:
    """Gives the command by which the owner may look into a folder again, and into those inside it.

    For a path that is too long it names the nearest folder above that is not: the command goes down by itself.
    """
    return f"chmod -R u+rwX -- {for_a_shell(_short(folder))}"


def opening_alone(folder: Path) -> str:
    """Gives the command for one folder that holds things whose permissions must stay, such as a store's `.git`."""
    return f"chmod u+rwx -- {for_a_shell(folder)}"


def removal(folder: Path) -> str:
    """Gives the command that removes a folder."""
    return f"rm -r -- {for_a_shell(folder)}"


def removal_of_empty(folder: Path) -> str:
    """Gives the command that removes the empty folders right inside a level; git keeps none of them."""
    return f"find {for_a_shell(folder)} -mindepth 1 -maxdepth 1 -type d -empty -not -name notes -delete"


def _short(folder: Path) -> Path:
    return next(each for each in (folder, *folder.parents) if len(os.fsencode(each)) <= _COMMAND_BYTES)

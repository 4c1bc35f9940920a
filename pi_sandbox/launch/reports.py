"""Where a workflow says what it does; the commands connect it with the screen."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Reports:
    """Notes, warnings, and the steps of a build (number, of, text)."""

    note: Callable[[str], None]
    warn: Callable[[str], None]
    build: Callable[[int, int, str], None]

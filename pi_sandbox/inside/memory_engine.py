"""Runs the memory engine's command: `pi-memory-engine` and `python -m pi_sandbox.inside.memory_engine`.

What takes time to import is imported once signals are caught. Until then Ctrl-C is an exception, as Python makes it.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def main() -> None:
    """Runs the command and exits with its code."""
    try:
        from pi_sandbox.system.signals import run_program

        run_program(_load)
    except KeyboardInterrupt:
        os._exit(130)


def _load() -> "Callable[[], int]":
    from pi_sandbox.inside.memory_engine_commands import run

    return run


if __name__ == "__main__":
    main()

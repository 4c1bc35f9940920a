"""Runs the host command: `pi-sandbox` and `python -m pi_sandbox`.

What takes time to import is imported once signals are caught. Until then Ctrl-C is an exception, as Python makes it.
"""

import os
import sys

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
    from pi_sandbox.cli.main import run

    return lambda: run(sys.argv[1:])


if __name__ == "__main__":
    main()

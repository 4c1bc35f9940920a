"""How long `pi-sandbox --help` and `--version` take beside the interpreter alone."""

import os
import sys
from functools import partial
from pathlib import Path

from bench.side_by_side import Comparison, compare, time_command

TARGET = 5.0
"""Times `python -c pass`; the rest is what a person waits for before the first word."""
ROUNDS = 15


def comparisons() -> list[Comparison]:
    command = str(Path(sys.executable).with_name("pi-sandbox"))
    environment = dict(os.environ)
    interpreter = ("python -c pass", partial(time_command, [sys.executable, "-c", "pass"], environment))
    return [
        compare(
            f"pi-sandbox {option}",
            (f"pi-sandbox {option}", partial(time_command, [command, option], environment)),
            interpreter,
            rounds=ROUNDS,
            target=TARGET,
        )
        for option in ("--help", "--version")
    ]

"""The entry of the containers that work on memory and have no agent: the common opening, then the command.

What comes with the wrapper's start message, credentials among it, goes to the command over a pipe (`handover.py`); the
memory engine gets nothing of it.
"""

import os
import sys
from collections.abc import Sequence

from pi_sandbox.errors import UsageError
from pi_sandbox.inside.certificates import trust
from pi_sandbox.inside.handover import VARIABLE, hand_over
from pi_sandbox.inside.opening import open_and_run
from pi_sandbox.inside.supervisor import Child
from pi_sandbox.session.control_messages import Start
from pi_sandbox.session.project_memory_plan import COMMAND as PROJECT_MEMORY
from pi_sandbox.session.store_plan import COMMANDS

_TMPFS = ("/tmp", "/home/pi", "/run/pi-session")  # noqa: S108 - the container's own tmpfs


def main(arguments: Sequence[str]) -> int:
    """Runs one command and gives its exit code."""
    return open_and_run(lambda start: prepare(arguments, start), _TMPFS)


def prepare(arguments: Sequence[str], start: Start) -> Child:
    """Gives the command and its environment; raises `UsageError` for any other command than the known ones."""
    if arguments[:1] == [PROJECT_MEMORY]:
        return Child([sys.executable, "-I", "-m", "pi_sandbox.inside.memory_engine", *arguments[1:]], os.environ)
    if not arguments or arguments[0] not in COMMANDS:
        raise UsageError(
            "the image was started with arguments that it does not know",
            "start it by `pi-sandbox memory`, `memory-check`, `memory-sync` or `memory-status`",
        )
    environment = {**os.environ, VARIABLE: str(hand_over(start.variables))}
    if start.ca_bundle is not None:
        environment.update(trust(start.ca_bundle))
    return Child([sys.executable, "-I", "-m", "pi_sandbox.inside.main", *arguments], environment)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

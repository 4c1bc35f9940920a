"""How a sync of one store ended, and the failure that ends it early."""

from enum import Enum

from pi_sandbox.errors import PiSandboxError
from pi_sandbox.exit_codes import ExitCode


class SyncFailedError(PiSandboxError):
    """A store cannot be synced, or was not pushed. Local changes are kept."""

    exit_code = ExitCode.STORE_FAILED


class PushInterrupted(KeyboardInterrupt):
    """Ctrl-C came while a push was on its way, so whether it arrived is not known."""


class StoreOutcome(Enum):
    """How one store came out of a sync."""

    PUSHED = "pushed"
    NOTHING = "nothing to push"
    SKIPPED = "skipped"
    FAILED = "failed"

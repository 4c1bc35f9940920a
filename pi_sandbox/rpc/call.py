"""One request on its way: whether it was cancelled, and how the engine says something unasked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from pi_sandbox.rpc.errors import CancelledError

Notify = Callable[[str, Mapping[str, object]], None]
"""Takes the name of a notification and its parameters."""


class Call:
    """A request that is being answered. It is asked from the thread that answers and cancelled from another."""

    def __init__(self) -> None:
        self._cancelled = threading.Event()

    def cancel(self) -> None:
        """Make `stop_if_cancelled` raise from now on."""
        self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        """Whether it was cancelled."""
        return self._cancelled.is_set()

    def stop_if_cancelled(self) -> None:
        """Raise `CancelledError` if the request was cancelled; asked before whatever lasts."""
        if self.cancelled:
            raise CancelledError

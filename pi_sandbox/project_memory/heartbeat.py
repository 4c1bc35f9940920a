"""Signs of life for a held lock, from a thread of their own, until the lock is released or lost.

A sign that cannot be given (a disk that turned read-only, an NFS server away) is tried again at the next beat: the
holder keeps its lock as long as its token stands, and `still_held` is asked before each critical step anyway.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from pi_sandbox.project_memory.lease import seconds_between_beats
from pi_sandbox.project_memory.lock_files import LocksUnusableError
from pi_sandbox.project_memory.locks import HeldLock


class Heartbeat:
    """Beats until `stop`; calls `on_lost` once, from its thread, when it finds the lock lost."""

    def __init__(self, lock: HeldLock, on_lost: Callable[[], None]) -> None:
        self._lock, self._on_lost = lock, on_lost
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"heartbeat of {lock.name}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread; it gives no sign and no notice after this returns. May be called twice, also by `on_lost`."""
        self._over.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        pause = seconds_between_beats(self._lock.terms.lease)
        while not self._over.wait(pause):
            try:
                held = self._lock.beat()
            except LocksUnusableError:
                continue
            if not held and not self._over.is_set():
                self._over.set()
                self._on_lost()

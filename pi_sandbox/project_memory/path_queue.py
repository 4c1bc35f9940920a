"""One change at a time per file, in the order in which they came, within this process."""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Iterator
from pathlib import Path


class PathQueue:
    """Queues by real path. A change that fails lets the next one go on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[Path, deque[threading.Event]] = {}

    @contextlib.contextmanager
    def turn(self, path: Path) -> Iterator[None]:
        """Wait for this path's turn and have it for the time of the block."""
        turn = threading.Event()
        with self._lock:
            queue = self._waiting.setdefault(path, deque())
            queue.append(turn)
            if len(queue) == 1:
                turn.set()
        try:
            turn.wait()
            yield
        finally:
            self._leave(path, turn)

    def _leave(self, path: Path, turn: threading.Event) -> None:
        with self._lock:
            queue = self._waiting[path]
            queue.remove(turn)
            if queue:
                queue[0].set()
            else:
                del self._waiting[path]

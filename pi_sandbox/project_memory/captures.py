"""What changed in a memory since it was last looked at, by anybody but the session that looks.

- A file counts as changed when its bytes did: a new time, other permissions or another name for the same bytes do not.
  Only bytes that were never read (of a file that changed before the first capture, or of a very large one) are judged
  by inode, size and times.
- What this session publishes, and what its main agent writes, is `noted` and is no news. Whatever somebody else made of
  it afterwards is.
- A file that cannot be read, or that changes while it is read, is looked at again next time. One is gone only if its
  own place says so, so a folder that cannot be listed for a moment deletes nothing.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pi_sandbox.errors import FilesError
from pi_sandbox.project_memory.limits import CAPTURE_DIGEST_BYTES, CLOCK_SLACK_SECONDS
from pi_sandbox.project_memory.memory_files import read_for_baseline
from pi_sandbox.project_memory.topics import memory_files

_Signature = tuple[int, int, int, int]
_SLACK_NS = CLOCK_SLACK_SECONDS * 1_000_000_000


@dataclass(frozen=True, slots=True)
class ExternalChange:
    """What somebody else did to a memory file, by its path below the memory directory, and the digest of its bytes."""

    path: str
    action: Literal["create", "write", "delete"]
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class _Known:
    """A file as it was seen; without a signature only its bytes can say that it is still the same."""

    signature: _Signature | None
    digest: str | None


class Captures:
    """What one session knows of the files of its memory, by its real path. May be used from several threads."""

    def __init__(self, memory: Path) -> None:
        self._memory = memory
        self._lock = threading.Lock()
        self._known: dict[str, _Known] = {}

    def begin(self) -> None:
        """Take what stands there now as known."""
        with self._lock:
            self._known = {name: _Known(_signature(status), None) for name, status in memory_files(self._memory)}

    def noted(self, path: str, digest: str | None) -> None:
        """Take it that this session has given the file these bytes, or has removed it (`None`)."""
        with self._lock:
            if digest is None:
                self._known.pop(path, None)
            else:
                self._known[path] = _Known(None, digest)

    def capture(self) -> tuple[ExternalChange, ...]:
        """Give what others have changed since the last capture, by path."""
        with self._lock:
            found = dict(memory_files(self._memory))
            changes = [self._look_at(name, status) for name, status in found.items()]
            changes += [self._look_for(name) for name in self._known.keys() - found.keys()]
        return tuple(sorted((each for each in changes if each is not None), key=lambda change: change.path))

    def _look_at(self, name: str, status: os.stat_result) -> ExternalChange | None:
        known, signature = self._known.get(name), _signature(status)
        same = known is not None and known.signature is not None and known.signature == signature
        if same and known is not None and (known.digest is not None or status.st_size > CAPTURE_DIGEST_BYTES):
            return None
        try:
            digest = _digest(self._memory / name, status)
        except FilesError:
            return None
        self._known[name] = _Known(signature if _is_settled(status) else None, digest)
        if same or (known is not None and known.digest is not None and known.digest == digest):
            return None
        if known is not None and self._has_another_name(name):
            return None
        return ExternalChange(name, "create" if known is None else "write", digest)

    def _has_another_name(self, name: str) -> bool:
        """Whether the file is reached through a link and stands in memory by itself, where its changes are told."""
        real = os.path.realpath(self._memory / name)
        return real != str(self._memory / name) and real.startswith(f"{self._memory}/")

    def _look_for(self, name: str) -> ExternalChange | None:
        try:
            (self._memory / name).lstat()
        except (FileNotFoundError, NotADirectoryError):
            del self._known[name]
            return ExternalChange(name, "delete")
        except OSError:
            pass
        return None


def _signature(status: os.stat_result) -> _Signature:
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _is_settled(status: os.stat_result) -> bool:
    """Whether a later change must show in the times: they are no longer those of this very moment."""
    return time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) > _SLACK_NS


def _digest(path: Path, status: os.stat_result) -> str | None:
    """Give the digest of a file's bytes, `None` for one that is too large; raises `FilesError`."""
    if status.st_size > CAPTURE_DIGEST_BYTES:
        return None
    seen = read_for_baseline(path)
    if seen is None:
        raise FilesError(f"{path} is gone", "look again")
    return seen.version.digest

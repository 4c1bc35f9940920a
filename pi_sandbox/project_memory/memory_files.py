"""The door to the files of a memory directory, for reading.

- Links are followed, as project-memory.md says of index, catalogue and recall ("Path and content sanitization").
- Only regular files are read: a pipe or device is neither waited for nor touched. Nor are the files in which the kernel
  tells of a process, such as its environment: they say that they are empty, and no more than a file's size is read.
- What is read for a baseline is one state of the file: nothing changed it while it was read.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.memory_text.javascript_text import decoded
from pi_sandbox.project_memory.baseline import FileVersion

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_READINGS = 5
"""How often a file that changes while it is read is read anew."""
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first bytes of a file, whether they are all of it, its size, and when it was modified."""

    data: bytes
    whole: bool
    size: int
    modified_ms: int


@dataclass(frozen=True, slots=True)
class SeenFile:
    """The bytes of one state of a file, and the version that a baseline keeps of it."""

    data: bytes
    version: FileVersion

    @property
    def text(self) -> str:
        return decoded(self.data)


def floored_ms(nanoseconds: int) -> int:
    """Gives the whole milliseconds of a time, as `Math.floor(stats.mtimeMs)` does."""
    return nanoseconds // 1_000_000


def read_beginning(path: str | Path, limit: int) -> Beginning:
    """Gives at most `limit` bytes of the regular file; raises `OSError`."""
    if not stat.S_ISREG(Path(path).stat().st_mode):
        raise OSError(f"{path} is not a regular file")
    descriptor = os.open(path, _FLAGS)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(f"{path} is not a regular file")
        data = _read(descriptor, min(limit, status.st_size))
    finally:
        os.close(descriptor)
    return Beginning(data, status.st_size <= limit, status.st_size, floored_ms(status.st_mtime_ns))


def read_for_baseline(path: Path) -> SeenFile | None:
    """Gives the whole file as one state of it, `None` if there is none; raises `FilesError`.

    There is no limit on its size ("Read baselines have no 1 GiB cap").
    """
    try:
        for _ in range(_READINGS):
            if (seen := _read_unchanged(path)) is not None:
                return seen
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FilesError(
            f"{quoted(path)} could not be read: {error.strerror or error}", "check the file and the folders on its path"
        ) from error
    raise FilesError(f"{quoted(path)} changes while it is read", "read it again when nothing writes it")


def _read_unchanged(path: Path) -> SeenFile | None:
    """Gives the file, or `None` if something changed it meanwhile."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError("it is not a regular file")
    descriptor = os.open(path, _FLAGS)
    try:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise OSError("it is not a regular file")
        data = _read(descriptor, before.st_size + 1)  # no more: something may be appending to it all the time
        after = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    if _state(before) != _state(after) or len(data) != after.st_size:
        return None
    return SeenFile(data, FileVersion(sha256(data).hexdigest(), floored_ms(after.st_mtime_ns)))


def _state(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _read(descriptor: int, limit: int) -> bytes:
    chunks: list[bytes] = []
    missing = limit
    while missing > 0 and (chunk := os.read(descriptor, min(missing, _CHUNK_BYTES))):
        chunks.append(chunk)
        missing -= len(chunk)
    return b"".join(chunks)

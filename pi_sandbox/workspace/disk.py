"""What the rules of this room ask of a disk. `real_disk.py` answers with the real one, tests with a fake."""

from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Protocol


class EntryKind(Enum):
    """What a name stands for, a link not followed."""

    MISSING = "missing"
    FOLDER = "folder"
    FILE = "file"
    LINK = "link"
    OTHER = "other"


class Disk(Protocol):
    """A disk that is only looked at. Every method raises `OSError` as the system does.

    `real_path` gives the absolute path with all links resolved and raises if anything on it is missing; `names` gives
    the entries of a folder as they are spelled on the disk; `same_entry` says whether two paths are one thing;
    `first_bytes` reads the beginning of a regular file.
    """

    def real_path(self, path: Path) -> Path: ...
    def kind(self, path: Path) -> EntryKind: ...
    def names(self, folder: Path) -> Sequence[str]: ...
    def same_entry(self, one: Path, other: Path) -> bool: ...
    def first_bytes(self, path: Path, count: int) -> bytes: ...

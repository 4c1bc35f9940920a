"""What can stand under a name in memory, whole or by its mark. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class FileState:
    """A regular file: its bytes and permission bits; a mode of `None` is that of any new file."""

    data: bytes
    mode: int | None = None


@dataclass(frozen=True, slots=True)
class LinkState:
    """A symbolic link and where it leads."""

    leads_to: str


Content = FileState | LinkState | None
"""What stands under a name; `None` for nothing."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What stood, or is to stand, under a name: nothing, a file by its digest, or a link by where it leads."""

    digest: str | None = None
    size: int = 0
    mode: int | None = None
    leads_to: str | None = None


NOTHING = Mark()


def same_content(one: Mark, other: Mark) -> bool:
    """Whether two marks are of the same content; permissions do not count."""
    return (one.digest, one.leads_to) == (other.digest, other.leads_to)


def digest_of(data: bytes) -> str:
    """Give the SHA-256 of the bytes in hex."""
    return sha256(data).hexdigest()


def mark_of(content: Content) -> Mark:
    """Give the mark of what stands under a name."""
    match content:
        case FileState(data, mode):
            return Mark(digest_of(data), len(data), mode)
        case LinkState(leads_to):
            return Mark(leads_to=leads_to)
        case None:
            return NOTHING

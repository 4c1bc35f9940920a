"""What objects of git say, as values: entries of a tree, a commit, and the id that a content has. Pure."""

import hashlib
from dataclasses import dataclass

LINK = "120000"
GITLINK = "160000"


@dataclass(frozen=True)
class TreeEntry:
    """One entry of a tree, all folders opened: a file, a link or a nested repository."""

    path: str
    mode: str
    id: str


@dataclass(frozen=True)
class CommitData:
    """What a commit says. `identities` are its author's and committer's lines without the times."""

    id: str
    tree: str
    parents: tuple[str, ...]
    identities: tuple[str, ...]
    other_headers: tuple[str, ...]
    message: str


def object_id(kind: str, content: bytes, object_format: str) -> str:
    """Gives the id that git gives an object (gitformat-loose(5))."""
    digest = hashlib.new(object_format, usedforsecurity=False)
    digest.update(f"{kind} {len(content)}\0".encode())
    digest.update(content)
    return digest.hexdigest()

"""What objects of git say, as values: entries of a tree, a commit, and the id that a content has. Pure."""

import hashlib
import re
from dataclasses import dataclass

_IDENTITY = rb"(?:[^<>\n\0]* )?<[^<>\n\0]*>"
_TIME = rb"(?:0|[1-9][0-9]{0,9}) [+-](?:0[0-9]|1[0-4])[0-5][0-9]"
_COMMIT = re.compile(
    rb"tree (?P<tree>%(id)s)\n(?P<parents>(?:parent %(id)s\n)*)"
    rb"author (?P<author>%(who)s) %(time)s\ncommitter (?P<committer>%(who)s) %(time)s\n"
    rb"(?P<others>(?:(?!(?:tree|parent|author|committer) )[A-Za-z][A-Za-z0-9:_-]* [^\n\0]*\n(?: [^\n\0]*\n)*)*)"
    % {b"id": rb"(?:[0-9a-f]{40}|[0-9a-f]{64})", b"who": _IDENTITY, b"time": _TIME}
)

FOLDER = "40000"
LINK = "120000"
GITLINK = "160000"


_MODES = frozenset({FOLDER, "100644", "100755", LINK, GITLINK})


@dataclass(frozen=True)
class TreeItem:
    """One name in one tree; `mode` as the tree spells it."""

    mode: str
    name: str
    id: str


@dataclass(frozen=True)
class TreeEntry:
    """One entry of a tree, all folders opened: a file, a link or a nested repository."""

    path: str
    mode: str
    id: str


@dataclass(frozen=True)
class CommitData:
    """What a commit says. `identities` are its author's and committer's without the times.

    `header` is the whole text before the message, as it stands in the object.
    """

    id: str
    tree: str
    parents: tuple[str, ...]
    identities: tuple[str, ...]
    other_headers: tuple[str, ...]
    message: str
    header: str


class MalformedObjectError(ValueError):
    """An object is not exactly what git writes. Says in which way, never what stands there."""


def object_id(kind: str, content: bytes, object_format: str) -> str:
    """Gives the id that git gives an object (gitformat-loose(5))."""
    digest = hashlib.new(object_format, usedforsecurity=False)
    digest.update(f"{kind} {len(content)}\0".encode())
    digest.update(content)
    return digest.hexdigest()


def parse_commit(name: str, content: bytes) -> CommitData:
    """Gives what a commit says; raises `MalformedObjectError` for anything but the grammar that git writes.

    Each header has one place and one meaning, so nothing of an object is left that is neither checked nor shown.
    """
    header, separator, message = content.partition(b"\n\n")
    match = _COMMIT.fullmatch(header + b"\n")
    if match is None or not separator:
        raise MalformedObjectError("its headers are not those that git writes")
    tree, *parents = (line.partition(" ")[2] for line in _lines(b"tree " + match["tree"] + b"\n" + match["parents"]))
    if {len(tree), *(len(parent) for parent in parents)} != {len(name)}:
        raise MalformedObjectError("it names objects by another hash")
    identities = (_text(match["author"]), _text(match["committer"]))
    return CommitData(
        name, tree, tuple(parents), identities, tuple(_lines(match["others"])), _text(message), _text(header)
    )


def parse_tree(content: bytes, object_format: str) -> tuple[TreeItem, ...]:
    """Gives the entries of a tree; raises `MalformedObjectError` for anything but the grammar that git writes.

    The name of a folder without files is in no list of files and in no diff, so an entry that is an empty tree is
    refused as well.
    """
    id_bytes = hashlib.new(object_format, usedforsecurity=False).digest_size
    empty = object_id("tree", b"", object_format)
    items: list[TreeItem] = []
    at, last = 0, b""
    while at < len(content):
        end = content.find(b"\0", at)
        mode, _, name = content[at : max(end, at)].partition(b" ")
        item = TreeItem(mode.decode("latin-1"), _text(name), content[end + 1 : end + 1 + id_bytes].hex())
        at = end + 1 + id_bytes
        if end < 0 or at > len(content) or item.mode not in _MODES:
            raise MalformedObjectError("it has an entry that git does not write")
        if item.name in ("", ".", "..") or "/" in item.name or item.id == empty:
            raise MalformedObjectError("it has a folder without files or a name that is none")
        sorted_by = name + b"/" if item.mode == FOLDER else name
        if sorted_by <= last:
            raise MalformedObjectError("its entries are not in git's order")
        last = sorted_by
        items.append(item)
    if len({item.name for item in items}) != len(items):
        raise MalformedObjectError("it has a name twice")
    return tuple(items)


def _lines(text: bytes) -> list[str]:
    return _text(text).split("\n")[:-1]


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")

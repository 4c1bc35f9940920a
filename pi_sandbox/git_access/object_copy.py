"""Copies what a push consists of out of a store: each object is read once and counted to its id, and only then used.

What is checked, shown and sent is this copy. A store that holds two contents under one id, or changes its objects while
the question is open, has no part in it any more.

- All commits of the branch are copied, since what the remote has is told from them; of trees and contents only what the
  commits to be pushed and their parents differ in.
- The copy is written as packs, so that the loose objects of the private git directory are those that the sync made.
"""

import hashlib
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO

from pi_sandbox.git_access.objects import read_objects
from pi_sandbox.git_access.private_git import PrivateGit
from pi_sandbox.git_access.repository import RepositoryRefusedError
from pi_sandbox.git_access.trees import read_trees

_COMMIT_LIMIT_BYTES = 4 * 1024 * 1024
_KINDS = {"commit": 1, "tree": 2, "blob": 3}
_PARENT = re.compile(rb"(?<=\nparent )(?:[0-9a-f]{64}|[0-9a-f]{40})(?=\n)")
_READ_BYTES = 1024 * 1024


def copy_commits(git: PrivateGit, tip: str | None) -> None:
    """Copies a commit and all commits before it; raises `RepositoryRefusedError`.

    git's list of them is only taken as a hint of what to read: each parent that a commit names is copied as well.
    """
    if tip is None:
        return
    copied: set[str] = set()
    waiting = _listed(git, tip)
    while waiting:
        parents: dict[str, None] = {}
        read = read_objects(git, waiting, size_limit=_COMMIT_LIMIT_BYTES, kind="commit", from_store=True)
        _write(git, "commit", len(waiting), _noting_parents(read, parents))
        copied.update(waiting)
        waiting = [name for name in parents if name not in copied]


def copy_trees(git: PrivateGit, commits: Iterable[str]) -> None:
    """Copies the trees of commits that were copied; raises `RepositoryRefusedError` for what `read_trees` refuses."""
    given = _as_lines(dict.fromkeys(commits))
    roots = git.run("log", "--no-walk=unsorted", "--format=%T", "--stdin", standard_input=given) if given else ""

    def take(contents: Mapping[str, bytes]) -> None:
        _write(git, "tree", len(contents), iter(contents.items()))

    read_trees(git, roots.split(), from_store=True, take=take)


def copy_contents(git: PrivateGit, ids: Iterable[str], *, size_limit: int) -> frozenset[str]:
    """Copies the contents of files, and gives those above `size_limit`: they are left out, and so cannot be pushed."""
    wanted = _missing(git, ids)
    small = _up_to(git, wanted, size_limit)
    _write(git, "blob", len(small), read_objects(git, small, size_limit=size_limit, kind="blob", from_store=True))
    return frozenset(wanted) - frozenset(small)


def _listed(git: PrivateGit, tip: str) -> Sequence[str]:
    result = git.attempt("rev-list", tip, "--", variables=git.store_objects)
    listed = result.output.decode("ascii", "replace").split() if result.status == 0 else []
    return list(dict.fromkeys([tip, *listed]))


def _noting_parents(
    read: Iterator[tuple[str, bytes | None]], parents: dict[str, None]
) -> Iterator[tuple[str, bytes | None]]:
    for name, content in read:
        header = (content or b"").partition(b"\n\n")[0]
        for parent in _PARENT.findall(header):
            parents[parent.decode("ascii")] = None
        yield name, content


def _missing(git: PrivateGit, ids: Iterable[str]) -> list[str]:
    wanted = list(dict.fromkeys(ids))
    output = git.run("cat-file", "--batch-check=%(objectname)", standard_input=_as_lines(wanted)) if wanted else ""
    return [line.removesuffix(" missing") for line in output.splitlines() if line.endswith(" missing")]


def _up_to(git: PrivateGit, ids: Sequence[str], size_limit: int) -> list[str]:
    if not ids:
        return []
    output = git.run(
        "cat-file",
        "--batch-check=%(objectsize)",
        standard_input=_as_lines(ids),
        variables=git.store_objects,
    )
    sizes = zip(ids, output.splitlines(), strict=True)
    return [name for name, size in sizes if not size.isdecimal() or int(size) <= size_limit]


def _as_lines(ids: Iterable[str]) -> bytes:
    return "".join(f"{name}\n" for name in ids).encode("ascii")


def _write(git: PrivateGit, kind: str, count: int, objects: Iterator[tuple[str, bytes | None]]) -> None:
    """Writes objects as one pack, which git counts again (gitformat-pack(5))."""
    if count == 0:
        return
    unfinished = git.staging / "copied.pack"
    with unfinished.open("w+b") as file:
        file.write(b"PACK" + (2).to_bytes(4, "big") + count.to_bytes(4, "big"))
        for name, content in objects:
            if content is None:
                raise RepositoryRefusedError(f"the {kind} {name} is too large to be looked at", "look at it with git")
            file.write(_pack_header(_KINDS[kind], len(content)))
            file.write(zlib.compress(content, 1))
        digest = _digest(file, git.object_format)
        file.write(digest)
    pack = git.git_dir / "objects" / "pack" / f"pack-{digest.hex()}.pack"
    unfinished.rename(pack)
    git.run("index-pack", str(pack))


def _digest(file: IO[bytes], object_format: str) -> bytes:
    file.seek(0)
    digest = hashlib.new(object_format, usedforsecurity=False)
    while part := file.read(_READ_BYTES):
        digest.update(part)
    return digest.digest()


def _pack_header(kind: int, size: int) -> bytes:
    first, size = kind << 4 | size & 0x0F, size >> 4
    header = bytearray()
    while size:
        header.append(first | 0x80)
        first, size = size & 0x7F, size >> 7
    header.append(first)
    return bytes(header)

"""Walks trees, each tree read once and counted to its id, and refuses what cannot be looked at as a list of files.

A tree that holds itself ten times over is small on the disk and endless as a list, so the size of the list is counted
from the distinct trees, before any list is made.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from pi_sandbox.git_access.object_data import FOLDER, MalformedObjectError, TreeEntry, TreeItem, parse_tree
from pi_sandbox.git_access.objects import read_objects
from pi_sandbox.git_access.private_git import PrivateGit
from pi_sandbox.git_access.repository import RepositoryRefusedError

ENTRIES_LIMIT = 100_000
"""Far above what a memory store has; a walk of it takes about a second."""
PATHS_LIMIT_CHARACTERS = 16 * 1024 * 1024
DEPTH_LIMIT = 100
DISTINCT_LIMIT = 400_000
"""Different entries in all trees of a push: about 150 MB of memory."""
TOTAL_LIMIT = 10_000_000
"""Entries in all trees of a push, eight bytes each where an entry is in many of them."""

_TREE_LIMIT_BYTES = 16 * 1024 * 1024

Trees = Mapping[str, tuple[TreeItem, ...]]


@dataclass(frozen=True)
class _Size:
    """What a tree comes to with every folder open."""

    entries: int
    characters: int
    depth: int


def tree_entries(git: PrivateGit, commit: str | None) -> dict[str, TreeEntry]:
    """Gives every entry of a commit's tree by its path; nothing for no commit. Raises `RepositoryRefusedError`."""
    if commit is None:
        return {}
    root = git.run("rev-parse", "--verify", f"{commit}^{{tree}}").strip()
    return {entry.path: entry for entry in _entries(read_trees(git, [root]), root)}


def read_trees(
    git: PrivateGit,
    roots: Iterable[str],
    *,
    from_store: bool = False,
    take: Callable[[Mapping[str, bytes]], None] | None = None,
) -> Trees:
    """Gives the trees and all trees in them by id; raises `RepositoryRefusedError` for one that is odd or too large.

    `take` is given the contents, some trees at a time.
    """
    trees: dict[str, tuple[TreeItem, ...]] = {}
    level = list(dict.fromkeys(roots))
    first = tuple(level)
    distinct: dict[TreeItem, TreeItem] = {}
    total = 0
    for _ in range(DEPTH_LIMIT):
        if not level:
            break
        contents = {}
        for name, content in read_objects(git, level, size_limit=_TREE_LIMIT_BYTES, kind="tree", from_store=from_store):
            if content is None:
                raise _too_large(name)
            contents[name] = content
            items = _parsed(name, content, git.object_format)
            trees[name] = tuple(distinct.setdefault(item, item) for item in items)
            total += len(items)
            if len(distinct) > DISTINCT_LIMIT or total > TOTAL_LIMIT:
                raise _too_large(name)
        if take is not None:
            take(contents)
        inner = (item.id for name in contents for item in trees[name] if item.mode == FOLDER)
        level = [name for name in dict.fromkeys(inner) if name not in trees]
    sizes: dict[str, _Size] = {}
    for root in first:
        size = _size(root, trees, sizes, 0)
        if size.entries > ENTRIES_LIMIT or size.characters > PATHS_LIMIT_CHARACTERS or size.depth > DEPTH_LIMIT:
            raise _too_large(root)
    return trees


def _parsed(name: str, content: bytes, object_format: str) -> tuple[TreeItem, ...]:
    try:
        return parse_tree(content, object_format)
    except MalformedObjectError as error:
        raise RepositoryRefusedError(
            f"the tree {name} is not one that git makes: {error}", f"look at it with `git ls-tree {name}` in the store"
        ) from error


def _size(name: str, trees: Trees, known: dict[str, _Size], depth: int) -> _Size:
    """No tree holds itself, since its id would have to be in its own content; so this ends."""
    if depth >= DEPTH_LIMIT or name not in trees:
        raise _too_large(name)
    if name not in known:
        entries, characters, deepest = 0, 0, 0
        for item in trees[name]:
            inner = _size(item.id, trees, known, depth + 1) if item.mode == FOLDER else _Size(1, 0, 0)
            entries += inner.entries
            characters += inner.characters + inner.entries * (len(item.name) + 1)
            deepest = max(deepest, inner.depth + 1)
        known[name] = _Size(entries, characters, deepest)
    return known[name]


def _entries(trees: Trees, root: str) -> Iterator[TreeEntry]:
    waiting = [("", root)]
    while waiting:
        prefix, name = waiting.pop()
        for item in trees[name]:
            if item.mode == FOLDER:
                waiting.append((f"{prefix}{item.name}/", item.id))
            else:
                yield TreeEntry(prefix + item.name, item.mode, item.id)


def _too_large(name: str) -> RepositoryRefusedError:
    return RepositoryRefusedError(
        f"the tree {name} has too many files or folders to be looked at", "look at the history of the store with git"
    )

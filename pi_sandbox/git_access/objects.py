"""Reads a store's objects, and believes none: what is handed out has the id that was asked for, by our own count.

A remote counts again when it takes a push, so bytes that were read here under an id are the bytes that arrive under it.
"""

from collections.abc import Iterator, Mapping, Sequence

from pi_sandbox.git_access.object_data import CommitData, MalformedObjectError, object_id, parse_commit
from pi_sandbox.git_access.private_git import PrivateGit
from pi_sandbox.git_access.repository import RepositoryRefusedError

READ_AT_ONCE_BYTES = 16 * 1024 * 1024
"""How much content is held at a time; one larger object is read by itself."""


def read_objects(
    git: PrivateGit, ids: Sequence[str], *, size_limit: int, kind: str | None = None, from_store: bool = False
) -> Iterator[tuple[str, bytes | None]]:
    """Yields each object's id and content in the order asked for; None instead of content above `size_limit`.

    `kind` is the one that every object must be of. Only with `from_store` are the store's own objects looked at.
    Raises `RepositoryRefusedError` for an object that is missing or is not what its id says.
    """
    variables = git.store_objects if from_store else {}
    for group in _groups(git, ids, size_limit, variables):
        wanted = [name for name, size in group if size <= size_limit]
        contents = _read(git, wanted, kind, variables)
        for name, size in group:
            yield name, next(contents) if size <= size_limit else None


def total_size(git: PrivateGit, ids: Sequence[str]) -> int:
    """Gives how many bytes the objects are, each as often as it is named; raises `RepositoryRefusedError`."""
    different = list(dict.fromkeys(ids))
    sizes = {name: size for group in _groups(git, different, READ_AT_ONCE_BYTES, {}) for name, size in group}
    return sum(sizes[name] for name in ids)


def read_commits(git: PrivateGit, ids: Sequence[str], *, size_limit: int) -> Iterator[CommitData]:
    """Yields what each commit says; raises `RepositoryRefusedError`."""
    for name, content in read_objects(git, ids, size_limit=size_limit, kind="commit"):
        if content is None:
            raise RepositoryRefusedError(f"the commit {name} is too large to be looked at", "look at it with git")
        try:
            yield parse_commit(name, content)
        except MalformedObjectError as error:
            raise RepositoryRefusedError(
                f"the commit {name} is not one that git makes: {error}", f"look at it with `git cat-file commit {name}`"
            ) from error


def _groups(
    git: PrivateGit, ids: Sequence[str], size_limit: int, variables: Mapping[str, str]
) -> Iterator[list[tuple[str, int]]]:
    if not ids:
        return
    group: list[tuple[str, int]] = []
    held = 0
    output = git.run(
        "cat-file", "--batch-check=%(objectname) %(objectsize)", standard_input=_lines(ids), variables=variables
    )
    for asked, line in zip(ids, output.splitlines(), strict=True):
        name, _, size = line.partition(" ")
        if name != asked or not size.isdecimal():
            raise _damaged(asked)
        if group and held + int(size) > READ_AT_ONCE_BYTES:
            yield group
            group, held = [], 0
        group.append((name, int(size)))
        held += int(size) if int(size) <= size_limit else 0
    yield group


def _read(git: PrivateGit, ids: Sequence[str], wanted: str | None, variables: Mapping[str, str]) -> Iterator[bytes]:
    if not ids:
        return
    result = git.attempt(
        "cat-file", "--batch=%(objecttype) %(objectsize)", standard_input=_lines(ids), variables=variables
    )
    at = 0
    for name in ids:
        header_end = result.output.find(b"\n", at)
        kind, _, size = result.output[at : max(header_end, at)].decode("ascii", "replace").partition(" ")
        if header_end < 0 or not size.isdecimal():
            raise _damaged(name)
        content = result.output[header_end + 1 : header_end + 1 + int(size)]
        if object_id(kind, content, git.object_format) != name or wanted not in (None, kind):
            raise _damaged(name)
        at = header_end + 1 + int(size) + 1
        yield content


def _lines(ids: Sequence[str]) -> bytes:
    return "".join(f"{name}\n" for name in ids).encode("ascii")


def _damaged(name: str) -> RepositoryRefusedError:
    return RepositoryRefusedError(
        f"the object {name} of the store is missing or damaged", "look at the store with `git fsck --full`"
    )

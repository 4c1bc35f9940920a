"""Which project a working directory belongs to: the same answer in every checkout of a repository, and no other's.

- In a git work tree the project is its top level. A linked work tree (`git worktree`) whose common directory is named
  `.git` belongs to the main checkout that owns that directory.
- Anything else (no git, inside a `.git`, a bare repository) is the working directory itself, with its links resolved.
- git is asked by `rev-parse` alone, with an environment of ours: no hook, alias, monitor or helper can start.
- What a repository says of itself is believed only where the disk agrees. A `core.worktree`, a `commondir` or a `.git`
  file that points at another project would otherwise hand over that project's memory: the top level must hold the
  `.git` that git found and stand above the working directory, and a linked work tree must be one that its main
  checkout knows (gitrepository-layout(5), `worktrees/<id>/gitdir`).

Source: `spec/project-memory.md`, "Project identity".
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.git_access.runner import GitFailedError, GitMissingError, try_git
from pi_sandbox.system.files import read_regular_file

_LINK_FILE_BYTES = 64 * 1024
_GIT_SECONDS = 20


@dataclass(frozen=True, slots=True)
class _Checkout:
    """What `rev-parse` says of a work tree, every path resolved."""

    top_level: Path
    git_folder: Path
    common_folder: Path


def project_root(working_directory: Path) -> Path:
    """Give the canonical root of the project that a directory belongs to.

    Raises `OSError` if the directory does not exist, and `GitFailedError` if git does not answer in time: a guess would
    put this session's memory into another folder.
    """
    place = working_directory.resolve(strict=True)
    checkout = _checkout(place)
    if checkout is None or not _is_its_own(checkout, place):
        return place
    if _is_linked(checkout) and checkout.common_folder.name == ".git":
        return checkout.common_folder.parent
    return checkout.top_level


def _checkout(place: Path) -> _Checkout | None:
    """Ask git; without git, outside a work tree, or with paths that cannot be told apart, there is no checkout."""
    try:
        result = try_git(
            place,
            *("-c", "safe.directory=*"),  # ownership guards what git would run; rev-parse runs nothing
            *("rev-parse", "--path-format=absolute", "--show-toplevel", "--absolute-git-dir", "--git-common-dir"),
            seconds=_GIT_SECONDS,
        )
    except GitMissingError:
        return None
    if result.timed_out:
        raise GitFailedError(
            f"git did not say within {_GIT_SECONDS} s which project {quoted(place)} belongs to", "try again"
        )
    lines = result.output.split(b"\n")
    if result.status != 0 or len(lines) != 4:
        return None
    try:
        paths = [Path(os.fsdecode(line)).resolve(strict=True) for line in lines[:3]]
    except OSError:
        return None
    return _Checkout(*paths)


def _is_its_own(checkout: _Checkout, place: Path) -> bool:
    """Whether the top level is where the `.git` stands, and the directory lies in it."""
    return place.is_relative_to(checkout.top_level) and _git_folder_of(checkout.top_level) == checkout.git_folder


def _git_folder_of(top_level: Path) -> Path | None:
    """Give the directory that `<top level>/.git` is, or that the file of that name points to."""
    entry = top_level / ".git"
    if entry.is_dir():
        return entry.resolve()
    content = _first_line(entry)
    if content is None or not content.startswith(b"gitdir: "):
        return None
    return (top_level / os.fsdecode(content.removeprefix(b"gitdir: "))).resolve()


def _is_linked(checkout: _Checkout) -> bool:
    """Whether the main checkout lists this work tree: `<common>/worktrees/<id>/gitdir` names its `.git`."""
    if checkout.git_folder.parent != checkout.common_folder / "worktrees":
        return False
    back = _first_line(checkout.git_folder / "gitdir")
    return back is not None and (checkout.git_folder / os.fsdecode(back)).resolve() == checkout.top_level / ".git"


def _first_line(path: Path) -> bytes | None:
    try:
        content = read_regular_file(path, limit=_LINK_FILE_BYTES)
    except FilesError:
        return None
    return None if content is None else content.data.rstrip(b"\r\n")

"""Reads a store's `.git` as data, before any git command sees it, and refuses what is not a plain repository.

- `.git` is a real folder with a real `HEAD`, `config`, `objects` and `refs`; nothing in it leads elsewhere: no gitfile,
  no `commondir`, no alternates, no partial clone. `config.worktree` counts as a part of `config`.
- Everything in `.git` is a folder or a file: git would read and write through a link, into whatever else is in reach.
- What is asked further before a push stands in `push_rules.py`.

Not handled: refs in the reftable format. Their configuration key is refused.
"""

import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pi_sandbox.errors import PiSandboxError, quoted
from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.git_access.config_rules import is_true, last_value
from pi_sandbox.git_access.config_text import ConfigEntry, ConfigUnreadableError, parse_config
from pi_sandbox.git_access.discovery import entries_of, is_git_directory
from pi_sandbox.system.files import read_regular_file

_SMALL_FILE_BYTES = 1024 * 1024
_PACKED_REFS_BYTES = 8 * 1024 * 1024
"""A hundred thousand refs; each line, however short, costs many times its own bytes."""

_REDIRECTING = (
    ("commondir", "shares its data with another repository"),
    ("gitdir", "is the folder of a linked worktree"),
    ("objects/info/alternates", "borrows objects from another repository"),
    ("objects/info/http-alternates", "borrows objects from another repository"),
    ("refs.reftable", "keeps its refs in a format that is not known here"),
)
_CLONE_HINT = "make the store a plain clone of its own"
_REAL_FOLDERS = ("objects", "refs")
_REAL_FILES = ("HEAD", "config", "config.worktree", "packed-refs", "index")
_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_BRANCH = re.compile(r"refs/heads/(?P<branch>[^\x00-\x20\x7f~^:?*\[\\]+)")


class RepositoryRefusedError(PiSandboxError):
    """The store is no repository that is worked on here, or not in this state."""

    exit_code = ExitCode.STORE_FAILED


class NoRepositoryError(RepositoryRefusedError):
    """There is no repository at all."""


@dataclass(frozen=True)
class Repository:
    """A plain repository as it was found. `branch` is None for a detached HEAD, `head` None before the first commit."""

    folder: Path
    config: tuple[ConfigEntry, ...]
    branch: str | None
    head: str | None
    packed_refs: tuple[tuple[str, str], ...]

    @property
    def git_dir(self) -> Path:
        """The real `.git`."""
        return self.folder / ".git"

    @property
    def object_format(self) -> str:
        """`sha1` or `sha256`."""
        return last_value(self.config, "extensions.objectformat") or "sha1"

    @property
    def ignores_case(self) -> bool:
        """Whether the disk takes two spellings of a name for one."""
        return is_true(self.config, "core.ignorecase", default=False)

    @property
    def composes_names(self) -> bool:
        """Whether git on this disk takes every name in its composed form (macOS)."""
        return is_true(self.config, "core.precomposeunicode", default=False)

    @property
    def has_file_modes(self) -> bool:
        """Whether the executable bit on this disk means something."""
        return is_true(self.config, "core.filemode", default=True)


def read_repository(folder: Path) -> Repository:
    """Gives the repository in `folder`; raises `NoRepositoryError`, `RepositoryRefusedError` or `FilesError`."""
    git_dir = folder / ".git"
    kind = _kind(git_dir)
    if kind is None:
        if _is_bare(folder):
            raise RepositoryRefusedError("the store is a bare repository, without files", "clone it with its files")
        raise NoRepositoryError("the store is no git repository", "restore it, or make it with `git init`")
    if kind != stat.S_IFDIR:
        what = "a link" if kind == stat.S_IFLNK else "a file that leads to another place (a worktree or a submodule)"
        raise RepositoryRefusedError(f"the store's .git is {what}, not a folder", _CLONE_HINT)
    _refuse_redirections(git_dir)
    _refuse_links(git_dir)
    config = _config(git_dir)
    packed = _packed_refs(git_dir)
    branch, head = _head(git_dir, packed)
    return Repository(folder, config, branch, head, packed)


def _is_bare(folder: Path) -> bool:
    try:
        with os.scandir(folder) as listed:
            return is_git_directory(entries_of(listed))
    except OSError:
        return False


def _kind(path: Path) -> int | None:
    try:
        return stat.S_IFMT(path.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        what = f"{quoted(path)} cannot be looked at: {error.strerror}"
        raise RepositoryRefusedError(what, "see who owns it") from error


def _refuse_redirections(git_dir: Path) -> None:
    for name, what in _REDIRECTING:
        if _kind(git_dir / name) is not None:
            raise RepositoryRefusedError(f"the store {what} (.git/{name})", _CLONE_HINT)
    for name in _REAL_FOLDERS:
        if _kind(git_dir / name) != stat.S_IFDIR:
            raise RepositoryRefusedError(f"the store's .git/{name} is no folder", _CLONE_HINT)
    for name in _REAL_FILES:
        if _kind(git_dir / name) not in (stat.S_IFREG, None):
            raise RepositoryRefusedError(f"the store's .git/{name} is no file", _CLONE_HINT)
    packs = git_dir / "objects" / "pack"
    kind = _kind(packs)
    if kind not in (stat.S_IFDIR, None):
        raise RepositoryRefusedError("the store's .git/objects/pack is no folder", _CLONE_HINT)
    try:
        promised = kind is not None and any(name.endswith(".promisor") for name in os.listdir(packs))
    except OSError as error:
        what = f"the store's .git/objects/pack cannot be listed: {error.strerror}"
        raise RepositoryRefusedError(what, "see who owns it") from error
    if promised:
        raise RepositoryRefusedError("the store is a partial clone, so files are missing", "clone it as a whole")


def _refuse_links(git_dir: Path) -> None:
    folders = [git_dir]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(folder) as entries:
                found = list(entries)
        except OSError as error:
            raise RepositoryRefusedError(
                f"the store's {quoted(folder.relative_to(git_dir.parent))} cannot be listed: {error.strerror}",
                "see who owns it",
            ) from error
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                folders.append(Path(entry.path))
            elif not entry.is_file(follow_symlinks=False):
                what = "a link" if entry.is_symlink() else "neither a file nor a folder"
                name = quoted(Path(entry.path).relative_to(git_dir.parent))
                raise RepositoryRefusedError(
                    f"the store's {name} is {what}, so git would read or write elsewhere",
                    "put a file or a folder in its place, or remove it",
                )


def _config(git_dir: Path) -> tuple[ConfigEntry, ...]:
    text = _text(git_dir / "config")
    if text is None or not text.strip():
        raise RepositoryRefusedError(
            "the store's .git/config is missing or empty (an editor may have emptied it)",
            "run `git init` in the store: it writes the configuration anew and changes nothing else",
        )
    return (*_parsed("config", text), *_parsed("config.worktree", _text(git_dir / "config.worktree") or ""))


def _parsed(name: str, text: str) -> tuple[ConfigEntry, ...]:
    try:
        return parse_config(text, name)
    except ConfigUnreadableError as error:
        raise RepositoryRefusedError(f"the store's .git/{name} cannot be read: {error}", "correct that line") from error


def _packed_refs(git_dir: Path) -> tuple[tuple[str, str], ...]:
    text = _text(git_dir / "packed-refs", limit=_PACKED_REFS_BYTES) or ""
    lines = (line.partition(" ") for line in text.splitlines() if line[:1] not in ("#", "^"))
    return tuple((name, commit) for commit, _, name in lines if _ID.fullmatch(commit))


def _head(git_dir: Path, packed: Sequence[tuple[str, str]]) -> tuple[str | None, str | None]:
    text = (_text(git_dir / "HEAD") or "").rstrip("\n")
    if _ID.fullmatch(text):
        return None, text
    match = _BRANCH.fullmatch(text.removeprefix("ref: ")) if text.startswith("ref: ") else None
    if match is None or ".." in text or "//" in text or text.endswith(("/", ".lock")):
        raise RepositoryRefusedError("the store's .git/HEAD names no branch and no commit", "check out a branch")
    return match["branch"], _branch_commit(git_dir, match["branch"], packed)


def _branch_commit(git_dir: Path, branch: str, packed: Sequence[tuple[str, str]]) -> str | None:
    place = git_dir / "refs" / "heads"
    for name in branch.split("/")[:-1]:
        place /= name
        if _kind(place) not in (stat.S_IFDIR, None):
            raise RepositoryRefusedError(f"the store's {quoted(place)} is no folder", _CLONE_HINT)
    loose = _text(place / branch.split("/")[-1])
    if loose is None:
        return next((commit for name, commit in packed if name == f"refs/heads/{branch}"), None)
    if not _ID.fullmatch(loose.strip()):
        raise RepositoryRefusedError(
            f"the branch {quoted(branch)} of the store names no commit (a damaged or linked ref)",
            "look at it with `git fsck` in the store",
        )
    return loose.strip()


def _text(path: Path, *, limit: int = _SMALL_FILE_BYTES) -> str | None:
    content = read_regular_file(path, limit=limit)
    return None if content is None else content.data.decode("utf-8", "surrogateescape")

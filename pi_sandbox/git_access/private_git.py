"""A git directory of our own over a store's objects, so that nothing in the store's `.git` steers git.

- Configuration, refs, index, excludes and attributes are ours. Of the store's `.git` only objects are read, and the
  text of `info/exclude`, which is copied to a place of its own: no git command takes it by itself.
- For a sync not even the objects are read by git itself: they are copied here first (`object_copy`).
- New objects stay here until they are carried over, so a store that is only looked at is never written to.
- What can hold a secret (a proxy's password, the way to a credential) stands in a file that only we can read, never in
  an argument.
- Caches that could tell another history than the objects do (commit graph, bitmaps, multi-pack index) are off.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pi_sandbox.git_access.repository import Repository
from pi_sandbox.git_access.runner import SECONDS_ALLOWED, GitFailedError, GitResult, run_git, try_git
from pi_sandbox.system.files import read_regular_file

_EXCLUDE_BYTES = 1024 * 1024
_FIXED_CONFIG: tuple[tuple[str, str], ...] = (
    ("core.bare", "false"),
    ("core.commitGraph", "false"),
    ("core.multiPackIndex", "false"),
    ("core.protectHFS", "true"),
    ("core.protectNTFS", "true"),
    ("core.logAllRefUpdates", "false"),
    ("pack.useBitmaps", "false"),
    ("pack.useSparse", "false"),
    ("pack.allowPackReuse", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("fetch.writeCommitGraph", "false"),
)

_NO_REFLOG = {
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "core.logAllRefUpdates",
    "GIT_CONFIG_VALUE_0": "false",
}


@dataclass(frozen=True)
class PrivateGit:
    """The git directory and the store's folder that it works on."""

    folder: Path
    store: Path
    object_format: str

    @property
    def git_dir(self) -> Path:
        """The directory that git is told to use."""
        return self.folder / "git"

    @property
    def staging(self) -> Path:
        """A folder for files of our own."""
        return self.folder / "staging"

    @property
    def store_excludes(self) -> Path:
        """A copy of the store's `info/exclude`."""
        return self.folder / "store-excludes"

    @property
    def id_length(self) -> int:
        """Characters of an object's id."""
        return 64 if self.object_format == "sha256" else 40

    @property
    def store_objects(self) -> Mapping[str, str]:
        """The variable with which a command of git's looks at the store's objects as well."""
        return {"GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted_bytes(os.fsencode(self.store / ".git" / "objects"))}

    def run(self, *arguments: str, standard_input: bytes = b"", variables: Mapping[str, str] | None = None) -> str:
        """Runs git here and gives its output; raises `GitFailedError`."""
        result = self.attempt(*arguments, standard_input=standard_input, variables=variables)
        if result.status != 0:
            raise GitFailedError(
                f"git {arguments[0]} failed: {' '.join(result.errors.split())}", "look at the store with `git fsck`"
            )
        return result.output.decode("utf-8", "surrogateescape")

    def attempt(
        self,
        *arguments: str,
        standard_input: bytes = b"",
        seconds: float = SECONDS_ALLOWED,
        variables: Mapping[str, str] | None = None,
    ) -> GitResult:
        """Runs git here and gives how it ended."""
        places = {"GIT_DIR": str(self.git_dir), "GIT_WORK_TREE": str(self.folder / "empty")}
        every = {**places, **(variables or {})}
        return try_git(self.folder, *arguments, standard_input=standard_input, seconds=seconds, variables=every)


@contextmanager
def private_git(
    repository: Repository, settings: Mapping[str, str] | None = None, *, borrows: bool = True
) -> Iterator[PrivateGit]:
    """Gives a git directory for as long as the block lasts, with `settings` added.

    With `borrows` git finds the repository's objects in it, which is for looking only; else there are none yet.
    """
    with tempfile.TemporaryDirectory(prefix="pi-sandbox-git-") as name:
        git = PrivateGit(Path(name), repository.folder, repository.object_format)
        for folder in ("git/objects/info", "git/objects/pack", "git/refs/heads", "staging", "empty"):
            (git.folder / folder).mkdir(parents=True)
        (git.git_dir / "HEAD").write_text("ref: refs/heads/none\n")
        if borrows:
            objects = str(repository.git_dir / "objects")
            (git.git_dir / "objects" / "info" / "alternates").write_bytes(_quoted_path(objects))
        exclude = read_regular_file(repository.git_dir / "info" / "exclude", limit=_EXCLUDE_BYTES)
        git.store_excludes.write_bytes(b"" if exclude is None else exclude.data)
        _write_config(git, {**dict(_FIXED_CONFIG), **(settings or {})})
        yield git


def git_in_store(repository: Repository, *arguments: str, variables: Mapping[str, str] | None = None) -> str:
    """Runs git in the store's own directory, for the few commands that move its branch and index.

    Raises `GitFailedError`. The caller has looked at the configuration; hooks are off as everywhere, and no reflog is
    begun.
    """
    every = {"GIT_DIR": str(repository.git_dir), **_NO_REFLOG, **(variables or {})}
    return run_git(repository.folder, *arguments, variables=every)


def _write_config(git: PrivateGit, settings: Mapping[str, str]) -> None:
    version = "1" if git.object_format == "sha256" else "0"
    every = {"core.repositoryFormatVersion": version, **settings}
    if git.object_format == "sha256":
        every["extensions.objectFormat"] = "sha256"
    lines = []
    for key, value in every.items():
        section, _, name = key.rpartition(".")
        lines.append(f"[{section}]\n\t{name} = {_quoted_value(value)}\n")
    descriptor = os.open(git.git_dir / "config", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.writelines(lines)


def _quoted_value(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _quoted_path(path: str) -> bytes:
    """An alternates file holds a path a line, in double quotes with C's escapes where it needs them."""
    return f'"{path}"\n'.encode() if path.isprintable() and not set(path) & set('"\\') else os.fsencode(path) + b"\n"


def _quoted_bytes(path: bytes) -> str:
    """A path in a list of paths, in double quotes with every byte but letters and digits as an escape of C's."""
    return '"' + "".join(chr(byte) if chr(byte).isalnum() and byte < 128 else f"\\{byte:03o}" for byte in path) + '"'

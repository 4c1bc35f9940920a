"""Tells which untracked files git ignores, and which of them it would ignore on this machine alone.

- What a `.gitignore` names that travels with the store is left out: neither checked nor pushed.
- What only `.git/info/exclude` names, or a `.gitignore` that is ignored itself and so never pushed, is not: it is
  looked at like any other file, and blocks, since only the owner can say whether it is to stay here or to be pushed.
- The owner's and the system's own excludes do not count at all: git runs without their configuration.
- A tracked file is never ignored, and neither is a nested repository: git works in one whether it is ignored or not.
- git reads these files, so anything but a plain file is refused before, and a pattern that takes too long ends with its
  cause.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from pi_sandbox.errors import FilesError, quoted
from pi_sandbox.git_access.private_git import PrivateGit
from pi_sandbox.memory_check.findings import Finding, Severity
from pi_sandbox.memory_check.memory_file import FileKind
from pi_sandbox.memory_sync.working_tree import ListedFile

IGNORE_SECONDS = 20.0
"""A store of ten thousand untracked notes takes less than a second; a pattern of many stars can take for ever."""

_EXCLUDE = ".git/info/exclude"
_IGNORE_FILE = ".gitignore"
_IGNORE_FILES_SHOWN = 5
_HIDDEN_NAMED = 50
_NEGATED = "!"


@dataclass(frozen=True)
class Pattern:
    """The line that makes git ignore a file: of `.git/info/exclude`, or of a `.gitignore` by its path."""

    file: str
    line: int


@dataclass(frozen=True)
class SortedFiles:
    """All files: those to look at, those that are left out, and, among the first, those that git hides here alone."""

    kept: Sequence[ListedFile]
    ignored: tuple[str, ...]
    hidden: Mapping[str, Pattern]


def sort_files(git: PrivateGit, files: Sequence[ListedFile], tracked: Set[str]) -> SortedFiles:
    """Gives which of the files count.

    Raises `FilesError` for a `.gitignore` that is no plain file, or with which git does not come to an end.
    """
    ignore_files = [file for file in files if file.path.rpartition("/")[2].casefold() == _IGNORE_FILE]
    for file in ignore_files:
        if file.kind is not FileKind.FILE:
            raise FilesError(f"{quoted(file.path)} is no plain file, and git would read it", "remove it")
    candidates = [file.path for file in files if file.path not in tracked and file.kind is not FileKind.GITLINK]
    patterns = _patterns(git, candidates, [file.path for file in ignore_files])
    hidden = {path: pattern for path, pattern in patterns.items() if _stays_here(pattern.file, patterns)}
    ignored = patterns.keys() - hidden.keys()
    kept = [file for file in files if file.path not in ignored]
    return SortedFiles(kept, tuple(sorted(ignored)), hidden)


def hidden_findings(hidden: Mapping[str, Pattern]) -> Iterator[Finding]:
    """Yields what blocks, since git hides files on this machine alone: the first by name, and how many more."""
    for path, pattern in sorted(hidden.items())[:_HIDDEN_NAMED]:
        of = _EXCLUDE if pattern.file == _EXCLUDE else f"a {_IGNORE_FILE} that is ignored itself"
        message = (
            f"line {pattern.line} of {of} hides it on this machine alone, where nobody sees that it is not pushed; "
            f"to keep it here write that line into the store's {_IGNORE_FILE}, to push it take the line out"
        )
        yield Finding(path, None, Severity.BLOCKING, "hidden-here", message)
    if len(hidden) > _HIDDEN_NAMED:
        message = f"{len(hidden) - _HIDDEN_NAMED} more files are hidden on this machine alone"
        yield Finding(".", None, Severity.BLOCKING, "hidden-here", message)


def _stays_here(file: str, patterns: Mapping[str, Pattern]) -> bool:
    return file == _EXCLUDE or file in patterns


def _patterns(git: PrivateGit, paths: Sequence[str], ignore_files: Sequence[str]) -> Mapping[str, Pattern]:
    """Each name stands behind `./`, so that git takes none for a pattern of its own (`:(glob)x`)."""
    if not paths:
        return {}
    names = "".join(f"./{path}\0" for path in paths)
    result = git.attempt(
        "-c",
        f"core.excludesFile={git.store_excludes}",
        "-C",
        str(git.store),
        "check-ignore",
        "--verbose",
        "-z",
        "--stdin",
        "--no-index",
        standard_input=names.encode("utf-8", "surrogateescape"),
        variables={"GIT_WORK_TREE": str(git.store)},
        seconds=IGNORE_SECONDS,
    )
    if result.timed_out:
        shown = ", ".join(quoted(path) for path in (*ignore_files[:_IGNORE_FILES_SHOWN], _EXCLUDE))
        raise FilesError(
            f"git did not find out within {IGNORE_SECONDS:g} seconds which files are ignored",
            f"look for a pattern with many stars in {shown}",
        )
    if result.status not in (0, 1):
        raise FilesError(
            f"git could not tell which files are ignored: {' '.join(result.errors.split())}", "run the command again"
        )
    fields = iter(result.output.decode("utf-8", "surrogateescape").split("\0")[:-1])
    excludes = str(git.store_excludes)
    return {
        path.removeprefix("./"): Pattern(_EXCLUDE if file == excludes else file, int(line))
        for file, line, pattern, path in zip(fields, fields, fields, fields, strict=True)
        if not pattern.startswith(_NEGATED)
    }

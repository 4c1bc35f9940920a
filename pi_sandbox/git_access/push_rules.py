"""What a repository must be like before its branch may move and be pushed. Each refusal says how to leave the state.

Nothing is repaired here: a lock may belong to a git that is running, a merge to the owner's unfinished work.
"""

import os
import re
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from pi_sandbox.errors import quoted
from pi_sandbox.git_access.config_rules import RefusedKey, refused_keys
from pi_sandbox.git_access.repository import Repository, RepositoryRefusedError
from pi_sandbox.system.files import read_regular_file

_UNFINISHED = (
    ("MERGE_HEAD", "a merge", "merge"),
    ("CHERRY_PICK_HEAD", "a cherry-pick", "cherry-pick"),
    ("REVERT_HEAD", "a revert", "revert"),
    ("rebase-merge", "a rebase", "rebase"),
    ("rebase-apply/applying", "applying a patch", "am"),
    ("rebase-apply", "a rebase", "rebase"),
)
"""What git leaves in `.git`, what it stands for, and the command that goes on with it or goes back."""

_TO_LEAVE = (
    ("sequencer", "a series of picked or reverted commits is not finished", "git cherry-pick --quit"),
    ("BISECT_LOG", "a bisect is not finished", "git bisect reset"),
    ("shallow", "its history was cut short (a shallow clone)", "git fetch --unshallow"),
    ("info/grafts", "grafts show a history that is not the real one", "remove .git/info/grafts"),
)
_LOCKS = ("index.lock", "HEAD.lock", "config.lock", "packed-refs.lock", "shallow.lock")
_FILTERING = re.compile(r"(?:^|\s)(?:filter|working-tree-encoding|ident|conflict-marker-size)(?:=|\s|$)")
_PLAIN_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*")
_LONGEST_COMMAND = 160
"""Only a key that says nothing to a shell or a reader stands in a command, and only in one that can be overseen."""
_LONGEST_SHOWN_KEY = 80
_MOST_SHOWN_KEYS = 20

_ATTRIBUTES_BYTES = 1024 * 1024
_SECONDS_OF_UNIT = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


def refuse_unless_pushable(repository: Repository, shown_folder: str, *, now: float | None = None) -> None:
    """Raises `RepositoryRefusedError` with everything that is wrong at once where it can be said at once.

    `shown_folder` is how the owner names the store, for commands that can be copied.
    """
    _refuse_config(repository, shown_folder)
    git = f"git -C {shown_folder}"
    for name, what, command in _UNFINISHED:
        if (repository.git_dir / name).exists():
            raise RepositoryRefusedError(
                f"the store cannot be synced: {what} is not finished (.git/{name})",
                f"{joining_hint(shown_folder)}\n  {git} {command} --continue\n"
                f"or, to be where you were before:\n  {git} {command} --abort",
            )
    for name, what, way_out in _TO_LEAVE:
        if (repository.git_dir / name).exists():
            command = way_out.replace("git ", f"{git} ") if way_out.startswith("git ") else way_out
            raise RepositoryRefusedError(f"the store cannot be synced: {what} (.git/{name})", f"on the host: {command}")
    if repository.branch is None:
        raise RepositoryRefusedError(
            "the store's HEAD is detached: a commit there would be on no branch",
            f"on the host: {git} switch main, or {git} switch -c NAME to keep what was committed",
        )
    _refuse_locks(repository, time.time() if now is None else now)
    if any(name.startswith("refs/replace/") for name, _ in repository.packed_refs) or _holds_files(
        repository.git_dir / "refs" / "replace"
    ):
        raise RepositoryRefusedError(
            "replace refs show another history than the one that would be pushed", f"on the host: {git} replace --list"
        )
    _refuse_attributes(repository)


def joining_hint(shown_folder: str) -> str:
    """Gives how the owner joins what git could not join, up to the point where git knows it."""
    return (
        f"on the host, edit each file that `git -C {shown_folder} status` calls unmerged or both modified until it is "
        f"right and no line with <<<<<<< or >>>>>>> is left in it; then:\n  git -C {shown_folder} add --all"
    )


def _refuse_config(repository: Repository, shown_folder: str) -> None:
    every = refused_keys(repository.config)
    refused = every[:_MOST_SHOWN_KEYS]
    if refused:
        lines = [f"{quoted(_shortened(key.key))} in .git/{key.file} {key.reason}" for key in refused]
        if len(every) > len(refused):
            lines.append(f"and {len(every) - len(refused)} more")
        commands = [_removal(key, shown_folder) for key in refused]
        raise RepositoryRefusedError(
            "refused: the store's configuration has keys that are not allowed:\n  " + "\n  ".join(lines),
            "if you do not need them, on the host:\n  " + "\n  ".join(commands),
        )


def _removal(key: RefusedKey, shown_folder: str) -> str:
    """The file is named: git takes a key out of `config.worktree` only where an extension is on, else out of `config`,
    in which it does not stand."""
    command = f"git config --file {shown_folder}/.git/{key.file} --unset-all {key.key}"
    if _PLAIN_KEY.fullmatch(key.key) and len(command) <= _LONGEST_COMMAND:
        return command
    return f"remove {quoted(_shortened(key.key))} from .git/{key.file} by hand"


def _shortened(key: str) -> str:
    return key if len(key) <= _LONGEST_SHOWN_KEY else f"{key[:_LONGEST_SHOWN_KEY]}…"


def _refuse_locks(repository: Repository, now: float) -> None:
    for path in (*(repository.git_dir / name for name in _LOCKS), *_ref_locks(repository.git_dir / "refs")):
        try:
            written = path.lstat().st_mtime
        except FileNotFoundError:
            continue
        name = path.relative_to(repository.folder)
        raise RepositoryRefusedError(
            f"the store is locked: {quoted(name)} is {_age(now - written)} old",
            "a git that is running ends by itself; if none is, one was interrupted: remove the file",
        )


def _ref_locks(refs: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(refs):
        yield from (Path(folder, name) for name in names if name.endswith(".lock"))


def _age(seconds: float) -> str:
    for size, unit in _SECONDS_OF_UNIT:
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return "less than a second"


def _holds_files(folder: Path) -> bool:
    return any(names for _, _, names in os.walk(folder))


def _refuse_attributes(repository: Repository) -> None:
    path = repository.git_dir / "info" / "attributes"
    if not path.exists() and not path.is_symlink():
        return
    content = read_regular_file(path, limit=_ATTRIBUTES_BYTES) if stat.S_ISREG(path.lstat().st_mode) else None
    if content is None or _FILTERING.search(content.data.decode("latin-1")):
        raise RepositoryRefusedError(
            "the store's .git/info/attributes makes git change what is in the files", "remove those lines"
        )

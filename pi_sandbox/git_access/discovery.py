"""What git would take for a repository, told from the names in a folder alone (setup.c, `is_git_directory`).

- `.git`, whatever it is: git opens a folder, a link to one, and a file that says `gitdir:`.
- A folder with a `HEAD` that is no folder, beside `commondir` or `refs`. git wants `objects` and `refs` too, but looks
  for both where `commondir` leads, and for `objects` where `GIT_OBJECT_DIRECTORY` says.
- A name counts in every spelling that some disk would open for it: in other letter case, with characters that are
  ignored, with the endings of NTFS. Which disk it is now does not matter: stores are cloned and projects are copied.

So whatever git takes is found, and more: what stands in these files is not read. Nobody can hide a repository behind a
file that cannot be read, or that becomes valid only later. A folder below a repository of this kind is inside it for
git, which looks upwards; the folder itself is what is named.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import DirEntry

from pi_sandbox.workspace.level_names import is_git_name, may_be_on_any_disk, name_on_any_disk

_HEAD = "head"
_BESIDE_HEAD = frozenset({"commondir", "refs"})


@dataclass(frozen=True)
class FolderEntries:
    """The names in one folder: of real folders, and of files, links and everything else."""

    folders: frozenset[str]
    others: frozenset[str]


def may_hold_a_repository(names: Iterable[str]) -> bool:
    """Tell at once of most folders that `repositories_in` finds nothing in them."""
    return may_be_on_any_disk("/".join(names), ("git", _HEAD))


def repositories_in(entries: FolderEntries) -> tuple[str, ...]:
    """Give the names in a folder that git would open for a repository, and `""` for the folder itself, in order."""
    named = sorted(name for name in entries.folders | entries.others if is_git_name(name))
    return ("", *named) if is_git_directory(entries) else tuple(named)


def is_git_directory(entries: FolderEntries) -> bool:
    """Whether git could take the folder itself for a repository: a bare one, or what a `.git` leads to."""
    if not any(name_on_any_disk(name) == _HEAD for name in entries.others):
        return False
    return any(name_on_any_disk(name) in _BESIDE_HEAD for name in entries.folders | entries.others)


def entries_of(listed: Iterable["DirEntry[str]"]) -> FolderEntries:
    """Give the entries of a folder that was listed."""
    names = list(listed)
    folders = frozenset(entry.name for entry in names if entry.is_dir(follow_symlinks=False))
    return FolderEntries(folders, frozenset(entry.name for entry in names) - folders)


def entries_of_paths(paths: Iterable[str]) -> Mapping[str, FolderEntries]:
    """Give the entries of each folder that holds one of the files; `""` is the folder that the paths start in."""
    found: defaultdict[str, tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))
    for path in paths:
        folder, _, name = path.rpartition("/")
        found[folder][1].add(name)
        while folder:
            folder, _, name = folder.rpartition("/")
            if name in found[folder][0]:
                break
            found[folder][0].add(name)
    return {folder: FolderEntries(frozenset(folders), frozenset(others)) for folder, (folders, others) in found.items()}

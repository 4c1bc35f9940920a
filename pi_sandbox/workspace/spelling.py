"""How a path is spelled on the disk, and what was probably meant by one that is not there."""

import difflib
from pathlib import Path

from pi_sandbox.workspace.disk import Disk
from pi_sandbox.workspace.level_names import folded_name, twin_of

_SIMILARITY = 0.75
"""How much of a name must agree to be offered in place of one that is missing (difflib's ratio)."""


def spelled_on_disk(path: Path, disk: Disk) -> Path:
    """Gives an existing, link-free path as the disk spells it.

    On a disk that ignores case or Unicode normal form the given spelling may be another one; each name is then replaced
    by the listed one that is the same entry. A folder that cannot be listed keeps the spelling it was given.
    """
    spelled = Path(path.anchor)
    for name in path.parts[1:]:
        spelled /= _listed_name(spelled, name, disk)
    return spelled


def nearest_existing(path: Path, disk: Disk) -> Path:
    """Gives the existing path that is nearest to an absolute one that does not exist.

    It goes along the path, by names that differ in case or normal form too, and at the end once to a similar name.
    """
    reached = Path(path.anchor)
    for name in path.parts[1:]:
        names = _names(reached, disk)
        found = name if name in names or _exists(reached / name, disk) else twin_of(name, names)
        if found is None:
            similar = difflib.get_close_matches(name, sorted(names), n=1, cutoff=_SIMILARITY)
            return reached / similar[0] if similar else reached
        reached /= found
    return reached


def _listed_name(folder: Path, name: str, disk: Disk) -> str:
    names = _names(folder, disk)
    if name in names:
        return name
    folded = folded_name(name)
    for listed in names:
        if folded_name(listed) == folded and disk.same_entry(folder / listed, folder / name):
            return listed
    return name


def _names(folder: Path, disk: Disk) -> frozenset[str]:
    try:
        return frozenset(disk.names(folder))
    except OSError:
        return frozenset()


def _exists(path: Path, disk: Disk) -> bool:
    try:
        disk.real_path(path)
    except OSError:
        return False
    return True

"""What a session may write on this machine, read off its mounts, so that a mount that is added later counts too."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path

from pi_sandbox.session.container_spec import Mount, MountKind


@dataclass(frozen=True)
class WritableFolder:
    """A folder that a session may write to, the places in it that it may not, and those of them that it cannot see."""

    path: Path
    closed: frozenset[Path]
    masked: frozenset[Path]


def writable_folders(mounts: Sequence[Mount]) -> tuple[WritableFolder, ...]:
    """Gives what the session of these mounts may write on this machine; files that are mounted by themselves too."""
    closed = [mount for mount in mounts if mount.read_only]
    masked = [mount for mount in closed if mount.kind is MountKind.MASK]
    writable = [mount for mount in mounts if mount.kind is MountKind.BIND and not mount.read_only]
    outer = [
        mount
        for mount in writable
        if not any(mount.target != other.target and mount.target.is_relative_to(other.target) for other in writable)
    ]
    return tuple(
        WritableFolder(mount.source, _below(mount, mount.source, closed), _below(mount, mount.source, masked))
        for mount in outer
        if mount.source is not None
    )


def _below(outer: Mount, source: Path, mounts: Sequence[Mount]) -> frozenset[Path]:
    inner = (mount.target for mount in mounts if mount.target.is_relative_to(outer.target))
    return frozenset(source / target.relative_to(outer.target) for target in inner)


def closed_places(folders: Sequence[WritableFolder]) -> frozenset[Path]:
    """Gives the places in writable folders that the session may not write."""
    return frozenset(place for folder in folders for place in folder.closed)


def is_below(path: Path, places: Container[Path]) -> bool:
    """Whether the path is one of the places or lies in one."""
    return any(outer in places for outer in (path, *path.parents))

"""What a session may write on this machine, read off its mounts, so that a mount that is added later counts too."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pi_sandbox.session.container_spec import Mount, MountKind


@dataclass(frozen=True)
class WritableFolder:
    """A folder that a session may write to, and the places in it that it may not."""

    path: Path
    closed: frozenset[Path]


def writable_folders(mounts: Sequence[Mount]) -> tuple[WritableFolder, ...]:
    """Gives what the session of these mounts may write on this machine; files that are mounted by themselves too."""
    writable = [mount for mount in mounts if mount.kind is MountKind.BIND and not mount.read_only]
    outer = [
        mount
        for mount in writable
        if not any(mount.target != other.target and mount.target.is_relative_to(other.target) for other in writable)
    ]
    return tuple(
        WritableFolder(
            mount.source,
            frozenset(
                mount.source / inner.target.relative_to(mount.target)
                for inner in mounts
                if inner.read_only and inner.target.is_relative_to(mount.target)
            ),
        )
        for mount in outer
        if mount.source is not None
    )


def closed_places(folders: Sequence[WritableFolder]) -> frozenset[Path]:
    """Gives the places in writable folders that the session may not write."""
    return frozenset(place for folder in folders for place in folder.closed)

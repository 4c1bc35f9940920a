"""Proves that the engine shows this machine's files: the wrapper writes a secret word, the container reads it back.

Besides, every mount is looked at from both sides, because an engine may share one folder of this machine and not
another (a virtual machine shares the home folder only; a remote engine has folders of the same name).

A session that runs meanwhile may put a link in place of a folder that lies in its own project or store, and the engine
would follow it to anywhere on this machine. So what the plan took for a folder must still be no link.
"""

import contextlib
import os
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pi_sandbox.errors import EngineError, quoted
from pi_sandbox.session.container_spec import Mount, MountKind
from pi_sandbox.session.control_messages import Look, Seen
from pi_sandbox.session.scope import BRAIN
from pi_sandbox.settings.folders import Folders
from pi_sandbox.system.files import create_file
from pi_sandbox.system.sight import Sight, look_at

_NOT_SEEN = (
    "use an engine on this machine, or share that folder with the engine's virtual machine, "
    "then run `pi-sandbox doctor`"
)


@dataclass(frozen=True)
class Marker:
    """The word that the container must give back, and the name of the file that holds it."""

    name: str
    word: str


@contextlib.contextmanager
def marker_for(folders: Folders, session_id: str) -> Iterator[Marker]:
    """Writes a marker for the time of the block."""
    marker = Marker(session_id, secrets.token_hex(16))
    file = folders.markers / marker.name
    create_file(file, marker.word.encode("ascii"), mode=0o644)
    try:
        yield marker
    finally:
        file.unlink(missing_ok=True)


def watched(mounts: Sequence[Mount]) -> tuple[Mount, ...]:
    """Gives the mounts that both sides look at: every folder and file of this machine."""
    return tuple(mount for mount in mounts if mount.kind is MountKind.BIND)


def look_message(mounts: Sequence[Mount], marker: Marker) -> Look:
    """Gives the question to the entry."""
    return Look(tuple(str(mount.target) for mount in mounts), marker.name)


def unseen_mount(mounts: Sequence[Mount], marker: Marker, seen: Seen) -> EngineError | None:
    """Compares what the container sees with what lies here now; gives the first difference as an error, or `None`."""
    if seen.marker != marker.word:
        return EngineError(
            "the engine does not see this machine's files: it could not read the wrapper's marker", _NOT_SEEN
        )
    if len(seen.contents) != len(mounts) or len(seen.writable) != len(mounts):
        return EngineError("the container did not say what it sees", "build the image again: `pi-sandbox image build`")
    for mount, content, writable in zip(mounts, seen.contents, seen.writable, strict=True):
        if error := _difference(mount, Sight(content, writable)):
            return error
    return None


def _is_within_reach(mount: Mount) -> bool:
    """Whether a session may write where the mount's source lies; the plan has resolved the links of those."""
    return mount.target.is_relative_to(BRAIN) or str(mount.target) == str(mount.source)


def _difference(mount: Mount, seen: Sight) -> EngineError | None:
    if mount.source is None:
        return None
    if _is_within_reach(mount) and os.path.realpath(mount.source) != str(mount.source):
        return EngineError(
            f"{quoted(mount.source)} became a link while the session started",
            "look at who changes it; another session may be at work there",
        )
    here = look_at(mount.source)
    if seen.content is None and here.content is not None:
        return EngineError(
            f"the container may not read {quoted(mount.source)}, although you may",
            "with SELinux, label the folder for containers (chcon -Rt container_file_t); "
            "otherwise look at the engine's user mapping",
        )
    if seen.content != here.content:
        return EngineError(f"the engine does not see {quoted(mount.source)} as it lies on this machine", _NOT_SEEN)
    if here.writable and not seen.writable and not mount.read_only:
        return EngineError(
            f"the container may not write in {quoted(mount.source)}, although you may",
            "the engine maps users in a way that does not fit; run `pi-sandbox doctor`",
        )
    return None

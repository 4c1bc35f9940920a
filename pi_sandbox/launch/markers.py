"""Proves that the container has exactly the planned folders of this machine, before it is told anything.

- The wrapper writes a marker with a secret word; the container reads it back. So the engine sees this machine's files.
- Every planned folder is opened before the container is made, with no link on its way, and held open. If the container
  sees the marker under the same device and inode as the wrapper, both look at one kernel's files, and then each mount
  must be the very folder that is held: names can be copied by a session that may write beside it, an identity cannot.
  A difference is final; asking again would only give such a session more tries.
- An engine in a virtual machine, and gVisor, number files their own way. There the names in each folder are compared,
  again after a while if they differ, because another session may have changed them between the two looks.
- A mask must be empty.
"""

import contextlib
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pi_sandbox.errors import EngineError, quoted
from pi_sandbox.session.container_spec import Mount, MountKind
from pi_sandbox.session.control_messages import Look, Seen
from pi_sandbox.session.scope import BRAIN
from pi_sandbox.settings.folders import Folders
from pi_sandbox.system.files import create_file
from pi_sandbox.system.sight import SPECIAL, Sight, empty_content, held_without_links, identity_of, look_at

_NOT_SEEN = (
    "use an engine on this machine, or share that folder with the engine's virtual machine, "
    "then run `pi-sandbox doctor`"
)
_SWAPPED = "look at who changes it: another session may be at work there"


@dataclass(frozen=True)
class Marker:
    """The word that the container must give back, and the identity of the file that holds it."""

    word: str
    identity: str


@dataclass(frozen=True)
class Held:
    """One mount and the identity of its source while it is held open; `None` for a mask or a device."""

    mount: Mount
    identity: str | None


@dataclass(frozen=True)
class Verdict:
    """What a comparison came to: no error, one that a later look may not find again, or one that is final."""

    error: EngineError | None
    final: bool = False


@contextlib.contextmanager
def marker_for(folders: Folders, session_id: str) -> Iterator[Marker]:
    """Writes a marker for the time of the block."""
    file = folders.markers / session_id
    word = secrets.token_hex(16)
    create_file(file, word.encode("ascii"), mode=0o644)
    try:
        yield Marker(word, identity_of(file.stat()))
    finally:
        file.unlink(missing_ok=True)


@contextlib.contextmanager
def held(mounts: Sequence[Mount]) -> Iterator[tuple[Held, ...]]:
    """Opens the source of every mount and holds it; raises `EngineError` for one that is a link or gone by now."""
    with contextlib.ExitStack() as stack:
        yield tuple(Held(mount, _identity(mount, stack)) for mount in mounts)


def look_message(mounts: Sequence[Held]) -> Look:
    """Gives the question to the entry."""
    return Look(tuple(str(item.mount.target) for item in mounts))


def compare(mounts: Sequence[Held], marker: Marker, seen: Seen) -> Verdict:
    """Compares what the container sees with what was planned and is held."""
    if seen.marker != marker.word:
        return Verdict(
            EngineError(
                "the engine does not see this machine's files: it could not read the wrapper's marker", _NOT_SEEN
            )
        )
    if not len(mounts) == len(seen.contents) == len(seen.writable) == len(seen.identities):
        error = EngineError("the container did not say what it sees", "build the image again: `pi-sandbox image build`")
        return Verdict(error, final=True)
    one_kernel = seen.marker_identity == marker.identity
    for item, content, writable, identity in zip(mounts, seen.contents, seen.writable, seen.identities, strict=True):
        verdict = _compare(item, Sight(content, writable, identity), one_kernel=one_kernel)
        if verdict.error is not None:
            return verdict
    return Verdict(None)


def _identity(mount: Mount, stack: contextlib.ExitStack) -> str | None:
    if mount.source is None:
        return None
    seen = look_at(mount.source)
    if seen.content == SPECIAL:
        return None
    place = mount.source if _is_within_reach(mount) else mount.source.resolve()
    try:
        return stack.enter_context(held_without_links(place))
    except OSError as error:
        raise EngineError(f"{quoted(mount.source)} is gone or became a link since it was planned", _SWAPPED) from error


def _is_within_reach(mount: Mount) -> bool:
    """Whether a session may write where the source lies; the plan has resolved the links of those."""
    return mount.target.is_relative_to(BRAIN) or str(mount.target) == str(mount.source)


def _compare(item: Held, seen: Sight, *, one_kernel: bool) -> Verdict:
    mount = item.mount
    if mount.kind is MountKind.MASK:
        if seen.content == empty_content():
            return Verdict(None)
        return Verdict(EngineError(f"the mask over {quoted(mount.target)} is not empty", _SWAPPED), final=True)
    if item.identity is None or mount.source is None:
        return Verdict(None)
    if one_kernel and seen.identity != item.identity:
        error = EngineError(f"the engine mounted something else than {quoted(mount.source)}", _SWAPPED)
        return Verdict(error, final=True)
    here = look_at(mount.source)
    if seen.content is None and here.content is not None:
        return Verdict(
            EngineError(
                f"the container may not read {quoted(mount.source)}, although you may",
                "with SELinux, label the folder for containers (chcon -Rt container_file_t); "
                "otherwise look at the engine's user mapping",
            )
        )
    if not one_kernel and seen.content != here.content:
        error = EngineError(f"the engine does not see {quoted(mount.source)} as it lies on this machine", _NOT_SEEN)
        return Verdict(error)
    if here.writable and not seen.writable and not mount.read_only:
        return Verdict(
            EngineError(
                f"the container may not write in {quoted(mount.source)}, although you may",
                "the engine maps users in a way that does not fit; run `pi-sandbox doctor`",
            )
        )
    return Verdict(None)

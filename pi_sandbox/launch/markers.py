"""Proves that the container has exactly the planned folders of this machine, before it is told anything, and that its
system calls are filtered as planned.

- The wrapper writes a marker with a secret word; the container reads it back. So the engine sees this machine's files.
  A marker is there as long as its wrapper; one whose wrapper was killed goes at the next start.
- Every planned folder is opened before the container is made, with no link on its way, and held open. If the container
  sees the marker under the same device and inode as the wrapper, both look at one kernel's files, and then each mount
  must be the very folder that is held: names can be copied by a session that may write beside it, an identity cannot.
  A difference is final; asking again would only give such a session more tries.
- An engine in a virtual machine, and gVisor, number files their own way. There the names in each folder are compared,
  again after a while if they differ, because another session may have changed them between the two looks.
- A mask must be empty.
- An engine's report says what it was asked to filter; whether its runtime did is tried out inside.

Each way in which the two can differ has words of its own: what another program did on this machine, what the engine
does not see, and what the session's user may not do are mended in different ways.
"""

import contextlib
import errno
import fcntl
import os
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pi_sandbox.errors import EngineError, FilesError, PiSandboxError, quoted
from pi_sandbox.session.container_spec import Mount, MountKind, StandingPart
from pi_sandbox.session.control_messages import Look, Seen
from pi_sandbox.session.scope import BRAIN
from pi_sandbox.settings.folders import Folders
from pi_sandbox.system.folder_access import closed, denied, ownership_of
from pi_sandbox.system.sight import NOTHING, SPECIAL, Sight, empty_content, held_without_links, identity_of, look_at

_NOT_SEEN = (
    "use an engine on this machine, or share that folder with the engine's virtual machine, "
    "then run `pi-sandbox doctor`"
)
_AT_ONCE = fcntl.LOCK_EX | fcntl.LOCK_NB
_SWAPPED = "look at who changes it: another session may be at work there"
_MOUNTED_LATER = "let the engine run outside of containers, and start it again after that folder's disk was mounted"
_SWAPPED_OR_ELSEWHERE = f"{_MOUNTED_LATER}; or another session changed the folder for a moment"
_EMPTY_THERE = "share that folder with the engine's virtual machine, or use an engine on this machine"


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

    error: PiSandboxError | None
    final: bool = False


@contextlib.contextmanager
def marker_for(folders: Folders, session_id: str) -> Iterator[Marker]:
    """Writes a marker for the time of the block, and locks it: the lock ends with this process, however that ends."""
    file = folders.markers / session_id
    word = secrets.token_hex(16)
    with contextlib.ExitStack() as stack:
        with _locked(folders.markers, fcntl.LOCK_SH):
            descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
            stack.callback(os.close, descriptor)
            stack.callback(file.unlink, missing_ok=True)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.fchmod(descriptor, 0o644)
        os.write(descriptor, word.encode("ascii"))
        yield Marker(word, identity_of(os.fstat(descriptor)))


def remove_lost_markers(folders: Folders) -> None:
    """Removes the markers whose wrapper was killed: nobody holds their locks. One that is just being made stays."""
    with contextlib.suppress(FileNotFoundError, BlockingIOError), _locked(folders.markers, _AT_ONCE):
        for file in folders.markers.iterdir():
            with contextlib.suppress(OSError), _locked(file, _AT_ONCE):
                file.unlink()


@contextlib.contextmanager
def _locked(path: Path, kind: int) -> Iterator[None]:
    """Holds a lock of flock(2) on what lies there for the time of the block; raises `OSError`."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, kind)
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def held(mounts: Sequence[Mount]) -> Iterator[tuple[Held, ...]]:
    """Opens the source of every mount and holds it; raises `PiSandboxError` for one that is a link, gone or closed."""
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


def unfiltered(standing: StandingPart, seen: Seen) -> EngineError | None:
    """Gives the error where the container makes system calls that the plan's list refuses."""
    if standing.seccomp is None or not seen.reached:
        return None
    return EngineError(
        f"the engine does not filter the container's system calls: it reaches {', '.join(map(quoted, seen.reached))}",
        "use a runtime that applies seccomp profiles (runc, crun), or gVisor, which needs none",
    )


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
        raise _not_held(place, error) from error


def _not_held(place: Path, error: OSError) -> PiSandboxError:
    match error.errno:
        case errno.EACCES | errno.EPERM:
            return closed(place, error)
        case errno.ENOENT:
            return EngineError(f"{quoted(place)} is gone since it was planned", _SWAPPED)
        case None | 0 | errno.ENOTDIR | errno.ELOOP:
            return EngineError(f"{quoted(place)} became a link since it was planned, or lies behind one", _SWAPPED)
    return FilesError(f"{quoted(place)} could not be opened: {error.strerror}", "look at the disk that it lies on")


def _is_within_reach(mount: Mount) -> bool:
    """Whether a session may write where the source lies; the plan has resolved the links of those."""
    return mount.target.is_relative_to(BRAIN) or str(mount.target) == str(mount.source)


def _compare(item: Held, seen: Sight, *, one_kernel: bool) -> Verdict:
    mount = item.mount
    if mount.kind is MountKind.MASK:
        if seen.content == empty_content():
            return Verdict(None)
        return Verdict(_broken_mask(mount, seen), final=True)
    if item.identity is None or mount.source is None:
        return Verdict(None)
    here = look_at(mount.source)
    if one_kernel and seen.identity != item.identity:
        return Verdict(_other_folder(item, mount.source, here, seen), final=True)
    if seen.content is None and here.content is not None:
        return Verdict(denied(mount.source, "read", ownership_of(mount.source)))
    if not one_kernel and seen.content != here.content:
        return Verdict(_other_content(mount.source, seen))
    if here.writable and not seen.writable and not mount.read_only:
        return Verdict(denied(mount.source, "write in", ownership_of(mount.source)))
    return Verdict(None)


def _broken_mask(mount: Mount, seen: Sight) -> EngineError:
    if seen.content is None or seen.content == NOTHING:
        what = "is not there" if seen.content == NOTHING else "cannot be looked at by the session's user"
        return EngineError(f"the mask over {quoted(mount.target)} {what}", "report it with your engine and its version")
    return EngineError(f"the mask over {quoted(mount.target)} is not empty", _SWAPPED)


def _other_folder(item: Held, source: Path, here: Sight, seen: Sight) -> PiSandboxError:
    """One kernel, two folders: either the name leads to another one by now, or the engine's mounts are others."""
    if seen.identity is None:
        return _not_shown(source, seen)
    if here.identity != item.identity:
        return EngineError(f"another folder took the place of {quoted(source)} while the session started", _SWAPPED)
    if seen.content == empty_content() != here.content:
        return EngineError(f"the engine sees an empty folder in place of {quoted(source)}", _MOUNTED_LATER)
    return EngineError(f"the engine sees another folder than this machine at {quoted(source)}", _SWAPPED_OR_ELSEWHERE)


def _other_content(source: Path, seen: Sight) -> PiSandboxError:
    """Two kernels, so that names are all there is to compare."""
    if seen.content == empty_content():
        return EngineError(f"the engine sees an empty folder in place of {quoted(source)}", _EMPTY_THERE)
    if seen.content == NOTHING:
        return _not_shown(source, seen)
    return EngineError(f"the engine does not see {quoted(source)} as it lies on this machine", _NOT_SEEN)


def _not_shown(source: Path, seen: Sight) -> PiSandboxError:
    if seen.content is None:
        return denied(source, "read", ownership_of(source))
    return EngineError(f"the engine does not show {quoted(source)} to the container at all", _EMPTY_THERE)

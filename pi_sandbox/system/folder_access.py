"""Whose a folder is that may not be used, who asks, and what mends it.

A session runs as you, with your first group, and without what root may do beyond other people's rights. So a folder of
another user, or one that you may use by a further group only, is open to you and closed to it. Only a folder of your
own that it cannot use is the doing of the engine.
"""

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path

from pi_sandbox.errors import EngineError, FilesError, PiSandboxError, for_a_shell, quoted
from pi_sandbox.system.sight import NOTHING, look_at

_SELINUX = Path("/sys/fs/selinux/enforce")
_ROOT = 0
_OPEN = {True: "u+rwx", False: "u+rw"}
"""What a folder's owner, and a file's, needs of their own."""


@dataclass(frozen=True)
class Ownership:
    """A place's owner and mode, and who asks. `selinux` says whether this machine has it."""

    owner: int
    mode: int
    uid: int
    gid: int
    selinux: bool


def ownership_of(place: Path) -> Ownership:
    """Gives what there is to know of a place that this process may look at."""
    found = place.stat()
    return Ownership(found.st_uid, found.st_mode, os.geteuid(), os.getegid(), _SELINUX.exists())


def denied(place: Path, deed: str, found: Ownership) -> PiSandboxError:
    """Gives the error for a session that may not do the deed ("read", "write in") where this process may."""
    if found.owner != found.uid:
        message = f"{_owner_words(quoted(place), found)}: a session may not {deed} it, {_why(found)}"
        return FilesError(message, _giving_command(place, found))
    return EngineError(f"the container may not {deed} {quoted(place)}, although you may", _ENGINES_DOING[found.selinux])


def closed(path: Path, error: OSError, what: str = "cannot be used") -> FilesError:
    """Gives the error for a path that this process itself may not use, by the folder on it that is closed."""
    place = closed_place(path)
    message = f"{quoted(path)} {what}: {error.strerror}"
    try:
        state = _state("it" if place == path else quoted(place), ownership_of(place))
    except OSError:
        return FilesError(message, "look at the folders on its path")
    return FilesError(f"{message}; {state}", opening(place))


def closed_place(path: Path) -> Path:
    """Gives the first folder on the way that may not be entered, else the last part of the path that there is."""
    way = [folder for folder in (*reversed(path.parents), path) if os.path.lexists(folder)]
    return next((folder for folder in way[:-1] if _is_shut(folder)), way[-1])


def _is_shut(folder: Path) -> bool:
    """Whether nobody gets through without what root may do beyond its own rights."""
    found = folder.stat()
    return (found.st_uid == os.geteuid() and not found.st_mode & stat.S_IXUSR) or not os.access(folder, os.X_OK)


def opening(place: Path) -> str:
    """Gives what opens a place again.

    A command is named only for a place of your own and for one that lies in a folder of yours: nobody should be told to
    take what belongs to the system.
    """
    found = ownership_of(place)
    if found.owner == found.uid:
        return f"open it: chmod {_OPEN[stat.S_ISDIR(found.mode)]} -- {for_a_shell(place)}"
    if ownership_of(place.parent).owner == found.uid:
        return _giving_command(place, found)
    return "use a place of your own, or let its owner give it to you"


def _state(named: str, found: Ownership) -> str:
    mode = stat.filemode(found.mode)
    if found.owner == found.uid:
        return f"{named} is yours and has the mode {mode}"
    return f"{_owner_words(named, found)}; it has the mode {mode}"


def not_yours(place: Path) -> str:
    """Says whose a place is that this process may not write in, and what to do; nothing of one that it may."""
    seen = look_at(place)
    if seen.writable or seen.content == NOTHING:
        return ""
    if os.statvfs(place).f_flag & os.ST_RDONLY:
        return f"{quoted(place)} lies on a disk that is mounted read-only: no session may write there"
    found = ownership_of(place)
    if found.owner == found.uid:
        return f"{_state(quoted(place), found)}: no session may write there (chmod u+w -- {for_a_shell(place)})"
    return f"{_owner_words(quoted(place), found)}: no session may write there ({_giving_command(place, found)})"


def _owner_words(named: str, found: Ownership) -> str:
    return f"{named} belongs to {user_words(found.owner)}, and you are {user_words(found.uid)}"


def _giving_command(place: Path, found: Ownership) -> str:
    """Gives the command that makes the folder yours, and another way out."""
    if found.uid == _ROOT:
        other = f"or run pi-sandbox as {user_words(found.owner)}"
        return f"give it to yourself: chown -R 0:{found.gid} -- {for_a_shell(place)}; {other}"
    other = f"or, if a container of rootless Podman made it: podman unshare chown -R 0:0 -- {for_a_shell(place)}"
    rest = "" if _has_name(found.owner) else f"; {other}"
    return f"give it to yourself: sudo chown -R {found.uid}:{found.gid} -- {for_a_shell(place)}{rest}"


def user_words(uid: int) -> str:
    """Gives a user by name and number, or by the number where this machine knows no name for it."""
    return f"{pwd.getpwuid(uid).pw_name} (uid {uid})" if _has_name(uid) else f"uid {uid} (without a name here)"


def _has_name(uid: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True


_MAPPED = "see whether the engine maps users (userns-remap in its settings), which does not fit"
_ENGINES_DOING = {
    True: f"label the folder for containers, for SELinux (chcon -Rt container_file_t), or {_MAPPED}",
    False: f"{_MAPPED}; then `pi-sandbox doctor`",
}


def _why(found: Ownership) -> str:
    if found.uid == _ROOT:
        return "because it runs without what root may do to other people's files"
    return "because it has your own rights and those of your first group, and of no other group or access list"

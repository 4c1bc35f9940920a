"""What a folder or file looks like from here: the wrapper and the container both look, and the two must agree.

A container engine that runs on another machine, in a virtual machine that shares other folders, or in another mount
namespace shows an empty or older folder under the same path, without a word. And a program that may write in the parent
of a folder may put another one in its place between the moment it was planned and the moment it is mounted.
"""

import contextlib
import hashlib
import os
import stat
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SPECIAL = "special"
NOTHING = "nothing"

_LISTED_AND_ENTERED = stat.S_IRUSR | stat.S_IXUSR

_LOOK = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK) | os.O_CLOEXEC
"""Opens for looking only, where the system can (open(2), O_PATH)."""


@dataclass(frozen=True)
class Sight:
    """One look.

    `content` is a digest over the names in a folder, or the word for what else it is; `None` if it is denied.
    `identity` is device and inode as `dev:ino`, which two processes of one kernel see alike; `None` without a folder or
    file. Names are compared in Unicode normal form C, because some shared folders give them in another form.
    """

    content: str | None
    writable: bool
    identity: str | None


def look_at(path: Path) -> Sight:
    """Gives what is seen at `path` by this process, without following what lies inside."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return Sight(NOTHING, writable=False, identity=None)
    except OSError:
        return Sight(None, writable=False, identity=None)
    identity = identity_of(found)
    try:
        content = _content(path, found)
    except OSError:
        return Sight(None, writable=False, identity=identity)
    return Sight(content, os.access(path, os.W_OK) and not _is_write_protected(found), identity)


def is_closed(found: os.stat_result) -> bool:
    """Whether the permissions of a folder keep this user, its owner, from listing or entering it.

    Root can all the same, and root without capabilities, as in a container, cannot (capabilities(7), CAP_DAC_OVERRIDE).
    """
    return _is_own(found) and found.st_mode & _LISTED_AND_ENTERED != _LISTED_AND_ENTERED


def identity_of(found: os.stat_result) -> str:
    """Gives device and inode as one word."""
    return f"{found.st_dev}:{found.st_ino}"


def empty_content() -> str:
    """Gives the content of a folder without names."""
    return _digest([])


@contextlib.contextmanager
def held_without_links(path: Path) -> Iterator[str]:
    """Opens an absolute path of which no part may be a link, and gives its identity while it is held open.

    Held open, its inode number cannot be given to another file. Raises `OSError` for a part that is missing or a link.
    """
    descriptor = os.open("/", _LOOK | os.O_DIRECTORY)
    try:
        for part in path.parts[1:]:
            inner = os.open(part, _LOOK | os.O_NOFOLLOW, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
            if stat.S_ISLNK(os.fstat(descriptor).st_mode):
                raise NotADirectoryError(0, "it is a link", part)
        yield identity_of(os.fstat(descriptor))
    finally:
        os.close(descriptor)


def _content(path: Path, found: os.stat_result) -> str | None:
    if not stat.S_ISDIR(found.st_mode):
        return _kind(found)
    return None if is_closed(found) else _names_digest(path)


def _is_write_protected(found: os.stat_result) -> bool:
    return _is_own(found) and not found.st_mode & stat.S_IWUSR


def _is_own(found: os.stat_result) -> bool:
    return found.st_uid == os.geteuid()


def _names_digest(path: Path) -> str:
    return _digest([os.fsencode(unicodedata.normalize("NFC", name)) for name in os.listdir(path)])


def _digest(names: list[bytes]) -> str:
    return hashlib.sha256(b"\0".join(sorted(names))).hexdigest()


def _kind(found: os.stat_result) -> str:
    return "file" if stat.S_ISREG(found.st_mode) else SPECIAL

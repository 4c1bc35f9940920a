"""What a folder or file looks like from here: the wrapper and the container both look, and the two must agree.

A container engine that runs on another machine, in a virtual machine that shares other folders, or in another mount
namespace shows an empty or older folder under the same path, without a word.
"""

import hashlib
import os
import stat
import unicodedata
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Sight:
    """One look. `content` is a digest over the names in a folder, or the word for what else it is; `None` if denied.

    Names are compared in Unicode normal form C, because some shared folders give them in another form.
    """

    content: str | None
    writable: bool


def look_at(path: Path) -> Sight:
    """Gives what is seen at `path` by this process, without following what lies inside."""
    try:
        found = path.stat()
        content = _names_digest(path) if stat.S_ISDIR(found.st_mode) else _kind(found)
    except FileNotFoundError:
        return Sight("nothing", writable=False)
    except OSError:
        return Sight(None, writable=False)
    return Sight(content, writable=os.access(path, os.W_OK))


def _names_digest(path: Path) -> str:
    names = sorted(os.fsencode(unicodedata.normalize("NFC", name)) for name in os.listdir(path))
    return hashlib.sha256(b"\0".join(names)).hexdigest()


def _kind(found: os.stat_result) -> str:
    return "file" if stat.S_ISREG(found.st_mode) else "special"

"""Which file of the memory a path means, whatever links lie on the way: the one answer for every tool and rule.

- A file's name is its path below the memory directory at the last place there through which its links lead. So every
  path to one file in memory gives one name, and a link that leads out is the memory file that it stands for.
- A link that leads to itself counts by where it lies, and a file that does not exist by where it would be.
- Two names of one file on the disk (hard links, a folder that is reached twice) are told by `identity`.
"""

from __future__ import annotations

from pathlib import Path

_LINKS = 40
"""Links on one path that the kernel follows at most."""


def name_in_memory(path: Path, memory_root: Path) -> str | None:
    """Give the name of the memory file that an absolute path means, `None` if it means none.

    `memory_root` is a real path.
    """
    here, todo = Path("/"), _parts(path)
    name: str | None = None
    links = _LINKS
    while todo:
        if here == memory_root and ".." not in todo:
            name = "/".join(reversed(todo))
        part = todo.pop()
        if part == "..":
            here = here.parent
            continue
        target = _link_target(here / part)
        if target is None:
            here /= part
        elif links:
            links -= 1
            todo += _parts(target)
            here = Path("/") if target.is_absolute() else here
        else:
            return name
    return str(here.relative_to(memory_root)) if memory_root in here.parents else name


def identity(path: Path) -> tuple[int, int] | None:
    """Give what tells the file behind a path from every other on this machine, `None` if there is none."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def _parts(path: Path) -> list[str]:
    """Give the names on a path, the last one first."""
    return [part for part in reversed(path.parts) if part.strip("/")]


def _link_target(path: Path) -> Path | None:
    try:
        return path.readlink()
    except (OSError, ValueError):
        return None

"""Gives the container's user a name. Node, git and many tools fail for a uid without an entry (getpwuid(3)).

The image's /etc/passwd and /etc/group are links into a tmpfs, because one image serves every user.
"""

import os
from pathlib import Path

USER_NAME = "pi"
HOME = "/home/pi"
_FOLDER = Path("/run/pi-identity")
_IMAGE_FOLDER = Path("/etc")


def write_identity(folder: Path = _FOLDER, image_folder: Path = _IMAGE_FOLDER) -> None:
    """Writes passwd(5) and group(5) for the current uid and gid beside the image's own entries.

    Podman has put a file of its own there, read-only, with an entry for the user: then there is nothing to do.
    """
    uid, gid = os.getuid(), os.getgid()
    if (folder / "passwd").exists():
        return
    passwd = (image_folder / "passwd.image").read_text(encoding="utf-8")
    group = (image_folder / "group.image").read_text(encoding="utf-8")
    (folder / "passwd").write_text(passwd_text(passwd, uid, gid), encoding="utf-8")
    (folder / "group").write_text(group_text(group, gid), encoding="utf-8")


def passwd_text(image: str, uid: int, gid: int) -> str:
    """Gives the image's passwd with our entry first and without another entry of the same name or uid."""
    own = f"{USER_NAME}:x:{uid}:{gid}::{HOME}:/bin/bash\n"
    return own + "".join(
        f"{line}\n"
        for line in image.splitlines()
        if line.split(":")[0] != USER_NAME and line.split(":")[2:3] != [str(uid)]
    )


def group_text(image: str, gid: int) -> str:
    """Gives the image's group file, with an entry for our gid if it has none."""
    known = any(line.split(":")[2:3] == [str(gid)] for line in image.splitlines())
    return image if known else image + f"{USER_NAME}:x:{gid}:\n"

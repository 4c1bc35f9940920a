"""Folders as a session could leave them: nested deeper than a path can be long, closed to their owner, oddly named."""

import contextlib
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.needs import Host, needs

OTHER_USER = 12345


@contextlib.contextmanager
def hostile_folder() -> Iterator[Path]:
    """Gives a folder that every user may enter, and removes it, whatever lies in it."""
    folder = Path(tempfile.mkdtemp(prefix="pi-sandbox-hostile-")).resolve()
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        subprocess.run(["chmod", "-R", "u+rwX", folder], check=False, capture_output=True)
        subprocess.run(["rm", "-rf", folder], check=True)


def nest(folder: Path, names: list[str]) -> None:
    """Makes folders in each other, however long their path gets."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    for name in names:
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, dir_fd=descriptor)
        inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(descriptor)


def names_to(folder: Path, length: int) -> list[str]:
    """Gives the names of folders in each other of which the last one's path has so many bytes."""
    left = length - len(os.fsencode(folder))
    names = []
    while left > 255:
        names.append("d" * 199)
        left -= 200
    return [*names, "e" * (left - 1)]


def odd_entries(folder: Path) -> None:
    """Puts there what is neither a file nor a folder, names that are no text, and links that lead back."""
    os.mkfifo(folder / "pipe")
    os.mknod(folder / "socket", stat.S_IFSOCK | 0o600)
    if os.geteuid() == 0:
        os.mknod(folder / "device", stat.S_IFCHR | 0o600, os.makedev(1, 3))
    (folder / "loop").symlink_to("loop")
    (folder / "back").symlink_to(folder)
    (folder / "dangling").symlink_to("/nowhere/at/all")
    os.mkdir(os.fsencode(folder) + b"/\xff\xfe")
    (folder / "line\nbreak").mkdir()
    (folder / " -rf $(x) '\"\\").mkdir()


@contextlib.contextmanager
def as_another_user(*folders: Path) -> Iterator[None]:
    """Runs the block as a user without any right of root's, who owns these folders and all in them."""
    needs(Host.READABLE_CHECKOUT)
    for folder in folders:
        subprocess.run(["chown", "-R", "-h", f"{OTHER_USER}:{OTHER_USER}", folder], check=True)
    os.setegid(OTHER_USER)
    os.seteuid(OTHER_USER)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


def run_as_another_user(command: str) -> None:
    """Runs a line of bash as that user."""
    program = shutil.which("setpriv") or "setpriv"
    become = [program, f"--reuid={OTHER_USER}", f"--regid={OTHER_USER}", "--clear-groups"]
    subprocess.run([*become, "bash", "-c", command], check=True, cwd="/")

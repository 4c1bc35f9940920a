"""Whose a folder is that may not be used, who asks, and what mends it: never the engine's fault where it is not."""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pi_sandbox.errors import EngineError, FilesError
from pi_sandbox.system.folder_access import Ownership, closed, denied, not_yours, user_words
from tests.needs import Host

PLACE = Path("/home/ann/pi/ws/private/it's mine")
WORD = """'/home/ann/pi/ws/private/it'"'"'s mine'"""
OPEN = stat.S_IFDIR | 0o755
STRANGER, OTHER = 54_321, 54_322
as_root = pytest.mark.needs(Host.ROOT)


def ownership(owner: int, uid: int, mode: int = OPEN, *, selinux: bool = False) -> Ownership:
    return Ownership(owner, mode, uid, uid, selinux)


@pytest.mark.parametrize("deed", ["read", "write in"])
def test_root_in_somebodys_folder_is_told_whose_it_is_and_how_to_mend_it(deed: str) -> None:
    error = denied(PLACE, deed, ownership(STRANGER, 0))
    assert isinstance(error, FilesError)
    assert "it's mine\" belongs to uid 54321 (without a name here), and you are root (uid 0)" in error.message
    assert f"a session may not {deed} it" in error.message
    assert f"chown -R 0:0 -- {WORD}; or run pi-sandbox as uid 54321" in error.hint


def test_a_user_in_roots_folder_is_told_the_command_with_sudo() -> None:
    error = denied(PLACE, "write in", ownership(0, STRANGER))
    assert "belongs to root (uid 0), and you are uid 54321" in error.message
    assert "those of your first group" in error.message
    assert error.hint == f"give it to yourself: sudo chown -R 54321:54321 -- {WORD}"


def test_a_folder_of_a_user_without_a_name_may_come_from_rootless_podman() -> None:
    assert f"podman unshare chown -R 0:0 -- {WORD}" in denied(PLACE, "read", ownership(OTHER, STRANGER)).hint


@pytest.mark.parametrize("selinux", [True, False])
def test_only_an_open_folder_of_ones_own_is_the_engines_doing(*, selinux: bool) -> None:
    error = denied(PLACE, "read", ownership(STRANGER, STRANGER, selinux=selinux))
    assert isinstance(error, EngineError)
    assert "the container may not read" in error.message
    assert ("SELinux" in error.hint) is selinux
    assert "userns-remap" in error.hint


def test_users_are_named_by_name_and_number() -> None:
    assert user_words(0) == "root (uid 0)"
    assert user_words(STRANGER) == "uid 54321 (without a name here)"


def as_stranger(work: Callable[[], str]) -> str:
    """Does the work in a process of its own that belongs to another user, and gives what it came to."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setresgid(STRANGER, STRANGER, STRANGER)
        os.setresuid(STRANGER, STRANGER, STRANGER)
        try:
            os.write(writing, work().encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(child, 0)
    return said


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder of the stranger's own that nothing above keeps them from."""
    folder = Path(tempfile.mkdtemp(dir="/var/tmp"))
    os.chown(folder, STRANGER, STRANGER)
    yield folder
    shutil.rmtree(folder)


def told(path: Path) -> str:
    """What the stranger is told who opens a file or makes one, and runs into what the system says."""
    try:
        with open(path, "ab" if not path.is_dir() else "rb"):
            return "it can be used"
    except PermissionError as error:
        said = closed(path, error)
        return f"{said.message} -> {said.hint}"


@as_root
def test_a_strangers_folder_inside_ones_own_gets_a_command(home: Path) -> None:
    (home / "made-by-root").mkdir(mode=0o755)
    said = as_stranger(lambda: told(home / "made-by-root" / "new.md"))
    assert f'"{home}/made-by-root" belongs to root (uid 0), and you are uid 54321' in said
    assert "it has the mode drwxr-xr-x" in said
    assert said.endswith(f"sudo chown -R 54321:54321 -- {home}/made-by-root")
    assert as_stranger(lambda: told(home / "new.md")) == "it can be used", "the control"


@as_root
def test_a_folder_that_is_shut_further_up_is_the_one_that_is_named(home: Path) -> None:
    (home / "shut" / "inner").mkdir(parents=True)
    (home / "shut").chmod(0o700)
    said = as_stranger(lambda: told(home / "shut" / "inner" / "new.md"))
    assert f'"{home}/shut" belongs to root' in said
    os.chown(home / "shut", STRANGER, STRANGER)
    (home / "shut").chmod(0)
    said = as_stranger(lambda: told(home / "shut" / "inner" / "new.md"))
    assert said.endswith(f"is yours and has the mode d--------- -> open it: chmod u+rwx -- {home}/shut")


@as_root
@pytest.mark.parametrize("place", ["/etc/new.conf", "/var/new", "/etc/shadow"])
def test_nobody_is_told_to_take_what_belongs_to_the_system(place: str) -> None:
    said = as_stranger(lambda: told(Path(place)))
    assert "belongs to root (uid 0)" in said
    assert "chown" not in said
    assert "chmod" not in said


@as_root
def test_a_folder_that_no_session_can_write_in_is_told_before_it_starts(home: Path) -> None:
    (home / "mine").mkdir()
    os.chown(home / "mine", STRANGER, STRANGER)
    assert as_stranger(lambda: not_yours(home / "mine")) == ""
    assert as_stranger(lambda: not_yours(home / "not-there")) == ""
    (home / "mine").chmod(0o555)
    assert f"chmod u+w -- {home}/mine" in as_stranger(lambda: not_yours(home / "mine"))
    (home / "theirs").mkdir()
    said = as_stranger(lambda: not_yours(home / "theirs"))
    assert "belongs to root (uid 0), and you are uid 54321" in said
    assert f"sudo chown -R 54321:54321 -- {home}/theirs" in said


@pytest.mark.needs(Host.ROOT, Host.MOUNTS)
def test_a_disk_that_is_mounted_read_only_is_not_told_as_a_matter_of_rights(tmp_path: Path) -> None:
    look = f"from pi_sandbox.system.folder_access import *; print(not_yours(Path({str(tmp_path)!r})))"
    lock = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0"'
    command = ("unshare", "--mount", "bash", "-c", f'{lock}; exec "$@"', tmp_path, sys.executable, "-c", look)
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert said == f'"{tmp_path}" lies on a disk that is mounted read-only: no session may write there\n'
    assert not_yours(tmp_path) == "", "the control"

"""The rules about spelling on a real disk that ignores case: exFAT by FUSE on a loop device."""

import os
import subprocess

import pytest

from pi_sandbox.errors import UsageError
from pi_sandbox.launch.git_places import find_git
from pi_sandbox.settings.folders import Folders
from pi_sandbox.workspace.project_path import find_workspace
from pi_sandbox.workspace.real_disk import RealDisk
from tests.fakes.borrowed_repository import borrowing_script
from tests.needs import Host, host_cannot, needs
from tests.unit.git_access.git_shapes import git_takes

DOMAINS = ("private", "work")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=30).stdout.strip()


@pytest.fixture
def home(tmp_path):
    needs(Host.ROOT, "mkfs.exfat", "mount.exfat-fuse", "losetup")
    image, mounted = tmp_path / "disk.img", tmp_path / "disk"
    mounted.mkdir()
    image.touch()
    os.truncate(image, 16 * 1024**2)
    run("mkfs.exfat", image)
    try:
        device = run("losetup", "--find", "--show", image)
    except subprocess.CalledProcessError as error:
        host_cannot(Host.LOOP_DEVICES, error.stderr)
    try:
        try:
            run("mount.exfat-fuse", "-o", "umask=077", device, mounted)
        except subprocess.CalledProcessError as error:
            host_cannot(Host.FUSE, error.stderr)
        try:
            yield mounted / "pi"
        finally:
            run("umount", mounted)
    finally:
        run("losetup", "--detach", device)


def test_a_project_is_the_same_however_it_is_spelled(home):
    (home / "ws" / "private" / "Group" / "größe").mkdir(parents=True)
    found = [
        find_workspace(home.parent / spelled, Folders(home), DOMAINS, RealDisk())
        for spelled in ("pi/ws/private/Group/größe", "PI/WS/PRIVATE/GROUP/GRÖßE", "pi/ws/Private/group/Größe")
    ]

    assert {workspace.project for workspace in found} == {home / "ws" / "private" / "Group" / "größe"}
    assert {workspace.levels for workspace in found} == {("Group", "Group/größe")}


def test_a_level_that_the_store_spells_differently_is_refused(home):
    (home / "ws" / "private" / "Group").mkdir(parents=True)
    (home / "brain" / "pi-memory-private" / "group").mkdir(parents=True)
    with pytest.raises(UsageError, match="differ only in case"):
        find_workspace(home / "ws" / "private" / "group", Folders(home), DOMAINS, RealDisk())


def test_a_repository_is_found_however_its_names_are_spelled(home, tmp_path):
    ordinary = tmp_path / "ordinary"
    for folder in (home, ordinary):
        folder.mkdir()
        run("bash", "-ec", f"cd {folder}; {borrowing_script(folder)}")
        run(
            "bash",
            "-ec",
            f"cd {folder}/src; mv HEAD x; mv x Head; mv commondir x; mv x CommonDir; cd ../lib/x; mv refs y; mv y REFS",
        )
    assert git_takes(home / "src")
    assert not git_takes(ordinary / "src"), "the control: the same names on a disk that tells them apart"
    assert [(place.path.relative_to(home).as_posix(), place.kind.name) for place in find_git(home).places] == [
        ("src", "BARE"),
        ("lib/x", "LED_TO"),
    ]

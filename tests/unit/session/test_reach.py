"""What a session may write, read off the mounts of its plan."""

from dataclasses import replace
from pathlib import Path, PurePosixPath

from pi_sandbox.session.container_spec import Mount, MountKind
from pi_sandbox.session.disk_look import GitLook
from pi_sandbox.session.plan import plan_session
from pi_sandbox.session.reach import closed_places, writable_folders
from tests.unit.session import plan_parts as parts

BRAIN = parts.HOME / "brain"


def mounts(*, hidden: tuple[str, ...] = (), domain_wide: bool = False) -> tuple[Mount, ...]:
    look = parts.look(
        domain=parts.store("private", hidden=hidden),
        opt_in=parts.store("work"),
        git=GitLook((parts.git_place(".git"), parts.git_place("vendor/.git")), ()),
    )
    request = replace(parts.request(parts.WORK), domain_wide=domain_wide)
    plan = plan_session(
        request, parts.workspace(), parts.settings(), look, parts.standing(), parts.host(), parts.engine(), "abc"
    )
    return plan.container.mounts


def test_every_mount_that_may_be_written_is_one_folder_and_no_other_is() -> None:
    found = {folder.path for folder in writable_folders(mounts(hidden=("host/other",)))}
    assert {parts.PROJECT, BRAIN / "pi-memory-core", BRAIN / "pi-memory-private"} < found
    assert BRAIN / "pi-memory-work" not in found
    assert BRAIN / "pi-memory-private/host" not in found, "a level that is held in its place lies in the store"
    assert found == {mount.source for mount in mounts() if not mount.read_only and mount.kind is MountKind.BIND}


def test_a_mount_that_is_added_later_counts_too() -> None:
    cache = Mount(PurePosixPath("/home/pi/.cache"), MountKind.BIND, Path("/state/cache"), False, "a cache")
    assert Path("/state/cache") in {folder.path for folder in writable_folders((*mounts(), cache))}


def test_masks_and_read_only_places_are_closed() -> None:
    closed = closed_places(writable_folders(mounts(hidden=("host/other", "elsewhere"))))
    assert closed == {
        parts.PROJECT / ".git",
        parts.PROJECT / "vendor/.git",
        BRAIN / "pi-memory-core/.git",
        BRAIN / "pi-memory-private/.git",
        BRAIN / "pi-memory-private/host/other",
        BRAIN / "pi-memory-private/elsewhere",
    }
    wide = closed_places(writable_folders(mounts(hidden=("host/other",), domain_wide=True)))
    assert BRAIN / "pi-memory-private/host/other" not in wide

"""The container of `pi-sandbox memory`: what it sees, may write and is told."""

from dataclasses import replace
from typing import Literal

import pytest

from pi_sandbox.errors import UsageError
from pi_sandbox.session.container_spec import ContainerSpec, MountKind
from pi_sandbox.session.disk_look import StoreLook
from pi_sandbox.session.mount_plan import plan_mounts
from pi_sandbox.session.plan import DOMAIN_LABEL, session_scope
from pi_sandbox.session.project_key import project_key
from pi_sandbox.session.project_memory_plan import MemoryLook, MemoryRequest, plan_project_memory
from pi_sandbox.settings.folders import Folders
from tests.unit.session import plan_parts as parts

LEVEL = "git.example.org/group/repo"
LOG = MemoryRequest("log")
UNDO = MemoryRequest("undo", (), ("3f2a",))
EVERY: tuple[Literal["log", "undo", "show", "search"], ...] = ("log", "undo", "show", "search")


def plan(request: MemoryRequest, store: StoreLook | None = None, **look: object) -> ContainerSpec:
    found = MemoryLook(store or parts.store("private"), parts.HOME / "pi-config/agent", True)
    return plan_project_memory(
        request,
        parts.workspace(),
        parts.settings(),
        replace(found, **look),  # type: ignore[arg-type]
        parts.standing(),
        parts.host(),
        parts.engine(),
        "abc123",
        tty=False,
    )


@pytest.mark.parametrize("command", EVERY)
def test_it_sees_of_the_memory_what_a_session_sees_at_the_same_places_and_nothing_else(command: str) -> None:
    store = parts.store("private", hidden=("git.example.org/group/other", "elsewhere"))
    look = parts.look(domain=store)
    scope = session_scope(parts.request(), parts.workspace(), look)
    session = plan_mounts(scope, parts.workspace(), Folders(parts.HOME), look, "abc123")
    of_memory = ("/brain/private", "/home/pi/.pi/agent/project-memory", "/run/pi-config", "/run/pi-marker")
    wanted = {(mount.target, mount.kind, mount.source) for mount in session if str(mount.target).startswith(of_memory)}
    planned = plan(MemoryRequest(command), store)  # type: ignore[arg-type]
    assert {(mount.target, mount.kind, mount.source) for mount in planned.mounts} == wanted
    assert dict(planned.environment)["PI_MEMORY_FOLDER"] == f"/brain/private/{LEVEL}/auto"


@pytest.mark.parametrize("command", EVERY)
def test_only_an_undo_may_write_and_only_the_store_and_the_journal(command: str) -> None:
    planned = plan(MemoryRequest(command))  # type: ignore[arg-type]
    writable = {str(mount.source) for mount in planned.mounts if not mount.read_only}
    key = project_key(LEVEL)
    both = {f"{parts.HOME}/brain/pi-memory-private", f"{parts.HOME}/state/private/project-memory/{key}"}
    assert writable == (both if command == "undo" else set())
    assert (DOMAIN_LABEL in dict(planned.labels)) is (command == "undo"), "so that a session is told of it"


def test_the_stores_git_is_masked() -> None:
    masks = [str(mount.target) for mount in plan(LOG).mounts if mount.kind is MountKind.MASK]
    assert masks == ["/brain/private/.git"]


def test_what_is_not_there_is_not_mounted() -> None:
    targets = {str(mount.target) for mount in plan(LOG, agent_config=None, has_state=False).mounts}
    assert targets == {"/brain/private", "/brain/private/.git", "/run/pi-marker"}


def test_another_file_system_in_the_store_is_refused_where_it_would_stay_writable() -> None:
    store = parts.store("private", inner_mounts=(parts.HOME / "brain/pi-memory-private/usb",))
    with pytest.raises(UsageError, match="another file system"):
        plan(LOG, store)
    assert plan(UNDO, store)


def test_what_a_person_looks_for_is_never_taken_for_an_option() -> None:
    planned = plan(MemoryRequest("search", ("--limit", "3"), ("--json", "-x")))
    assert planned.command[-7:] == ("project-memory", "search", "--limit", "3", "--", "--json", "-x")

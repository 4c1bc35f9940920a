"""The containers of memory-check, memory-status and memory-sync: what they see, may write and are told."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from pi_sandbox.containers.compose_files import load_standing_part
from pi_sandbox.errors import UsageError
from pi_sandbox.session.container_spec import ContainerSpec, MountKind
from pi_sandbox.session.disk_look import StoreLook, StoreState
from pi_sandbox.session.plan import DOMAIN_LABEL, HOME_LABEL, OWNER_LABEL, PROJECT_LABEL
from pi_sandbox.session.store_plan import (
    COMMANDS,
    ENTRY,
    CheckRequest,
    CloneRequest,
    Form,
    StatusRequest,
    StoreRequest,
    SyncRequest,
    plan_stores,
)
from pi_sandbox.workspace.workspace import GitEntry
from tests.unit.session import plan_parts as parts

CHECK = CheckRequest(parts.PRIVATE, Form.TEXT)
STATUS = StatusRequest((parts.PRIVATE, parts.WORK), Form.JSON)
SYNC = SyncRequest(parts.PRIVATE, date(2026, 3, 1))
STORES = (parts.store("core"), parts.store("private"))


def plan(request: StoreRequest, *stores: StoreLook, **changes: object) -> ContainerSpec:
    given = {
        "settings": parts.settings(),
        "standing": parts.standing(),
        "host": parts.host(),
        "engine": parts.engine(),
        "session_id": "abc123",
        "tty": False,
    }
    return plan_stores(request, stores or STORES, **{**given, **changes})  # type: ignore[arg-type]


def mounts(container: ContainerSpec) -> dict[str, tuple[str, bool]]:
    return {str(mount.target): (str(mount.source), mount.read_only) for mount in container.mounts}


BRAIN = parts.HOME / "brain"
STATE = parts.HOME / "state"


def test_a_check_sees_the_two_stores_and_the_record_and_may_write_nowhere() -> None:
    assert mounts(plan(CHECK)) == {
        "/brain/core": (f"{BRAIN}/pi-memory-core", True),
        "/brain/private": (f"{BRAIN}/pi-memory-private", True),
        "/run/pi-marker": (f"{STATE}/.markers/abc123", True),
        "/run/pi-sync": (f"{STATE}/.sync", True),
    }


def test_a_status_sees_every_store_asked_for_and_the_record_and_may_write_nowhere() -> None:
    seen = mounts(plan(STATUS, *STORES, parts.store("work")))
    assert seen["/brain/work"] == (f"{BRAIN}/pi-memory-work", True)
    assert seen["/run/pi-sync"] == (f"{STATE}/.sync", True)
    assert all(read_only for _, read_only in seen.values())


def test_a_sync_may_write_to_its_two_stores_and_the_record_and_sees_nothing_else() -> None:
    assert mounts(plan(SYNC)) == {
        "/brain/core": (f"{BRAIN}/pi-memory-core", False),
        "/brain/private": (f"{BRAIN}/pi-memory-private", False),
        "/run/pi-marker": (f"{STATE}/.markers/abc123", True),
        "/run/pi-sync": (f"{STATE}/.sync", False),
    }


@pytest.mark.parametrize("request_", [CHECK, SYNC])
def test_a_store_is_shown_with_its_git(request_: StoreRequest) -> None:
    planned = plan(request_, parts.store("core", git_entry=GitEntry.FILE), parts.store("private"))
    assert not [mount for mount in planned.mounts if mount.kind is MountKind.MASK]


@pytest.mark.parametrize("state", [StoreState.ABSENT, StoreState.NO_FOLDER, StoreState.NO_REPOSITORY])
@pytest.mark.parametrize("request_", [CHECK, SYNC])
def test_a_missing_store_is_an_empty_placeholder_that_is_named_to_the_command(
    request_: StoreRequest, state: StoreState
) -> None:
    planned = plan(request_, parts.store("core", state), parts.store("private"))
    placeholder = next(mount for mount in planned.mounts if str(mount.target) == "/brain/core")
    assert (placeholder.kind, placeholder.source, placeholder.read_only) == (MountKind.MASK, None, True)
    assert planned.command[-2:] == ("--missing", "core")


def test_a_command_is_told_all_that_it_needs() -> None:
    assert plan(CHECK).command == (*ENTRY, "memory-check", "private", "--format", "text")
    assert plan(replace(CHECK, form=Form.SARIF)).command[-1] == "sarif"
    assert plan(STATUS).command == (*ENTRY, "memory-status", "private", "work", "--format", "json")
    assert plan(SYNC).command == (*ENTRY, "memory-sync", "private", "--date", "2026-03-01")
    assert {plan(request).command[len(ENTRY)] for request in (CHECK, STATUS, SYNC)} | {"memory-clone"} == set(COMMANDS)


def test_another_file_system_inside_a_store_is_refused_where_the_store_is_to_be_read_only() -> None:
    inner = parts.store("core", inner_mounts=(BRAIN / "pi-memory-core/notes",))
    with pytest.raises(UsageError, match="would stay writable"):
        plan(CHECK, inner, parts.store("private"))
    assert plan(SYNC, inner, parts.store("private"))


def test_only_a_sync_counts_as_a_writer_of_its_domain() -> None:
    assert DOMAIN_LABEL not in dict(plan(CHECK).labels)
    labels = dict(plan(SYNC).labels)
    assert labels[DOMAIN_LABEL] == "private"
    assert labels[PROJECT_LABEL] == "pi-sandbox memory-sync"
    assert labels[HOME_LABEL] == str(parts.HOME)
    assert "42" in labels[OWNER_LABEL]


def test_the_user_is_the_hosts_own_and_root_inside_a_rootless_engine() -> None:
    assert plan(SYNC).user == "1000:1000"
    assert plan(SYNC, engine=parts.engine(rootless=True)).user == "0:0"


def test_processors_are_never_more_than_the_engine_has() -> None:
    assert plan(SYNC, engine=parts.engine(cpus=1)).standing.cpus == 1.0


def test_the_environment_holds_no_setting_and_no_credential() -> None:
    word = "hunter" + "2" * 8
    settings = parts.settings(
        BRAIN_PRIVATE_URL="https://git.example.org/a",
        BRAIN_PRIVATE_TOKEN_CMD=f"echo {word}",
        https_proxy=f"http://me:{word}@proxy.example.org:3128",
    )
    planned = plan(SYNC, settings=settings)
    assert {name for name, _ in planned.environment} == {"HOME", "LANG", "TERM", "TZ"}
    assert word not in repr(planned)


def test_the_standing_halves_give_a_network_to_the_sync_alone() -> None:
    limits = parts.settings().limits
    assert load_standing_part(CHECK.service, limits).network == "none"
    assert load_standing_part(STATUS.service, limits).network == "none"
    assert load_standing_part(SYNC.service, limits).network == "pi-sandbox"


def test_nothing_can_be_started_from_a_temporary_folder() -> None:
    for service in ("check", "sync"):
        for tmpfs in load_standing_part(service, parts.settings().limits).tmpfs:
            assert "noexec" in tmpfs.options.split(","), tmpfs


def test_the_record_of_the_syncs_lies_where_no_session_looks_and_no_domain_can_be() -> None:
    record = mounts(plan(SYNC))["/run/pi-sync"][0]
    assert Path(record).name.startswith(".")


@pytest.mark.parametrize("store", ["core", "private"])
def test_a_clone_has_the_new_store_and_the_record_alone_to_write(store: str) -> None:
    request = CloneRequest(store)
    planned = plan(request, parts.store(store))
    assert mounts(planned) == {
        f"/brain/{store}": (f"{BRAIN}/pi-memory-{store}", False),
        "/run/pi-sync": (f"{STATE}/.sync", False),
        **{target: mount for target, mount in mounts(planned).items() if target.startswith("/run/pi-marker")},
    }
    assert planned.command == (*ENTRY, "memory-clone", store)
    assert request.service == "sync"

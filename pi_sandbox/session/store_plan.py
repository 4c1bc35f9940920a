"""The plan of a container that works on stores and on nothing else: memory-check, memory-status, memory-sync, clone.

Always:
- it has core and the stores of the domains asked for, with their `.git`, and no project, no settings and no state of pi
  (sandbox.md, "Sync" and "Memory check");
- only a sync may write to them, and only a sync has a network; a clone is a sync of the one new store;
- a missing store is an empty, read-only placeholder and is named to the command, so that nothing is taken for clean
  that was not looked at;
- what the syncs did is recorded in a folder of our own that no session sees, so an agent cannot forge it;
- credentials never stand in the plan.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum
from pathlib import Path, PurePosixPath

from pi_sandbox import __version__
from pi_sandbox.session.container_spec import ContainerSpec, Mount, MountKind, StandingPart
from pi_sandbox.session.disk_look import StoreLook, StoreState
from pi_sandbox.session.mount_plan import marker_mount, refuse_inner_mounts
from pi_sandbox.session.plan import (
    DOMAIN_LABEL,
    HOME_LABEL,
    OWNER_LABEL,
    PROJECT_LABEL,
    SESSION_LABEL,
    VERSION_LABEL,
    EngineView,
    HostFacts,
    standing_at,
)
from pi_sandbox.session.scope import store_path
from pi_sandbox.settings.domains import DomainName
from pi_sandbox.settings.folders import Folders
from pi_sandbox.settings.settings import Settings

ENTRY = ("/opt/pi-sandbox/venv/bin/python", "-I", "-m", "pi_sandbox.inside.memory")
RECORDS = PurePosixPath("/run/pi-sync")
TRUST = "PI_SANDBOX_SYNC_TRUST"
"""The variable that says in words which authorities besides the public ones a sync trusts."""

CHECK, STATUS, SYNC, CLONE = COMMANDS = ("memory-check", "memory-status", "memory-sync", "memory-clone")


class Form(Enum):
    """How a check or a status is written."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"


@dataclass(frozen=True)
class CheckRequest:
    """Check core and one domain's store."""

    domain: DomainName
    form: Form

    command = CHECK
    service = "check"


@dataclass(frozen=True)
class StatusRequest:
    """Say how core and the stores of these domains stand."""

    domains: tuple[DomainName, ...]
    form: Form

    command = STATUS
    service = "check"


@dataclass(frozen=True)
class SyncRequest:
    """Review and push core and one domain's store. `today` is the user's own date."""

    domain: DomainName
    today: date

    command = SYNC
    service = "sync"


@dataclass(frozen=True)
class CloneRequest:
    """Fill a new store, core's or a domain's, with what its remote holds."""

    store: str

    command = CLONE
    service = "sync"


StoreRequest = CheckRequest | StatusRequest | SyncRequest | CloneRequest


def plan_stores(
    request: StoreRequest,
    stores: Sequence[StoreLook],
    settings: Settings,
    standing: StandingPart,
    host: HostFacts,
    engine: EngineView,
    session_id: str,
    *,
    tty: bool,
) -> ContainerSpec:
    """Gives the plan; `stores` are core and those of the request's domains, in the order in which they are worked on.

    Raises `UsageError` where another file system inside a read-only store would stay writable.
    """
    return ContainerSpec(
        name=f"pi-sandbox-{session_id}",
        image=engine.image,
        command=(*ENTRY, *_command(request), *_missing(stores)),
        user="0:0" if engine.rootless else f"{host.uid}:{host.gid}",
        working_dir=PurePosixPath("/home/pi"),
        environment=command_environment(host),
        labels=command_labels(
            request.command,
            request.domain if isinstance(request, SyncRequest) else None,
            settings,
            host,
            session_id,
        ),
        mounts=_mounts(request, stores, Folders(settings.home), session_id),
        tty=tty,
        runtime=settings.runtime,
        standing=standing_at(engine, standing),
    )


def _command(request: StoreRequest) -> tuple[str, ...]:
    match request:
        case CheckRequest(domain, form):
            return (CHECK, domain, "--format", form.value)
        case StatusRequest(domains, form):
            return (STATUS, *domains, "--format", form.value)
        case SyncRequest(domain, today):
            return (SYNC, domain, "--date", today.isoformat())
        case CloneRequest(store):
            return (CLONE, store)


def _missing(stores: Sequence[StoreLook]) -> tuple[str, ...]:
    names = [store.name for store in stores if store.state is not StoreState.PRESENT]
    return tuple(word for name in names for word in ("--missing", name))


def command_environment(host: HostFacts) -> tuple[tuple[str, str], ...]:
    """Gives the variables of a container that runs one command of ours."""
    chosen = (("TERM", host.term), ("TZ", host.time_zone))
    return (
        ("HOME", "/home/pi"),
        ("LANG", "C.UTF-8"),
        *((name, value) for name, value in chosen if value is not None),
    )


def command_labels(
    command: str, domain: DomainName | None, settings: Settings, host: HostFacts, session_id: str
) -> tuple[tuple[str, str], ...]:
    """Gives the labels of such a container; `domain` is the one that it writes to."""
    return (
        (SESSION_LABEL, session_id),
        (PROJECT_LABEL, f"pi-sandbox {command}"),
        *(() if domain is None else ((DOMAIN_LABEL, domain),)),
        (HOME_LABEL, str(settings.home)),
        (VERSION_LABEL, __version__),
        (OWNER_LABEL, host.owner.to_label()),
    )


def _mounts(request: StoreRequest, stores: Sequence[StoreLook], folders: Folders, session_id: str) -> tuple[Mount, ...]:
    writes = isinstance(request, SyncRequest | CloneRequest)
    mounts = [_store(store, read_only=not writes) for store in stores]
    mounts.append(marker_mount(folders, session_id))
    mounts.append(_bind(RECORDS, folders.sync_records, not writes, "what the syncs did"))
    return tuple(sorted(mounts, key=lambda mount: (len(mount.target.parts), str(mount.target))))


def _store(store: StoreLook, *, read_only: bool) -> Mount:
    target = store_path(store.name)
    if store.state is not StoreState.PRESENT:
        return Mount(target, MountKind.MASK, None, True, f"placeholder: the store {store.name} {store.state.value}")
    if read_only:
        refuse_inner_mounts(store.path, store.inner_mounts)
    return _bind(target, store.path, read_only, f"the memory of {store.name}, with its git")


def _bind(target: PurePosixPath, source: Path, read_only: bool, purpose: str) -> Mount:
    return Mount(target, MountKind.BIND, source, read_only, purpose)

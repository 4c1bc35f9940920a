"""Settings and a look at the disk → the plan of a session, with or without an engine to ask."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pi_sandbox.containers.compose_files import load_standing_part
from pi_sandbox.launch.host_facts import host_facts
from pi_sandbox.launch.look import look_at_disk
from pi_sandbox.session.container_spec import Mount
from pi_sandbox.session.disk_look import DiskLook
from pi_sandbox.session.plan import EngineView, SessionPlan, SessionRequest, plan_session
from pi_sandbox.settings.folders import Folders
from pi_sandbox.settings.settings import Settings
from pi_sandbox.system.folder_access import not_yours
from pi_sandbox.workspace.workspace import Workspace


def make_plan(
    request: SessionRequest, workspace: Workspace, settings: Settings, engine: EngineView, session_id: str
) -> SessionPlan:
    """Gives the plan; raises `UsageError` where the project cannot be mounted safely."""
    look = look_at_disk(Folders(settings.home), workspace, request.opt_in)
    return plan_from(look, request, workspace, settings, engine, session_id)


def plan_from(
    look: DiskLook,
    request: SessionRequest,
    workspace: Workspace,
    settings: Settings,
    engine: EngineView,
    session_id: str,
) -> SessionPlan:
    """Gives the same from a look that the caller has."""
    plan = plan_session(
        request,
        workspace,
        settings,
        look,
        load_standing_part("agent", settings.limits),
        host_facts(os.environ),
        engine,
        session_id,
    )
    return replace(plan, warnings=(*plan.warnings, *_not_writable(plan.container.mounts)))


def _not_writable(mounts: Iterable[Mount]) -> Iterator[str]:
    sources = (mount.source for mount in mounts if mount.source is not None and not mount.read_only)
    return filter(None, map(not_yours, sources))

"""The workflows of `memory-check` and `memory-status`: stores to read, no network, no credential, no keyring."""

from collections.abc import Mapping

from pi_sandbox.containers.engine import TerminalSize
from pi_sandbox.containers.terminal import Terminal
from pi_sandbox.launch.reports import Reports
from pi_sandbox.launch.store_container import look_at_stores, prepare_ground, run_on_stores, shown_places
from pi_sandbox.session.control_messages import Start
from pi_sandbox.session.store_plan import CheckRequest, StatusRequest
from pi_sandbox.settings.domains import CORE
from pi_sandbox.settings.settings import Settings


def look_into_memory(
    request: CheckRequest | StatusRequest,
    settings: Settings,
    environ: Mapping[str, str],
    terminal: Terminal,
    reports: Reports,
) -> int:
    """Checks core and the domain's store, or says how stores stand, and gives the exit code of that."""
    domains = (request.domain,) if isinstance(request, CheckRequest) else request.domains
    ground = prepare_ground(settings, environ, reports)
    stores = look_at_stores(ground.folders, (CORE, *domains), reports.warn)
    places = shown_places((CORE, *domains), ground.folders) if isinstance(request, CheckRequest) else {}

    def make_start(size: TerminalSize | None) -> Start:
        return Start(places, None, 0 if size is None else size.rows, 0 if size is None else size.columns)

    return run_on_stores(ground, request, stores, terminal, reports, make_start)

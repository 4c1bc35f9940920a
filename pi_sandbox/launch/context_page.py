"""The context page as a session would get it, made on the host from the same stores by the same code."""

from pathlib import Path

from pi_sandbox.launch.look import look_at_disk
from pi_sandbox.session.briefings import read_briefings
from pi_sandbox.session.context import render_context
from pi_sandbox.session.plan import SessionRequest, session_scope
from pi_sandbox.settings.folders import Folders
from pi_sandbox.system.template_files import render_template
from pi_sandbox.workspace.workspace import Workspace


def context_page(request: SessionRequest, workspace: Workspace, folders: Folders) -> str:
    """Gives the text of the page."""
    look = look_at_disk(folders, workspace, request.opt_in)
    scope = session_scope(request, workspace, look)
    stores = (look.core, look.domain, look.opt_in)
    roots: dict[str, Path] = {store.name: store.path for store in stores if store is not None}
    return render_context(scope, read_briefings(scope, roots), render_template).text

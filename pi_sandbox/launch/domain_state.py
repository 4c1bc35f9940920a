"""What a session needs of our own on the disk, made where it is missing: its domain's login, its project's history."""

from pi_sandbox.git_access.runner import make_repository
from pi_sandbox.launch.home import make_home
from pi_sandbox.launch.home_plan import session_pieces
from pi_sandbox.session.history_key import history_key
from pi_sandbox.settings.domains import DomainName
from pi_sandbox.settings.folders import Folders


def make_domain_state(folders: Folders, domain: DomainName, project_level: str) -> None:
    """Makes what is missing; raises `FilesError`."""
    make_home(folders.home, session_pieces(domain, history_key(project_level)), make_repository)

"""What a session needs of our own on the disk: its domain's login, and what pi keeps of its project."""

from pi_sandbox.git_access.runner import make_repository
from pi_sandbox.launch.home import make_home
from pi_sandbox.launch.home_plan import session_pieces
from pi_sandbox.session.project_key import project_key
from pi_sandbox.settings.domains import DomainName
from pi_sandbox.settings.folders import Folders


def make_domain_state(folders: Folders, domain: DomainName, project_level: str) -> None:
    """Makes what is missing; raises `FilesError`."""
    make_home(folders.home, session_pieces(domain, project_key(project_level)), make_repository)

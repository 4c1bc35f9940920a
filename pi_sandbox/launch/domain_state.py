"""What a session needs of our own on the disk, made where it is missing: login and session history of its domain."""

from pi_sandbox.git_access.runner import make_repository
from pi_sandbox.launch.home import make_home
from pi_sandbox.launch.home_plan import state_pieces
from pi_sandbox.settings.domains import DomainName
from pi_sandbox.settings.folders import Folders


def make_domain_state(folders: Folders, domain: DomainName) -> None:
    """Makes what is missing; raises `FilesError`."""
    make_home(folders.home, state_pieces(domain), make_repository)

"""Clones a new domain's store from its remote (`domain add --clone`), in a container of the sync image.

The store is made beside its place and renamed into it when it is whole; a clone that fails leaves nothing.
"""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass

from pi_sandbox.containers.terminal import Terminal
from pi_sandbox.credentials.keyring_call import system_keychain
from pi_sandbox.credentials.store_credential import read_store_credential
from pi_sandbox.errors import PiSandboxError, UsageError, quoted
from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.git_access.runner import make_repository, try_git
from pi_sandbox.launch.home_plan import PRIVATE_FOLDER
from pi_sandbox.launch.memory_sync import start_maker
from pi_sandbox.launch.reports import Reports
from pi_sandbox.launch.store_container import prepare_ground, run_on_stores
from pi_sandbox.session.disk_look import StoreLook, StoreState
from pi_sandbox.session.store_plan import CloneRequest
from pi_sandbox.settings.domains import DomainName
from pi_sandbox.settings.folders import Folders
from pi_sandbox.settings.settings import Settings, StoreSettings
from pi_sandbox.system.files import create_folder, name_beside
from pi_sandbox.workspace.workspace import GitEntry


class CloneFailedError(PiSandboxError):
    """The store was not cloned; the reason stands above."""

    exit_code = ExitCode.STORE_FAILED


@dataclass(frozen=True)
class Cloner:
    """What a clone needs besides the domain and its settings."""

    environ: Mapping[str, str]
    terminal: Terminal
    reports: Reports

    def clone(self, domain: DomainName, store: StoreSettings, settings: Settings) -> None:
        """Makes the store from its remote; an empty remote makes none. Raises `UsageError` where there is one already.

        Raises `CloneFailedError`, `StoreCredentialError` or what the container's launch raises.
        """
        place = Folders(settings.home).store(domain)
        if store.url is None:
            raise UsageError("--clone needs to know from where", "give --url too")
        if place.exists() or place.is_symlink():
            raise UsageError(f"{quoted(place)} is there already", "leave --clone out, or move it away")
        ground = prepare_ground(settings, self.environ, self.reports)
        keychain = system_keychain(self.environ, attended=self.terminal.is_interactive)
        credential = read_store_credential(domain, store, self.environ, keychain)
        beside = name_beside(place)
        create_folder(beside, mode=PRIVATE_FOLDER)
        try:
            make_repository(beside)
            look = StoreLook(domain, beside.resolve(), StoreState.PRESENT, GitEntry.FOLDER, (), ())
            make_start = start_maker({domain: (store.url, credential)}, {}, settings)
            code = run_on_stores(ground, CloneRequest(domain), (look,), self.terminal, self.reports, make_start)
            if code != ExitCode.OK:
                raise CloneFailedError(
                    f"the memory of {domain} was not cloned", "nothing was made; mend it and try again"
                )
            if try_git(beside, "rev-parse", "--verify", "--quiet", "HEAD").status == 0:
                beside.rename(place)
        finally:
            shutil.rmtree(beside, ignore_errors=True)

"""Takes a store's memory from its remote (`memory-clone`, `domain add --clone`), in a container of the sync image.

- The store is made beside its place and renamed into it when it is whole; a clone that fails changes nothing.
- It takes the place of a store only while that is as `init` made it, and while no session may write to it.
"""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from pi_sandbox.containers.terminal import Terminal
from pi_sandbox.credentials.keyring_call import system_keychain
from pi_sandbox.credentials.store_credential import read_store_credential
from pi_sandbox.errors import PiSandboxError, UsageError, quoted
from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.git_access.runner import make_repository, try_git
from pi_sandbox.launch.home_plan import PRIVATE_FOLDER
from pi_sandbox.launch.leftovers import Session
from pi_sandbox.launch.memory_sync import StoreAccess, renewal, start_maker
from pi_sandbox.launch.reports import Reports
from pi_sandbox.launch.store_container import Ground, prepare_ground, run_on_stores
from pi_sandbox.launch.store_lock import alone_with
from pi_sandbox.launch.untouched import is_untouched
from pi_sandbox.session.disk_look import StoreLook, StoreState
from pi_sandbox.session.plan import DOMAIN_LABEL
from pi_sandbox.session.store_plan import CloneRequest
from pi_sandbox.settings.domain_changes import unknown_origin
from pi_sandbox.settings.domains import CORE
from pi_sandbox.settings.folders import Folders
from pi_sandbox.settings.settings import Settings, StoreSettings
from pi_sandbox.settings.table import URL_SUFFIX, store_setting
from pi_sandbox.system.files import create_folder, name_beside
from pi_sandbox.workspace.workspace import GitEntry


class CloneFailedError(PiSandboxError):
    """The store was not cloned; the reason stands above."""

    exit_code = ExitCode.STORE_FAILED


class Cloned(Enum):
    """What a clone came to."""

    FILLED = "filled"
    REMOTE_EMPTY = "remote empty"


@dataclass(frozen=True)
class Cloner:
    """What a clone needs besides the store and its settings. `command` is what the owner typed, to type it again."""

    environ: Mapping[str, str]
    terminal: Terminal
    reports: Reports
    command: str

    def clone(self, name: str, store: StoreSettings, settings: Settings) -> Cloned:
        """Makes the store from its remote; an empty remote changes nothing.

        Raises `UsageError` for a store that is not as it was made or is in use, `CloneFailedError`,
        `StoreCredentialError` or what the container's launch raises.
        """
        place = Folders(settings.home).store(name)
        if store.url is None:
            setting = store_setting(name, URL_SUFFIX)
            raise unknown_origin(name, f"set {setting} in {settings.home}/.env")
        _refuse_touched(place, name)
        ground = prepare_ground(settings, self.environ, self.reports)
        _refuse_writers(ground.live, name)
        keychain = system_keychain(self.environ, attended=self.terminal.is_interactive)
        access = StoreAccess(
            store.url, read_store_credential(name, store, self.environ, keychain), renewal(name, store)
        )
        with alone_with((name,), ground.folders):
            return self._take(name, access, ground, place)

    def _take(self, name: str, access: StoreAccess, ground: Ground, place: Path) -> Cloned:
        beside = name_beside(place)
        create_folder(beside, mode=PRIVATE_FOLDER)
        try:
            make_repository(beside)
            look = StoreLook(name, beside.resolve(), StoreState.PRESENT, GitEntry.FOLDER, (), ())
            make_start = start_maker({name: access}, {}, ground.settings)
            code = run_on_stores(ground, CloneRequest(name), (look,), self.terminal, self.reports, make_start)
            if code != ExitCode.OK:
                raise CloneFailedError(
                    f"the memory of {name} was not cloned", f"nothing was changed; mend it, then again: {self.command}"
                )
            if try_git(beside, "rev-parse", "--verify", "--quiet", "HEAD").status != 0:
                return Cloned.REMOTE_EMPTY
            _put_in_place(beside, place, name)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
        return Cloned.FILLED


def _refuse_touched(place: Path, name: str) -> None:
    if (place.exists() or place.is_symlink()) and not is_untouched(place, name):
        raise UsageError(
            f"{quoted(place)} is there already, and something was written into it",
            "move it away, clone, and move the notes that are missing then into the new one",
        )


def _refuse_writers(live: Sequence[Session], name: str) -> None:
    for session in live:
        domain = session.container.labels.get(DOMAIN_LABEL)
        if domain is not None and session.container.state != "exited" and name in (CORE, domain):
            raise UsageError(
                f"the session {session.session_id} of {session.project} uses the store {name}",
                "end it first: it would go on with the old one",
            )


def _put_in_place(beside: Path, place: Path, name: str) -> None:
    """Renames the new store into its place; what `init` made there goes, and comes back if that fails."""
    if not (place.exists() or place.is_symlink()):
        beside.rename(place)
        return
    _refuse_touched(place, name)
    old = name_beside(place)
    place.rename(old)
    try:
        beside.rename(place)
    except OSError:
        old.rename(place)
        raise
    shutil.rmtree(old, ignore_errors=True)

"""The workflows of `domain add`, `domain list` and `domain remove`.

- Adding makes the folders and the store before the setting, so that a domain is never configured without them, and an
  interrupted run is finished by the next one.
- Removing takes the settings away and nothing else: no store, no workspace, no login, no keyring item.
- `.env` is changed by one command at a time, whole or not at all, and only where the result can be read.
"""

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pi_sandbox.credentials.sources import CommandSource, credential_source, keyring_account
from pi_sandbox.errors import UsageError, quoted
from pi_sandbox.git_access.runner import make_repository
from pi_sandbox.launch.home import PieceOutcome, make_home, read_home_templates
from pi_sandbox.launch.home_plan import PRIVATE_FILE, domain_pieces, state_pieces
from pi_sandbox.launch.look import look_at_store
from pi_sandbox.session.disk_look import StoreState
from pi_sandbox.settings import table
from pi_sandbox.settings.domain_changes import Changes, domain_added, domain_removed, unknown_origin
from pi_sandbox.settings.domains import DomainName
from pi_sandbox.settings.env_edit import edit_env_file
from pi_sandbox.settings.folders import Folders
from pi_sandbox.settings.load import load_settings
from pi_sandbox.settings.read import read_env_file, user_home
from pi_sandbox.settings.settings import Settings, StoreSettings
from pi_sandbox.system.files import atomic_write


@dataclass(frozen=True)
class DomainAdded:
    """What was made for a new domain, and what is left to do, a sentence each."""

    domain: DomainName
    home: Path
    outcomes: tuple[PieceOutcome, ...]
    left_to_do: tuple[str, ...]


@dataclass(frozen=True)
class DomainRemoved:
    """A domain that is configured no longer, the lines that were taken out of `.env`, and what of it is still there."""

    domain: DomainName
    env_file: Path
    taken_out: tuple[str, ...]
    left: tuple[str, ...]


@dataclass(frozen=True)
class DomainEntry:
    """One configured domain. `credential` says where it would be taken from, without looking there."""

    domain: DomainName
    store: Path
    state: StoreState
    workspace: Path
    url: str | None
    credential: str
    user: str | None


def list_domains(settings: Settings) -> tuple[DomainEntry, ...]:
    """Gives the configured domains; asks neither the keyring nor a command."""
    folders = Folders(settings.home)
    return tuple(_entry(domain, settings.stores[domain], folders) for domain in settings.domains)


Clone = Callable[[DomainName, StoreSettings, Settings], object]


def add_domain(
    text: str, store: StoreSettings, settings: Settings, environ: Mapping[str, str], clone: Clone | None = None
) -> DomainAdded:
    """Makes the domain, its store by `clone` if given; raises `SettingsError`, `UsageError` or `FilesError`."""
    folders = Folders(settings.home)
    domain, _ = domain_added(text, store, settings)
    _require_home(folders)
    if clone is not None:
        if store.url is None:
            raise unknown_origin(domain, "name the place: --url https://…")
        clone(domain, store, settings)
    pieces = (*state_pieces(domain), *domain_pieces(domain, read_home_templates()))
    report = make_home(folders.home, tuple(dict.fromkeys(pieces)), make_repository)
    _change_settings(lambda current: domain_added(text, store, current)[1], folders, environ)
    return DomainAdded(domain, folders.home, report.outcomes, _left_to_do(domain, store, folders))


def remove_domain(text: str, settings: Settings, environ: Mapping[str, str]) -> DomainRemoved:
    """Takes the domain out of the settings; raises `SettingsError`, `UsageError` or `FilesError`."""
    folders = Folders(settings.home)
    domain, _ = domain_removed(text, settings)
    _require_home(folders)
    _change_settings(lambda current: domain_removed(text, current)[1], folders, environ)
    taken_out = _lines_of(domain, settings.stores[domain])
    return DomainRemoved(domain, folders.env_file, taken_out, _left_of(domain, folders))


def _entry(domain: DomainName, store: StoreSettings, folders: Folders) -> DomainEntry:
    source = credential_source(domain, store)
    return DomainEntry(
        domain,
        folders.store(domain),
        look_at_store(folders, domain).state,
        folders.domain_workspace(domain),
        store.url,
        source.variable if isinstance(source, CommandSource) else f"keyring: {source.account}",
        store.user,
    )


def _require_home(folders: Folders) -> None:
    if not folders.home.is_dir():
        raise UsageError(f"there is no home {quoted(folders.home)}", "pi-sandbox init")


def _change_settings(change: Callable[[Settings], Changes], folders: Folders, environ: Mapping[str, str]) -> None:
    """Writes the file, with the permissions that it has, after making sure that every command can read the result.

    What changes depends on the settings as they are once no other command can change them.
    """
    path = folders.env_file
    with _alone_with(folders.home):
        before = read_env_file(path)
        changes = change(load_settings(environ, user_home(environ), lambda _: before))
        after = edit_env_file(before or b"", changes, path)
        load_settings(environ, user_home(environ), lambda _: after)
        mode = PRIVATE_FILE if before is None else path.stat().st_mode & 0o777
        atomic_write(path, after, mode=mode)


@contextlib.contextmanager
def _alone_with(home: Path) -> Iterator[None]:
    """Keeps other commands that make or change a home waiting (`home.py` holds the same lock)."""
    descriptor = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _left_to_do(domain: DomainName, store: StoreSettings, folders: Folders) -> tuple[str, ...]:
    steps = []
    if store.url is None:
        setting = table.store_setting(domain, table.URL_SUFFIX)
        steps.append(f"to push its memory, set {setting}=https://… in {folders.env_file}")
    if store.token_command is None:
        form = "the token" if store.user is not None else "username:token"
        steps.append(f"store the credential ({form}): pi-sandbox secret set {keyring_account(domain)}")
    steps.append(f"see whether all is well: pi-sandbox doctor, pi-sandbox memory-check {domain}")
    return tuple(steps)


def _lines_of(domain: DomainName, store: StoreSettings) -> tuple[str, ...]:
    """Gives the settings of a store as lines, to put them back by hand. None of them is a secret."""
    given = {
        table.URL_SUFFIX: store.url,
        table.TOKEN_COMMAND_SUFFIX: store.token_command,
        table.USER_SUFFIX: store.user,
    }
    return tuple(f"{table.store_setting(domain, name)}={value}" for name, value in given.items() if value is not None)


def _left_of(domain: DomainName, folders: Folders) -> tuple[str, ...]:
    places = (folders.store(domain), folders.domain_workspace(domain), folders.domain_state(domain))
    return (
        *(str(place) for place in places if os.path.lexists(place)),
        f"a credential in the keyring, if there is one: pi-sandbox secret delete {keyring_account(domain)}",
    )

"""The workflow of `memory-sync`: the two stores to write, the network, and the credentials of exactly these two.

- The credentials are read last, on the user's own terminal, before the container has it.
- What stands in the way of one store (no URL, no credential) goes in as a sentence: it fails, the other one goes on.
- One sync at a time has a store, and running sessions, which write to the same stores, are named.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from pi_sandbox.containers.engine import TerminalSize
from pi_sandbox.containers.terminal import Terminal
from pi_sandbox.credentials.credential import Credential, StoreCredentialError
from pi_sandbox.credentials.keychain import Keychain
from pi_sandbox.credentials.keyring_call import system_keychain
from pi_sandbox.credentials.sources import CommandSource, credential_source
from pi_sandbox.credentials.store_credential import read_store_credential
from pi_sandbox.launch.certificates import ca_bundle, trust_words
from pi_sandbox.launch.leftovers import Session
from pi_sandbox.launch.reports import Reports
from pi_sandbox.launch.store_container import (
    MakeStart,
    look_at_stores,
    prepare_ground,
    run_on_stores,
    shown_places,
    store_prefix,
)
from pi_sandbox.launch.store_lock import alone_with
from pi_sandbox.session.control_messages import Start
from pi_sandbox.session.disk_look import StoreLook, StoreState
from pi_sandbox.session.plan import DOMAIN_LABEL
from pi_sandbox.session.store_plan import TRUST, SyncRequest
from pi_sandbox.settings.domains import CORE, DomainName
from pi_sandbox.settings.settings import Settings, StoreSettings
from pi_sandbox.settings.table import URL_SUFFIX, USER_SUFFIX, store_setting


@dataclass(frozen=True)
class StoreAccess:
    """The URL of a store with the credential for it, or with a sentence that says why there is none.

    `renewal` says where the credential came from and how it is set anew.
    """

    url: str
    credential: Credential | str
    renewal: str = ""


Access = Mapping[str, StoreAccess]
"""By name of the store."""


def sync_memory(
    domain: DomainName,
    today: date,
    settings: Settings,
    environ: Mapping[str, str],
    terminal: Terminal,
    reports: Reports,
) -> int:
    """Reviews and pushes core and the domain's store, and gives the exit code of that."""
    ground = prepare_ground(settings, environ, reports)
    names = (CORE, domain)
    with alone_with(names, ground.folders):
        stores = look_at_stores(ground.folders, names, reports.warn)
        for sentence in writers(ground.live, domain):
            reports.warn(sentence)
        keychain = system_keychain(environ, attended=terminal.is_interactive)
        access = store_access(stores, settings, environ, keychain)
        make_start = start_maker(access, shown_places(names, ground.folders), settings)
        return run_on_stores(ground, SyncRequest(domain, today), stores, terminal, reports, make_start)


def writers(live: Sequence[Session], domain: DomainName) -> tuple[str, ...]:
    """Gives a sentence for each running session that may write to one of the stores. Every session has core."""
    sentences = []
    for session in live:
        its_domain = session.container.labels.get(DOMAIN_LABEL)
        if its_domain is not None and session.container.state != "exited":
            stores = f"core and {domain}" if its_domain == domain else "core"
            sentences.append(
                f"the session {session.session_id} of {session.project} is running and may write to {stores}; "
                "only what you are shown is pushed"
            )
    return tuple(sentences)


def store_access(
    stores: Sequence[StoreLook], settings: Settings, environ: Mapping[str, str], keychain: Keychain
) -> Access:
    """Asks for the credential of each store that is there and has a URL; raises `KeyboardInterrupt` for Ctrl-C."""
    return {
        store.name: _access(store.name, settings, environ, keychain)
        for store in stores
        if store.state is StoreState.PRESENT
    }


def _access(name: str, settings: Settings, environ: Mapping[str, str], keychain: Keychain) -> StoreAccess:
    store = settings.stores[name]
    if store.url is None:
        setting = store_setting(name, URL_SUFFIX)
        return StoreAccess("", f"{setting} is not set; set it in {settings.home}/.env to where the store is pushed to")
    try:
        credential = read_store_credential(name, store, environ, keychain)
    except StoreCredentialError as error:
        return StoreAccess(store.url, f"{error.message}; {error.hint}")
    return StoreAccess(store.url, credential, renewal(name, store))


def renewal(name: str, store: StoreSettings) -> str:
    """Says where the credential of a store comes from and how it is set anew."""
    source = credential_source(name, store)
    user = f"the user name from {store_setting(name, USER_SUFFIX)}" if store.user is not None else "the user name in it"
    if isinstance(source, CommandSource):
        return f"the token is what {source.variable} prints: run that command to see it, and look at {user} too"
    return (
        f"the token is the keyring's {source.account}: set it anew with pi-sandbox secret set {source.account}, "
        f"and look at {user} too"
    )


def start_maker(access: Access, places: Mapping[str, str], settings: Settings) -> MakeStart:
    """Gives what makes the message to the container: the credentials are opened in the moment in which they leave."""
    found = ca_bundle(settings)
    bundle = None if found is None else found.decode("utf-8")
    trust = trust_words(settings)

    def make_start(size: TerminalSize | None) -> Start:
        rows, columns = (0, 0) if size is None else (size.rows, size.columns)
        given = {**settings.proxies.variables(), **places, **variables(access), TRUST: trust}
        return Start(given, bundle, rows, columns)

    return make_start


def variables(access: Access) -> Mapping[str, str]:
    """Gives what the sync is told over the control channel: `BRAIN_CORE_…` and `BRAIN_DOMAIN_…` (sandbox.md)."""
    found: dict[str, str] = {}
    for name, store in access.items():
        prefix = store_prefix(name)
        if isinstance(store.credential, Credential):
            found[f"{prefix}_URL"] = store.url
            found[f"{prefix}_TOKEN"] = f"{store.credential.username}:{store.credential.token.reveal()}"
            found[f"{prefix}_RENEWAL"] = store.renewal
        else:
            found[f"{prefix}_PROBLEM"] = store.credential
    return found

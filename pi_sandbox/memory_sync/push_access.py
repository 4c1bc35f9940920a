"""What a push of one store needs from outside: the exact URL and the credential, out of the sync's environment.

The credential leaves the environment here and goes into one file that only we can read; git's credential helper reads
it there (`credential_helper.py`). It stands in no argument, no configuration and no variable of git's.
"""

import os
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from pi_sandbox.memory_sync.outcome import SyncFailedError
from pi_sandbox.session.store_plan import TRUST
from pi_sandbox.settings.values import parse_push_url

SHORTEST_TOKEN = 8
"""What NIST SP 800-63B asks of a password; the tokens of forges are longer. With a token of one letter every line with
that letter would have to be withheld."""

_PROXIES = ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
_NO_PROXY = ("no_proxy", "NO_PROXY")
_CA_BUNDLE = "GIT_SSL_CAINFO"


@dataclass(frozen=True)
class PushAccess:
    """Where a store is pushed to, and with what. `renewal` says where that came from and how it is set anew."""

    url: str
    username: str
    token: str = field(repr=False)
    renewal: str = ""

    @property
    def host(self) -> str:
        """The host with its port, as the URL has it."""
        return urlsplit(self.url).netloc

    @property
    def live_secrets(self) -> tuple[str, ...]:
        """What must appear nowhere."""
        return (self.token, f"{self.username}:{self.token}")


@dataclass(frozen=True)
class Network:
    """How this machine reaches others. `trust` names for people what `ca_bundle` holds besides public authorities."""

    proxy: str | None = field(repr=False)
    no_proxy: str | None
    ca_bundle: str | None
    trust: str = ""


def take_access(environ: MutableMapping[str, str], prefix: str) -> PushAccess | SyncFailedError:
    """Takes a store's URL and credential out of the environment, or gives why there is none."""
    url = environ.pop(f"{prefix}_URL", "")
    token = environ.pop(f"{prefix}_TOKEN", "")
    problem = environ.pop(f"{prefix}_PROBLEM", "")
    renewal = environ.pop(f"{prefix}_RENEWAL", "")
    if problem:
        return SyncFailedError(problem)
    if not url:
        return SyncFailedError(f"{prefix}_URL is not set", "set it in .env to where the store is pushed to")
    try:
        parse_push_url(url)
    except ValueError as error:
        return SyncFailedError(f"{prefix}_URL {error}", "correct it in .env")
    username, colon, secret = token.partition(":")
    if not (username and colon and secret) or not token.isprintable():
        return SyncFailedError(f"{prefix}_TOKEN is missing or not of the form username:token", "see the credentials")
    if len(secret) < SHORTEST_TOKEN:
        return SyncFailedError(
            f"{prefix}_TOKEN has a token of fewer than {SHORTEST_TOKEN} characters, which cannot be told from ordinary "
            "words where it must not appear",
            f"use a longer one. {renewal}" if renewal else "use a longer one",
        )
    return PushAccess(url, username, secret, renewal)


def network_of(environ: Mapping[str, str]) -> Network:
    """Gives the proxy and the CA bundle that the environment names."""

    def first(names: tuple[str, ...]) -> str | None:
        return next((environ[name] for name in names if environ.get(name)), None)

    return Network(first(_PROXIES), first(_NO_PROXY), environ.get(_CA_BUNDLE), environ.get(TRUST, ""))


def write_credential(access: PushAccess, path: Path) -> None:
    """Writes the URL, the user name and the token, a line each, into a new file that only we can read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f"{access.url}\n{access.username}\n{access.token}\n")

"""Reads what an engine says while it builds: progress for a person, the whole log, and why a build failed.

- Docker's classic builder says `Step 3/40 : RUN …`, buildah `[2/9] STEP 3/7: RUN …`; everything else is log.
- The log is shown to a person later: terminal controls are taken out, and so is what proxy addresses hold of passwords.
- A hint is given only for failures that the owner can mend, by the words of the tools that the build runs.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from pi_sandbox.settings.settings import Proxies

_STEP = re.compile(r"^(?:\[\d+/\d+\] )?step (?P<step>\d+)/(?P<of>\d+) ?: (?P<text>.+)$", re.IGNORECASE)
_IMAGE_ID = re.compile(r"^ ?-{2,3}> (?:Using cache )?([0-9a-f]{11,64})$", re.MULTILINE)
_ANSI_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

SHORTEST_HIDDEN_ALONE = 4
BASE_HINT = (
    "look at PI_SANDBOX_BASE_IMAGE if it is set; "
    "without an image registry, make the base from Debian packages: pi-sandbox image build --bootstrap-base"
)
_HINTS = (
    (
        r"certificate.?verif|SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER|VERIFY)|unable to get local issuer"
        r"|unable to verify the first certificate|self.signed certificate|certificate is NOT trusted|unknown authority",
        "the build does not trust a server's certificate: "
        "set PI_SANDBOX_CA_BUNDLE to a PEM file with the CA of your network",
    ),
    (
        r"DO NOT MATCH THE HASHES|EINTEGRITY|Hash Sum mismatch",
        "a download is not what the lock file names: look at the mirror or proxy between here and the registry",
    ),
    (
        r"no space left on device|ENOSPC",
        "free disk space in the engine; docker system df shows what uses it",
    ),
    (
        r"exec format error",
        "the base image is for another processor: set PI_SANDBOX_BASE_IMAGE to one for this engine",
    ),
    (
        r"Temporary failure|Could not resolve|Name or service not known|EAI_AGAIN|ENOTFOUND|ETIMEDOUT|ECONNREFUSED"
        r"|ECONNRESET|Could not connect|Unable to connect|Connection (timed out|refused)|Network is unreachable"
        r"|Failed to establish a new connection|ProxyError|Tunnel connection failed",
        "the build could not reach a package registry: look at the network and at HTTP_PROXY, HTTPS_PROXY and NO_PROXY "
        "(a proxy at 127.0.0.1 or localhost cannot be reached from inside a build)",
    ),
    (
        r"apt-get: not found|Unable to locate package",
        "the base image has to be Debian 13 (trixie): set PI_SANDBOX_BASE_IMAGE, or leave it out",
    ),
)


@dataclass(frozen=True)
class BuildProgress:
    """One step that has begun: its number, how many there are, and the instruction."""

    step: int
    of: int
    text: str


class BuildLog:
    """Collects the events of one build. `secrets` are replaced in everything that it gives back."""

    def __init__(self, secrets: tuple[str, ...] = ()) -> None:
        self._secrets = secrets
        self._parts: list[str] = []
        self._step_starts_at = 0
        self.current: BuildProgress | None = None
        self.failure: str | None = None

    def add(self, event: Mapping[str, Any]) -> BuildProgress | None:
        """Takes one event of the engine; gives the progress if it is the beginning of a step."""
        if "error" in event:
            self.failure = clean(str(event["error"]), self._secrets).strip() or "the engine gave no reason"
            self._parts.append(self.failure + "\n")
        elif "stream" in event:
            self._parts.append(str(event["stream"]))
            return self._begin_step(clean(self._parts[-1], self._secrets))
        elif "status" in event and not event.get("progressDetail"):
            self._parts.append(f"{event.get('id', '')} {event['status']}".strip() + "\n")
        return None

    @property
    def text(self) -> str:
        """The whole log so far, safe for a terminal."""
        return clean("".join(self._parts), self._secrets)

    @property
    def text_of_step(self) -> str:
        """The part of the log that belongs to the step that began last: the reason of a failure is in there."""
        return clean("".join(self._parts[self._step_starts_at :]), self._secrets)

    @property
    def image_ids(self) -> frozenset[str]:
        """The shortened ids of the images that the build made or used again, one after each step."""
        return frozenset(_IMAGE_ID.findall("".join(self._parts)))

    def _begin_step(self, text: str) -> BuildProgress | None:
        begun = _STEP.match(text.strip())
        if begun is None:
            return None
        self._step_starts_at = len(self._parts) - 1
        instruction = " ".join(begun["text"].split())
        self.current = BuildProgress(int(begun["step"]), int(begun["of"]), instruction)
        return self.current


def clean(text: str, secrets: tuple[str, ...]) -> str:
    """Gives the text without terminal controls and with each secret replaced by `***`."""
    for secret in secrets:
        text = text.replace(secret, "***")
    text = _ANSI_SEQUENCE.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", text)


def failure_hint(log: BuildLog) -> str:
    """Gives what the owner can do about a failed build, or an empty text where the log tells nothing that we know."""
    if log.current is not None and log.current.text.upper().startswith("FROM"):
        return BASE_HINT
    return hint_in(log.text_of_step)


def hint_in(text: str) -> str:
    """Gives what the owner can do about the first known trouble in a log, or an empty text."""
    for pattern, hint in _HINTS:
        if re.search(pattern, text, re.IGNORECASE):
            return hint
    return ""


def proxy_secrets(proxies: Proxies) -> tuple[str, ...]:
    """Gives what must not be shown of proxy addresses: user and password as written, and the password in plain.

    A password of less than four characters is hidden beside its user only: replacing it everywhere would eat the log.
    """
    found: set[str] = set()
    for address in (proxies.http, proxies.https):
        if address and "@" in address:
            written = address.rpartition("@")[0].rpartition("//")[2]
            password = written.partition(":")[2]
            found |= {written, unquote(written)}
            found |= {secret for secret in (password, unquote(password)) if len(secret) >= SHORTEST_HIDDEN_ALONE}
    return tuple(sorted(found - {""}, key=len, reverse=True))

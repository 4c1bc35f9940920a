"""What a plan takes from this machine and its user: ids, terminal type, time zone, and the wrapper's own process."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from pi_sandbox.session.plan import HostFacts, Owner
from pi_sandbox.system.process_identity import boot_identity, pid_namespace, process_start

_TERM = re.compile(r"[A-Za-z0-9][A-Za-z0-9+._-]{0,63}")
_ZONE = re.compile(r"[A-Za-z0-9][A-Za-z0-9+_-]*(/[A-Za-z0-9+_-]+)*")
_LOCALTIME = Path("/etc/localtime")


def host_facts(environ: Mapping[str, str]) -> HostFacts:
    """Gives the facts; a terminal type or zone of another form than the usual one is left out."""
    return HostFacts(
        uid=os.getuid(),
        gid=os.getgid(),
        term=_plain(_TERM, environ.get("TERM")),
        colour=_plain(_TERM, environ.get("COLORTERM")),
        time_zone=_plain(_ZONE, environ.get("TZ", "").lstrip(":") or _system_zone()),
        owner=Owner(os.getpid(), process_start(os.getpid()) or "", boot_identity(), pid_namespace()),
    )


def _plain(pattern: re.Pattern[str], text: str | None) -> str | None:
    return text if text is not None and pattern.fullmatch(text) else None


def _system_zone() -> str | None:
    """The name behind /etc/localtime (localtime(5)): the part of the link's target below `zoneinfo/`."""
    try:
        return str(_LOCALTIME.readlink()).partition("zoneinfo/")[2] or None
    except OSError:
        return None

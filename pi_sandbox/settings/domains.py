"""Domain names and the rule that turns one into the `<ID>` of its settings (sandbox.md, "Credentials").

- a name is `[a-z][a-z0-9]*(-[a-z0-9]+)*` and never `core` (design.md, "Words");
- `<ID>` is the name in upper case with `-` turned into `_`.
"""

import re
from typing import NewType

from pi_sandbox.errors import SettingsError, quoted

DomainName = NewType("DomainName", str)

CORE = "core"
_DOMAIN = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def parse_domain_name(text: str) -> DomainName:
    """Gives the checked domain name; raises `SettingsError` for anything else."""
    if text == CORE:
        raise SettingsError(
            f"{quoted(text)} cannot be a domain", "core is the store of every domain; choose another name"
        )
    if not _DOMAIN.fullmatch(text):
        raise SettingsError(
            f"{quoted(text)} is not a domain name",
            "use lower-case letters, digits and single hyphens, starting with a letter",
        )
    return DomainName(text)


def setting_id(name: str) -> str:
    """Gives `<ID>` for a domain name or `core`: `my-club` → `MY_CLUB`."""
    return name.upper().replace("-", "_")

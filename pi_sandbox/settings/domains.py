"""Domain names and the rule that turns one into the `<ID>` of its settings (sandbox.md, "Credentials").

- a name is `[a-z][a-z0-9]*(-[a-z0-9]+)*`, never `core` (design.md, "Words"), and no longer than a table can show;
- `<ID>` is the name in upper case with `-` turned into `_`.
"""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import NewType

from pi_sandbox.errors import SettingsError, UsageError, quoted

DomainName = NewType("DomainName", str)

CORE = "core"
NAME_LENGTH = 32
"""Characters of a domain's name at most: it is a column of tables, and a part of names of settings and folders."""

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
    if len(text) > NAME_LENGTH:
        raise SettingsError(
            f"the domain name {quoted(text[:NAME_LENGTH] + '…')} is too long", f"use at most {NAME_LENGTH} characters"
        )
    return DomainName(text)


def setting_id(name: str) -> str:
    """Gives `<ID>` for a domain name or `core`: `my-club` → `MY_CLUB`."""
    return name.upper().replace("-", "_")


def choose_domain(text: str, configured: Sequence[DomainName]) -> DomainName:
    """Gives the configured domain of that name; raises `UsageError` that lists them."""
    if text == CORE:
        raise UsageError(
            f"{quoted(text)} is no domain: it is part of every domain's memory",
            f"name one of: {', '.join(configured)}; core comes with it",
        )
    if text not in configured:
        raise _not_configured(text, configured)
    return DomainName(text)


def choose_store(text: str, configured: Sequence[DomainName]) -> str:
    """Gives `core` or the configured domain of that name; raises `UsageError` that lists them."""
    return CORE if text == CORE else choose_domain(text, configured)


def _not_configured(text: str, configured: Sequence[DomainName]) -> UsageError:
    alike = get_close_matches(text.lower(), configured, n=1)
    meant = f"did you mean {alike[0]}? " if alike else ""
    return UsageError(
        f"{quoted(text)} is not a configured domain",
        f"{meant}the domains are {', '.join(configured)}; pi-sandbox domain add makes another one",
    )


def choose_opt_in(
    domain: DomainName, configured: Sequence[DomainName], *, named: str | None, other: bool
) -> DomainName | None:
    """Gives the one extra domain of a run, or `None` (sandbox.md, "Scope per session": at most one extra domain).

    `named` is the value of `--with-domain`, `other` whether `--with-other-domain` was given: that one exists only where
    exactly two domains are configured. Raises `UsageError` for both at once, an unknown domain, or the session's own.
    """
    if named is not None and other:
        raise UsageError(
            "--with-domain and --with-other-domain were both given", "a run can have one extra domain: give one"
        )
    if other:
        return _the_other(domain, configured)
    if named is None:
        return None
    others = ", ".join(name for name in configured if name != domain)
    elsewhere = f"leave the option out{f', or name another domain: {others}' if others else ''}"
    if named == CORE:
        raise UsageError(f"{quoted(named)} is no domain: it is part of every session", elsewhere)
    if named not in configured:
        raise _not_configured(named, configured)
    if named == domain:
        raise UsageError(f"{quoted(named)} is the session's own domain", elsewhere)
    return DomainName(named)


def _the_other(domain: DomainName, configured: Sequence[DomainName]) -> DomainName:
    others = [name for name in configured if name != domain]
    if len(configured) != 2 or len(others) != 1:
        raise UsageError(
            f"--with-other-domain needs exactly two domains; configured are: {', '.join(configured)}",
            "name the one you want with --with-domain",
        )
    return others[0]

"""Every setting there is: its name, its default and where it may be given. `.env.example` is compared with this table.

- `PI_SANDBOX_HOME` says where the file lies and `PI_SANDBOX_DEBUG` belongs to one run, so both come only from the
  environment; everything else may stand in the environment or in `<home>/.env`, and the environment wins;
- a store's settings are `BRAIN_<ID>_URL`, `_TOKEN_CMD` and `_USER`, for `core` and for every domain (sandbox.md,
  "Credentials").
"""

from collections.abc import Iterable
from dataclasses import dataclass

from pi_sandbox.settings.domains import setting_id

OWN_PREFIXES = ("PI_SANDBOX_", "BRAIN_")

HOME = "PI_SANDBOX_HOME"
DOMAINS = "PI_SANDBOX_DOMAINS"
BASE_IMAGE = "PI_SANDBOX_BASE_IMAGE"
CA_BUNDLE = "PI_SANDBOX_CA_BUNDLE"
PASS_SECRETS = "PI_SANDBOX_PASS_SECRETS"  # noqa: S105 (the name of a setting)
MEMORY = "PI_SANDBOX_MEMORY"
CPUS = "PI_SANDBOX_CPUS"
PIDS = "PI_SANDBOX_PIDS"
RUNTIME = "PI_SANDBOX_RUNTIME"
DEBUG = "PI_SANDBOX_DEBUG"

URL_SUFFIX = "_URL"
TOKEN_COMMAND_SUFFIX = "_TOKEN_CMD"  # noqa: S105 (part of a setting's name)
USER_SUFFIX = "_USER"
STORE_SUFFIXES = (URL_SUFFIX, TOKEN_COMMAND_SUFFIX, USER_SUFFIX)


@dataclass(frozen=True)
class SettingRule:
    """One setting. `default` is the text that would say the same, or `None` where the setting is simply absent."""

    name: str
    default: str | None
    only_environment: bool = False


SETTINGS = (
    SettingRule(HOME, "~/pi", only_environment=True),
    SettingRule(DOMAINS, "private,work"),
    SettingRule(BASE_IMAGE, None),
    SettingRule(CA_BUNDLE, None),
    SettingRule(PASS_SECRETS, None),
    SettingRule(MEMORY, "4g"),
    SettingRule(CPUS, "2"),
    SettingRule(PIDS, "1024"),
    SettingRule(RUNTIME, None),
    SettingRule(DEBUG, "0", only_environment=True),
)

RULES = {rule.name: rule for rule in SETTINGS}


def store_setting(store: str, suffix: str) -> str:
    """Gives the name of a store's setting: `("my-club", "_URL")` → `BRAIN_MY_CLUB_URL`."""
    return f"BRAIN_{setting_id(store)}{suffix}"


def setting_names(stores: Iterable[str]) -> tuple[str, ...]:
    """Gives the names of all settings there are with these stores, in the order in which they are shown."""
    return (*RULES, *(store_setting(store, suffix) for store in stores for suffix in STORE_SUFFIXES))

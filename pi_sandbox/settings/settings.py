"""The frozen settings that every command starts from."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from pi_sandbox.settings.domains import DomainName


class Origin(Enum):
    """Where a setting's value came from."""

    ENVIRONMENT = "environment"
    ENV_FILE = "env file"
    DEFAULT = "default"


@dataclass(frozen=True)
class StoreSettings:
    """What is set for one store: `BRAIN_<ID>_URL`, `_TOKEN_CMD`, `_USER`; `None` where it is not set."""

    url: str | None
    token_command: str | None
    user: str | None


@dataclass(frozen=True)
class Limits:
    """What one agent container may use. Memory in bytes, CPUs in cores, processes as a count."""

    memory_bytes: int
    cpus: float
    processes: int


@dataclass(frozen=True)
class Proxies:
    """The user's proxies as the environment has them; a value may hold a password, so it never reaches a plan."""

    http: str | None
    https: str | None
    no_proxy: str | None

    def variables(self) -> Mapping[str, str]:
        """Gives the proxies as environment variables, in small and capital letters: programs read one or the other."""
        values = {"http_proxy": self.http, "https_proxy": self.https, "no_proxy": self.no_proxy}
        return {
            written: value for name, value in values.items() if value is not None for written in (name, name.upper())
        }

    def __repr__(self) -> str:
        return "Proxies(…)"


@dataclass(frozen=True)
class Settings:
    """Everything that a command may depend on besides its arguments and the disk.

    `stores` has one entry for `core` and one for each domain. `origins` names each setting that is in force.
    """

    home: Path
    domains: tuple[DomainName, ...]
    stores: Mapping[str, StoreSettings]
    base_image: str | None
    ca_bundle: Path | None
    pass_secrets: tuple[str, ...]
    limits: Limits
    runtime: str | None
    proxies: Proxies
    origins: Mapping[str, Origin]

"""The settings as rows for a reader, with where each value came from (`pi-sandbox doctor`)."""

import shlex
from dataclasses import dataclass

from pi_sandbox.settings import table
from pi_sandbox.settings.settings import Origin, Settings
from pi_sandbox.settings.values import GIBIBYTE, MEBIBYTE

NOT_SET = "not set"
NOT_SHOWN = "set (not shown)"


@dataclass(frozen=True)
class SettingDescription:
    """One row. `origin` is `None` where the setting is absent and has no default."""

    name: str
    shown: str
    origin: Origin | None


def describe_settings(settings: Settings) -> tuple[SettingDescription, ...]:
    """Gives one row for each setting there is. Proxies may hold a password: a row says only whether one is set."""
    shown = {**_own_values(settings), **_store_values(settings)}
    rows = [
        SettingDescription(name, NOT_SET if value is None else value, settings.origins.get(name))
        for name, value in shown.items()
    ]
    return (*rows, *_proxy_rows(settings))


def _own_values(settings: Settings) -> dict[str, str | None]:
    return {
        table.HOME: str(settings.home),
        table.DOMAINS: ",".join(settings.domains),
        table.BASE_IMAGE: settings.base_image,
        table.CA_BUNDLE: None if settings.ca_bundle is None else str(settings.ca_bundle),
        table.PASS_SECRETS: ",".join(settings.pass_secrets) or None,
        table.MEMORY: _memory(settings.limits.memory_bytes),
        table.CPUS: f"{settings.limits.cpus:g}",
        table.PIDS: str(settings.limits.processes),
        table.RUNTIME: settings.runtime,
    }


def _store_values(settings: Settings) -> dict[str, str | None]:
    shown: dict[str, str | None] = {}
    for name, store in settings.stores.items():
        shown[table.store_setting(name, table.URL_SUFFIX)] = store.url
        shown[table.store_setting(name, table.TOKEN_COMMAND_SUFFIX)] = _program(store.token_command)
        shown[table.store_setting(name, table.USER_SUFFIX)] = store.user
    return shown


def _program(command: str | None) -> str | None:
    """Gives the program alone: a token may stand among its arguments by mistake."""
    if command is None:
        return None
    program, *arguments = shlex.split(command)
    return f"{program} … (arguments not shown)" if arguments else program


def _proxy_rows(settings: Settings) -> tuple[SettingDescription, ...]:
    proxies = settings.proxies
    return tuple(
        SettingDescription(name, NOT_SET if value is None else NOT_SHOWN, None if value is None else Origin.ENVIRONMENT)
        for name, value in (
            ("http_proxy", proxies.http),
            ("https_proxy", proxies.https),
            ("no_proxy", proxies.no_proxy),
        )
    )


def _memory(amount: int) -> str:
    return f"{amount // GIBIBYTE}g" if amount % GIBIBYTE == 0 else f"{amount // MEBIBYTE}m"

"""Which settings change when a domain is added or removed, and when that is refused (commands.md, `domain`).

- The domains stand in `PI_SANDBOX_DOMAINS`; where that comes from the environment the file has no say, so nothing is
  changed there.
- A domain's own settings are `BRAIN_<ID>_URL`, `_TOKEN_CMD` and `_USER`; they go with it, or the next command would
  find settings of a store that there is not.
"""

from collections.abc import Callable, Mapping

from pi_sandbox.errors import UsageError, quoted
from pi_sandbox.settings import table, values
from pi_sandbox.settings.domains import DomainName, choose_domain, parse_domain_name, setting_id
from pi_sandbox.settings.settings import Origin, Settings, StoreSettings

Changes = Mapping[str, str | None]
"""By name of the setting: its new value, or `None` for a setting that goes."""


def parse_store_options(url: str | None, token_command: str | None, user: str | None) -> StoreSettings:
    """Gives the settings of a store from the options of the command line; raises `UsageError` naming the option."""
    return StoreSettings(
        url=_option("--url", url, values.parse_store_url),
        token_command=_option("--token-cmd", token_command, values.parse_token_command),
        user=_option("--user", user, values.parse_user),
    )


def unknown_origin(store: str, remedy: str) -> UsageError:
    """Gives the error for a store that is to be cloned and has no URL."""
    return UsageError(f"it is not known where to take the store {store} from", remedy)


def domain_added(text: str, store: StoreSettings, settings: Settings) -> tuple[DomainName, Changes]:
    """Gives the checked name and what changes; raises `SettingsError` for the name and `UsageError` for the place."""
    domain = parse_domain_name(text)
    if domain in settings.domains:
        raise UsageError(
            f"{quoted(domain)} is a domain already",
            f"change its settings in {settings.home}/.env; `pi-sandbox init` makes what is missing of it, and "
            f"`pi-sandbox memory-clone {domain}` takes its memory from its remote",
        )
    if twin := next((other for other in settings.domains if setting_id(other) == setting_id(domain)), None):
        raise UsageError(
            f"the settings of {quoted(domain)} would have the same names as those of {quoted(twin)}",
            "choose another name",
        )
    _refuse_environment((table.DOMAINS,), settings)
    _refuse_place_of_another(store, settings)
    given = {
        table.URL_SUFFIX: store.url,
        table.TOKEN_COMMAND_SUFFIX: store.token_command,
        table.USER_SUFFIX: store.user,
    }
    own = {table.store_setting(domain, suffix): value for suffix, value in given.items() if value is not None}
    return domain, {table.DOMAINS: ",".join((*settings.domains, domain)), **own}


def domain_removed(text: str, settings: Settings) -> tuple[DomainName, Changes]:
    """Gives the domain and what changes; raises `UsageError` for one that there is not, and for the last one."""
    domain = choose_domain(text, settings.domains)
    own = tuple(table.store_setting(domain, suffix) for suffix in table.STORE_SUFFIXES)
    _refuse_environment((table.DOMAINS, *own), settings)
    others = tuple(other for other in settings.domains if other != domain)
    if not others:
        raise UsageError(f"{quoted(domain)} is the last domain", "add another one first")
    return domain, {table.DOMAINS: ",".join(others), **dict.fromkeys(own)}


def _refuse_place_of_another(store: StoreSettings, settings: Settings) -> None:
    for name, other in settings.stores.items():
        if store.url and other.url and values.push_place(store.url) == values.push_place(other.url):
            raise UsageError(
                f"--url names the repository that the store {name} is pushed to, {other.url}",
                "give the new domain a repository of its own",
            )


def _option(option: str, text: str | None, parse: Callable[[str], str]) -> str | None:
    try:
        if text is not None and not text.strip():
            raise ValueError("is empty")
        return None if text is None else parse(text)
    except ValueError as error:
        raise UsageError(f"{option} was given a value that {error}", "correct the value") from error


def _refuse_environment(names: tuple[str, ...], settings: Settings) -> None:
    for name in names:
        if settings.origins.get(name) is Origin.ENVIRONMENT:
            raise UsageError(
                f"the environment sets {name}, which overrides {settings.home}/.env",
                f"change {name} where the environment gets it from, or take it out of there first",
            )

"""Environment and `.env` → one frozen `Settings`. Nothing else is a source, least of all the current directory.

- the environment wins over the file, setting by setting; what it overrides must be valid all the same;
- an unknown name, an empty value, a name given twice or a value that is only half valid is an error that names the
  place;
- names that begin with `PI_SANDBOX_` or `BRAIN_` are ours: an unknown one in the environment is an error too. Other
  names in the environment are none of our business; in the file they are errors, because they would do nothing there;
- proxies come from the environment only, by curl's names: `http_proxy`, `https_proxy`, `no_proxy`, where the lower-case
  name wins over the upper-case one even if it is empty, and an empty value means none. `all_proxy` is not used.

A message shows a value only where it cannot be a credential.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar

from pi_sandbox.errors import SettingsError, quoted
from pi_sandbox.settings import table, values
from pi_sandbox.settings.domains import CORE
from pi_sandbox.settings.env_file import parse_env_file, showable_name
from pi_sandbox.settings.folders import Folders
from pi_sandbox.settings.settings import Limits, Origin, Proxies, Settings, StoreSettings

T = TypeVar("T")

_ENVIRONMENT_PLACE = "the environment"
_PROXY_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
_CLOSENESS = 0.8
"""How alike an unknown name must be to a setting to be taken for a slip of it (difflib's ratio)."""
_PROXY_NAME = re.compile(r"(?:.+_)?PROXY", re.IGNORECASE)
_KEY_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD", re.IGNORECASE)


@dataclass(frozen=True)
class _Given:
    name: str
    value: str
    origin: Origin
    place: str


_Source = Mapping[str, _Given]


def load_settings(
    environ: Mapping[str, str], user_home: Path, read_env_file: Callable[[Path], bytes | None]
) -> Settings:
    """Gives the settings in force; raises `SettingsError`, or what `read_env_file` raises.

    `user_home` is the folder in which the default home lies; `read_env_file` gives the bytes of `.env`, or `None`.
    """
    environment = {
        name: _Given(name, value, Origin.ENVIRONMENT, _ENVIRONMENT_PLACE)
        for name, value in environ.items()
        if name.startswith(table.OWN_PREFIXES)
    }
    home = _read(table.HOME, values.parse_home, (environment,)) or user_home / "pi"
    file = _file_settings(Folders(home).env_file, read_env_file)
    sources = (environment, file)
    domains = _required(table.DOMAINS, values.parse_domains, sources)
    stores = (CORE, *domains)
    _refuse_unknown_names(sources, stores)
    _read(table.DEBUG, values.parse_flag, sources)
    store_settings = {store: _store_settings(store, sources) for store in stores}
    _refuse_one_place_for_two(store_settings)
    return Settings(
        home=home,
        domains=domains,
        stores=store_settings,
        base_image=_read(table.BASE_IMAGE, values.parse_image, sources),
        ca_bundle=_read(table.CA_BUNDLE, values.parse_absolute_path, sources),
        pass_secrets=_read(table.PASS_SECRETS, values.parse_secret_names, sources) or (),
        limits=Limits(
            memory_bytes=_required(table.MEMORY, values.parse_memory, sources),
            cpus=_required(table.CPUS, values.parse_cpus, sources),
            processes=_required(table.PIDS, values.parse_processes, sources),
        ),
        runtime=_read(table.RUNTIME, values.parse_runtime, sources),
        proxies=_proxies(environ),
        origins=_origins(sources, stores),
    )


def _file_settings(path: Path, read_env_file: Callable[[Path], bytes | None]) -> _Source:
    data = read_env_file(path)
    if data is None:
        return {}
    return {
        binding.name: _Given(binding.name, binding.value, Origin.ENV_FILE, f"{quoted(path)} line {binding.line}")
        for binding in parse_env_file(data, path).values()
    }


def _read(name: str, parse: Callable[[str], T], sources: Iterable[_Source]) -> T | None:
    """The value in force, the first source first; each source's value is checked."""
    given = [_checked(source[name], parse) for source in sources if name in source]
    return given[0] if given else None


def _required(name: str, parse: Callable[[str], T], sources: Iterable[_Source]) -> T:
    value = _read(name, parse, sources)
    if value is not None:
        return value
    default = table.RULES[name].default
    if default is None:
        raise AssertionError(f"{name} has no default")
    return parse(default)


def _checked(given: _Given, parse: Callable[[str], T]) -> T:
    if not given.value.strip():
        raise SettingsError(
            f"{given.place} sets {given.name} to nothing", "give it a value, or remove it to get the default"
        )
    try:
        return parse(given.value)
    except ValueError as error:
        shown = f"{quoted(given.value)}, which" if _may_be_shown(given.name) else "a value that"
        raise SettingsError(f"{given.place} sets {given.name} to {shown} {error}", "correct the value") from error


def _may_be_shown(name: str) -> bool:
    return name in table.RULES and name != table.PASS_SECRETS


def _refuse_unknown_names(sources: Iterable[_Source], stores: tuple[str, ...]) -> None:
    known = frozenset(table.setting_names(stores))
    for source in sources:
        for given in source.values():
            if given.name not in known:
                raise SettingsError(*_unknown_name(given, stores))
            if given.origin is Origin.ENV_FILE and given.name in table.RULES:
                _refuse_in_file(given)


def _refuse_in_file(given: _Given) -> None:
    if table.RULES[given.name].only_environment:
        raise SettingsError(f"{given.place} sets {given.name}, which only the environment can set", "remove the line")


def _unknown_name(given: _Given, stores: tuple[str, ...]) -> tuple[str, str]:
    name = showable_name(given.name)
    if given.name.startswith("BRAIN_") and given.name.endswith("_TOKEN"):
        return (
            f"{given.place} sets {name}, but a token is never a setting",
            "use BRAIN_<ID>_TOKEN_CMD or the keyring (`pi-sandbox secret set`), and remove the value",
        )
    suffix = next((suffix for suffix in table.STORE_SUFFIXES if given.name.endswith(suffix)), None)
    if given.name.startswith("BRAIN_") and suffix is not None:
        domain = given.name.removeprefix("BRAIN_").removesuffix(suffix).lower().replace("_", "-")
        return (
            f"{given.place} sets {name}, but {quoted(domain)} is not a domain",
            f"the stores are {', '.join(stores)}; add the domain to {table.DOMAINS} or remove the setting",
        )
    return (
        f"{given.place} sets {name}, which is not a setting of pi-sandbox",
        _what_is_meant(given, stores),
    )


def _what_is_meant(given: _Given, stores: tuple[str, ...]) -> str:
    """What to do about an unknown name; an unknown name itself is shown only where it cannot be a secret."""
    remove = "remove the line" if given.origin is Origin.ENV_FILE else "unset the variable"
    if _PROXY_NAME.fullmatch(given.name):
        return (
            f"{remove}: proxies come from the environment alone ({', '.join(_PROXY_VARIABLES)}); set them in the shell "
            "from which you start pi-sandbox: export HTTPS_PROXY=…"
        )
    alike = get_close_matches(given.name.upper(), table.setting_names(stores), n=1, cutoff=_CLOSENESS)
    if alike:
        return f"did you mean {alike[0]}? Correct the name, or {remove}"
    if _KEY_NAME.search(given.name):
        return (
            f"{remove}: keys are no settings. `pi-sandbox secret set NAME` keeps one in the keyring, and its name goes "
            f"into {table.PASS_SECRETS}"
        )
    usable = [rule.name for rule in table.SETTINGS if given.origin is Origin.ENVIRONMENT or not rule.only_environment]
    return f"{remove}; the settings are {', '.join(usable)}, and BRAIN_<ID>_URL, _TOKEN_CMD, _USER for a store"


def _store_settings(store: str, sources: tuple[_Source, ...]) -> StoreSettings:
    return StoreSettings(
        url=_read(table.store_setting(store, table.URL_SUFFIX), values.parse_store_url, sources),
        token_command=_read(
            table.store_setting(store, table.TOKEN_COMMAND_SUFFIX), values.parse_token_command, sources
        ),
        user=_read(table.store_setting(store, table.USER_SUFFIX), values.parse_user, sources),
    )


def _refuse_one_place_for_two(stores: Mapping[str, StoreSettings]) -> None:
    """Two stores in one repository would push one domain's memory to where another one's is read."""
    seen: dict[str, str] = {}
    for name, store in stores.items():
        if store.url is None:
            continue
        other = seen.setdefault(values.push_place(store.url), name)
        if other != name:
            first, second = (table.store_setting(one, table.URL_SUFFIX) for one in (other, name))
            raise SettingsError(
                f"{first} and {second} name the same repository, {store.url}",
                "give each store a repository of its own, so that no memory is pushed to another domain's place",
            )


def _origins(sources: tuple[_Source, ...], stores: tuple[str, ...]) -> Mapping[str, Origin]:
    given = {
        name: next(source[name].origin for source in sources if name in source)
        for name in table.setting_names(stores)
        if any(name in source for source in sources)
    }
    defaults = {rule.name: Origin.DEFAULT for rule in table.SETTINGS if rule.default is not None}
    return {**defaults, **given}


def _proxies(environ: Mapping[str, str]) -> Proxies:
    return Proxies(
        http=_proxy(environ, "http_proxy"),
        https=_proxy(environ, "https_proxy"),
        no_proxy=_proxy(environ, "no_proxy"),
    )


def _proxy(environ: Mapping[str, str], lower: str) -> str | None:
    name = lower if lower in environ else lower.upper()
    value = environ.get(name, "").strip()
    try:
        values.check_printable(value)
    except ValueError as error:
        raise SettingsError(f"{_ENVIRONMENT_PLACE} sets {name} to a text that {error}", "correct the value") from error
    return value or None

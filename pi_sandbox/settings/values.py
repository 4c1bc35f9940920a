"""One function for each kind of value: text → checked value, or `ValueError` with what is wrong in a few words.

The words never repeat the text: whoever calls knows whether it may be shown.
"""

import re
import shlex
from decimal import Decimal
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes, urlsplit

from pi_sandbox.errors import SettingsError
from pi_sandbox.settings.domains import DomainName, parse_domain_name, setting_id
from pi_sandbox.settings.text_rules import describe_unprintable, first_unprintable

MEBIBYTE = 1024**2
GIBIBYTE = 1024**3
MIN_MEMORY_BYTES = 256 * MEBIBYTE
MAX_MEMORY_BYTES = 4096 * GIBIBYTE
MIN_PROCESSES = 64
MAX_PROCESSES = 4_194_304
"""The kernel's own limit of process ids (PID_MAX_LIMIT)."""
MAX_CPUS = 1024

_MEMORY = re.compile(r"([1-9][0-9]{0,7})([mMgG])")
_CPUS = re.compile(r"[0-9]{1,4}(\.[0-9]{1,2})?")
_COUNT = re.compile(r"[1-9][0-9]{0,7}")
_IMAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/:@-]{0,254}")
_RUNTIME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_URL = re.compile(
    r"https://(?P<host>[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(:(?P<port>[0-9]{1,5}))?"
    r"(?P<path>/[A-Za-z0-9._~/+@!$&'()*,;=:%-]*)"
)
_SSH = re.compile(r"(?:git\+)?ssh://|(?:[^/:@\s]+@)?[^/:@\s]+:(?!//)")
"""The URL form of ssh, and git's short one: `git@host:path` (git-clone(1), "GIT URLS")."""
_SHELL_WORD = re.compile(r"\|\|?|&&?|[0-9]*[<>].*|.*;")
"""A word by itself that means something to a shell and would be an ordinary argument here."""
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")

_STEERING_NAMES = frozenset(
    name
    for names in (
        "PATH HOME USER LOGNAME SHELL PWD OLDPWD TERM COLORTERM LANG LANGUAGE TZ TMPDIR TEMP TMP",
        "IFS ENV BASH_ENV SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND PAGER EDITOR VISUAL BROWSER",
        "GCONV_PATH GLIBC_TUNABLES PERL5OPT PERL5LIB RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS",
        "NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED NODE_V8_COVERAGE",
        "SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE CURL_HOME",
        "GIT_DIR GIT_WORK_TREE GIT_EXEC_PATH GIT_SSH GIT_SSH_COMMAND GIT_ASKPASS GIT_PAGER GIT_EDITOR",
        "GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_TEMPLATE_DIR GIT_SSL_NO_VERIFY SSH_ASKPASS SSH_AUTH_SOCK DOCKER_HOST",
        "HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY PI_OFFLINE PI_TELEMETRY PI_PACKAGE_DIR PI_SKIP_VERSION_CHECK",
    )
    for name in names.split()
)
_STEERING_PREFIXES = (
    "PI_SANDBOX_",
    "BRAIN_",
    "PI_CODING_AGENT_",
    "LD_",
    "DYLD_",
    "LC_",
    "MALLOC_",
    "PYTHON",
    "BASH_FUNC_",
    "GIT_CONFIG",
    "GIT_TRACE",
    "NPM_CONFIG_",
    "XDG_",
)


def parse_domains(text: str) -> tuple[DomainName, ...]:
    """Gives the domains of a comma list; each name once."""
    domains: list[DomainName] = []
    for item in _items(text):
        try:
            domains.append(parse_domain_name(item))
        except SettingsError as error:
            raise ValueError(f"has an item that is no domain: {error.message} ({error.hint})") from error
    ids = [setting_id(domain) for domain in domains]
    twice = next((name for name in ids if ids.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"has two domains whose settings would both be named BRAIN_{twice}_…")
    return tuple(domains)


def parse_absolute_path(text: str) -> Path:
    """Gives an absolute path without `..`; nothing is expanded and the disk is not looked at."""
    check_printable(text)
    path = Path(text)
    if not path.is_absolute():
        raise ValueError("is not an absolute path (it starts with /; ~ is not expanded)")
    if ".." in path.parts:
        raise ValueError("has .. in it")
    return path


def parse_home(text: str) -> Path:
    """Gives the home folder."""
    home = parse_absolute_path(text)
    if home == Path(home.anchor):
        raise ValueError("is the root of the disk")
    return home


def parse_image(text: str) -> str:
    """Gives the name of an image, such as `debian:trixie-slim` or `registry.example.org:5000/base@sha256:…`."""
    return _matching(_IMAGE, text, "is not the name of an image")


def parse_runtime(text: str) -> str:
    """Gives the name under which the engine knows a runtime, such as `runsc`."""
    return _matching(_RUNTIME, text, "is not the name of an engine runtime")


def parse_memory(text: str) -> int:
    """Gives bytes from `512m` or `4g` (powers of 1024)."""
    match = _MEMORY.fullmatch(text)
    if match is None:
        raise ValueError("is not an amount of memory (write it like 512m or 4g)")
    amount = int(match[1]) * (MEBIBYTE if match[2] in "mM" else GIBIBYTE)
    if not MIN_MEMORY_BYTES <= amount <= MAX_MEMORY_BYTES:
        raise ValueError("is not between 256m and 4096g")
    return amount


def parse_cpus(text: str) -> float:
    """Gives a number of processors, with at most two decimals."""
    if not _CPUS.fullmatch(text):
        raise ValueError("is not a number of processors (write it like 2 or 1.5)")
    if not Decimal("0.1") <= Decimal(text) <= MAX_CPUS:
        raise ValueError(f"is not between 0.1 and {MAX_CPUS}")
    return float(text)


def parse_processes(text: str) -> int:
    """Gives a number of processes."""
    if not _COUNT.fullmatch(text):
        raise ValueError("is not a whole number")
    if not MIN_PROCESSES <= int(text) <= MAX_PROCESSES:
        raise ValueError(f"is not between {MIN_PROCESSES} and {MAX_PROCESSES}")
    return int(text)


def parse_flag(text: str) -> bool:
    """Gives a switch: `1` or `0`."""
    if text not in ("0", "1"):
        raise ValueError("is neither 1 nor 0")
    return text == "1"


def parse_secret_names(text: str) -> tuple[str, ...]:
    """Gives names of variables for the agent; refuses names that would change how programs run in the session."""
    names = _items(text)
    for name in names:
        if not _VARIABLE.fullmatch(name):
            raise ValueError(
                "has an item that is not the name of a variable (letters, digits and _; names, not values)"
            )
        if name.upper() in _STEERING_NAMES or name.upper().startswith(_STEERING_PREFIXES):
            raise ValueError(f"names {name}, which changes how programs run and is no secret")
    if len(set(names)) != len(names):
        raise ValueError("names a variable twice")
    return names


def parse_store_url(text: str) -> str:
    """Gives `https://host[:port]/path` as written, for a host that a container can mean."""
    parse_push_url(text)
    host = (urlsplit(text).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost") or _is_own_address(host):
        raise ValueError(
            "names localhost, which is the sync's container itself and never this machine: "
            "write a name or an address that other machines know it by"
        )
    return text


def push_place(url: str) -> str:
    """Gives the same text for two spellings of one repository's address, so that they can be compared.

    Host and path without capitals, since forges tell no two repositories apart by them; without the usual port, `.git`,
    and slashes at the end.
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    port = "" if parts.port in (None, 443) else f":{parts.port}"
    path = unquote(parts.path).rstrip("/").lower().removesuffix(".git").rstrip("/")
    return f"{host}{port}{path}"


def parse_push_url(text: str) -> str:
    """Gives `https://host[:port]/path` as written; refuses user names, passwords, queries and anything ambiguous."""
    check_printable(text)
    if _SSH.match(text):
        raise ValueError("is an address for ssh: only https is used, as https://host/path")
    if "@" in text.removeprefix("https://").partition("/")[0]:
        raise ValueError("has a user name or password in it (they belong in the keyring, BRAIN_…_TOKEN_CMD or _USER)")
    match = _URL.fullmatch(text)
    if match is None or (match["port"] is not None and not 1 <= int(match["port"]) <= 65_535):
        raise ValueError("is not of the form https://host/path (only https, no ? and no #)")
    path = match["path"]
    segments = path.removeprefix("/").removesuffix("/").split("/")
    if any(segment in ("", ".", "..") for segment in segments):
        raise ValueError("has no path, or an empty, . or .. part in it")
    if "%" in _ESCAPE.sub("", path) or any(_is_odd(unquote_to_bytes(code[0])) for code in _ESCAPE.finditer(path)):
        raise ValueError("has a %-escape that hides a control character, a dot, a slash or a percent sign")
    return text


def parse_token_command(text: str) -> str:
    """Gives the command as written, after making sure that it can be split into arguments."""
    check_printable(text)
    try:
        arguments = shlex.split(text)
    except ValueError as error:
        raise ValueError("has a quote that is not closed") from error
    if not arguments or not arguments[0]:
        raise ValueError("names no program")
    if any(_SHELL_WORD.fullmatch(word) for word in _bare_words(text)):
        raise ValueError("has a |, >, & or ; for a shell in it, and no shell runs it: write sh -c '…' around the whole")
    return text


def _bare_words(text: str) -> list[str]:
    """Gives the words with the quotes that stand around them, so that a quoted `|` is told from a bare one."""
    try:
        return shlex.split(text, posix=False)
    except ValueError:
        return []


def _is_own_address(host: str) -> bool:
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def parse_user(text: str) -> str:
    """Gives the user name for a push; a colon would end it early, because the credential is `username:token`."""
    check_printable(text)
    if ":" in text:
        raise ValueError("has a colon in it")
    if text != text.strip():
        raise ValueError("begins or ends with a blank")
    return text


def check_printable(text: str) -> None:
    """Raises `ValueError` if a character of `text` cannot be seen."""
    unprintable = first_unprintable(text)
    if unprintable is not None:
        raise ValueError(f"holds {describe_unprintable(unprintable)}")


def _items(text: str) -> tuple[str, ...]:
    items = tuple(item.strip(" \t") for item in text.split(","))
    if not all(items):
        raise ValueError("has an empty item (check the commas)")
    return items


def _matching(pattern: re.Pattern[str], text: str, otherwise: str) -> str:
    if not pattern.fullmatch(text):
        raise ValueError(otherwise)
    return text


def _is_odd(decoded: bytes) -> bool:
    code = decoded[0]
    return code < 0x20 or code == 0x7F or decoded in b"./\\%?#"

"""Secrets in command lines, URLs and the line forms of credential files.

A command's short flags mean nothing by themselves, so each stands with its commands here.
"""

import re
from collections.abc import Iterator
from urllib.parse import unquote

from pi_sandbox.memory_check.secret_values import (
    Strength,
    decodes_to_login,
    is_mixed_up,
    is_placeholder,
    is_uuid,
    looks_random,
    password_strength,
    strength,
)

_VALUE = r"(?P<value>\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s|;&<>`]{1,200})"
_GAP = r"[^|;\n]{0,160}?\s"

_COMMANDS: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = tuple(
    (tuple(needles.split()), re.compile(pattern))
    for needles, pattern in (
        ("mysql mariadb", rf"\b(?:mysql|mariadb)[\w-]{{0,12}}\b{_GAP}-p(?![\s-]){_VALUE}"),
        (
            "curl",
            rf"\bcurl\b{_GAP}(?:-u|--user|--proxy-user|-U)[ =]?[\"']?(?P<user>[^\s\"':]{{1,80}}):(?P<value>[^\s\"']{{"
            rf"1,200}})",
        ),
        ("sshpass", rf"\bsshpass\s{{1,4}}-p\s?{_VALUE}"),
        (
            "psexec rdesktop xfreerdp winexe smbmap evil-winrm docker podman helm az nerdctl skopeo crane buildah "
            "oras oc mosquitto_ kinit mongo mongosh mongodump",
            rf"\b(?:psexec|rdesktop|xfreerdp|winexe|smbmap|evil-winrm|docker|podman|helm|az|nerdctl|skopeo|crane|"
            rf"buildah|oras|oc|mosquitto_(?:pub|sub)|mongo(?:sh|dump|"
            rf"restore)?)\b{_GAP}-[pP]\s{{1,3}}{_VALUE}",
        ),
        ("redis", rf"\bredis-(?:cli|benchmark)\b{_GAP}-a\s{{1,3}}{_VALUE}"),
        ("ldap", rf"\bldap(?:search|modify|add|delete|passwd|whoami)\b{_GAP}-w\s{{1,3}}{_VALUE}"),
        ("ipmitool impacket sqlcmd bcp isql", rf"\b(?:ipmitool|sqlcmd|bcp|isql)\b{_GAP}-P\s{{1,3}}{_VALUE}"),
        ("pass:", rf"-pass(?:in|out)?\s{{1,3}}[\"']?pass:{_VALUE}"),
        ("-u", rf"\s-U\s{{0,3}}[\"']?[\w.\\/-]{{1,60}}%{_VALUE}"),
        ("/user:", rf"/user:\S{{1,60}}\s{{1,3}}{_VALUE}"),
        ("net", r"\bnet\s{1,3}use\b[^|;\n]{0,120}?\s(?P<value>(?![/\\])\S{4,80})\s{1,3}/user:"),
        ("net", rf"\bnet\s{{1,3}}user\s{{1,3}}(?!/)\S{{1,60}}\s{{1,3}}(?!/){_VALUE}"),
        ("/v", rf"(?i:/v\s{{1,3}}\w{{0,30}}(?:pass|pwd)\w{{0,20}}\s[^\n]{{0,40}}?/d\s{{1,3}}){_VALUE}"),
        ("oracle sqlplus expdp impdp", r"\b\w{2,30}/(?P<value>[^\s/@]{6,60})@[\w.:/-]{2,60}"),
        ("ssh", r"\bssh\s(?:-\S{1,40}\s){0,4}\S{3,80}\s\((?P<value>[^()\s]{6,60})\)"),
        ("ftp", rf"\blftp\b{_GAP}-u\s?[^\s,]{{1,60}},{_VALUE}"),
        ("ftp", rf"\bftp>\s{{0,3}}user\s{{1,3}}\S{{1,60}}\s{{1,3}}{_VALUE}"),
        ("/pass", rf"\s/(?i:pass(?:word)?):{_VALUE}"),
        ("smbclient", rf"\bsmbclient\s{{1,3}}//\S{{1,80}}\s{{1,3}}(?!-){_VALUE}"),
        ("schtasks", rf"\bschtasks\b{_GAP}/rp\s{{1,3}}{_VALUE}"),
        ("/p:", rf"\s/p:{_VALUE}"),
        (
            "htpasswd",
            rf"\bhtpasswd\b\s[^|;\n]{{0,40}}?-\w{{0,4}}b\w{{0,3}}\s{{1,3}}(?:\S{{1,80}}\s{{1,3}})?\S{{1,60}}\s{{1,3}}"
            rf"{_VALUE}",
        ),
        (
            "sudo",
            r"\becho\s{1,3}(?:-[ne]{1,2}\s{1,2})?(?P<value>\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s|"
            r"]{1,200})\s{0,3}\|\s{0,3}sudo\s[^\n]{0,40}?-S",
        ),
        (
            "chpasswd",
            r"\becho\s{1,3}(?:-[ne]{1,2}\s{1,2})?[\"']?[\w.-]{1,60}:(?P<value>[^\s\"']{1,200})[\"']?\s{0,3}\|\s{0,3}("
            r"?:sudo\s{1,3})?chpasswd",
        ),
        ("--password-command", r"--password-command[ =][\"']?echo\s{1,3}(?P<value>[^\s\"']{1,200})"),
        ("-stdin --with-token", rf"(?:-stdin|--with-token)\s[^|;\n]{{0,60}}?<<<\s{{0,3}}{_VALUE}"),
        (
            "-stdin",
            r"\becho\s{1,3}(?:-n\s)?(?P<value>\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s|]{1,200})\s{0,3}\|\s{0,3}[^|"
            r"\n]{0,80}-stdin",
        ),
        ("snmp", rf"\bsnmp(?:walk|get|set|bulkwalk)\b{_GAP}-c\s{{0,3}}{_VALUE}"),
        ("snmp community", r"\bsnmp-server\s{1,3}community\s{1,3}(?P<value>\S{1,80})"),
        (
            "identified",
            rf"(?i:\bidentified\s{{1,3}}(?:with\s{{1,3}}\S{{1,40}}\s{{1,3}})?by\s{{1,3}}(?:password\s{{1,3}})?){_VALUE}",
        ),
        (
            "alias",
            rf"\bmc\s{{1,3}}alias\s{{1,3}}set\s{{1,3}}\S{{1,60}}\s{{1,3}}\S{{1,120}}\s{{1,3}}\S{{1,60}}\s{{1,3}}"
            rf"{_VALUE}",
        ),
        ("openssl", rf"\bopenssl\s{{1,3}}enc\b{_GAP}-k\s{{1,3}}{_VALUE}"),
        ("_authtoken", r"_authToken[ =]{1,3}(?P<value>[\w.+/=-]{16,200})"),
        ("-p", r"(?<!mkdir)(?<!install)\s-p\s{1,3}(?P<value>'[^'\s]{5,120}'|\"[^\"\s]{5,120}\")"),
        ("vault", rf"\bvault\s{{1,3}}login\s{{1,3}}(?!-){_VALUE}"),
        (
            "ansible",
            rf"\bansible[\w-]{{0,12}}\b{_GAP}(?:-e|--extra-vars)\s{{0,3}}[\"']?[\w]{{0,40}}pass\w{{0,10}}={_VALUE}",
        ),
        ("zip 7z rar", rf"\b(?:7z|7za|zip|unzip|rar|unrar)\b{_GAP}-[pP](?!\s){_VALUE}"),
        ("zip rar", rf"\b(?:un)?(?:zip|rar)\b{_GAP}-P\s{{1,3}}{_VALUE}"),
        (
            "<(echo",
            r"<\(\s?echo\s{1,3}(?:-n\s{1,3})?(?P<value>\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s|)]{1,200})\s?\)",
        ),
        (
            "smbpass password psksecret passwd",
            rf"\bset\s{{1,3}}(?:smbpass|password|passwd|psksecret|SMBPass|PASSWORD)\s{{1,3}}(?:ENC\s)?{_VALUE}",
        ),
        (
            "hydra crackmapexec nxc netexec medusa smbexec wmiexec ncrack useradd usermod cqlsh influx",
            rf"\b(?:useradd|usermod|cqlsh|influx|hydra|crackmapexec|nxc|netexec|medusa|smbexec\S{{0,4}}|wmiexec\S{{0,4}}|ncrack)\b{_GAP}(?:-p|"
            rf"--?pass(?:word)?)\s{{1,3}}{_VALUE}",
        ),
        ("ssh-keygen", rf"\bssh-keygen\b{_GAP}-[NP]\s{{1,3}}{_VALUE}"),
        ("encrypt_string", rf"\bencrypt_string\s{{1,3}}(?!-){_VALUE}"),
        ("etcdctl", rf"\betcdctl\b{_GAP}--user[ =][\"']?[\w.-]{{1,60}}:(?P<value>[^\s\"']{{1,200}})"),
        ("rabbitmqctl", rf"\brabbitmqctl\s{{1,3}}(?:add_user|change_password)\s{{1,3}}\S{{1,60}}\s{{1,3}}{_VALUE}"),
        ("iwconfig", rf"\biwconfig\b{_GAP}key\s{{1,3}}(?:s:)?{_VALUE}"),
        ("sec.psk", rf"\bsec\.(?:psk|wep-key\d?)\s{{1,3}}{_VALUE}"),
        ("printf", r"\bprintf\s{1,3}[\"'][^\"'\s\\]{1,60}\\n(?P<value>[^\s\"'\\]{6,120})"),
        (
            "<<<",
            rf"\b(?:kinit|cryptsetup|passwd|sudo|su|gpg)\b[^|;\n]{{0,80}}<<<\s{{0,3}}{_VALUE}",
        ),
        ("rclone", rf"\brclone\s{{1,3}}obscure\s{{1,3}}(?!-){_VALUE}"),
        (
            "http",
            rf"\b(?:http|https|xh|xhs)\s{_GAP[:-2]}(?:-a|"
            rf"--auth)[ =]?[\"']?[^\s\"':]{{1,80}}:(?P<value>[^\s\"']{{1,200}})",
        ),
        ("securestring", r"\bConvertTo-SecureString\s{1,3}(?:-String\s{1,3})?(?!-|\$|\()" + _VALUE),
        ("--passphrase", rf"--passphrase[ =]{{1,3}}{_VALUE}"),
        (
            "machine",
            rf"\bmachine\s{{1,8}}\S{{1,120}}\s{{1,8}}login\s{{1,8}}\S{{1,120}}\s{{1,8}}password\s{{1,8}}{_VALUE}",
        ),
        ("password", rf"^\s{{0,12}}login\s{{1,8}}\S{{1,120}}\s{{1,8}}password\s{{1,8}}{_VALUE}\s{{0,8}}$"),
        ("password", rf"^\s{{0,12}}password\s{{1,8}}{_VALUE}\s{{0,8}}$"),
    )
)
_LOGIN = re.compile(
    r"(?P<user>[^\s/:@\"'<>|`]{0,200})(?::(?P<value>[^\s@\"'<>|`]{0,300}))?@(?P<host>[^\s/\"'<>|`]{1,200})"
)
_PUBLIC_KEY_HOST = re.compile(r"(?:^|\.)ingest\.(?:\w{2,10}\.)?sentry\.io(?::\d+)?$|^sentry\.")
"""What stands as the user of such a host is meant for everyone's eyes."""
_QUERY = re.compile(
    r"[?&;](?P<name>(?:access|auth|api|client|refresh|id|private|session|user|x-amz|x-goog)?[-_]?(?:token|key|apikey|"
    r"secret|password|passwd|pwd|pass|signature|credential|authkey|auth|code))=(?P<value>[^\s&\"'<>|`;)]{6,400})",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"\b(?:Bearer|Basic|Token|ApiKey|Apikey|token|bearer|basic)\s{1,3}(?P<value>[A-Za-z0-9+/=_.~-]{12,2000})"
)
_AUTHORIZATION = re.compile(r"authorization|auth", re.IGNORECASE)
_PGPASS = re.compile(
    r"^[\s>`*-]{0,8}(?:\*|[\w.-]{1,120}):(?:\*|\d{1,5}):(?:\*|[\w.-]{1,60}):(?:\*|[\w.@-]{1,60}):(?P<value>[^\s:`|"
    r"]{4,200})`?\s{0,8}$"
)
_WIFI = re.compile(r"WIFI:(?:[^;\n]{1,80};){0,4}?P:(?P<value>(?:\\.|[^;\n]){4,80});")
_CONNECTION = re.compile(
    r"(?i)\b(?:pwd|password|accountkey|sharedaccesskey)\s{0,2}=\s{0,2}(?P<value>[^;\s\"']{4,200});"
)
_CISCO = re.compile(
    r"\b(?:enable|username \S{1,40})(?: privilege \d{1,2})? (?:secret|password) (?:[0-9] )?(?P<value>\S{4,120})"
)

_COOKIE = re.compile(
    r"(?i)cookie\S{0,3}\s{1,3}(?:[^\s=;]{1,40}=[^\s;]{0,400};\s{0,2}){0,6}?(?:\w{0,20}sid|sess\w{0,20}|connect\.sid|"
    r"auth\w{0,20}|remember\w{0,20})="
    r"(?P<value>[^\s;\"']{16,400})"
)
_LINE_FORMS = (
    (":", _PGPASS, "a password file's line"),
    ("wifi:", _WIFI, "a Wi-Fi password"),
    (";", _CONNECTION, "a connection string holds a password"),
    ("enable", _CISCO, "a device password"),
    ("username", _CISCO, "a device password"),
    ("cookie", _COOKIE, "a session cookie"),
)
_SHORT = frozenset("oc az net bcp zip 7z rar".split())
NEEDLES: tuple[str, ...] = tuple(
    sorted(
        {needle for needles, _ in _COMMANDS for needle in needles} - _SHORT
        | set(":// auth wifi: pwd accountkey sharedaccesskey enable username password cookie".split())
    )
)
SHAPES: tuple[re.Pattern[str], ...] = (
    re.compile(r":(?:\*|\d{1,5}):[^\s:]{1,60}:[^\s:]{1,60}:\S{4}"),
    re.compile(r"[?&;][A-Za-z_-]{3,24}=\S{6}"),
    re.compile(
        r"(?:o(?<!\w.)c|a(?<!\w.)z|n(?<!\w.)et|b(?<!\w.)cp|7(?<!\w.)za?|u(?<!\w.)n(?:zip|rar)|z(?<!\w.)ip|"
        r"r(?<!\w.)ar)(?!\w)"
    ),
)

_GENERIC_USERS = frozenset("user username usr benutzer name me login <user>".split())
_GENERIC_PASSWORDS = frozenset("password pass passwort kennwort pw pwd secret token passwd xxx geheim".split())


def commands(line: str) -> Iterator[str]:
    """Yields a message for each secret that a command line or a line of a credential file holds."""
    lowered = line.lower()
    for needles, pattern in _COMMANDS:
        if any(needle in lowered for needle in needles) and any(
            _is_password(found["value"]) for found in pattern.finditer(line)
        ):
            yield "a command line holds a password"
            break
    for needle, pattern, message in _LINE_FORMS:
        if needle in lowered and any(_is_password(found["value"]) for found in pattern.finditer(line)):
            yield message
    if "auth" in lowered and any(_is_header_value(line, found) for found in _HEADER.finditer(line)):
        yield "an authorization header holds credentials"


def urls(line: str) -> Iterator[str]:
    """Yields a message for each URL with a password, a token as user, or a secret parameter."""
    place = line.find("://")
    while place >= 0:
        found = _LOGIN.match(line, place + 3)
        if found is not None and line[place - 1 : place].isalnum() and _is_url_secret(found):
            yield "a URL holds credentials"
        place = line.find("://", place + 3)
    for found in _QUERY.finditer(line):
        if _is_query_secret(found):
            yield "a URL parameter holds a secret"


def _is_password(raw: str) -> bool:
    value = raw.strip("\"'").rstrip(",)`")
    return (
        password_strength(value) >= Strength.FAIR
        or (value.isdigit() and len(value) >= 6)
        or is_uuid(value)
        or is_mixed_up(value)
    )


def _is_header_value(line: str, found: re.Match[str]) -> bool:
    value = found["value"]
    if _AUTHORIZATION.search(line, max(0, found.start() - 60), found.start()) is None:
        return False
    return strength(value) >= Strength.STRONG or decodes_to_login(value)


def _is_url_secret(found: re.Match[str]) -> bool:
    user, value = found["user"], found["value"]
    if value is None:
        if _PUBLIC_KEY_HOST.search(found["host"]):
            return False
        token = unquote(user)
        return len(token) >= 20 and strength(token) is Strength.RANDOM and looks_random(token)
    secret = unquote(value)
    if secret.lower() == user.lower() and strength(secret) < Strength.STRONG:
        return False
    if secret.lower() in _GENERIC_PASSWORDS or (user.lower() in _GENERIC_USERS and strength(secret) < Strength.FAIR):
        return False
    if "/" in value and re.match(r"\d{1,5}/", value):
        return False
    if is_placeholder(secret) or len(secret) < 3:
        return False
    return not (secret.isupper() and secret.isalpha())


def _is_query_secret(found: re.Match[str]) -> bool:
    value, name = unquote(found["value"]), found["name"].lower()
    if "pass" in name or "pwd" in name:
        return _is_password(value)
    if name in ("code", "key", "id_key"):
        return strength(value) is Strength.RANDOM and len(value) >= 20
    return strength(value) >= Strength.STRONG and len(value) >= 12

"""Which CA bundle builds and sessions trust besides the public one.

`PI_SANDBOX_CA_BUNDLE` names a PEM file. Without it, both trust what this machine trusts, where it has that in one file
(OpenSSL's default, which `SSL_CERT_FILE` overrides): behind a proxy that signs with the company's own CA the owner has
usually taught that to the machine already.
"""

import ssl
from pathlib import Path

from pi_sandbox.errors import SettingsError, quoted
from pi_sandbox.settings.settings import Settings
from pi_sandbox.system.files import read_regular_file

LIMIT_BYTES = 4 * 1024 * 1024
_BEGIN = b"-----BEGIN CERTIFICATE-----"


def ca_bundle(settings: Settings) -> bytes | None:
    """Gives the bundle's bytes, or `None` where there is none; raises `SettingsError` for one that cannot be used."""
    if settings.ca_bundle is not None:
        return _configured(settings.ca_bundle)
    default = ssl.get_default_verify_paths().cafile
    content = None if default is None else read_regular_file(Path(default).resolve(), limit=LIMIT_BYTES)
    return None if content is None or _BEGIN not in content.data else content.data


def trust_words(settings: Settings) -> str:
    """Gives in words what containers trust besides the public authorities, an empty text for nothing."""
    if settings.ca_bundle is not None:
        return f"those in {settings.ca_bundle} (PI_SANDBOX_CA_BUNDLE)"
    if ca_bundle(settings) is None:
        return ""
    return f"those that this machine trusts ({ssl.get_default_verify_paths().cafile})"


def _configured(path: Path) -> bytes:
    content = read_regular_file(path.resolve(), limit=LIMIT_BYTES)
    if content is None:
        raise SettingsError(
            f"PI_SANDBOX_CA_BUNDLE names {quoted(path)}, which does not exist",
            "correct the path, or remove the setting to trust what this machine trusts",
        )
    if not _holds_certificates(content.data):
        raise SettingsError(
            f"PI_SANDBOX_CA_BUNDLE names {quoted(path)}, which holds no certificate in PEM form",
            "name a file with lines `-----BEGIN CERTIFICATE-----`",
        )
    return content.data


def _holds_certificates(data: bytes) -> bool:
    if _BEGIN not in data:  # of an empty text OpenSSL makes an empty set of authorities without a word
        return False
    try:
        ssl.create_default_context(cadata=data.decode("utf-8"))
    except (ssl.SSLError, UnicodeDecodeError, ValueError):
        return False
    return True

"""Makes every tool of the session trust the owner's CA bundle besides the public ones.

`NODE_EXTRA_CA_CERTS` adds to what Node trusts; the other variables replace, so they get both in one file.
"""

from collections.abc import Mapping
from pathlib import Path

_PUBLIC = Path("/etc/ssl/certs/ca-certificates.crt")
_OWN = Path("/run/pi-session/ca-bundle.pem")
_BOTH = Path("/run/pi-session/ca-certificates.pem")
_REPLACING = (
    "SSL_CERT_FILE",
    "GIT_SSL_CAINFO",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "PIP_CERT",
    "NPM_CONFIG_CAFILE",
)


def trust(bundle: str, public: Path = _PUBLIC, own: Path = _OWN, both: Path = _BOTH) -> Mapping[str, str]:
    """Writes the two files and gives the variables that point at them."""
    own.write_text(bundle, encoding="utf-8")
    both.write_text(public.read_text(encoding="utf-8") + "\n" + bundle, encoding="utf-8")
    return {"NODE_EXTRA_CA_CERTS": str(own), **dict.fromkeys(_REPLACING, str(both))}

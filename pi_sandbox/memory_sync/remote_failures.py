"""Tells from what git says why a remote could not be read or written. Pure: text in, failure out.

A status of the server says more than that the connection ended then, which git says as well: so it is looked for first.
git's words come with `LC_ALL=C`; those of GnuTLS, OpenSSL and curl's other libraries are known too. What is not known
is shown as git said it.
"""

import re
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from pi_sandbox.memory_sync.outcome import SyncFailedError

_CERTIFICATE_HINT = (
    "trusted here are {trust}, and this server's authority is none of them: {mend}; a wrong clock can be the cause "
    "too, it says {today}; verification is never switched off"
)
_SETTING = "PI_SANDBOX_CA_BUNDLE"
_PUBLIC_ALONE = "the public authorities"


@dataclass(frozen=True)
class _Kind:
    pattern: re.Pattern[str]
    message: str
    hint: str


_LOCATION = re.compile(r"<= Recv header: location:[ \t]*(?P<target>\S+)", re.IGNORECASE)
_LONGEST_TARGET = 300
_ELSEWHERE = "another address"
_SERVICES = ("/info/refs", "/git-receive-pack", "/git-upload-pack")

_KINDS = tuple(
    _Kind(re.compile(pattern, re.IGNORECASE), message, hint)
    for pattern, message, hint in (
        (
            r"certificate has expired|certificate expiration date has passed|not yet valid|not yet activated",
            "the certificate of {host} is expired or not yet valid",
            "look at the clock of this machine first, it says {today}; then at the server's certificate",
        ),
        (
            r"subject (alternative )?name|host ?name mismatch|does not match (target )?host",
            "the certificate of {host} is one for another name",
            "write the store's URL with a name that stands in the certificate, or give the server one for this name",
        ),
        (
            r"certificate|self.signed|CAfile|x509",
            "the certificate of {host} was not accepted",
            _CERTIFICATE_HINT,
        ),
        (r"gnutls|\bSSL\b|\bTLS\b", "no secure connection with {host}", _CERTIFICATE_HINT),
        (
            r"(returned error|http code|error code)[: ]+407|proxy authentication",
            "the proxy on the way to {host} wants a login",
            "write it into HTTPS_PROXY: http://user:password@proxy:port",
        ),
        (
            r"could not resolve proxy|proxy connect|CONNECT tunnel failed|from proxy after connect",
            "the proxy on the way to {host} did not connect",
            "look at HTTPS_PROXY and NO_PROXY (one at 127.0.0.1 or localhost is not reached from the sync's container)",
        ),
        (
            r"could not resolve host|name or service not known",
            "{host} is unreachable: there is no such name",
            "look at the network and at the store's URL",
        ),
        (
            r"redirect|returned error: 30\d|protocol '\w+' not allowed",
            "{host} redirects to {target}, and that is not followed",
            "if the repository is there now, set the store's URL to that address",
        ),
        (
            r"authentication failed|could not read (username|password)|returned error: 401|invalid credentials",
            "{host} did not accept the credential (unauthorized)",
            "{renewal}",
        ),
        (
            r"returned error: 403|access denied|permission|not allowed to|forbidden",
            "{host} refused access with this credential (forbidden)",
            "give the token the right to write to this repository, or use another one: {renewal}",
        ),
        (
            r"is this a git repository|not a git repository|not valid: could not determine hash",
            "{host} answers with something that is no git (a login page, or a wrong path)",
            "open the store's URL in a browser and look at what is there",
        ),
        (
            r"not found|returned error: 404|does not appear to be a git repository",
            "there is no such repository on {host}, or this credential may not see it",
            "look at the store's URL and at the token's rights",
        ),
        (
            r"returned error: 413|request entity too large",
            "{host} does not take that much at once",
            "have its limit raised (of nginx: client_max_body_size)",
        ),
        (
            r"returned error: 429|too many requests",
            "{host} asks for fewer requests",
            "try again later",
        ),
        (
            r"returned error: 5\d\d",
            "{host} has a fault of its own",
            "try again later",
        ),
        (
            r"connection refused|failed to connect|could(n't| not) connect|timed? ?out|network is unreachable|no route"
            r"|connection reset|transfer closed|empty reply|low speed|early EOF|hung up unexpectedly|RPC failed",
            "{host} is unreachable or did not answer to the end",
            "look at the network, then try again",
        ),
        (
            r"no space left|disk quota|disk full|write error|unable to write",
            "the disk is full",
            "make room; nothing was lost",
        ),
    )
)


def access_failure(
    errors: str,
    host: str,
    *,
    today: str,
    timed_out: bool = False,
    trust: str = "",
    renewal: str = "",
    target: str | None = None,
) -> SyncFailedError:
    """Gives the failure behind what git said when it read or wrote the remote; `errors` holds no secret any more.

    `target` is where a redirect leads, `trust` names what is trusted besides the public authorities, `renewal` says
    where the credential came from and how it is set anew.
    """
    text = "could not connect: timed out" if timed_out else errors
    values = {
        "host": host,
        "today": today,
        "trust": f"{_PUBLIC_ALONE} and {trust}" if trust else _PUBLIC_ALONE,
        "mend": "add its certificate to that file" if _SETTING in trust else f"set {_SETTING} to a file that holds it",
        "target": _ELSEWHERE if target is None else target,
        "renewal": renewal or "renew the token, and look at its user name",
    }
    for kind in _KINDS:
        if kind.pattern.search(text):
            return SyncFailedError(kind.message.format(**values), kind.hint.format(**values))
    return SyncFailedError(f"git could not work with {host}", "git's own words stand above")


def redirect_target(trace: str, url: str) -> str | None:
    """Gives where a server wanted to send us instead of `url`, from git's trace of what was said (git(1),
    GIT_TRACE_CURL), as a repository's URL without a login and a query; None where it did not."""
    found = [match["target"] for match in _LOCATION.finditer(trace)]
    if not found:
        return None
    try:
        target = urlsplit(urljoin(url + "/", found[-1]))
    except ValueError:
        return None
    path = target.path
    for service in _SERVICES:
        path = path.removesuffix(service)
    shown = f"{target.scheme}://{target.netloc.rpartition('@')[2]}{path}"
    return shown if len(shown) <= _LONGEST_TARGET else f"{shown[:_LONGEST_TARGET]}…"


def rejection(porcelain: str) -> SyncFailedError | None:
    """Gives why a push was not taken, from `git push --porcelain` (git-push(1), "Output"); None if it was taken."""
    for line in porcelain.splitlines():
        flag, _, rest = line.partition("\t")
        if flag != "!":
            continue
        if re.search(r"fetch first|non-fast-forward|stale info", rest):
            return SyncFailedError(
                "rejected: the remote moved on since it was looked at, and has commits the local repo lacks",
                "sync again: it says what came and how to pull or rebase on the host",
            )
        if re.search(r"hook|protected", rest):
            return SyncFailedError(
                "rejected: a rule of the remote (a hook, or a protected branch) does not take the push",
                "the remote's own words stand above; the commit stays local",
            )
        return SyncFailedError("rejected by the remote", "the remote's own words stand above; the commit stays local")
    return None

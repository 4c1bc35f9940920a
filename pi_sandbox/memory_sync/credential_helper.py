"""git's credential helper: answers for one exact URL, else prints nothing and ends (git-credential(1), "INPUT/OUTPUT").

- It answers `get` only. `store` and `erase`, and anything else, do nothing; nothing is ever written.
- The request must name protocol, host and path, each once and exactly as in the URL, letter case and port included.
- A request with a key that it does not know, a carriage return, a NUL or another control character gets no answer.

The URL, the user name and the token stand in the file whose path is the first argument.
"""

import re
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LIMIT_BYTES = 64 * 1024
_IGNORED = frozenset({"capability[]", "wwwauth[]", "state[]"})
"""What git 2.41 and later tells every helper besides the place."""

_FIELD = re.compile(r"(?P<key>[a-z]+(?:\[\])?)=(?P<value>[^\x00-\x1f\x7f]*)")


def main(arguments: list[str]) -> int:
    """Answers one request on standard input. Always ends with 0: no answer is an answer."""
    if len(arguments) != 2 or arguments[1] != "get":
        return 0
    request = sys.stdin.buffer.read(_LIMIT_BYTES + 1)
    url, username, token = Path(arguments[0]).read_text(encoding="utf-8").split("\n")[:3]
    sys.stdout.write(answer(request, url, username, token))
    return 0


def answer(request: bytes, url: str, username: str, token: str) -> str:
    """Gives what git is told: user name and token for exactly this URL, else nothing."""
    fields = _fields(request)
    if fields is None or any(control in username + token for control in "\r\n\0"):
        return ""
    if fields.pop("username", username) != username or fields != _place(url):
        return ""
    return f"username={username}\npassword={token}\n"


def _fields(request: bytes) -> dict[str, str] | None:
    if len(request) > _LIMIT_BYTES:
        return None
    try:
        lines = request.decode("utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        return None
    if lines and not lines[-1]:
        lines.pop()
    fields: dict[str, str] = {}
    for line in lines:
        match = _FIELD.fullmatch(line)
        if match is None or match["key"] in fields:
            return None
        if match["key"] not in _IGNORED:
            fields[match["key"]] = match["value"]
    return fields


def _place(url: str) -> dict[str, str]:
    """The URL as git describes it to a helper with `credential.useHttpPath` (its credential.c)."""
    parts = urlsplit(url)
    return {"protocol": parts.scheme, "host": parts.netloc, "path": unquote(parts.path).strip("/")}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""A text with its character references, percent and backslash escapes resolved, and where each character came from.

It serves to find what a reader would recognise behind an encoding. The text itself is rewritten only where encodings
lie deeper inside each other than is resolved: there, what begins one (`&`, `%`, `\\`) becomes `[`, so that nothing is
left to resolve. Every pass takes time in proportion to the text's length.
"""

import html
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote

PASSES = 4
"""How many encodings inside each other are resolved; a chain of `&amp;amp;…` or `%2525…` counts as one."""

_PERCENT = (
    r"%(?:25)*(?:[0-7][0-9a-f]|[cd][0-9a-f]%(?:25)*[89ab][0-9a-f]"
    r"|e[0-9a-f](?:%(?:25)*[89ab][0-9a-f]){2}|f[0-7](?:%(?:25)*[89ab][0-9a-f]){3})"
)
_AMPERSANDS = r"&(?:amp;|\#38;|\#x26;)*"
_REFERENCE = rf"{_AMPERSANDS}(?:\#x0*[0-9a-f]{{1,8}};?|\#0*[0-9]{{1,8}};?|[a-z][a-z0-9]{{1,31}};|[lg]t)"
_UTF_16 = r"\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\u[0-9a-f]{4}"
_HEXADECIMAL = r"(?-i:\\U)[0-9a-f]{8}|\\[ux]\{0*[0-9a-f]{1,6}\}|\\x[0-9a-f]{2}"
_OCTAL = r"\\[0-3][0-7]{2}|\\[0-7]{2}"
_ENCODED = re.compile(
    f"(?P<percent>{_PERCENT})|(?P<reference>{_REFERENCE})|(?P<hexadecimal>{_HEXADECIMAL})|(?P<utf_16>{_UTF_16})"
    f"|(?P<octal>{_OCTAL})",
    re.IGNORECASE,
)

_BEGINNING = re.compile(r"[&%\\]")


@dataclass(frozen=True)
class Traced:
    """`text`, and for each of its characters the part of the original that it stands for: from start, before end."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


class Tracing:
    """Puts a `Traced` together out of pieces of another one."""

    def __init__(self, source: Traced) -> None:
        self._source = source
        self._pieces: list[str] = []
        self._starts: list[int] = []
        self._ends: list[int] = []

    def keep(self, start: int, end: int, shown: str) -> None:
        """Takes over a stretch of the source; `shown` stands for it character by character."""
        self._pieces.append(shown)
        self._starts.extend(self._source.starts[start:end])
        self._ends.extend(self._source.ends[start:end])

    def replace(self, start: int, end: int, shown: str) -> None:
        """Takes `shown` for a stretch of the source as a whole."""
        self._pieces.append(shown)
        self._starts.extend([self._source.starts[start]] * len(shown))
        self._ends.extend([self._source.ends[end - 1]] * len(shown))

    def result(self) -> Traced:
        return Traced("".join(self._pieces), self._starts, self._ends)


def decoded(text: str) -> tuple[str, Traced]:
    """Gives the text without encodings that lie too deep, and how that reads with the others resolved."""
    traced = _decoded(text)
    pieces: list[str] = []
    done = 0
    for match in _ENCODED.finditer(traced.text):
        if _meaning(match) == match[0]:  # no encoding: a reference without a meaning, a code beyond Unicode
            continue
        start, end = traced.starts[match.start()], traced.ends[match.end() - 1]
        pieces += [text[done:start], _BEGINNING.sub("[", text[start:end])]
        done = end
    if not pieces:
        return text, traced
    shallow = "".join([*pieces, text[done:]])
    return shallow, _decoded(shallow)


def _decoded(text: str) -> Traced:
    traced = Traced(text, range(len(text)), range(1, len(text) + 1))
    for _ in range(PASSES):
        if not _ENCODED.search(traced.text):
            break
        traced = _decoded_once(traced)
    return traced


def _decoded_once(source: Traced) -> Traced:
    tracing = Tracing(source)
    done = 0
    for match in _ENCODED.finditer(source.text):
        tracing.keep(done, match.start(), source.text[done : match.start()])
        tracing.replace(match.start(), match.end(), _meaning(match))
        done = match.end()
    tracing.keep(done, len(source.text), source.text[done:])
    return tracing.result()


def _meaning(match: re.Match[str]) -> str:
    token = match[0]
    match match.lastgroup:
        case "percent":
            return unquote(re.sub("%(?:25)+", "%", token))
        case "reference":
            bare = re.sub(_AMPERSANDS, "&", token, flags=re.IGNORECASE)
            return html.unescape(re.sub("(?<=[#xX])0+(?=[0-9a-fA-F])", "", bare))
        case "utf_16":
            return str(json.loads(f'"{token.lower()}"'))
        case "octal":
            return chr(int(token[1:], 8))
        case _:
            code = int(re.sub(r"[^0-9A-Fa-f]", "", token), 16)
            return chr(code) if code <= 0x10FFFF else token

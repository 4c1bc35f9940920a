"""One file of a store as the check sees it, and its content as text.

Every text a reader could see in the bytes is scanned: UTF-8, UTF-16 and UTF-32 with or without a mark,
else Latin-1, in which every byte is a character. So no content is left out for its encoding.
"""

import codecs
import re
from dataclasses import dataclass
from enum import StrEnum

_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class FileKind(StrEnum):
    """What stands at a path of the store."""

    FILE = "file"
    SYMLINK = "symlink"
    GITLINK = "gitlink"
    UNREADABLE = "unreadable"
    TOO_LARGE = "too-large"
    SPECIAL = "special"


@dataclass(frozen=True)
class MemoryFile:
    """A path relative to the store (lone surrogates for bytes that are not UTF-8), its kind and its bytes.

    For a symlink `content` is the target; for every other kind that is not a file it is empty.
    """

    path: str
    content: bytes = b""
    kind: FileKind = FileKind.FILE


@dataclass(frozen=True)
class DecodedText:
    """The readings of a content, and whether the first one is the file's own encoding beyond doubt."""

    readings: tuple[str, ...]
    certain: bool


def decode_content(content: bytes) -> DecodedText:
    """Gives every text that the bytes can be read as; the first is the likeliest. Never fails."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            text = _decoded(content, encoding)
            return DecodedText((text,), True) if text is not None else _as_latin1(content, certain=False)
    wide = _wide_encoding(content)
    if wide is not None and (text := _decoded(content, wide)) is not None:
        return DecodedText((text, content.decode("latin-1")), True)
    utf8 = _decoded(content, "utf-8")
    if utf8 is None:
        return _as_latin1(content, certain=_BINARY.search(content) is None)
    if "\0" in utf8:
        return DecodedText((utf8, utf8.replace("\0", "")), False)
    return DecodedText((utf8,), True)


def _as_latin1(content: bytes, *, certain: bool) -> DecodedText:
    text = content.decode("latin-1")
    return DecodedText((text, text.replace("\0", "")) if "\0" in text else (text,), certain)


def _wide_encoding(content: bytes) -> str | None:
    """Gives the UTF-16 or UTF-32 flavour of a text without a mark: ASCII text has its zeros at fixed places."""
    sample = content[:4096]
    if len(sample) < 4 or sample.count(0) * 3 < len(sample):
        return None
    for encoding, width, place in (("utf-32-le", 4, 0), ("utf-32-be", 4, 3), ("utf-16-le", 2, 0), ("utf-16-be", 2, 1)):
        if len(content) % width == 0 and sample.count(0) > len(sample) * (width - 1) // width - len(sample) // 8:
            letters = sample[place::width]
            if letters.count(0) * 8 < len(letters):
                return encoding
    return None


def _decoded(content: bytes, encoding: str) -> str | None:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        return None


def lines_of(text: str) -> list[str]:
    """Gives the lines as git counts them: a line ends at LF, and the CR before it is no part of it.

    A lone CR also ends what a reader takes for a line, so it becomes a blank, which no detector reads across.
    """
    lines = text.replace("\r\n", "\n").replace("\r", " ").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines

"""One file of a store as the check sees it, and its content as text.

Every text a reader could see in the bytes is scanned: UTF-16 and UTF-32 with or without a mark, and beside them always
the bytes as the review shows them: UTF-8, and Latin-1, in which every byte is a character, where they are not UTF-8.
So no content is left out for its encoding, and no mark and no single byte chooses what is looked at.
"""

import codecs
import re
from dataclasses import dataclass
from enum import StrEnum

TEXT_LIMIT_BYTES = 1024 * 1024
TEXT_LIMIT_LINES = 100_000
"""Above either a file is not scanned but blocks: each different word and each line costs many times its own bytes, and
the check has 1 GiB (`compose/check.yaml`)."""

_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_WIDE_MARKS = (
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
    """The readings of a content, the likeliest first, and whether it is text beyond doubt.

    All of `readings` have the file's lines; `others` are readings in which a line means nothing.
    """

    readings: tuple[str, ...]
    others: tuple[str, ...]
    certain: bool


def is_too_large(content: bytes) -> bool:
    """Tells whether a content is longer than what is scanned."""
    return len(content) > TEXT_LIMIT_BYTES or content.count(b"\n") > TEXT_LIMIT_LINES


def decode_content(content: bytes) -> DecodedText:
    """Gives every text that the bytes can be read as. Never fails: a byte that is not UTF-8 is a lone surrogate."""
    plain = content.removeprefix(codecs.BOM_UTF8)
    marked = next((encoding for mark, encoding in _WIDE_MARKS if content.startswith(mark)), None)
    wide = marked or (_wide_encoding(content) if plain == content else None)
    text = _decoded(content, wide) if wide is not None else None
    if text is not None:
        return DecodedText((text,), _others_beside(text, content), "\0" not in text)
    readings = _byte_readings(plain)
    certain = marked is None and (len(readings) == 1 or _BINARY.search(plain) is None)
    if b"\0" in plain:
        return DecodedText((*readings, *(reading.replace("\0", "") for reading in readings)), (), False)
    return DecodedText(readings, (), certain)


def _others_beside(text: str, content: bytes) -> tuple[str, ...]:
    """Gives what else wide bytes can hold: plain text between their zeros, and pairs of bytes the other way round."""
    pairs = (content.decode(encoding, "replace").removeprefix("\ufeff") for encoding in ("utf-16-le", "utf-16-be"))
    others = (*_byte_readings(content), *(pair for pair in pairs if pair != text))
    return tuple(other.replace("\0", " ") for other in others)


def _byte_readings(content: bytes) -> tuple[str, ...]:
    """Gives the content byte by byte: as UTF-8, and where it is not that also as Latin-1."""
    if (text := _decoded(content, "utf-8")) is not None:
        return (text,)
    return (content.decode("utf-8", "surrogateescape"), content.decode("latin-1"))


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

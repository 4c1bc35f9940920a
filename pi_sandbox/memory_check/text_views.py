"""The other readings of a text: freed of what only decorates it, and joined over a line end.

A copy freed of Markdown and invisible characters is scanned beside the raw text, never instead of it,
because taking decoration away can also destroy a token. Line numbers are the same in every view.
"""

import html
import re
import unicodedata

from pi_sandbox.memory_text.invisible import ALWAYS_IGNORED, JOINERS, without_invisible

_HIDDEN = re.compile(f"[{ALWAYS_IGNORED}{JOINERS}]")
_WIDE = re.compile("[\uff01-\uff5e\u24b6-\u24e9\U0001d400-\U0001d7ff\u2000-\u200a\u00a0\u202f\u3000]")
_TAG = re.compile(
    r"</?(?:b|i|em|strong|code|span|br|p|li|ul|ol|kbd|wbr|a|div|u|tt|pre|font|mark|sub|sup|samp|var|"
    r"small)(?:\s[^<>]{0,200})?/?>",
    re.IGNORECASE,
)
_CELL_TAG = re.compile(r"</?(?:td|th|tr|table|tbody|thead)(?:\s[^<>]{0,200})?>", re.IGNORECASE)
_ESCAPE = re.compile(r"\\([_*`~.\-#!\[\](){}|<>&+=])")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,10});")


_NO_LETTERS = frozenset({"Cc", "Cf", "Cs", "Mn", "Me"})
"""Controls, formatting, undecodable bytes and what stands on another character."""
_SPLIT_SPAN = re.compile(r"(?<=[A-Za-z0-9][-_.])`\s?`")
_GLUED = re.compile(r"(?<=[\w=/-])([\"'])\s{0,2}\+\s{0,2}\1(?=[\w=/-])")


def cleaned(line: str) -> str:
    """Gives the line without invisible characters, Markdown escapes, code ticks, bold marks, tags and entities."""
    if not line.isascii() or not line.isprintable():
        line = _without_disguise(line)
    if "+" in line:
        line = _GLUED.sub("", line)
    if not ("`" in line or "**" in line or "\\" in line or "<" in line or "&" in line or "~~" in line):
        return line
    if "&" in line:
        line = without_invisible(_ENTITY.sub(lambda found: html.unescape(found[0]), line)).replace("\n", " ")
    if "<" in line:
        line = _TAG.sub("", _CELL_TAG.sub(" | ", line))
    if "\\" in line:
        line = _ESCAPE.sub(r"\1", line)
    return _SPLIT_SPAN.sub("", line).replace("`", "").replace("**", "").replace("~~", "")


def _without_disguise(line: str) -> str:
    if not line.isprintable() or _HIDDEN.search(line):
        line = without_invisible(line).replace("\n", "")
    return unicodedata.normalize("NFKC", line) if _WIDE.search(line) else line


def in_lower_case(text: str) -> str:
    """Gives the text in lower case, character for character: U+0130 is the one letter whose lower case is longer, and
    U+017F one that expressions without case take for another letter."""
    return text.replace("\u0130", "i").replace("\u017f", "s").lower()


def name_readings(name: str) -> tuple[str, ...]:
    """Gives the readings of a name: with its undecodable bytes replaced, and where that differs without them, its
    invisible characters and its accents, none of which belongs to a token."""
    readable = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if name.isascii() and name.isprintable():
        return (readable,)
    apart = _HIDDEN.sub("", unicodedata.normalize("NFD", name))
    bare = "".join(character for character in apart if unicodedata.category(character) not in _NO_LETTERS)
    return (readable,) if bare == readable else (readable, bare)


def cleaned_lines(lines: list[str]) -> list[str]:
    """Gives `cleaned` of each line; undecorated lines are the same objects."""
    return [cleaned(line) for line in lines]


_TAIL_END = "\\\"'`+,|> \t"
_HEAD_START = re.compile(r"^[\s>|*+\"'`\-]{0,40}")


def joined_over_end(line: str, following: str) -> tuple[str, int] | None:
    """Gives the last word of a line with the first word of the next one glued on, and where the seam is.

    None where either is missing. Quotes, list marks, a continuation mark and string concatenation are left out.
    """
    tail = line.rstrip(_TAIL_END)
    start = max(tail.rfind(" "), tail.rfind("\t")) + 1
    tail = tail[start:][-400:].lstrip("\"'`(<[")
    head = _HEAD_START.sub("", following[:800])
    words = head.split(None, 1)
    if not tail or not words:
        return None
    return tail + words[0][:400], len(tail)

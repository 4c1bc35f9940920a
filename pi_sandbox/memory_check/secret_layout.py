"""Secrets that only the lines around them give away: table columns, CSV columns, a label above its value, Kubernetes
secrets."""

import re
from collections.abc import Iterator, Sequence

from pi_sandbox.memory_check.secret_grammar import believed, first_value
from pi_sandbox.memory_check.secret_values import (
    Strength,
    decodes_to_login,
    is_placeholder,
    looks_chosen_with_care,
    strength,
)
from pi_sandbox.memory_check.secret_words import WordClass, find_words
from pi_sandbox.memory_check.text_views import in_lower_case

_RULE = re.compile(r"^\s{0,8}\|?[\s:|+-]{3,400}$")
_LABEL = re.compile(
    r"(?:\s(?:is|ist|lautet|lauten|heißt|reads|are|sind))?\s{0,4}(?:\([^()]{0,40}\))?[\s*_`\"']{0,6}(?::=?|=|->|"
    r"→)?\\?[\s*_`|>]{0,8}$",
    re.IGNORECASE,
)
_WORD_ALONE = re.compile(r"[\s>*_`#+-]{0,12}[A-Za-zÄÖÜäöüß-]{2,24}[\s*_`]{0,8}")
_ENDS_OPEN = re.compile(r"(?::|=|->|→|\\|\b(?:is|ist|lautet|lauten|heißt|reads))[\s*_`|>\\]{0,8}$", re.IGNORECASE)
_OPEN_ENDS = frozenset(":=>→tnsß\\")
_FENCE = re.compile(r"^\s{0,8}(?:`{3,}|~{3,})[\w-]{0,20}\s{0,8}$")
_KIND_SECRET = re.compile(r"^\s{0,20}[\"']?kind[\"']?:\s{0,4}[\"']?(?:Secret|SecretList)\b")
_DATA = re.compile(r"^\s{0,20}(?:data|stringData):\s{0,4}$")
_ENTRY = re.compile(r"^\s{1,20}[\w.-]{1,80}:\s{1,4}[\"']?(?P<value>[^\s\"']{6,4000})")
_NAME_ENTRY = re.compile(
    r"[\s{-]{0,24}[\"']?(?:name|key|Name|Key)[\"']?\s?:\s{0,4}[\"']?(?P<name>[A-Za-z_.-]{2,60})[\"']?,?\s{0,4}$"
)
_VALUE_ENTRY = re.compile(r"\s{0,24}[\"']?(?:value|Value)[\"']?\s?:\s{0,4}(?P<value>\S.{0,400})")
_CODES_LABEL = re.compile(
    r"(?:recovery|backup|wiederherstellungs|notfall|scratch|einmal|one-time|2fa|"
    r"ersatz)[- _]?codes?\b.{0,60}[:=]?[\s*_`]{0,6}$"
)
_CODES_LINE = re.compile(
    r"(?:(?:[-*+>•]|\d{1,2}[.)]|\[[ x]\])\s{0,3}){0,2}`{0,3}[A-Za-z0-9]{4,10}(?:[- ][A-Za-z0-9]{4,10}){0,5}`{0,3}"
    r"(?:[\s,;|]{1,4}[A-Za-z0-9]{4,10}(?:[- ][A-Za-z0-9]{4,10}){0,5}){0,3}"
)
_NO_TITLE = re.compile(r"^$|[:={}<>]|\w\(")
"""What the title of a column does not look like: program text with a comma at its end is no table."""
_DELIMITERS = ("|", ";", "\t", ",")
NEEDLES = ("kind",)


def above_value(lines: Sequence[str], index: int) -> Iterator[tuple[int, str]]:
    """Yields (line from 0, message) for values below a label such as `Password:` on line `index`."""
    line = lines[index]
    alone_above = len(line) < 40 and _WORD_ALONE.fullmatch(line) is not None
    if not alone_above and (line.rstrip(" \t*_`|>\\")[-1:] not in _OPEN_ENDS or _ENDS_OPEN.search(line[-60:]) is None):
        return
    words = find_words(line[-200:])
    if not words:
        return
    word = words[-1]
    if alone_above:
        below = index + 1
        if below < len(lines) and looks_chosen_with_care(lines[below].strip(" \t>*`-\"'\\|")):
            yield below, "a secret stands below its label"
        return
    if _LABEL.match(line[-200:][word.end :]) is None and "=" not in line[-4:]:
        return
    place = _next_content(lines, index + 1)
    if place is None:
        return
    content = lines[place].strip(" \t>*`-\"'\\|")
    alone = len(content.split()) == 1
    if alone and believed(word.word_class if word.word_class is not WordClass.WEAK else WordClass.TOKEN, content):
        yield place, "a secret stands below its label"


def _next_content(lines: Sequence[str], start: int) -> int | None:
    for place in range(start, min(start + 4, len(lines))):
        if lines[place].strip(" \t>*`|-") and _FENCE.match(lines[place]) is None:
            return place
    return None


class Tables:
    """The tables of one text: which columns were looked at already, and down to which line.

    So no cell is looked at twice for the same reason, and the time stays linear however many rows name a secret.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self._ends: dict[tuple[str, int, int, WordClass], int] = {}

    def secret_cells(self, index: int) -> Iterator[tuple[int, str]]:
        """Yields (line from 0, message) for the cells below a column that line `index` names as secret."""
        header = self.lines[index]
        for delimiter in _DELIMITERS:
            if not _may_be_table(self.lines, index, delimiter):
                continue
            titles = (
                [title.strip(" \t*_`\"'") for title in header.strip(" |\t").split(delimiter)]
                if delimiter == "|"
                else [title.strip(" *_`\"'") for title in header.split(delimiter)]
            )
            if not 2 <= len(titles) <= 40 or any(len(title) > 40 for title in titles):
                continue
            if delimiter != "|" and any(_NO_TITLE.search(title) for title in titles):
                continue
            columns = {
                place: word_class
                for place, title in enumerate(titles)
                if (word_class := _title_class(title)) is not None
            }
            if columns:
                yield from self._cells(index, delimiter, len(titles), columns)
                return

    def _cells(
        self, index: int, delimiter: str, width: int, columns: dict[int, WordClass]
    ) -> Iterator[tuple[int, str]]:
        keys = {column: (delimiter, 0 if delimiter == "|" else width, column, columns[column]) for column in columns}
        unseen = [column for column, key in keys.items() if self._ends.get(key, 0) <= index]
        if not unseen:
            return
        place = index + (2 if delimiter == "|" else 1)
        while place < len(self.lines) and (cells := _cells_of(self.lines[place], delimiter, width)):
            for column in unseen:
                if column < len(cells) and _is_cell_secret(columns[column], cells[column].strip()):
                    yield place, "a table column holds secrets"
                    break
            place += 1
        for column in unseen:
            self._ends[keys[column]] = place


def _cells_of(row: str, delimiter: str, width: int) -> list[str]:
    """Gives the cells of a row; none if the line does not go on with the table."""
    if delimiter not in row:
        return []
    if delimiter == "|":
        return row.strip().strip("|").split(delimiter)
    return row.split(delimiter) if row.count(delimiter) == width - 1 else []


def _may_be_table(lines: Sequence[str], index: int, delimiter: str) -> bool:
    """A table has a rule below its header, rows of a delimiter have as many of it as the header."""
    if delimiter not in lines[index] or index + 1 >= len(lines):
        return False
    if delimiter == "|":
        return _RULE.match(lines[index + 1]) is not None
    return lines[index].count(delimiter) == lines[index + 1].count(delimiter)


def _title_class(title: str) -> WordClass | None:
    if len(title.split()) > 4 or any(character.isdigit() for character in title):
        return None
    words = [word for word in find_words(title) if word.end >= len(title) - 12]
    return words[0].word_class if words else None


def _is_cell_secret(word_class: WordClass, cell: str) -> bool:
    value, quoted, rest = first_value(cell)
    if rest.strip(" `*\"'") and not quoted and word_class is not WordClass.WEAK and len(rest.split()) > 2:
        return False
    return believed(
        WordClass.TOKEN if word_class is WordClass.WEAK and strength(value) is Strength.RANDOM else word_class, cell
    )


def kubernetes_secret(lines: Sequence[str], index: int) -> Iterator[tuple[int, str]]:
    """Yields (line from 0, message) for the entries of a Kubernetes secret that begins on line `index`."""
    if _KIND_SECRET.match(lines[index]) is None:
        return
    inside = False
    for place in range(index + 1, min(index + 60, len(lines))):
        line = lines[place]
        if line.startswith("---"):
            return
        if _DATA.match(line):
            inside = True
        elif inside and (found := _ENTRY.match(line)) is not None:
            value = found["value"]
            if not is_placeholder(value) and (strength(value) >= Strength.FAIR or decodes_to_login(value)):
                yield place, "a Kubernetes secret"


def codes_below(lines: Sequence[str], index: int) -> Iterator[tuple[int, str]]:
    """Yields (line from 0, message) for one-time codes, one or more a line, in the list that line `index` announces."""
    if (
        len(lines[index]) > 200
        or "code" not in (label := in_lower_case(lines[index]))
        or _CODES_LABEL.search(label) is None
    ):
        return
    for place in range(index + 1, min(index + 24, len(lines))):
        line = lines[place][:200].strip()
        if not line or _FENCE.match(line):
            continue
        if _CODES_LINE.fullmatch(line) is None or not any(c.isdigit() for c in line):
            return
        yield place, "a recovery code stands below its label"


def named_value(lines: Sequence[str], index: int) -> Iterator[tuple[int, str]]:
    """Yields (line from 0, message) for the `value:` below a `name:` that announces a secret, as manifests have it."""
    name = _NAME_ENTRY.match(lines[index])
    below = index + 1
    if name is None or below >= len(lines) or (word_class := _title_class(name["name"])) is None:
        return
    found = _VALUE_ENTRY.match(lines[below])
    if found is not None and believed(word_class, found["value"]):
        yield below, "a secret stands below its name"

"""Rows of data about persons and log lines with user ids or addresses, as they are pasted into notes."""

import re
from collections.abc import Iterator

from pi_sandbox.memory_check.person_names import is_given_name, is_name_cell, names_in

_INSERT = re.compile(r"(?i)\binsert\s+into\s+[\w.`\"\[\]]{1,60}[^\n]{0,200}?\bvalues\s*\(")
_INSERT_VALUE = re.compile(r"'([^'\n]{2,80})'")
_NAME_FIELD = (
    "(?:first|last|given|family|sur|full|customer|user|display)_?name|vorname|nachname|familienname|kundenname|"
    "birth_?date|geburtsdatum|date_?of_?birth"
)
_FIELD = re.compile(
    rf"(?i)[\"']?\b(?:(?P<name>{_NAME_FIELD})|strasse|straße|street|phone|telefon|ort|"
    rf"(?:customer|user|kunden|member|patient|account)_?(?:id|nr|nummer|no)|(?P<plain>name|kunde)|"
    rf"city)[\"']?\s{{0,2}}[:=]\s{{0,2}}[\"']?(?P<value>[^\"',;{{}}|\n]{{2,60}})"
)
_ROW_START = re.compile(r"^[\s|>\"'(-]{0,8}[\w-]{0,12}\d{1,12}[\"']?\s{0,3}[;|,\t]")
_DATE_CELL = re.compile(r"(?:19[2-9]|20[01])\d-\d\d-\d\d|\d{1,2}\.\d{1,2}\.(?:19|20)\d\d|\d{1,2}/\d{1,2}/(?:19|20)\d\d")
_NUMBER_CELL = re.compile(r"[A-Z]{0,4}-?\d{1,12}")
_AMOUNT_CELL = re.compile(r"\d{1,3}(?:[.,]\d{3}){1,2}(?:[.,]\d\d)?\s?(?:€|EUR|USD|\$|CHF|£)?|\d{3,6}\s?(?:€|EUR|CHF)")
_CITY_CELL = re.compile(r"\d{4,5}\s[A-ZÄÖÜ][a-zäöü]+|\d{5}")
_ADDRESS = re.compile(
    r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])|(?<![\w:.])(?:[0-9a-fA-F]{1,4}:){3,7}[0-9a-fA-F]{1,4}(?![\w:])"
)
_STAMP = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[\d{1,2}/\w{3}/\d{4}[:\s]\d\d:\d\d|\b[A-Z][a-z]{2}\s{1,2}\d{1,2}\s\d\d:\d\d:\d\d|"
    r"\d{1,2}\.\d{1,2}\.\d{4}[ ,]{1,2}\d\d:\d\d|^\W{0,3}\d\d:\d\d:\d\d|\"(?:ts|time|timestamp|@timestamp)\"\s?:|"
    r"\b\d{10}(?:\.\d{1,6}|\d{3})\b"
)
_REQUEST = re.compile(
    r"\"(?:GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS) [^\"\s]{1,400}(?: HTTP/[\d.]{1,3})?\"|sshd\[\d+\]|"
    r"\[\d{1,2}/\w{3}/\d{4}:\d\d:\d\d:\d\d"
)
_USER = re.compile(
    r"(?i)(?<![a-z])(?:user(?:_?(?:id|name))?|uid|userid|benutzer(?:name|-?id)?|account(?:_?id)?|customer(?:_?id)?|"
    r"kunde(?:n-?(?:nr|nummer|id))?|login|member(?:_?id)?|patient(?:_?id)?|subscriber|email|client_?id|"
    r"session(?:_?user)?|mitarbeiter|employee(?:_?id)?)[\"']?\s?[:=#]\s?[\"']?(?P<value>[\w.@+-]{2,60})|"
    r"(?i:(?:for|from)\s(?:invalid\s)?(?:user\s)?(?P<named>[A-Za-zÄÖÜäöü][\w.-]{1,40})\sfrom\s)|(?i:(?:kunde|kundin|"
    r"customer|user|benutzer|patient|member)\s(?:id\s|nr\.?\s|#)?(?P<number>\d{3,12}))(?!\d)"
)
_TECHNICAL_USERS = frozenset(
    "root admin null none true false system nobody www-data daemon postgres service anonymous guest string int "
    "bigint integer uuid text varchar required optional self current me id".split()
)

ROW_NEEDLES = ("insert", "name", "birth", "geburtsdatum")
LOG_SHAPES = (
    re.compile(
        r"\d\d:\d\d|\"(?:ts|time|timestamp|@timestamp)\"|\d(?<!\w.)\d{9}(?:\d{3}|\.\d+)?(?!\w)|HTTP/|\"(?:GET|POST|"
        r"PUT|DELETE|PATCH|HEAD|OPTIONS)|sshd\["
    ),
    re.compile(r"\d\.\d{1,3}\.\d{1,3}\.\d"),
)


def is_row(line: str) -> bool:
    """Tells whether a line begins like a row of data: a number or id, then a delimiter."""
    return _ROW_START.match(line) is not None


def may_be_table_row(line: str) -> bool:
    """Tells whether a line has the delimiters of a table's or a list's row."""
    return line.count("|") >= 2 or line.count(";") >= 2 or line.count("\t") >= 2


def data_rows(line: str) -> Iterator[str]:
    """Yields a message for a row of data that names a person."""
    if _INSERT.search(line) and any(_is_personal_text(value) for value in _INSERT_VALUE.findall(line)):
        yield "a row of data about a person"
        return
    found_fields = list(_FIELD.finditer(line)) if line.count(":") + line.count("=") >= 2 else []
    fields = [found["value"].strip() for found in found_fields]
    if (
        len(fields) >= 2
        and any(found["name"] or found["plain"] for found in found_fields)
        and any(is_name_cell(value) or _looks_filled(value) for value in fields)
    ):
        yield "a row of data about a person"
        return
    if may_be_table_row(line) and any(
        _is_named_row(line.strip(" |\t>").split(delimiter)) for delimiter in "|;\t" if line.count(delimiter) >= 2
    ):
        yield "a row of data about a person"
        return
    if is_row(line) and any(
        _is_person_row(line.strip(" |\t>").split(delimiter))
        for delimiter in (";", "|", "\t", ",")
        if line.count(delimiter) >= 2
    ):
        yield "a row of data about a person"


def _is_personal_text(value: str) -> bool:
    return is_name_cell(value) or bool(names_in(value)) or "@" in value


def _looks_filled(value: str) -> bool:
    return value.isalpha() and value[0].isupper() and is_given_name(value)


def _is_person_row(cells: list[str]) -> bool:
    cells = [cell.strip(" \"'()`") for cell in cells]
    if len(cells) < 3 or len(cells) > 60:
        return False
    named = sum(is_name_cell(cell) for cell in cells)
    detail = any(
        _DATE_CELL.fullmatch(cell)
        or _CITY_CELL.fullmatch(cell)
        or "@" in cell
        or (re.search(r"\d", cell) and " " in cell)
        for cell in cells[1:]
    )
    alone = (
        any(is_given_name(cell) for cell in cells)
        and sum(cell.isalpha() and cell[0].isupper() for cell in cells if cell) >= 2
    )
    return _NUMBER_CELL.fullmatch(cells[0]) is not None and ((named > 0 and detail) or alone)


def _is_named_row(cells: list[str]) -> bool:
    """A row that begins with a person's full name and goes on with a date, a mail address, a place or an amount."""
    cells = [cell.strip(" \"'()`*") for cell in cells[:40]]
    return (
        len(cells) >= 2
        and len(cells[0].split()) >= 2
        and is_name_cell(cells[0])
        and any(
            _DATE_CELL.fullmatch(cell) or _CITY_CELL.fullmatch(cell) or _AMOUNT_CELL.fullmatch(cell) or "@" in cell
            for cell in cells[1:]
        )
    )


def log_lines(line: str) -> Iterator[str]:
    """Yields a message for a log line with a user or a public address in it."""
    if _REQUEST.search(line) and any(_is_public(found[0]) for found in _ADDRESS.finditer(line)):
        yield "a log line about a user"
        return
    users = [
        value
        for found in _USER.finditer(line)
        if (value := found["value"] or found["named"] or found["number"]) and value.lower() not in _TECHNICAL_USERS
    ]
    public = any(_is_public(found[0]) for found in _ADDRESS.finditer(line))
    if _STAMP.search(line) is None:
        if public and any(_is_identity(value) for value in users):
            yield "a log line about a user"
        return
    if (users and (public or any(_is_identity(value) for value in users))) or (
        public
        and re.search(r"(?i)login|logout|session|anmeld|request|client|visitor|besucher|user|benutzer|kunde", line)
    ):
        yield "a log line about a user"


def _is_identity(value: str) -> bool:
    return (
        "@" in value
        or re.fullmatch(r"\d{3,12}", value) is not None
        or re.fullmatch(r"[a-z]{2,}[._-][a-z]{2,}\d*", value) is not None
        or (value[:1].isupper() and is_given_name(value))
    )


def _is_public(address: str) -> bool:
    if ":" in address:
        return not address.lower().startswith(("fe80", "fc", "fd", "::1", "2001:db8")) and "::" not in address[:1]
    parts = [int(part) for part in address.split(".")]
    if any(part > 255 for part in parts) or parts[0] in (0, 10, 127) or parts[0] >= 224:
        return False
    private = (
        (parts[0] == 172 and 16 <= parts[1] < 32)
        or (parts[0], parts[1]) in ((192, 168), (169, 254))
        or (parts[0] == 100 and 64 <= parts[1] < 128)
    )
    return not private and address not in ("1.1.1.1", "1.0.0.1", "8.8.8.8", "8.8.4.4", "9.9.9.9")

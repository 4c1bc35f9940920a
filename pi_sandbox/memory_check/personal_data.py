"""Finds possible personal data, line by line, in German and English.

What always holds:

- Everything found is only asked about, never blocking: heuristics see persons where there are none.
- A number needs a right check digit, a country's numbering plan or a word that names it; a name alone is never enough.
- Each detector's expressions are bounded, so the time is linear in the length of a line.
- A hit names the line and the kind, never the value.
"""

import re
from collections.abc import Iterator, Sequence

from pi_sandbox.memory_check import personal_contact as contact
from pi_sandbox.memory_check import personal_numbers as numbers
from pi_sandbox.memory_check import personal_rows as rows
from pi_sandbox.memory_check import personal_statements
from pi_sandbox.memory_check.findings import LINE_LIMIT, Hit, too_dense
from pi_sandbox.memory_check.person_names import ROLE_NEEDLES, may_hold_name
from pi_sandbox.memory_check.prefilter import TextBatch, Trigger, mask_of, merged_marks

_EMAIL, _PHONE, _NUMBER, _ADDRESS, _BIRTH, _REACH, _STATEMENT, _ROW, _LOG, _NAME = (1 << place for place in range(10))
_TRIGGERS = (
    Trigger(contact.EMAIL_NEEDLES),
    Trigger(contact.PHONE_NEEDLES, contact.PHONE_SHAPES),
    Trigger(numbers.NEEDLES, numbers.SHAPES),
    Trigger(contact.ADDRESS_NEEDLES, contact.ADDRESS_SHAPES, contact.may_end_street, contact.STREET_ENDS),
    Trigger(contact.BIRTH_NEEDLES),
    Trigger(contact.REACH_NEEDLES),
    Trigger(personal_statements.NEEDLES),
    Trigger(rows.ROW_NEEDLES),
    Trigger(shapes=rows.LOG_SHAPES),
    Trigger(ROLE_NEEDLES, test=may_hold_name),
)
_NEED_DIGIT = _NUMBER | _PHONE | _ADDRESS | _BIRTH
_DIGIT = re.compile(r"\d")
_ALL = (1 << len(_TRIGGERS)) - 1


def find_personal(lines: Sequence[str], *, prefiltered: bool = True) -> list[Hit]:
    """Gives the possible personal data of one text, in the order of its lines (numbered from 1)."""
    return find_personal_in(TextBatch.of([lines]), prefiltered=prefiltered)[0]


def find_personal_in(batch: TextBatch, *, prefiltered: bool = True) -> list[list[Hit]]:
    """Gives `find_personal` of each text; their words are looked at together."""
    marks = merged_marks(batch.words, _TRIGGERS) if prefiltered else None
    return [_find(lines, words, marks) for lines, words in zip(batch.freed, batch.split, strict=True)]


def _find(lines: list[str], words: list[list[str]], marks: dict[str, int] | None) -> list[Hit]:
    hits: set[Hit] = set()
    for number, line in enumerate(lines):
        mask = _ALL if marks is None else mask_of(words[number], marks) | (_ROW if rows.is_row(line) else 0)
        mask = _asked_for(mask, line) if mask else 0
        if mask and len(line) > LINE_LIMIT:
            hits.add(too_dense(number + 1))
        elif mask:
            for category, message in _of_line(lines, number, mask):
                before, after = _lines_around(category, lines, number)
                hits.add(Hit(number + 1, category, message, before, after))
    return sorted(hits)


def _lines_around(category: str, lines: Sequence[str], number: int) -> tuple[int, int]:
    """Gives how many lines before and after the one of a hit belong to it."""
    match category:
        case "personal-address":
            return contact.address_lines(lines, number)
        case "personal-phone":
            return 0, contact.phone_lines(lines, number)
        case _:
            return 0, 0


def _asked_for(mask: int, line: str) -> int:
    """Gives the detectors that have to look at a line: some marks count only together with others."""
    if not mask & _NAME:
        mask &= ~(_STATEMENT if "/" in line else _STATEMENT | _REACH)
    if mask & _NEED_DIGIT and _DIGIT.search(line) is None:
        mask &= ~_NEED_DIGIT
    if mask & _NAME and rows.may_be_table_row(line):
        mask |= _ROW
    return mask & ~_NAME


def _of_line(lines: list[str], number: int, mask: int) -> Iterator[tuple[str, str]]:
    line = lines[number]
    if mask & _EMAIL:
        yield from (("personal-email", message) for message in contact.emails(line))
    if mask & _NUMBER:
        yield from (("personal-iban", message) for message in numbers.ibans(line))
        yield from (("personal-card", message) for message in numbers.cards(line))
        yield from (("personal-id", message) for message in numbers.national_ids(line))
    if mask & _PHONE:
        yield from (("personal-phone", message) for message in contact.phones(line))
    if mask & _ADDRESS:
        yield from (("personal-address", message) for message in contact.addresses(lines, number))
    if mask & _BIRTH:
        yield from (("personal-birth", message) for message in contact.births(line))
    if mask & _REACH:
        yield from (("personal-contact", message) for message in contact.contacts(line))
    if mask & _STATEMENT:
        yield from personal_statements.statements(line)
    if mask & _ROW:
        yield from (("personal-row", message) for message in rows.data_rows(line))
    if mask & _LOG:
        yield from (("personal-log", message) for message in rows.log_lines(line))

"""Bounded time on any line: each line is made of what some expression would like to try again and again."""

import time

import pytest

from pi_sandbox.memory_check.check import check_store
from pi_sandbox.memory_check.format_rules import StoreKind
from pi_sandbox.memory_check.memory_file import MemoryFile
from pi_sandbox.memory_check.secret_scan import scan_text

PIECES = [
    "a",
    " ",
    "| ",
    "| a ",
    "1",
    "1 ",
    "1.",
    "0",
    "f",
    "password ",
    "password: ",
    'password="',
    "key=",
    "a@",
    "a.",
    "a@b.de ",
    "http://a:",
    "http://a:b@c ",
    "eyJ",
    "eyJaaaaaaaaaa.",
    "Anna Müller ",
    "Anna Müller ist krank ",
    "-----BEGIN PRIVATE KEY-----",
    "curl -u a:",
    "\\_",
    "`",
    "<",
    "<b ",
    "&amp;",
    "+49 30 ",
    "Hauptstraße 1 ",
    "Aa ",
    "Aa Bb Street ",
    "geb. 1.1.",
    "1;",
    "insert into a values ('",
    "2024-01-01 10:00 user=1 ",
    '"',
    "a\u200b",
    "xoxb-",
    "ghp_",
    "-",
    "_",
    "$2a$",
    "(",
    "DE89 ",
    "4111 ",
    "aws key ",
    "otpauth://",
    "Tel. 0171 ",
    "\x1b[",
    "İ",
    "machine a login ",
    "as ",
    "---\n",
]


def _seconds(text: str) -> float:
    started = time.process_time()
    check_store([MemoryFile("notes/a.md", text.encode())], store="work", store_kind=StoreKind.DOMAIN)
    return time.process_time() - started


@pytest.mark.parametrize("piece", PIECES)
def test_a_line_of_20000_characters_takes_little_time_whatever_it_repeats(piece: str) -> None:
    assert _seconds(piece * (20_000 // len(piece))) < 3


@pytest.mark.parametrize("line", ["eyJ" * 5, "glpat-" * 3, "xoxb-"])
def test_lines_that_only_begin_like_a_token_take_little_time(line: str) -> None:
    _seconds("eyJ\n")
    assert _seconds(f"{line}\n" * 10_000) < 2


def test_sixteen_times_the_notes_take_no_more_than_linear_time() -> None:
    note = "Das Passwort liegt im Tresor, siehe docs/auth.md und Commit 1a2b3c4.\n" * 150
    _seconds(note)
    once, often = _seconds(note * 2), _seconds(note * 32)
    assert often < 16 * once * 3


@pytest.mark.parametrize("piece", ["key=", 'password="', "password "])
def test_a_line_with_more_secret_words_than_can_be_looked_at_is_reported_not_passed(piece: str) -> None:
    assert [hit.line for hit in scan_text(["a", piece * 12_000, "b"])] == [2]
    assert not scan_text(["a", "password " * 20, "b"])

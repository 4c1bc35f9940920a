"""Bounded time on any line: each line is made of what some expression would like to try again and again."""

import time
from pathlib import Path

import pytest

from pi_sandbox.memory_check import personal_data, secret_layout, secret_scan
from pi_sandbox.memory_check.check import check_store
from pi_sandbox.memory_check.findings import LINE_LIMIT, TOO_DENSE, Severity
from pi_sandbox.memory_check.format_rules import StoreKind
from pi_sandbox.memory_check.memory_file import TEXT_LIMIT_BYTES, TEXT_LIMIT_LINES, MemoryFile
from pi_sandbox.memory_check.secret_scan import scan_text
from pi_sandbox.memory_check.secret_words import WORDS_OF_A_LINE

CHECKOUT = Path(__file__).parents[3]

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
    "a://",
    "1.2.3.4 ",
    "*1",
    "key:a1An der ",
    "machine a login DE893704004405320130 ",
    "Anna Kunde ",
    "password;a\n",
    "| password |\n|---|\n",
    "kind: Secret\ndata:\n",
    '"kty":\n',
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


def _blocking(text: str) -> list[tuple[int | None, str]]:
    result = check_store([MemoryFile("notes/a.md", text.encode())], store="work", store_kind=StoreKind.DOMAIN)
    return [(found.line, found.category) for found in result.findings if found.severity is Severity.BLOCKING]


@pytest.mark.parametrize("piece", ["key=", 'password="', "password "])
def test_a_line_with_more_secret_words_than_can_be_looked_at_blocks(piece: str) -> None:
    assert _blocking(f"a\n{piece * 1_200}\nb\n") == [(2, TOO_DENSE)]
    assert not _blocking(f"a\n{piece * 20}\nb\n")


@pytest.mark.parametrize("piece", ["a@b.de ", "Anna Weber ist krank ", "curl -u ", "1.2.3.4 10:00 ", "Passwort "])
def test_a_line_that_is_too_long_to_be_looked_at_blocks_and_no_detector_sees_it(
    piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def see(*_: object) -> list[tuple[str, str]]:
        seen.append(1)
        return []

    monkeypatch.setattr(secret_scan, "_scan_line", see)
    monkeypatch.setattr(personal_data, "_of_line", see)
    line = piece * (LINE_LIMIT // len(piece) + 1)
    assert _blocking(f"a\n{line}\nb\n") == [(2, TOO_DENSE)]
    assert not seen
    assert (2, TOO_DENSE) not in _blocking(f"a\n{piece * 40}\nb\n")
    assert seen


def test_the_limits_that_block_stand_in_the_description_of_the_format() -> None:
    described = " ".join((CHECKOUT / "docs/memory-format.md").read_text("utf-8").split())
    assert f"a file of more than {TEXT_LIMIT_BYTES // 2**20} MiB or {TEXT_LIMIT_LINES:,} lines blocks" in described
    assert f"more than {LINE_LIMIT:,} characters or {WORDS_OF_A_LINE:,} words" in described


def test_nothing_is_asked_about_a_line_that_is_too_long() -> None:
    line = "a@b.de " * (LINE_LIMIT // 7 + 1)
    result = check_store([MemoryFile("README.md", line.encode())], store="work", store_kind=StoreKind.DOMAIN)
    assert [found.category for found in result.findings if found.line == 1] == [TOO_DENSE]


def test_a_long_line_in_which_nothing_is_to_be_looked_at_passes_and_a_token_in_a_long_line_is_named() -> None:
    assert not _blocking("nur Text " * 20_000)
    token = "lin_" + "api_" + "k3Vq9ZtLmX8wR2bN7cYhJ4sDfG6p" + "T5aQ8e"
    assert _blocking("nur Text " * 20_000 + token) == [(1, "secret")]
    assert _blocking("x" * LINE_LIMIT + token) == [(1, TOO_DENSE)]
    assert _blocking("Das Passwort " * 20_000 + token) == [(1, "secret"), (1, TOO_DENSE)]


@pytest.mark.parametrize("row", ["password;a", "a,password", "| password | token |\n|---|---|"])
def test_no_cell_is_looked_at_twice_for_one_reason_however_many_rows_name_a_secret(
    row: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells: list[str] = []
    monkeypatch.setattr(secret_layout, "_is_cell_secret", lambda _, cell: cells.append(cell))
    rows = 500
    scan_text(row.split("\n") * rows, prefiltered=False)
    assert 0 < len(cells) <= 4 * rows


@pytest.mark.parametrize("piece", ["a://", "1.2.3.4 ", "eyJaaaaaaaaaa.", "030/", "Anna Weber ", "`", "x"])
def test_a_line_of_a_million_characters_takes_little_time(piece: str) -> None:
    _seconds("a")
    assert _seconds(piece * (1_000_000 // len(piece))) < 3

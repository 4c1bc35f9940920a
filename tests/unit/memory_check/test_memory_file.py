"""Whatever the encoding, a secret in the bytes is read."""

import pytest

from pi_sandbox.memory_check.check import check_store
from pi_sandbox.memory_check.format_rules import StoreKind
from pi_sandbox.memory_check.memory_file import MemoryFile, decode_content, lines_of

SECRET_LINE = "größe\nPasswort: " + "Tiger" + "42!blau\n"


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "latin-1", "cp1252"],
)
def test_a_secret_is_found_in_its_line_in_any_encoding(encoding: str) -> None:
    result = check_store(
        [MemoryFile("notes/a.md", SECRET_LINE.encode(encoding))], store="w", store_kind=StoreKind.DOMAIN
    )
    assert ("secret", 2) in {(finding.category, finding.line) for finding in result.findings}
    assert "undecodable" not in {finding.category for finding in result.findings}


@pytest.mark.parametrize(
    "content",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"a\0b",
        bytes(range(256)),
        b"\xff\xfe\x00\xd8",
        b"\x1f\x8b\x08\x07\xff\xfe\xfd\xfc",
    ],
)
def test_binary_content_blocks_and_its_readable_part_is_scanned(content: bytes) -> None:
    for tail in (b"", b" " + SECRET_LINE.encode("latin-1")):
        result = check_store([MemoryFile("notes/a.md", content + tail)], store="w", store_kind=StoreKind.DOMAIN)
        assert "undecodable" in {finding.category for finding in result.findings}
        assert ("secret" in {finding.category for finding in result.findings}) is bool(tail)


def test_wide_text_with_a_secret_between_its_zeros_is_read_both_ways() -> None:
    hidden = "ab".encode("utf-16-le") * 50 + ("Passwort: " + "Tiger" + "42!blau").encode()
    result = check_store([MemoryFile("notes/a.md", hidden)], store="w", store_kind=StoreKind.DOMAIN)
    assert "secret" in {finding.category for finding in result.findings}


def test_plain_text_has_one_reading() -> None:
    assert decode_content("größe".encode()).readings == ("größe",)


def test_a_line_ends_where_git_ends_it() -> None:
    assert lines_of("a\r\nb\x0cc\u2028d\n\ne") == ["a", "b\x0cc\u2028d", "", "e"]
    assert lines_of("") == []
    assert lines_of("a\rb\n") == ["a b"]

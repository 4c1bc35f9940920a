"""Whatever the encoding, a secret in the bytes is read."""

import codecs

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pi_sandbox.memory_check.check import check_store
from pi_sandbox.memory_check.format_rules import StoreKind
from pi_sandbox.memory_check.memory_file import MemoryFile, decode_content, lines_of

KEY = ("gl" + "pat-" + "Zx8Kq2" + "Vn7Lw4" + "Rt9Bm3pQ").encode()
MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
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


@given(
    start=st.sampled_from((b"", *MARKS)),
    before=st.binary(max_size=40) | st.text(max_size=40).map(lambda text: text.encode("utf-16-le", "surrogatepass")),
    seam=st.sampled_from((b"\n", b" ", b"\r\n", b": ", b"\0", b"\xff", b"\xc3")),
    after=st.binary(max_size=40) | st.text(max_size=40).map(lambda text: text.encode("utf-16-be", "surrogatepass")),
)
@example(start=codecs.BOM_UTF16_LE, before=b"# T\n\ntoken:", seam=b" ", after=b"")
@example(start=codecs.BOM_UTF16_LE, before=b"# T\n\ntoken: ", seam=b" ", after=b"")
@example(start=codecs.BOM_UTF16_BE, before=b"# T\n\ntoken:", seam=b" ", after=b"")
@example(start=codecs.BOM_UTF16_BE, before=b"# T\n\ntoken: ", seam=b" ", after=b"")
def test_a_key_whose_bytes_stand_in_a_row_blocks_whatever_stands_around_it(
    start: bytes, before: bytes, seam: bytes, after: bytes
) -> None:
    content = start + before + seam + KEY + b"\n" + after
    result = check_store([MemoryFile("README.md", content)], store="w", store_kind=StoreKind.DOMAIN)
    assert "secret" in {finding.category for finding in result.findings}


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_before_plain_text_without_a_secret_is_no_secret(mark: bytes) -> None:
    content = mark + b"# About\n\ntoken: see the vault\n"
    result = check_store([MemoryFile("README.md", content)], store="w", store_kind=StoreKind.DOMAIN)
    assert "secret" not in {finding.category for finding in result.findings}


def test_one_byte_that_is_not_utf8_hides_neither_a_broken_key_nor_personal_data() -> None:
    broken = b"see " + "\u200b".encode().join((KEY[:8], KEY[8:16], KEY[16:])) + b"\n"
    person = "Herr Jürgen Müller, Königsstraße 12, 80331 München, hat Diabetes.\n".encode()
    for tail in (b"", b"\xff\n"):
        result = check_store([MemoryFile("notes/a.md", broken + person + tail)], store="w", store_kind=StoreKind.DOMAIN)
        found = {(finding.category, finding.line) for finding in result.findings}
        assert {("secret", 1), ("personal-address", 2), ("personal-health", 2)} <= found


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("mark", [b"", *MARKS])
def test_a_key_in_other_bytes_than_the_mark_says_blocks(mark: bytes, encoding: str) -> None:
    content = mark + ("token: " + KEY.decode()).encode(encoding)
    result = check_store([MemoryFile("notes/a.md", content)], store="w", store_kind=StoreKind.DOMAIN)
    assert {"secret", "undecodable"} & {finding.category for finding in result.findings}


def test_zeros_between_the_letters_of_a_marked_text_block() -> None:
    content = codecs.BOM_UTF8 + b"\0".join(bytes((letter,)) for letter in KEY)
    result = check_store([MemoryFile("notes/a.md", content)], store="w", store_kind=StoreKind.DOMAIN)
    assert {"secret", "undecodable"} <= {finding.category for finding in result.findings}


def test_plain_text_has_one_reading() -> None:
    for content in ("größe".encode(), "größe".encode("utf-8-sig")):
        decoded = decode_content(content)
        assert (decoded.readings, decoded.others, decoded.certain) == (("größe",), (), True)


def test_a_line_ends_where_git_ends_it() -> None:
    assert lines_of("a\r\nb\x0cc\u2028d\n\ne") == ["a", "b\x0cc\u2028d", "", "e"]
    assert lines_of("") == []
    assert lines_of("a\rb\n") == ["a b"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_personal_data_in_wide_text_is_asked_once(encoding: str) -> None:
    content = "größe\nanna@example.org and some more words\n".encode(encoding)
    result = check_store([MemoryFile("notes/a.md", content)], store="w", store_kind=StoreKind.DOMAIN)
    assert [finding.line for finding in result.findings if finding.category == "personal-email"] == [2]

import pytest
from hypothesis import given, strategies

from pi_sandbox.memory_sync.line_ends import with_committed_line_ends

CASES = {
    "the same": (b"a\nb\n", b"a\nb\n", b"a\nb\n"),
    "only the line ends differ": (b"a\r\nb\r\n", b"a\nb\n", b"a\nb\n"),
    "only the line ends differ, the other way": (b"a\nb\n", b"a\r\nb\r\n", b"a\r\nb\r\n"),
    "only the line ends differ, mixed in the repository": (b"a\r\nb\r\n", b"a\r\nb\n", b"a\r\nb\n"),
    "an edit in a checkout with CRLF": (b"a\r\nc\r\n", b"a\nb\n", b"a\nc\n"),
    "an edit that brings mixed line ends": (b"a\nc\r\n", b"a\nb\n", b"a\nc\n"),
    "an edit with LF in a file with CRLF": (b"a\nc\n", b"a\r\nb\r\n", b"a\r\nc\r\n"),
    "an edit in a file with mixed line ends stays as it is": (b"a\nc\r\n", b"a\r\nb\n", b"a\nc\r\n"),
    "a file without any line end stays as it is": (b"a\r\n", b"b", b"a\r\n"),
    "a lone CR is no line end": (b"a\rb\n", b"a\n", b"a\rb\n"),
    "a lone CR before a CRLF does not become one": (b"a\r\r\n", b"a\n", b"a\r\r\n"),
    "a file with a NUL stays as it is": (b"a\0\r\n", b"a\0\n", b"a\0\r\n"),
}


@pytest.mark.parametrize(("disk", "committed", "expected"), CASES.values(), ids=CASES)
def test_line_ends_follow_the_committed_file(disk, committed, expected):
    assert with_committed_line_ends(disk, committed) == expected


TEXTS = strategies.lists(strategies.sampled_from([b"a", b"b", b"\n", b"\r\n", b"\r", b"\0"]), max_size=8).map(b"".join)


@given(TEXTS, TEXTS)
def test_nothing_but_line_ends_ever_changes(disk, committed):
    pushed = with_committed_line_ends(disk, committed)

    assert pushed.replace(b"\r\n", b"\n") == disk.replace(b"\r\n", b"\n")

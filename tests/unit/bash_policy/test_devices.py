"""Which words name a device, seen from any folder, and which folders hold devices."""

import pytest

from pi_sandbox.bash_policy.devices import is_device, is_device_folder, may_match
from pi_sandbox.bash_policy.words import Piece, Word


def _open(text: str) -> Word:
    return Word((Piece(text, quoted=False),))


@pytest.mark.parametrize(
    "path",
    [
        *("/dev/zero", "//dev/zero", "/dev//zero", "/tmp/../dev/zero", "/dev/shm/../sda", "/dev/*", "/dev/z*"),
        *("dev/zero", "../dev/zero", "../../dev/random", "~/dev/full", "~/../dev/tty", "/proc/self/root/dev/urandom"),
        *("/d?v/zero", "/*/zero", "/[d]ev/kmsg", "/d*/[z]ero", "../d?v/zero", "../../*v/*", "~/d?v/*", "d?v/zero"),
    ],
)
def test_a_device_is_seen_from_any_folder(path: str) -> None:
    assert is_device(_open(path))


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/dev/null",
            "/dev/stdin",
            "/dev/fd/3",
            "/dev/shm/a.md",
            "/dev",
            "/devices/zero",
            "dev/zeros",
            "a/mydev/zero",
        ),
        *(
            "../dev/notes.md",
            "../*/*",
            "../../*/*.md",
            "*/*",
            "d*/*",
            "d*/[z]ero",
            "/*/*.md",
            "/home/d*/r*",
            "/h*/zero",
            "zero",
        ),
        *("../d*/notes.md", "[a-z]*", "", ".", "-", "../*/zero"),
    ],
)
def test_other_files_are_none(path: str) -> None:
    assert not is_device(_open(path))


@pytest.mark.parametrize(("path", "expected"), [("/d?v/zero", False), ("/dev/zero", True), ("../d*/zero", False)])
def test_a_quoted_pattern_is_the_name_that_it_says(path: str, *, expected: bool) -> None:
    assert is_device(Word.literal(path)) is expected


@pytest.mark.parametrize(
    "path", ["/dev", "/dev/", "//dev", "/dev/pts", "/tmp/../dev", "../../dev", "/d*", "/[d]ev/shm"]
)
def test_a_folder_of_devices_is_one(path: str) -> None:
    assert is_device_folder(_open(path))


@pytest.mark.parametrize(
    "path", ["dev", "../dev", "/dev/shm/a", "/devel", "/tmp/dev", "*", "../*", "/h*", "~/dev", "/"]
)
def test_another_folder_is_none(path: str) -> None:
    assert not is_device_folder(_open(path))


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*", True),
        ("-d*", True),
        ("-delet?", True),
        ("-[d]elete", True),
        ("-[d", True),
        ("-[d]e[", True),
        ("-[d]elet", False),
        ("[]-x]e[lt]*", True),
        ("-[a-z]*x", False),
        ("a*", False),
        ("-x[", False),
        ("*.md", False),
    ],
)
def test_a_pattern_may_match_what_it_might_for_any_shell(pattern: str, *, expected: bool) -> None:
    assert may_match(pattern, "-delete") is expected

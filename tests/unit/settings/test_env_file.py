import contextlib
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pi_sandbox.errors import SettingsError
from pi_sandbox.settings.env_file import MAX_FILE_BYTES, MAX_LINE_CHARACTERS, parse_env_file
from tests.corpora.loader import corpus

FILE = Path("/home/someone/pi/.env")


@pytest.mark.parametrize("case", [case for case in corpus("env_file") if "bindings" in case.values[0]])
def test_a_file_says_what_it_says(case):
    found = parse_env_file(case["text"].encode(), FILE)

    assert {name: binding.value for name, binding in found.items()} == case["bindings"]


@pytest.mark.parametrize("case", [case for case in corpus("env_file") if "says" in case.values[0]])
def test_a_file_that_leaves_a_doubt_is_refused_with_file_and_line(case):
    text = case["text"]
    with pytest.raises(SettingsError) as refused:
        parse_env_file(text.encode(), FILE)

    assert refused.value.message.startswith(f'"{FILE}" line {case["line"]} ')
    assert case["says"] in refused.value.message
    assert case.get("hidden", "\0") not in refused.value.message + refused.value.hint


def test_a_file_in_another_encoding_is_refused_with_the_line():
    with pytest.raises(SettingsError, match="line 2 is no UTF-8"):
        parse_env_file(b"PI_SANDBOX_CPUS=2\nBRAIN_CORE_USER=gr\xf6sse\n", FILE)


def test_a_file_that_is_too_large_is_refused_and_one_that_just_fits_is_not():
    line = b"#" * 99 + b"\n"
    full = line * (MAX_FILE_BYTES // 100)

    assert parse_env_file(full, FILE) == {}
    with pytest.raises(SettingsError, match="larger than"):
        parse_env_file(full + line, FILE)


def test_a_line_that_is_too_long_is_refused_and_one_that_just_fits_is_not():
    assert parse_env_file(b"#" * MAX_LINE_CHARACTERS, FILE) == {}
    with pytest.raises(SettingsError, match="line 1 is longer"):
        parse_env_file(b"#" * (MAX_LINE_CHARACTERS + 1), FILE)


def test_the_line_of_a_setting_is_the_one_with_its_name():
    found = parse_env_file(b"# comment\r\n\r\n\r\n  PI_SANDBOX_CPUS=2\r\nPI_SANDBOX_PIDS=99\r\n", FILE)

    assert [binding.line for binding in found.values()] == [4, 5]


PIECES = st.sampled_from(
    [
        "A",
        "PI_SANDBOX_CPUS",
        "=",
        " ",
        "\t",
        "\n",
        "\r\n",
        "\r",
        '"',
        "'",
        "\\",
        "#",
        "$",
        "{",
        "}",
        "export ",
        "x",
        "ü",
        "\\n",
    ]
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=40).map("".join))


@given(TEXTS)
@example('A="x\nB=y\nC="')
@example("'A'=1")
def test_any_text_is_understood_or_refused_never_anything_else(text):
    data = text.encode("utf-8", "surrogatepass")
    with contextlib.suppress(SettingsError):
        assert all(
            binding.value.strip() and "\n" not in binding.value for binding in parse_env_file(data, FILE).values()
        )


@given(TEXTS)
@example("A=1\r\r\n\n#=\nB=2")
@example("A=1\x0bB=2")
def test_every_line_of_an_accepted_file_is_blank_a_comment_or_a_setting(text):
    try:
        found = parse_env_file(text.encode("utf-8", "surrogatepass"), FILE)
    except SettingsError:
        return
    lines = re.split(r"\r\n|\n|\r", text.removeprefix("\ufeff"))
    telling = [number for number, line in enumerate(lines, 1) if line.strip() and not line.lstrip().startswith("#")]

    assert [binding.line for binding in found.values()] == telling


@given(
    st.dictionaries(st.from_regex(r"[A-Z_]{1,8}", fullmatch=True), st.text(st.characters(codec="utf-8"), max_size=30))
)
def test_what_is_written_in_single_quotes_comes_back_or_is_refused(settings):
    lines = [
        f"{name}='{value.replace(chr(92), chr(92) * 2).replace(chr(39), chr(92) + chr(39))}'"
        for name, value in settings.items()
    ]
    try:
        found = parse_env_file("\n".join(lines).encode(), FILE)
    except SettingsError:
        assert any(not value.strip() or not value.isprintable() for value in settings.values())
    else:
        assert {name: binding.value for name, binding in found.items()} == settings

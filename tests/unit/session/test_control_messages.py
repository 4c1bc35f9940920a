"""The lines between wrapper and entry."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_sandbox.session import control_messages as messages

EXAMPLES = [
    messages.Look(("/a", "/ö")),
    messages.Seen(("x", None), (True, False), ("1:2", None), None, None, ()),
    messages.Seen((), (), (), "word", "1:2", ("AF_VSOCK",)),
    messages.Start({"A": "b"}, "-----BEGIN", 24, 80),
    messages.Start({}, None, 0, 0),
    messages.Started(),
    messages.Suspended(),
    messages.Continue(1, 2),
    messages.Ended(7, ("full",)),
    messages.Failed("what", "do", 2),
]


@pytest.mark.parametrize("message", EXAMPLES)
def test_every_message_comes_back_equal(message: messages.Message) -> None:
    line = messages.encode(message)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert messages.decode(line[:-1]) == message


def test_a_start_never_shows_its_values() -> None:
    word = "hunter" + "2" * 8
    assert word not in repr(messages.Start({"A": word}, word, 0, 0))


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b'{"unknown":{}}',
        b'{"started":{},"suspended":{}}',
        b'{"started":{"more":1}}',
        b'{"continue":{"rows":1}}',
        b'{"continue":{"rows":-1,"columns":1}}',
        b'{"continue":{"rows":true,"columns":1}}',
        b'{"continue":{"rows":"1","columns":1}}',
        b'{"ended":{"code":1,"limits":"text"}}',
        b'{"start":{"variables":{"A":1},"ca_bundle":null,"rows":0,"columns":0}}',
        b"\xff",
        b"[" * 100_000,
    ],
)
def test_nonsense_is_refused(line: bytes) -> None:
    with pytest.raises(messages.MessageRefused):
        messages.decode(line)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_refused(line: bytes) -> None:
    try:
        message = messages.decode(line)
    except messages.MessageRefused:
        return
    assert messages.decode(messages.encode(message)) == message


@given(st.lists(st.sampled_from(EXAMPLES)), st.integers(1, 50))
def test_lines_are_found_however_they_are_cut(sent: list[messages.Message], size: int) -> None:
    data = b"".join(messages.encode(message) for message in sent)
    lines = messages.Lines()
    got = [line for start in range(0, len(data), size) for line in lines.feed(data[start : start + size])]
    assert [messages.decode(line) for line in got] == sent


def test_a_line_without_end_is_refused() -> None:
    lines = messages.Lines()
    with pytest.raises(messages.MessageRefused):
        lines.feed(b"x" * (messages.LINE_LIMIT + 1))


def test_messages_are_ascii() -> None:
    assert json.loads(messages.encode(messages.Failed("größe\u2028", "", 1)).decode("ascii"))

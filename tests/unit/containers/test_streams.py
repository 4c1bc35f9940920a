"""Streams lose nothing, never block a sender, and tell the end of input apart from the end of the stream."""

import json
import select
import socket
import struct
import threading
from collections.abc import Iterator

import hypothesis
import hypothesis.strategies as st
import pytest

from pi_sandbox.containers.streams import WAITING_LIMIT_BYTES, FrameDecoder, Refusal, SocketChannel, upgrade
from pi_sandbox.errors import EngineError


def frame(stream: int, data: bytes) -> bytes:
    return struct.pack(">BxxxL", stream, len(data)) + data


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    near, far = socket.socketpair()
    near.settimeout(5)
    far.settimeout(5)
    yield near, far
    near.close()
    far.close()


@hypothesis.given(
    st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=40)), max_size=8), st.lists(st.integers(1, 30))
)
def test_frames_are_read_alike_however_they_are_cut(frames: list[tuple[int, bytes]], cuts: list[int]) -> None:
    whole = b"".join(frame(stream, data) for stream, data in frames)
    decoder = FrameDecoder()
    pieces = []
    for cut in [*cuts, len(whole)]:
        pieces += decoder.feed(whole[:cut])
        whole = whole[cut:]
    for stream in (1, 2):
        assert b"".join(data for number, data in pieces if number == stream) == b"".join(
            data for number, data in frames if number == stream
        )


def test_data_comes_before_its_frame_is_complete() -> None:
    assert FrameDecoder().feed(frame(1, b"0123456789")[:11]) == [(1, b"012")]


def test_what_is_no_frame_is_refused() -> None:
    with pytest.raises(EngineError, match="no frame"):
        FrameDecoder().feed(b"HTTP/1.1")


def test_with_a_terminal_the_bytes_are_taken_as_they_are(pair: tuple[socket.socket, socket.socket]) -> None:
    near, far = pair
    channel = SocketChannel(near, tty=True)
    far.sendall(b"\x01\x00\x00\x00")
    assert channel.receive() == [(1, b"\x01\x00\x00\x00")]


def test_nothing_to_read_is_an_empty_list_and_the_end_is_none(pair: tuple[socket.socket, socket.socket]) -> None:
    near, far = pair
    channel = SocketChannel(near, tty=False)
    assert channel.receive() == []
    far.sendall(frame(2, b"x")[:5])
    assert channel.receive() == []
    far.close()
    assert channel.receive() is None


def test_sending_never_blocks_and_keeps_what_does_not_go(pair: tuple[socket.socket, socket.socket]) -> None:
    near, far = pair
    channel = SocketChannel(near, tty=True)
    data = bytes(range(256)) * 16384
    channel.send(data)
    assert channel.pending() > 0
    arrived = bytearray()
    while len(arrived) < len(data):
        arrived += far.recv(1 << 20)
        channel.flush()
    assert arrived == data
    assert channel.pending() == 0


def test_closing_the_input_waits_for_what_was_sent_before(pair: tuple[socket.socket, socket.socket]) -> None:
    near, far = pair
    channel = SocketChannel(near, tty=True)
    data = b"z" * (4 << 20)
    channel.send(data)
    channel.close_input()
    channel.send(b"too late")
    arrived = bytearray()
    while piece := far.recv(1 << 20):
        arrived += piece
        channel.flush()
    assert arrived == data


def test_after_the_input_is_closed_output_still_arrives(pair: tuple[socket.socket, socket.socket]) -> None:
    near, far = pair
    channel = SocketChannel(near, tty=True)
    channel.close_input()
    assert far.recv(1) == b""
    far.sendall(b"late words")
    assert channel.receive() == [(1, b"late words")]


def test_a_receiver_that_is_gone_ends_the_stream_without_an_error(pair: tuple[socket.socket, socket.socket]) -> None:
    near, far = pair
    channel = SocketChannel(near, tty=True)
    far.close()
    channel.send(b"x")
    channel.send(b"y")
    assert channel.pending() == 0
    assert channel.receive() is None


def answering(far: socket.socket, answer: bytes, step: int) -> threading.Thread:
    def serve() -> None:
        far.recv(65536)
        for start in range(0, len(answer), step):
            far.sendall(answer[start : start + step])

    thread = threading.Thread(target=serve)
    thread.start()
    return thread


@pytest.mark.parametrize("step", [1, 3, 7, 1000])
@pytest.mark.parametrize("status", [b"101 UPGRADED", b"200 OK"])
def test_what_follows_the_head_of_the_answer_stays_for_the_stream(
    pair: tuple[socket.socket, socket.socket], step: int, status: bytes
) -> None:
    near, far = pair
    thread = answering(far, b"HTTP/1.1 " + status + b"\r\nUpgrade: tcp\r\n\r\nfirst words\r\n\r\n", step)
    upgrade(near, "/x", {"Tty": False})
    thread.join()
    assert select.select([near], [], [], 5)[0]
    assert near.recv(100) == b"first words\r\n\r\n"


def test_the_request_asks_for_an_upgrade_with_its_body(pair: tuple[socket.socket, socket.socket]) -> None:
    near, far = pair
    far.sendall(b"HTTP/1.1 101 UPGRADED\r\n\r\n")
    upgrade(near, "/v1.41/exec/7/start", {"Tty": False})
    head, _, body = far.recv(65536).partition(b"\r\n\r\n")
    assert head.startswith(b"POST /v1.41/exec/7/start HTTP/1.1\r\n")
    assert b"\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n" in head
    assert json.loads(body) == {"Tty": False}


def test_a_request_without_a_body_sends_none_because_podman_takes_it_for_input(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    near, far = pair
    far.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    upgrade(near, "/x", None)
    head, _, body = far.recv(65536).partition(b"\r\n\r\n")
    assert head.endswith(b"Content-Length: 0")
    assert body == b""


@pytest.mark.parametrize(
    "body",
    [
        b'Content-Length: 27\r\n\r\n{"message":"no such thing"}\n',
        b'Transfer-Encoding: chunked\r\n\r\n1b\r\n{"message":"no such thing"}\r\n0\r\n\r\n',
    ],
)
def test_a_refusal_carries_the_engine_s_words(pair: tuple[socket.socket, socket.socket], body: bytes) -> None:
    near, far = pair
    far.sendall(b"HTTP/1.1 404 Not Found\r\n" + body)
    with pytest.raises(Refusal) as caught:
        upgrade(near, "/x", None)
    assert (caught.value.status, caught.value.words) == (404, "no such thing")


def test_a_refusal_without_words_gives_its_status_line(pair: tuple[socket.socket, socket.socket]) -> None:
    near, far = pair
    far.sendall(b"HTTP/1.1 503 Busy\r\n\r\n")
    far.shutdown(socket.SHUT_WR)
    with pytest.raises(Refusal) as caught:
        upgrade(near, "/x", None)
    assert caught.value.words == "HTTP/1.1 503 Busy"


@pytest.mark.parametrize("answer", [b"SSH-2.0-OpenSSH\r\n\r\n", b"\x00" * 70000, b"", b"HTTP/1.1 abc\r\n\r\n"])
def test_an_answer_that_is_no_http_is_named(pair: tuple[socket.socket, socket.socket], answer: bytes) -> None:
    near, far = pair
    far.sendall(answer)
    far.shutdown(socket.SHUT_WR)
    with pytest.raises(EngineError, match="no HTTP"):
        upgrade(near, "/x", None)


def test_what_nobody_reads_does_not_wait_without_bound(pair: tuple[socket.socket, socket.socket]) -> None:
    near, _ = pair
    channel = SocketChannel(near, tty=True)
    channel.send(b"x" * WAITING_LIMIT_BYTES)
    with pytest.raises(EngineError, match="does not read what it is sent"):
        channel.send(b"x" * (4 << 20))

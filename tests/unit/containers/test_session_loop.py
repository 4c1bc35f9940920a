"""The loop hands out what happens in order, and never reads more than the other side takes."""

import contextlib
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from pi_sandbox.containers import session_loop
from pi_sandbox.containers.engine import TerminalSize
from pi_sandbox.containers.session_loop import (
    ChannelEnded,
    DeadlinePassed,
    Ended,
    Event,
    InputEnded,
    OutputGone,
    Received,
    Resized,
    SessionLoop,
    Signalled,
)
from pi_sandbox.containers.streams import SocketChannel
from pi_sandbox.containers.terminal import Terminal
from pi_sandbox.system.signals import Signals
from tests.running import SOON


class PipedTerminal(Terminal):
    """A terminal that is none, of a fixed size."""

    def __init__(self) -> None:
        super().__init__()
        self.entered = 0

    def size(self) -> TerminalSize:
        return TerminalSize(40, 120)

    def reenter(self) -> None:
        self.entered += 1


@dataclass
class Bench:
    """A loop whose standard streams are pipes of the test's, and the far end of its channel."""

    loop: SessionLoop
    signals: Signals
    terminal: PipedTerminal
    agent: socket.socket
    typed: int
    stdout: int
    shown: int
    errors: int

    def events(self) -> Iterator[Event]:
        return self.loop.events()


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    pipes = [os.pipe() for _ in range(3)]
    monkeypatch.setattr(session_loop, "STANDARD_INPUT", pipes[0][0])
    monkeypatch.setattr(session_loop, "STANDARD_OUTPUT", pipes[1][1])
    monkeypatch.setattr(session_loop, "STANDARD_ERROR", pipes[2][1])
    # Nothing here may wait for ever: the loop's signals keep even SIGTERM from ending the test.
    os.set_blocking(pipes[1][0], False)
    os.set_blocking(pipes[2][0], False)
    near, far = socket.socketpair()
    far.settimeout(10)
    channel = SocketChannel(near, tty=True)
    with Signals() as signals:
        terminal = PipedTerminal()
        loop = SessionLoop(channel, terminal, signals)
        loop.open_terminal()
        loop.wake_after(20)
        yield Bench(loop, signals, terminal, far, pipes[0][1], pipes[1][1], pipes[1][0], pipes[2][0])
    channel.close()
    far.close()
    for descriptor in (descriptor for pipe in pipes for descriptor in pipe):
        try:
            os.close(descriptor)
        except OSError:
            continue


def test_input_and_output_pass_and_the_end_comes_last(bench: Bench) -> None:
    os.write(bench.typed, b"typed")
    os.close(bench.typed)
    events = bench.events()
    assert next(events) == InputEnded()
    assert bench.agent.recv(100) == b"typed"
    assert bench.agent.recv(100) == b""
    bench.agent.sendall(b"last words")
    bench.agent.close()
    assert list(events) == [Ended()]
    assert os.read(bench.shown, 100) == b"last words"


def test_signals_come_in_order_and_window_changes_as_one(bench: Bench) -> None:
    for number in (signal.SIGTERM, signal.SIGWINCH, signal.SIGWINCH, signal.SIGINT, signal.SIGWINCH):
        signal.raise_signal(number)
    events = bench.events()
    assert [next(events) for _ in range(3)] == [
        Signalled(signal.SIGTERM),
        Signalled(signal.SIGINT),
        Resized(TerminalSize(40, 120)),
    ]


def test_being_continued_restores_raw_mode_and_reports_the_size(bench: Bench) -> None:
    signal.raise_signal(signal.SIGCONT)
    assert next(bench.events()) == Resized(TerminalSize(40, 120))
    assert bench.terminal.entered == 1


def test_a_watched_channel_is_reported_and_then_forgotten(bench: Bench) -> None:
    near, far = socket.socketpair()
    watched = SocketChannel(near, tty=True)
    bench.loop.watch("control", watched)
    far.sendall(b"a message")
    events = bench.events()
    assert next(events) == Received("control", 1, b"a message")
    far.close()
    assert next(events) == ChannelEnded("control")
    watched.close()
    bench.agent.close()
    assert list(events) == [Ended()]


def test_what_waits_on_a_watched_channel_is_sent_as_the_other_side_takes_it(bench: Bench) -> None:
    near, far = socket.socketpair()
    watched = SocketChannel(near, tty=True)
    bench.loop.watch("control", watched)
    data = b"m" * (4 << 20)
    watched.send(data)
    received = bytearray()

    def read_all() -> None:
        while len(received) < len(data):
            received.extend(far.recv(1 << 20))
        far.close()

    reader = threading.Thread(target=read_all)
    reader.start()
    assert next(bench.events()) == ChannelEnded("control")
    reader.join()
    watched.close()
    assert bytes(received) == data


def test_an_unwatched_channel_may_be_closed(bench: Bench) -> None:
    near, far = socket.socketpair()
    watched = SocketChannel(near, tty=True)
    bench.loop.watch("control", watched)
    bench.loop.unwatch("control")
    bench.loop.unwatch("control")
    watched.close()
    far.close()
    bench.agent.close()
    assert list(bench.events()) == [Ended()]


def test_a_deadline_comes_once_and_can_be_taken_back(bench: Bench) -> None:
    bench.loop.wake_after(0.05)
    started = time.monotonic()
    events = bench.events()
    assert next(events) == DeadlinePassed()
    assert 0.04 < time.monotonic() - started < SOON
    bench.loop.wake_after(0.05)
    bench.loop.wake_after(None)
    closing = threading.Timer(0.2, bench.agent.close)
    closing.start()
    assert list(events) == [Ended()]
    closing.join()


def test_output_that_nobody_takes_is_not_read_without_end(bench: Bench) -> None:
    bench.loop.wake_after(0.5)
    sent = 0
    bench.agent.setblocking(False)

    def flood() -> None:
        nonlocal sent
        deadline = time.monotonic() + 0.5
        while time.monotonic() < deadline:
            try:
                sent += bench.agent.send(b"x" * 65536)
            except BlockingIOError:
                time.sleep(0.01)

    thread = threading.Thread(target=flood)
    thread.start()
    assert next(bench.events()) == DeadlinePassed()
    thread.join()
    # The pipe, the socket's buffers and what may wait in the loop: well below a few megabytes.
    assert sent < 2 << 20


def test_input_that_nobody_takes_is_not_read_without_end(bench: Bench) -> None:
    os.set_blocking(bench.typed, False)
    written = 0

    def type_on() -> None:
        nonlocal written
        deadline = time.monotonic() + 0.5
        while time.monotonic() < deadline:
            try:
                written += os.write(bench.typed, b"x" * 4096)
            except BlockingIOError:
                time.sleep(0.01)

    thread = threading.Thread(target=type_on)
    thread.start()
    bench.loop.wake_after(0.6)
    assert next(bench.events()) == DeadlinePassed()
    thread.join()
    assert written < 2 << 20


def test_output_goes_on_while_the_agent_takes_no_input(bench: Bench) -> None:
    os.set_blocking(bench.typed, False)
    for _ in range(16):
        os.write(bench.typed, b"x" * 4096)
    bench.agent.sendall(b"still talking")
    events = bench.events()
    said = b""
    os.set_blocking(bench.shown, False)
    while said != b"still talking":
        bench.loop.wake_after(0.05)
        assert next(events) == DeadlinePassed()
        with contextlib.suppress(BlockingIOError):
            said += os.read(bench.shown, 100)


def test_errors_go_to_standard_error_and_a_closed_reader_of_one_does_not_stop_the_other(bench: Bench) -> None:
    near, far = socket.socketpair()
    channel = SocketChannel(near, tty=False)
    loop = SessionLoop(channel, bench.terminal, bench.signals)
    loop.wake_after(20)
    os.close(bench.shown)
    frames = b"\x01\0\0\0\0\0\0\x03out" + b"\x02\0\0\0\0\0\0\x03err" + b"\x01\0\0\0\0\0\0\x03out"
    far.sendall(frames)
    far.close()
    events = list(loop.events())
    channel.close()
    assert [type(event) for event in events] == [OutputGone, Ended]
    assert os.read(bench.errors, 100) == b"err"


def test_standard_input_stays_untouched_until_it_is_opened(bench: Bench) -> None:
    near, far = socket.socketpair()
    channel = SocketChannel(near, tty=True)
    loop = SessionLoop(channel, bench.terminal, bench.signals)
    os.write(bench.typed, b"early")
    os.close(bench.typed)
    loop.wake_after(0.1)
    events = loop.events()
    assert next(events) == DeadlinePassed()
    loop.open_terminal()
    assert next(events) == InputEnded()
    assert far.recv(100) == b"early"
    far.close()
    assert list(events) == [Ended()]
    channel.close()


@pytest.mark.parametrize("opens", [True, False], ids=["the agent runs", "the container ends before that"])
def test_output_waits_until_the_terminal_is_opened_or_the_container_ends(bench: Bench, opens: bool) -> None:
    near, far = socket.socketpair()
    channel = SocketChannel(near, tty=True)
    loop = SessionLoop(channel, bench.terminal, bench.signals)
    far.sendall(b"\x1b[c")
    loop.wake_after(0.2)
    events = loop.events()
    assert next(events) == DeadlinePassed()
    with pytest.raises(BlockingIOError):
        os.read(bench.shown, 100)
    if opens:
        loop.open_terminal()
        loop.wake_after(0.2)
        assert next(events) == DeadlinePassed()
        assert os.read(bench.shown, 100) == b"\x1b[c"
    far.close()
    assert list(events) == [Ended()]
    if not opens:
        assert os.read(bench.shown, 100) == b"\x1b[c"
    channel.close()


def test_a_signal_that_comes_meanwhile_is_handed_out_before_the_messages_that_wait(bench: Bench) -> None:
    near, far = socket.socketpair()
    watched = SocketChannel(near, tty=False)
    bench.loop.watch("control", watched)
    far.sendall(b"\x01\0\0\0\0\0\0\x01a" + b"\x01\0\0\0\0\0\0\x01b")
    signal.raise_signal(signal.SIGINT)
    events = bench.events()
    assert next(events) == Signalled(signal.SIGINT)
    assert next(events) == Received("control", 1, b"a")
    signal.raise_signal(signal.SIGTERM)
    assert next(events) == Signalled(signal.SIGTERM)
    assert next(events) == Received("control", 1, b"b")
    watched.close()
    far.close()


def block(writing: int) -> None:
    """Fills a pipe."""
    os.set_blocking(writing, False)
    try:
        while os.write(writing, b"x" * 65536):
            continue
    except BlockingIOError:
        os.set_blocking(writing, True)


def test_once_output_is_discarded_an_output_that_nobody_takes_holds_up_nothing(bench: Bench) -> None:
    block(bench.stdout)
    bench.loop.wake_after(0.2)
    events = bench.events()
    bench.agent.sendall(b"blocked")
    assert next(events) == DeadlinePassed()
    bench.loop.discard_output()

    def go_on() -> None:
        bench.agent.sendall(b"x" * (8 << 20))
        bench.agent.close()

    sender = threading.Thread(target=go_on)
    sender.start()
    began = time.monotonic()
    assert list(events) == [Ended()]
    assert time.monotonic() - began < SOON
    sender.join()


def test_once_output_is_discarded_whoever_takes_it_still_gets_the_last_words(bench: Bench) -> None:
    bench.loop.discard_output()
    bench.agent.sendall(b"last words")
    bench.agent.close()
    assert list(bench.events()) == [Ended()]
    assert os.read(bench.shown, 100) == b"last words"


def test_once_output_is_discarded_whoever_is_slow_gets_a_moment_for_it(bench: Bench) -> None:
    block(bench.stdout)
    bench.loop.discard_output()
    bench.agent.sendall(b"last words")
    bench.agent.close()
    taken = bytearray()

    def take_later() -> None:
        time.sleep(0.2)
        os.set_blocking(bench.shown, True)
        while not taken.endswith(b"last words"):
            taken.extend(os.read(bench.shown, 65536))

    reader = threading.Thread(target=take_later)
    reader.start()
    assert list(bench.events()) == [Ended()]
    reader.join(10)
    assert taken.endswith(b"last words")


def test_an_output_that_goes_once_output_is_discarded_is_no_event(bench: Bench) -> None:
    bench.loop.discard_output()
    os.close(bench.shown)
    bench.agent.sendall(b"last words")
    bench.agent.close()
    assert list(bench.events()) == [Ended()]

"""Carries bytes between the user's streams and a container, and hands everything else to the caller as events.

    with Signals() as signals:                      # from before `create` on: no signal is lost or kills us
        channel = engine.attach(container, tty=…)
        with terminal.raw():
            engine.start(container)
            loop = SessionLoop(channel, terminal, signals)
            loop.watch("control", engine.execute(…))
            for event in loop.events():
                match event: …              # `open_terminal` once the agent runs, `discard_output` once it is to end

Rules:

- Back-pressure both ways: nothing is read while the other side has not taken what was read before.
- Standard input is not read before `open_terminal`: until then its keys are the kernel's, and its bytes keep. Nor is
  output written before that, or the end: a terminal would echo its answers to what it was asked before raw mode.
- Window changes are coalesced; the last size always arrives.
- A signal is an event, handed out in the order of arrival and before whatever else is there; nothing ends by itself.
- After `discard_output` nobody has to take anything: an output that has not taken everything within
  `LAST_WORDS_SECONDS`, or does not at once later, is given up without an event. The stream is read to its end.
- The end of standard input closes the container's standard input; not with a terminal, where that end means that the
  terminal is gone, which the caller decides on. An output that takes no more is an event once, and what comes for it
  later is dropped.
- `Ended` comes last, after everything that arrived was written out.
"""

import os
import selectors
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pi_sandbox.containers import streams
from pi_sandbox.containers.engine import ByteChannel, TerminalSize
from pi_sandbox.containers.outlet import Outlet
from pi_sandbox.containers.terminal import STANDARD_ERROR, STANDARD_INPUT, STANDARD_OUTPUT, Terminal
from pi_sandbox.system.signals import Signals

READ_BYTES = 65536
WAITING_LIMIT_BYTES = 65536
LAST_WORDS_SECONDS = 1.0


@dataclass(frozen=True)
class Resized:
    """The terminal has this size now."""

    size: TerminalSize


@dataclass(frozen=True)
class Signalled:
    """A signal of this number reached the wrapper."""

    number: int


@dataclass(frozen=True)
class Received:
    """Bytes from a watched channel. `stream` is 1 or 2."""

    name: str
    stream: int
    data: bytes


@dataclass(frozen=True)
class ChannelEnded:
    """A watched channel has ended; it is watched no longer."""

    name: str


@dataclass(frozen=True)
class InputEnded:
    """Standard input has ended."""


@dataclass(frozen=True)
class OutputGone:
    """This descriptor (1 or 2) takes no more: its reader is gone, or the disk is full; `problem` says which."""

    descriptor: int
    problem: str


@dataclass(frozen=True)
class DeadlinePassed:
    """The time that `wake_after` set has come; it is set no longer."""


@dataclass(frozen=True)
class Ended:
    """The container's stream has ended and everything is written."""


Event = Resized | Signalled | Received | ChannelEnded | InputEnded | OutputGone | DeadlinePassed | Ended


class SessionLoop:
    """One run of the loop over one container's stream."""

    def __init__(self, channel: ByteChannel, terminal: Terminal, signals: Signals) -> None:
        self._channel = channel
        self._terminal = terminal
        self._signals = signals
        self._watched: dict[str, ByteChannel] = {}
        self._outlets = {number: Outlet(number) for number in (STANDARD_OUTPUT, STANDARD_ERROR)}
        self._signalled: deque[Event] = deque()
        self._waiting: deque[Event] = deque()
        self._deadline: float | None = None
        self._input_open = False
        self._output_open = False
        self._channel_open = True
        self._discards_from: float | None = None

    def watch(self, name: str, channel: ByteChannel) -> None:
        """Reports what one more channel brings, as `Received` and `ChannelEnded`; flushes what waits on it."""
        self._watched[name] = channel

    def unwatch(self, name: str) -> None:
        """Forgets a watched channel, as has to be done before it is closed; an unknown name does no harm."""
        self._watched.pop(name, None)

    def wake_after(self, seconds: float | None) -> None:
        """Asks for one `DeadlinePassed` after that time; `None` takes it back."""
        self._deadline = None if seconds is None else time.monotonic() + seconds

    def open_terminal(self) -> None:
        """Begins to read standard input and to write the output; to be called once, after raw mode has begun."""
        self._input_open = True
        self._output_open = True

    def discard_output(self) -> None:
        """Waits for nobody to take output any more, but for a moment; calling it again does not lengthen that."""
        if self._discards_from is None:
            self._discards_from = time.monotonic() + LAST_WORDS_SECONDS
        self._waiting = deque(event for event in self._waiting if not isinstance(event, OutputGone))

    def events(self) -> Iterator[Event]:
        """Runs the loop; each event is handed out before anything else is read. Ends with `Ended`."""
        try:
            while not self._is_finished():
                self._step()
                while event := self._next_event():
                    yield event
            yield Ended()
        finally:
            for outlet in self._outlets.values():
                outlet.close()

    def _next_event(self) -> Event | None:
        # A signal may have come while the caller was busy with the event before.
        self._take_signals()
        waiting = self._signalled or self._waiting
        return waiting.popleft() if waiting else None

    def _is_finished(self) -> bool:
        return not self._channel_open and not self._is_held_up()

    def _step(self) -> None:
        """Waits for whatever can go on and does each of it once."""
        with _new_selector() as selector:
            selector.register(self._signals, selectors.EVENT_READ, lambda _events: None)
            self._register_streams(selector)
            for name, channel in self._watched.items():
                _register_channel(selector, channel, self._watched_handler(name, channel), reads=True)
            for key, events in selector.select(self._seconds_left()):
                key.data(events)
        self._look_at_the_time()

    def _register_streams(self, selector: selectors.BaseSelector) -> None:
        for outlet in self._outlets.values():
            if outlet.waiting and self._output_open:
                selector.register(outlet, selectors.EVENT_WRITE, self._outlet_handler(outlet))
        if not self._channel_open:
            return
        full = any(len(outlet.waiting) >= WAITING_LIMIT_BYTES for outlet in self._outlets.values())
        _register_channel(selector, self._channel, self._serve_channel, reads=not full)
        if self._input_open and self._channel.pending() < WAITING_LIMIT_BYTES:
            selector.register(STANDARD_INPUT, selectors.EVENT_READ, self._serve_input)

    def _take_signals(self) -> None:
        resized = False
        for number in self._signals.take():
            match number:
                case signal.SIGWINCH:
                    resized = True
                case signal.SIGCONT:
                    self._terminal.reenter()
                    resized = True
                case _:
                    self._signalled.append(Signalled(number))
        if resized:
            self._signalled.append(Resized(self._terminal.size()))

    def _serve_channel(self, events: int) -> None:
        if events & selectors.EVENT_WRITE:
            self._channel.flush()
        if events & selectors.EVENT_READ:
            pieces = self._channel.receive()
            if pieces is None:
                self._channel_open = False
                self._output_open = True
            for stream, data in pieces or ():
                self._put_out(STANDARD_ERROR if stream == streams.STANDARD_ERROR else STANDARD_OUTPUT, data)

    def _put_out(self, descriptor: int, data: bytes) -> None:
        outlet = self._outlets[descriptor]
        outlet.put(data)
        if self._output_open:
            self._serve_outlet(outlet)

    def _outlet_handler(self, outlet: Outlet) -> Callable[[int], None]:
        return lambda _events: self._serve_outlet(outlet)

    def _serve_outlet(self, outlet: Outlet) -> None:
        was_gone = outlet.gone
        written = outlet.write()
        self._terminal.note_output(outlet.descriptor, written)
        if outlet.gone and not was_gone and self._discards_from is None:
            self._waiting.append(OutputGone(outlet.descriptor, outlet.problem))

    def _serve_input(self, _events: int) -> None:
        try:
            data = os.read(STANDARD_INPUT, READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._terminal.note_input(data)
            self._channel.send(data)
            return
        self._input_open = False
        if not self._terminal.is_raw:
            self._channel.close_input()
        self._waiting.append(InputEnded())

    def _watched_handler(self, name: str, channel: ByteChannel) -> Callable[[int], None]:
        def serve(events: int) -> None:
            if events & selectors.EVENT_WRITE:
                channel.flush()
            if events & selectors.EVENT_READ:
                pieces = channel.receive()
                if pieces is None:
                    self.unwatch(name)
                    self._waiting.append(ChannelEnded(name))
                for stream, data in pieces or ():
                    self._waiting.append(Received(name, stream, data))

        return serve

    def _seconds_left(self) -> float | None:
        ends = [self._deadline, self._discards_from if self._is_held_up() else None]
        return min((max(0.0, end - time.monotonic()) for end in ends if end is not None), default=None)

    def _is_held_up(self) -> bool:
        return any(outlet.waiting for outlet in self._outlets.values())

    def _look_at_the_time(self) -> None:
        now = time.monotonic()
        if self._discards_from is not None and now >= self._discards_from:
            for outlet in self._outlets.values():
                if outlet.waiting:
                    outlet.give_up()
        if self._deadline is not None and now >= self._deadline:
            self._deadline = None
            self._waiting.append(DeadlinePassed())


def _register_channel(
    selector: selectors.BaseSelector, channel: ByteChannel, handle: Callable[[int], None], *, reads: bool
) -> None:
    events = (selectors.EVENT_READ if reads else 0) | (selectors.EVENT_WRITE if channel.pending() else 0)
    if events:
        selector.register(channel, events, handle)


def _new_selector() -> selectors.BaseSelector:
    """Gives a selector that takes plain files too (epoll does not) and terminals too (macOS' poll does not)."""
    return selectors.SelectSelector() if sys.platform == "darwin" else selectors.PollSelector()

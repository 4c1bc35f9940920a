"""Carries bytes between the user's streams and a container, and hands everything else to the caller as events.

    with Signals() as signals:                      # from before `create` on: no signal is lost or kills us
        channel = engine.attach(container, tty=…)
        with terminal.raw():
            engine.start(container)
            loop = SessionLoop(channel, terminal, signals)
            loop.watch("control", engine.execute(…))
            for event in loop.events():
                match event: …

Rules:

- Back-pressure both ways: nothing is read while the other side has not taken what was read before.
- Window changes are coalesced; the last size always arrives.
- A signal is an event, in the order of arrival; nothing ends by itself.
- The end of standard input closes the container's standard input. A reader that went away is an event once, and what
  still comes for it is dropped.
- `Ended` comes last, after everything that arrived was written out.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from pi_sandbox.containers.engine import ByteChannel, TerminalSize
from pi_sandbox.containers.terminal import Terminal


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
    """Nobody reads this descriptor (1 or 2) any more."""

    descriptor: int


@dataclass(frozen=True)
class DeadlinePassed:
    """The time that `wake_after` set has come; it is set no longer."""


@dataclass(frozen=True)
class Ended:
    """The container's stream has ended and everything is written."""


Event = Resized | Signalled | Received | ChannelEnded | InputEnded | OutputGone | DeadlinePassed | Ended


class Signals:
    """Catches signals from `__enter__` to `__exit__`: kept until asked for, they wake whoever waits on `fileno`."""

    def __enter__(self) -> Self:
        raise NotImplementedError

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        raise NotImplementedError

    def fileno(self) -> int:
        raise NotImplementedError

    def take(self) -> list[int]:
        """Gives the numbers of the signals that came since the last call, in order (window changes and SIGCONT too)."""
        raise NotImplementedError


class SessionLoop:
    """One run of the loop over one container's stream."""

    def __init__(self, channel: ByteChannel, terminal: Terminal, signals: Signals) -> None: ...

    def watch(self, name: str, channel: ByteChannel) -> None:
        """Reports what one more channel brings, as `Received` and `ChannelEnded`; flushes what waits on it."""

    def wake_after(self, seconds: float | None) -> None:
        """Asks for one `DeadlinePassed` after that time; `None` takes it back."""

    def events(self) -> Iterator[Event]:
        """Runs the loop; each event is handed out before anything else is read. Ends with `Ended`."""
        raise NotImplementedError

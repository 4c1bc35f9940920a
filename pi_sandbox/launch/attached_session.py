"""One container, attached to the user's terminal, from its creation to its removal.

- The container is removed whatever happens, and before the terminal's owner reads the last message.
- Nothing secret is sent before the container has shown that it has exactly the planned folders of this machine.
- Until the agent runs, the terminal is as it was: Ctrl-C is a signal to the wrapper, and what is typed waits.
- What the container says is taken only in its turn. A program in the session could have written it.
- SIGTERM and SIGHUP end the session: the agent is asked to end, has as long as the plan gives it, and a second signal
  ends it at once. SIGINT without a terminal goes to the agent, as it would without a container. What comes once the
  agent has ended changes nothing: the caller holds signals until its last word is said.
- The agent's stop (Ctrl-Z) becomes a stop of the wrapper: the user's shell comes back, and `fg` continues both.
"""

import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from pi_sandbox.containers.engine import ByteChannel, Engine, ExitStatus, NotRunning, TerminalSize
from pi_sandbox.containers.session_loop import (
    ChannelEnded,
    DeadlinePassed,
    Event,
    OutputGone,
    Received,
    Resized,
    SessionLoop,
    Signalled,
)
from pi_sandbox.containers.terminal import Terminal, suspend_self
from pi_sandbox.errors import EngineError, FilesError, ImageError, PiSandboxError, UsageError, quoted
from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.launch.markers import Held, Marker, compare, held, look_message, unfiltered
from pi_sandbox.session.container_spec import ContainerSpec
from pi_sandbox.session.control_messages import (
    LIMITS,
    Continue,
    Ended,
    Failed,
    Lines,
    Message,
    MessageRefused,
    Seen,
    Start,
    Started,
    Suspended,
    decode,
    encode,
    limit_sentences,
)
from pi_sandbox.session.plan import BRIDGE
from pi_sandbox.system.signals import ENDING, Signals

ANSWER_SECONDS = 60.0
FORCE_SECONDS = 20.0
"""How long the engine may take to end a container by force; removing it is tried after that all the same."""
END_SECONDS = 5.0
"""How long a container that could not be reached has to show that it has ended by itself."""

LOOK_AGAIN_SECONDS = 0.1
LOOKS = 5
"""How often a difference is looked at again: another session may have changed a folder between the two looks."""

_CONTROL = "control"
_SHOWN_BYTES = 300
_INTERRUPTS_BEFORE_END = 3


@dataclass(frozen=True)
class SessionEnd:
    """How a session ended: the code for the caller, and sentences for the owner (limits that were reached)."""

    code: int
    notes: tuple[str, ...]


def run_attached(
    engine: Engine,
    spec: ContainerSpec,
    terminal: Terminal,
    signals: Signals,
    marker: Marker,
    make_start: Callable[[TerminalSize | None], Start],
    warn: Callable[[str], None],
) -> SessionEnd:
    """Runs the container to its end. `make_start` gives the values that never stand in the plan, once they may be sent.

    Raises `EngineError` where the container cannot be started or does not see this machine's files, what the entry
    reports as a failure of its own, and `Interruption` for a signal that came before there was a container.
    """
    size = terminal.size() if spec.tty else None
    with held(spec.mounts) as mounts:
        signals.end_if_asked()
        container_id = engine.create(spec, size)
        try:
            _compare(engine, container_id, spec, warn)
            return _Session(engine, spec, terminal, signals, container_id, mounts, marker, make_start).run()
        finally:
            terminal.leave()
            engine.remove(container_id)


def _compare(engine: Engine, container_id: str, spec: ContainerSpec, warn: Callable[[str], None]) -> None:
    """Refuses a container that the engine made otherwise than planned; what it cannot enforce is a warning."""
    if spec.standing.seccomp is None:
        warn("the engine filters no system calls (its kernel has no seccomp): programs inside reach all of the kernel")
    for difference in engine.differences(container_id, spec):
        if not difference.is_limit:
            raise EngineError(
                f"the engine made the container otherwise than planned: {difference}", "pi-sandbox doctor"
            )
        warn(f"the engine does not enforce a limit of the plan: {difference}")


class _Phase(Enum):
    """What the container may say next: what it sees, that it started, or what happens to the agent."""

    LOOKING = "looking"
    STARTING = "starting"
    RUNNING = "running"
    ENDED = "ended"


@dataclass
class _Progress:
    """Where a session stands."""

    phase: _Phase = _Phase.LOOKING
    looks: int = 0
    interrupts: int = 0
    ending: ExitCode | None = None
    killed: bool = False
    failure: PiSandboxError | None = None
    limits: tuple[str, ...] = ()
    engine_said: str | None = None
    lines: Lines = field(default_factory=Lines)


class _Session:
    """The loop around one container."""

    def __init__(
        self,
        engine: Engine,
        spec: ContainerSpec,
        terminal: Terminal,
        signals: Signals,
        container_id: str,
        mounts: Sequence[Held],
        marker: Marker,
        make_start: Callable[[TerminalSize | None], Start],
    ) -> None:
        self._engine = engine
        self._spec = spec
        self._terminal = terminal
        self._signals = signals
        self._container_id = container_id
        self._marker = marker
        self._make_start = make_start
        self._mounts = mounts
        self._progress = _Progress()
        self._control: ByteChannel | None = None

    def run(self) -> SessionEnd:
        channel = self._engine.attach(self._container_id, tty=self._spec.tty)
        try:
            self._engine.start(self._container_id)
            self._resize(self._size())
            self._loop = SessionLoop(channel, self._terminal, self._signals)
            self._open_control()
            for event in self._loop.events():
                self._act(event)
        finally:
            channel.close()
            if self._control is not None:
                self._control.close()
        return self._end(self._engine.wait(self._container_id))

    def _end(self, status: ExitStatus) -> SessionEnd:
        progress = self._progress
        if progress.failure is not None:
            raise progress.failure
        if progress.ending is not None:
            return SessionEnd(progress.ending, progress.limits)
        if not self._has_started():
            reason = f"the container ended before the session began (code {status.code})"
            return SessionEnd(status.code or ExitCode.INTERNAL, (reason,))
        notes = progress.limits
        if status.out_of_memory and not notes:
            notes = (LIMITS["memory"],)
        return SessionEnd(status.code, notes)

    def _has_started(self) -> bool:
        return self._progress.phase in (_Phase.RUNNING, _Phase.ENDED)

    def _open_control(self) -> None:
        try:
            self._control = self._engine.execute(self._container_id, BRIDGE, self._spec.user)
        except NotRunning:
            return
        self._loop.watch(_CONTROL, self._control)
        self._loop.wake_after(ANSWER_SECONDS)
        self._look()

    def _act(self, event: Event) -> None:
        match event:
            case Received(name, 1, data) if name == _CONTROL:
                self._hear(data)
            case Resized(size):
                self._resize(size)
            case Signalled(number):
                self._on_signal(number)
            case OutputGone(1):
                self._ask_to_end(ExitCode.BROKEN_PIPE)
            case DeadlinePassed():
                self._on_deadline()
            case ChannelEnded() | _:
                """The container's own stream says when the session is over."""

    def _hear(self, data: bytes) -> None:
        is_over = self._progress.killed or self._progress.ending is not None
        if is_over and self._progress.phase is not _Phase.RUNNING:
            return
        try:
            messages = [decode(line) for line in self._progress.lines.feed(data)]
        except MessageRefused as error:
            self._on_nonsense(error, data)
            return
        for message in messages:
            self._on_message(message)

    def _on_nonsense(self, error: MessageRefused, data: bytes) -> None:
        """Before the agent runs, a line that is no message is the engine's own, which could not run the bridge.

        Mostly because the container has ended, and then its own end says more.
        """
        if self._has_started():
            self._give_up(EngineError(f"{error}; the session was ended"))
            return
        self._progress.engine_said = quoted(data[:_SHOWN_BYTES].decode("utf-8", "replace").strip())
        self._loop.wake_after(END_SECONDS)

    def _on_message(self, message: Message) -> None:
        progress = self._progress
        match (progress.phase, message):
            case (_Phase.LOOKING, Seen()):
                self._on_seen(message)
            case (_Phase.STARTING, Started()):
                progress.phase = _Phase.RUNNING
                self._loop.wake_after(None)
                self._terminal.enter()
                self._loop.open_terminal()
            case (_Phase.LOOKING | _Phase.STARTING, Failed(text, hint, code)):
                progress.failure = _reported(text, hint, code)
            case (_Phase.RUNNING, Suspended()) if self._spec.tty and progress.ending is None:
                size = suspend_self(self._terminal, self._signals)
                self._resize(size)
                self._send(Continue(size.rows, size.columns))
            case (_Phase.RUNNING, Suspended()):
                self._send(Continue(0, 0))
            case (_Phase.RUNNING, Ended(_, limits)):
                progress.phase = _Phase.ENDED
                progress.limits = limit_sentences(limits, [str(item.target) for item in self._spec.standing.tmpfs])
            case _:
                self._give_up(EngineError("a program in the session posed as its guardian; the session was ended"))

    def _look(self) -> None:
        self._progress.looks += 1
        self._send(look_message(self._mounts))

    def _on_seen(self, seen: Seen) -> None:
        if (error := unfiltered(self._spec.standing, seen)) is not None:
            self._give_up(error)
            return
        verdict = compare(self._mounts, self._marker, seen)
        if verdict.error is None:
            self._progress.phase = _Phase.STARTING
            self._send(self._make_start(self._size()))
        elif self._progress.looks < LOOKS and not verdict.final:
            self._loop.wake_after(LOOK_AGAIN_SECONDS)
        else:
            self._give_up(verdict.error)

    def _on_deadline(self) -> None:
        if self._progress.killed:
            raise self._progress.failure or EngineError("the engine does not end the container", "pi-sandbox doctor")
        if self._progress.ending is not None:
            self._kill_now()
        elif self._progress.engine_said is not None:
            said = self._progress.engine_said
            self._give_up(EngineError(f"the engine could not reach the container that it started: {said}", "try again"))
        elif self._progress.phase is _Phase.LOOKING and 0 < self._progress.looks < LOOKS:
            self._look()
            self._loop.wake_after(ANSWER_SECONDS)
        else:
            self._give_up(EngineError("the container did not answer", "run `pi-sandbox doctor`"))

    def _on_signal(self, number: int) -> None:
        if number == signal.SIGINT:
            self._progress.interrupts += 1
            if self._has_started() and self._progress.interrupts < _INTERRUPTS_BEFORE_END:
                self._kill("SIGINT")
            else:
                self._ask_to_end(ExitCode.INTERRUPTED)
        elif number in ENDING:
            self._ask_to_end(ENDING[signal.Signals(number)])

    def _ask_to_end(self, code: ExitCode) -> None:
        if self._progress.ending is not None or not self._has_started():
            self._progress.ending = self._progress.ending or code
            self._kill_now()
            return
        self._progress.ending = code
        self._kill("SIGTERM")
        self._loop.discard_output()
        self._loop.wake_after(float(self._spec.standing.stop_seconds))

    def _give_up(self, error: PiSandboxError) -> None:
        self._progress.failure = self._progress.failure or error
        self._kill_now()

    def _kill_now(self) -> None:
        self._loop.discard_output()
        self._kill("SIGKILL")
        if not self._progress.killed:
            self._progress.killed = True
            self._loop.wake_after(FORCE_SECONDS)

    def _send(self, message: Message) -> None:
        if self._control is not None:
            self._control.send(encode(message))

    def _kill(self, name: str) -> None:
        try:
            self._engine.kill(self._container_id, name)
        except NotRunning:
            return

    def _resize(self, size: TerminalSize | None) -> None:
        if size is None:
            return
        try:
            self._engine.resize(self._container_id, size)
        except NotRunning:
            return

    def _size(self) -> TerminalSize | None:
        return self._terminal.size() if self._spec.tty else None


def _reported(text: str, hint: str, code: int) -> PiSandboxError:
    """The entry's own failure, with the exit code that it gave."""
    kinds = {kind.exit_code: kind for kind in (UsageError, EngineError, ImageError, FilesError)}
    return next((kind(text, hint) for known, kind in kinds.items() if known == code), PiSandboxError(text, hint))

"""What every engine does, whether it is the fake of the tests or a real one."""

import select
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pi_sandbox.containers.engine import ByteChannel, Engine, NameTaken, NoSuchContainer, NotRunning, TerminalSize
from pi_sandbox.errors import EngineError
from pi_sandbox.session.container_spec import ContainerSpec
from tests.fakes.container_specs import bind, make_spec
from tests.fakes.engine import BOTH_STREAMS, CAT, EXIT_7, SLEEP, TERMINAL_SIZE, TRAP_TERM, FakeEngine

SECONDS = 30


@dataclass
class Bench:
    """An engine under test, the image it has, and what has to be tidied away."""

    engine: Engine
    image: str
    folder: Path
    made: list[str] = field(default_factory=list)
    channels: list[ByteChannel] = field(default_factory=list)

    def spec(self, *command: str, **changes: object) -> ContainerSpec:
        return make_spec(*command, **{"image": self.image, **changes})

    def create(self, spec: ContainerSpec) -> str:
        self.made.append(self.engine.create(spec))
        return self.made[-1]

    def attach(self, container_id: str, *, tty: bool = False) -> ByteChannel:
        self.channels.append(self.engine.attach(container_id, tty=tty))
        return self.channels[-1]

    def started(self, *command: str, **changes: object) -> tuple[str, ByteChannel]:
        spec = self.spec(*command, **changes)
        container_id = self.create(spec)
        channel = self.attach(container_id, tty=spec.tty)
        self.engine.start(container_id)
        return container_id, channel


@pytest.fixture(params=["fake", pytest.param("docker", marks=pytest.mark.engine)])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    if request.param == "fake":
        engine = FakeEngine()
        bench = Bench(engine, engine.image, tmp_path)
    else:
        bench = request.getfixturevalue("docker_bench")
    yield bench
    for channel in bench.channels:
        channel.close()
    for container_id in bench.made:
        bench.engine.remove(container_id)


@pytest.fixture
def docker_bench(tmp_path: Path) -> Iterator[Bench]:
    from tests.fakes.busybox_image import connected_engine

    with connected_engine() as (engine, image):
        yield Bench(engine, image, tmp_path)


def read(channel: ByteChannel, *, until: bytes | None = None) -> dict[int, bytes]:
    """Gives what comes on each stream up to the end, or up to some bytes on standard output."""
    found = {1: b"", 2: b""}
    deadline = time.monotonic() + SECONDS
    while until is None or until not in found[1]:
        if channel.pending():
            channel.flush()
        readable, _, _ = select.select([channel], [channel] if channel.pending() else [], [], 1)
        assert time.monotonic() < deadline, found
        if not readable:
            continue
        pieces = channel.receive()
        if pieces is None:
            return found
        for stream, data in pieces:
            found[stream] += data
    return found


def wait_for(met: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not met():
        assert time.monotonic() < deadline
        time.sleep(0.05)


class TestEngine:
    def test_the_exit_code_of_the_program_is_given(self, bench: Bench) -> None:
        container_id, channel = bench.started(*EXIT_7)
        read(channel)
        status = bench.engine.wait(container_id)
        assert (status.code, status.out_of_memory) == (7, False)

    def test_output_and_errors_come_apart_and_nothing_of_a_short_run_is_lost(self, bench: Bench) -> None:
        _, channel = bench.started(*BOTH_STREAMS)
        assert read(channel) == {1: b"to out\n", 2: b"to err\n"}

    def test_input_arrives_and_its_end_too(self, bench: Bench) -> None:
        container_id, channel = bench.started(*CAT)
        data = bytes(range(256)) * 4000
        channel.send(data)
        channel.close_input()
        assert read(channel) == {1: data, 2: b""}
        assert bench.engine.wait(container_id).code == 0

    def test_one_more_program_has_streams_of_its_own(self, bench: Bench) -> None:
        container_id, _ = bench.started(*SLEEP)
        channel = bench.engine.execute(container_id, CAT, "1000:1000")
        bench.channels.append(channel)
        channel.send(b"a line\n")
        assert read(channel, until=b"\n")[1] == b"a line\n"
        channel.close_input()
        assert read(channel) == {1: b"", 2: b""}

    def test_a_signal_that_the_program_handles_reaches_it(self, bench: Bench) -> None:
        container_id, channel = bench.started(*TRAP_TERM)
        read(channel, until=b"ready")
        bench.engine.kill(container_id, "SIGTERM")
        assert bench.engine.wait(container_id).code == 5

    def test_the_end_of_the_container_ends_every_other_program_in_it(self, bench: Bench) -> None:
        container_id, _ = bench.started(*SLEEP)
        channel = bench.engine.execute(container_id, CAT, "1000:1000")
        bench.channels.append(channel)
        channel.send(b"a line\n")
        read(channel, until=b"\n")
        bench.engine.kill(container_id, "SIGKILL")
        read(channel)

    def test_a_killed_program_ends_its_stream(self, bench: Bench) -> None:
        container_id, channel = bench.started(*SLEEP)
        bench.engine.kill(container_id, "SIGKILL")
        read(channel)
        assert bench.engine.wait(container_id).code == 137

    def test_stopping_gives_time_and_is_content_with_a_container_that_ended_or_is_gone(self, bench: Bench) -> None:
        container_id, channel = bench.started(*TRAP_TERM)
        read(channel, until=b"ready")
        bench.engine.stop(container_id, seconds=20)
        assert bench.engine.wait(container_id).code == 5
        bench.engine.stop(container_id, seconds=1)
        bench.engine.remove(container_id)
        bench.engine.stop(container_id, seconds=1)

    def test_the_terminal_has_the_size_that_it_was_told(self, bench: Bench) -> None:
        container_id, channel = bench.started(*TERMINAL_SIZE, tty=True)
        bench.engine.resize(container_id, TerminalSize(rows=50, columns=200))
        channel.send(b"x")
        assert b"50 200" in read(channel)[1]

    def test_after_the_end_resizing_and_killing_say_that_it_does_not_run(self, bench: Bench) -> None:
        container_id, channel = bench.started(*EXIT_7)
        read(channel)
        bench.engine.wait(container_id)
        with pytest.raises(NotRunning):
            bench.engine.resize(container_id, TerminalSize(1, 1))
        with pytest.raises(NotRunning):
            bench.engine.kill(container_id, "SIGTERM")
        with pytest.raises(NotRunning):
            bench.engine.execute(container_id, CAT, "1000:1000")

    def test_removing_ends_a_running_container_and_may_be_repeated(self, bench: Bench) -> None:
        container_id, _ = bench.started(*SLEEP)
        bench.engine.remove(container_id)
        bench.engine.remove(container_id)
        with pytest.raises(NoSuchContainer):
            bench.engine.wait(container_id)

    def test_a_container_that_was_never_started_can_be_removed(self, bench: Bench) -> None:
        bench.engine.remove(bench.create(bench.spec(*SLEEP)))

    def test_containers_are_found_by_their_labels_in_every_state(self, bench: Bench) -> None:
        spec = bench.spec(*EXIT_7)
        labels = {"dev.pi-sandbox.test-name": spec.name}
        labelled = bench.spec(*EXIT_7, name=spec.name, labels=tuple({**dict(spec.labels), **labels}.items()))
        assert bench.engine.ours(labels) == ()
        container_id = bench.create(labelled)
        (found,) = bench.engine.ours(labels)
        assert (found.container_id, found.name, found.state) == (container_id, spec.name, "created")
        assert labels.items() <= found.labels.items()
        bench.engine.start(container_id)
        bench.engine.wait(container_id)
        wait_for(lambda: bench.engine.ours(labels)[0].state == "exited")
        assert bench.engine.ours({**labels, "dev.pi-sandbox.test": "other"}) == ()

    def test_a_name_in_use_is_told_apart(self, bench: Bench) -> None:
        spec = bench.spec(*EXIT_7)
        bench.create(spec)
        with pytest.raises(NameTaken):
            bench.create(spec)

    def test_a_missing_source_is_named(self, bench: Bench) -> None:
        missing = bench.folder / "not here"
        with pytest.raises(EngineError, match=r'does not see ".*/not here"'):
            bench.create(bench.spec(*EXIT_7, mounts=(bind(missing, "/seen"),)))
        assert not missing.exists()

    def test_a_missing_image_is_named(self, bench: Bench) -> None:
        with pytest.raises(EngineError, match="does not have the image"):
            bench.create(bench.spec(*EXIT_7, image="sha256:" + "1" * 64))

    def test_the_engine_has_made_what_was_planned(self, bench: Bench) -> None:
        spec = bench.spec(*EXIT_7, mounts=(bind(bench.folder, "/seen", read_only=True),))
        found = bench.engine.differences(bench.create(spec), spec)
        assert [str(difference) for difference in found if not difference.is_limit] == []

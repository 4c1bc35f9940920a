"""A real look through the engine's eyes, for the doctor: does a container see and may it write what lies here?"""

import os
import secrets
import select
import time
from collections.abc import Sequence

from pi_sandbox.containers.compose_files import load_standing_part
from pi_sandbox.containers.docker_engine import DockerEngine
from pi_sandbox.containers.engine import ByteChannel
from pi_sandbox.containers.image import Matches, expected_image, find_image
from pi_sandbox.errors import EngineError, PiSandboxError
from pi_sandbox.launch.engine_view import view_of
from pi_sandbox.launch.host_facts import host_facts
from pi_sandbox.launch.look import look_at_store
from pi_sandbox.launch.markers import Held, Marker, compare, held, look_message, marker_for, unfiltered
from pi_sandbox.session.container_spec import ContainerSpec
from pi_sandbox.session.control_messages import Lines, Seen, decode, encode
from pi_sandbox.session.mount_plan import probe_targets
from pi_sandbox.session.plan import BRIDGE, plan_probe
from pi_sandbox.settings.domains import CORE
from pi_sandbox.settings.folders import Folders
from pi_sandbox.settings.settings import Settings
from pi_sandbox.system.signals import Signals

ANSWER_SECONDS = 30.0


def probe_mounts(engine: DockerEngine, settings: Settings) -> None:
    """Starts a container that sees the stores and compares; raises `PiSandboxError` for the first difference."""
    folders = Folders(settings.home)
    state = find_image(engine.client, expected_image("agent"))
    if not isinstance(state, Matches):
        raise EngineError("the agent image does not match", "pi-sandbox image build")
    stores = [look_at_store(folders, name) for name in (CORE, *settings.domains)]
    session_id = secrets.token_hex(6)
    spec = plan_probe(
        probe_targets(folders, stores, session_id),
        settings,
        load_standing_part("agent", settings.limits),
        host_facts(os.environ),
        view_of(engine.facts(), state.image_id),
        session_id,
    )
    with Signals() as signals, marker_for(folders, session_id) as marker, held(spec.mounts) as mounts:
        difference = _difference(engine, spec, signals, mounts, marker)
        signals.end_if_asked()
    if difference is not None:
        raise difference


def _difference(
    engine: DockerEngine, spec: ContainerSpec, signals: Signals, mounts: Sequence[Held], marker: Marker
) -> PiSandboxError | None:
    signals.end_if_asked()
    container_id = engine.create(spec)
    try:
        engine.start(container_id)
        channel = engine.execute(container_id, BRIDGE, spec.user)
        channel.send(encode(look_message(mounts)))
        seen = _answer(channel, signals)
        difference = unfiltered(spec.standing, seen) or compare(mounts, marker, seen).error
        channel.close()
    finally:
        engine.remove(container_id)
    return difference


def _answer(channel: ByteChannel, signals: Signals) -> Seen:
    lines = Lines()
    ends = time.monotonic() + ANSWER_SECONDS
    sources: list[ByteChannel | Signals] = [channel, signals]
    while (remaining := ends - time.monotonic()) > 0 and select.select(sources, [], [], remaining)[0]:
        signals.end_if_asked()
        received = channel.receive()
        if received is None:
            break
        for stream, data in received:
            for line in lines.feed(data) if stream == 1 else ():
                message = decode(line)
                if isinstance(message, Seen):
                    return message
    raise EngineError("the probe container did not say what it sees", "look at the engine's own log")

"""Asks a container how it reaches this machine, and for a certificate of a server there."""

import json
import os
import secrets
import select
import time
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from pi_sandbox.containers.compose_files import load_standing_part
from pi_sandbox.containers.docker_engine import DockerEngine
from pi_sandbox.containers.engine import ByteChannel
from pi_sandbox.errors import EngineError
from pi_sandbox.launch.host_facts import host_facts
from pi_sandbox.session.container_spec import ContainerSpec
from pi_sandbox.session.plan import HOME_LABEL, OWNER_LABEL, PROJECT_LABEL, SESSION_LABEL
from pi_sandbox.settings.settings import Settings
from pi_sandbox.system.shipped_files import shipped_folder

PYTHON = "/opt/pi-sandbox/venv/bin/python"
SECONDS = 30.0


@dataclass(frozen=True)
class Certificate:
    """A certificate and its key, for this machine as containers see it: by `gateway`, and by its name in a VM."""

    gateway: str
    virtual_machine: bool
    text: str
    key: str = field(repr=False)


def ask_container(engine: DockerEngine, settings: Settings, image: str) -> Certificate:
    """Gives what the container says; raises `EngineError` if it does not."""
    container_id = engine.create(_spec(settings, image, secrets.token_hex(6), rootless=engine.facts().rootless))
    try:
        channel = engine.attach(container_id, tty=False)
        try:
            engine.start(container_id)
            return _certificate(_heard(channel))
        finally:
            channel.close()
    finally:
        engine.remove(container_id)


def _spec(settings: Settings, image: str, session_id: str, *, rootless: bool) -> ContainerSpec:
    host = host_facts(os.environ)
    program = (shipped_folder("templates") / "demo" / "certificate.py").read_text(encoding="utf-8")
    return ContainerSpec(
        name=f"pi-sandbox-{session_id}",
        image=image,
        command=(PYTHON, "-I", "-c", program),
        user="0:0" if rootless else f"{host.uid}:{host.gid}",
        working_dir=PurePosixPath("/home/pi"),
        environment=(("HOME", "/home/pi"),),
        labels=(
            (SESSION_LABEL, session_id),
            (PROJECT_LABEL, "pi-sandbox demo"),
            (HOME_LABEL, str(settings.home)),
            (OWNER_LABEL, host.owner.to_label()),
        ),
        mounts=(),
        tty=False,
        runtime=None,
        standing=load_standing_part("sync", settings.limits),
    )


def _heard(channel: ByteChannel) -> bytes:
    ends = time.monotonic() + SECONDS
    heard = b""
    while (remaining := ends - time.monotonic()) > 0:
        if select.select([channel], [], [], remaining)[0]:
            received = channel.receive()
            if received is None:
                break
            heard += b"".join(data for stream, data in received if stream == 1)
    return heard


def _certificate(said: bytes) -> Certificate:
    try:
        values = json.loads(said)
        return Certificate(values["gateway"], values["virtual_machine"], values["certificate"], values["key"])
    except (ValueError, KeyError, TypeError) as error:
        raise EngineError("a container of the demo did not make its certificate", "pi-sandbox doctor") from error

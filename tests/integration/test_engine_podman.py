"""Rootless Podman of an ordinary user, through its Docker-compatible service: the same containers in its own words."""

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from pi_sandbox.containers.docker_engine import DockerEngine
from pi_sandbox.containers.seccomp_profile import load_profile
from pi_sandbox.errors import EngineError
from tests.contract.test_engine import Bench, TestEngine
from tests.fakes.busybox_image import connected_engine
from tests.fakes.container_runs import read, run, started
from tests.fakes.container_specs import bind, make_spec, mask
from tests.fakes.real_engines import OtherEngine, rootless_podman
from tests.running import SOON

__all__ = ["TestEngine"]


class Podman(NamedTuple):
    engine: DockerEngine
    image: str
    other: OtherEngine

    def folder(self, name: str) -> Path:
        """Makes a folder of the user's."""
        folder = self.other.folder / name
        folder.mkdir()
        subprocess.run(["chown", f"{self.other.uid}:{self.other.gid}", folder], check=True)
        return folder


@pytest.fixture(scope="module")
def podman() -> Iterator[Podman]:
    with ExitStack() as stack:
        other = stack.enter_context(rootless_podman())
        engine, image = stack.enter_context(connected_engine(other.environ))
        yield Podman(engine, image, other)


@pytest.fixture
def bench(podman: Podman) -> Iterator[Bench]:
    bench = PodmanBench(podman.engine, podman.image, podman.other.folder)
    yield bench
    for channel in bench.channels:
        channel.close()
    for container_id in bench.made:
        bench.engine.remove(container_id)


class PodmanBench(Bench):
    """In a rootless engine root is the user."""

    def spec(self, *command: str, **changes: object) -> object:  # type: ignore[override]
        return super().spec(*command, **{"user": "0:0", **changes})


def test_it_is_seen_for_what_it_is(podman: Podman) -> None:
    facts = podman.engine.facts()
    assert (facts.product, facts.rootless) == ("Podman", True)


def test_what_root_inside_writes_belongs_to_the_user_outside(podman: Podman) -> None:
    folder = podman.folder("written")
    outcome = run(
        podman.engine,
        make_spec("touch", "/seen/note", image=podman.image, user="0:0", mounts=(bind(folder, "/seen"),)),
    )
    assert outcome.code == 0
    found = (folder / "note").stat()
    assert (found.st_uid, found.st_gid) == (podman.other.uid, podman.other.gid)


def test_a_mask_is_not_filled_with_what_it_hides(podman: Podman) -> None:
    folder = podman.folder("store")
    (folder / "hidden").mkdir()
    (folder / "hidden/note").write_text("hidden words")
    (folder / "large").mkdir()
    (folder / "large/note").write_text("x" * 100_000)
    script = "ls -A /seen/hidden /seen/large | grep note; touch /seen/hidden/x; ls -d /seen/hidden"
    mounts = (bind(folder, "/seen"), mask("/seen/hidden"), mask("/seen/large"))
    outcome = run(podman.engine, make_spec("sh", "-c", script, image=podman.image, user="0:0", mounts=mounts))
    assert outcome.out == "/seen/hidden\n"
    assert "Read-only file system" in outcome.err


def test_a_folder_below_a_temporary_one_is_mounted_there_and_keeps_what_is_written(podman: Podman) -> None:
    """As the memory's state is in a session, and in a container that looks into it; the control stands beside it."""
    kept = podman.folder("state")
    script = "touch /tmp/agent/project-memory/lock /tmp/lost; ls /tmp/agent /tmp"
    mounts = (bind(kept, "/tmp/agent/project-memory"),)
    spec = make_spec("sh", "-c", script, image=podman.image, user="0:0", mounts=mounts)
    assert run(podman.engine, spec).out == "/tmp:\nagent\nlost\n\n/tmp/agent:\nproject-memory\n"
    assert [path.name for path in kept.iterdir()] == ["lock"]
    assert (kept / "lock").stat().st_uid == podman.other.uid


def test_only_limits_that_it_cannot_enforce_differ_from_the_plan(podman: Podman) -> None:
    folder = podman.folder("planned")
    (folder / "hidden").mkdir()
    mounts = (bind(folder, "/seen", read_only=True), mask("/seen/hidden"))
    spec = make_spec("true", image=podman.image, user="0:0", mounts=mounts)
    container_id = podman.engine.create(spec)
    try:
        found = podman.engine.differences(container_id, spec)
    finally:
        podman.engine.remove(container_id)
    assert all(difference.is_limit for difference in found), [str(difference) for difference in found]


@pytest.mark.parametrize("name", ["a:b", "a b", "größe", "a ", "-rf", "$(x)", "a\\b"])
def test_a_folder_is_mounted_as_itself(podman: Podman, name: str) -> None:
    folder = podman.folder(name)
    (folder / "mark").write_text("it is me")
    mounts = (bind(folder, f"/seen/{name}"),)
    spec = make_spec("sh", "-c", 'cat "$0/mark"', f"/seen/{name}", image=podman.image, user="0:0", mounts=mounts)
    assert run(podman.engine, spec).out == "it is me"


@pytest.mark.parametrize("name", ["a,b", 'a"b', "a\nb"])
def test_a_folder_that_it_would_take_apart_is_refused_by_name(podman: Podman, name: str) -> None:
    folder = podman.folder(name)
    with pytest.raises(EngineError, match="Podman cannot mount"):
        podman.engine.create(make_spec("true", image=podman.image, user="0:0", mounts=(bind(folder, "/seen"),)))


def test_a_folder_that_its_user_may_not_see_is_named(podman: Podman, tmp_path: Path) -> None:
    spec = make_spec("true", image=podman.image, user="0:0", mounts=(bind(tmp_path, "/seen"),))
    tmp_path.parents[1].chmod(0o700)
    with pytest.raises(EngineError, match=f'does not see "{tmp_path}"'):
        run(podman.engine, spec)


def test_a_list_of_system_calls_that_its_user_may_not_read_is_named(podman: Podman, tmp_path: Path) -> None:
    file = tmp_path / "seccomp.json"
    file.write_text(load_profile().rules)
    tmp_path.chmod(0o700)
    spec = make_spec("true", image=podman.image, user="0:0", standing={"seccomp": replace(load_profile(), file=file)})
    with pytest.raises(EngineError, match=f'cannot read the list of system calls "{file}"'):
        podman.engine.create(spec)


def test_attaching_gives_the_program_no_input_that_nobody_typed(podman: Podman) -> None:
    assert run(podman.engine, make_spec("cat", image=podman.image, user="0:0"), b"typed").out == "typed"


def test_no_key_is_held_back(podman: Podman) -> None:
    script = "stty raw -echo; echo ready; while true; do dd bs=1 count=1 2>/dev/null | od -An -tx1; done"
    spec = make_spec("sh", "-c", script, image=podman.image, user="0:0", tty=True)
    with started(podman.engine, spec) as (_, channel):
        read(channel, until=b"ready")
        for byte in b"\x10\x11\x10\x11\x03\x1a":
            channel.send(bytes([byte]))
            read(channel, until=f" {byte:02x}".encode(), seconds=SOON)

"""System calls on real engines: what the plan's profile refuses, what it leaves, and what is open without it."""

import json
import os
import platform
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pytest

from pi_sandbox.containers.docker_engine import DockerEngine
from pi_sandbox.session.container_spec import Mount, Tmpfs
from tests.fakes import system_call_probe
from tests.fakes.busybox_image import connected_engine
from tests.fakes.container_runs import Outcome, run
from tests.fakes.container_specs import bind, make_spec
from tests.fakes.real_engines import rootless_podman
from tests.fakes.system_call_probe import LEFT, reached
from tests.needs import Host, needs

ELSEWHERE = set() if platform.machine() == "x86_64" else set(system_call_probe.ON_X86_ONLY)
HERE = set(system_call_probe.PROBES) - ELSEWHERE
OPEN_UNCONFINED = {"io_uring_setup", "keyctl", "unshare", "netfilter", "adjtimex", "AF_VSOCK"}
"""Of what is refused, what a program without rights gets on a usual kernel."""
SWITCHES = {
    "io_uring_setup": ("/proc/sys/kernel/io_uring_disabled", "0"),
    "unshare": ("/proc/sys/kernel/unprivileged_userns_clone", "1"),
}
"""Where the owner of a machine switches such things off, and what stands there if not."""
PROBE = Path(system_call_probe.__file__)
FOLDERS = ("/usr", "/lib", "/lib64")
SPACE = (Tmpfs(PurePosixPath("/tmp"), "size=64m,mode=1777,nosuid,nodev,exec"),)
THREADS = """
import asyncio, socket, threading
threads = [threading.Thread(target=sum, args=(range(1000),)) for _ in range(20)]
[thread.start() for thread in threads]; [thread.join() for thread in threads]
async def main():
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    process = await asyncio.create_subprocess_exec("true")
    print(await reader.read(), await process.wait(), [name for _, name in socket.if_nameindex()])
asyncio.run(main())
"""


@dataclass(frozen=True)
class Bench:
    """An engine, its test image, and what of this machine a container of it sees: programs, and the probe."""

    engine: DockerEngine
    image: str
    user: str
    mounts: tuple[Mount, ...]

    def run(self, *command: str, **standing: object) -> Outcome:
        environment = (("PATH", "/usr/bin:/bin"), ("HOME", "/tmp"))
        changes = {"image": self.image, "user": self.user, "mounts": self.mounts, "environment": environment}
        return run(self.engine, make_spec(*command, standing={"tmpfs": SPACE, **standing}, **changes))

    def probe(self, **standing: object) -> dict[str, str]:
        outcome = self.run("python3", "/work/probe.py", **standing)
        assert outcome.code == 0, outcome.err
        found: dict[str, str] = json.loads(outcome.out)
        return found


@pytest.fixture(scope="module", params=["docker", "podman"])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    needs(Host.ROOT, "python3")
    with ExitStack() as stack:
        other = stack.enter_context(rootless_podman()) if request.param == "podman" else None
        engine, image = stack.enter_context(connected_engine(None if other is None else other.environ))
        mounts = [bind(Path(name).resolve(), name, read_only=True) for name in FOLDERS if Path(name).exists()]
        mounts.append(bind(PROBE, "/work/probe.py", read_only=True))
        yield Bench(engine, image, "1000:1000" if other is None else "0:0", tuple(mounts))


@pytest.fixture(scope="module")
def found(bench: Bench) -> dict[str, str]:
    return bench.probe()


def test_a_container_is_refused_what_nobody_needs(found: dict[str, str]) -> None:
    assert set(found) == HERE
    assert reached(found) == set()


def test_a_container_keeps_what_work_needs(found: dict[str, str]) -> None:
    assert {name: found[name] for name in LEFT} == dict.fromkeys(LEFT, "open")


def test_a_call_past_the_list_of_this_machines_own_ends_the_program(found: dict[str, str]) -> None:
    gates = HERE & set(system_call_probe.OTHER_GATES)
    assert {name: found[name] for name in gates} == dict.fromkeys(gates, "SIGSYS")


def test_without_a_filter_the_same_calls_reach_the_kernel(bench: Bench) -> None:
    unconfined = bench.probe(seccomp=None, security_options=("no-new-privileges:true", "seccomp=unconfined"))
    assert reached(unconfined) >= OPEN_UNCONFINED - absent_here()


def test_with_the_engines_own_filter_some_of_them_still_do(bench: Bench) -> None:
    version = bench.engine.facts().version
    expected = {"netfilter", "AF_VSOCK with a bit above"}
    expected |= {"AF_VSOCK"} if version.startswith(("20.10.", "4.3.")) else set()
    expected |= {"io_uring_setup"} if version.startswith("20.10.") else set()
    assert reached(bench.probe(seccomp=None)) >= expected - absent_here()


def absent_here() -> set[str]:
    """Gives what this machine's kernel does not have, or has switched off for everybody without rights."""
    absent = {
        name for name, (path, on) in SWITCHES.items() if Path(path).exists() and Path(path).read_text().strip() != on
    }
    try:
        socket.socket(system_call_probe.AF_VSOCK, socket.SOCK_STREAM).close()
    except OSError:
        return absent | {"AF_VSOCK", "AF_VSOCK with a bit above"}
    return absent


def test_the_engine_reports_the_profile_as_planned(bench: Bench) -> None:
    spec = make_spec("true", image=bench.image, user=bench.user)
    unfiltered = make_spec("true", image=bench.image, user=bench.user, name=spec.name, standing={"seccomp": None})
    container_id = bench.engine.create(spec)
    try:
        found, control = (bench.engine.differences(container_id, planned) for planned in (spec, unfiltered))
    finally:
        bench.engine.remove(container_id)
    assert [item.field for item in found if not item.is_limit] == []
    assert [item.field for item in control if not item.is_limit] == ["system calls"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("python3", "-c", THREADS), "b'' 0 ['lo'"),
        (("strace", "-f", "-o", "/tmp/trace", "echo", "traced"), "traced"),
        (("gdb", "-nx", "-batch", "-ex", "run", "-ex", "p 6*7", "/usr/bin/true"), "$1 = 42"),
        (("gcc", "-xc", "-", "-o", "/tmp/made"), ""),
        (("git", "init", "/tmp/made"), "Initialized"),
    ],
    ids=["threads and loops", "strace", "gdb", "gcc", "git"],
)
def test_programs_work(bench: Bench, command: tuple[str, ...], said: str) -> None:
    needs(f"/usr/bin/{command[0]}")
    script = 'echo "int main(void) { return 0; }" | "$@"'
    outcome = bench.run("sh", "-c", script, "sh", *command, memory_bytes=1 << 30)
    assert outcome.code == 0, outcome.err
    assert said in outcome.out


def test_the_probe_refuses_to_run_where_it_would_do_harm() -> None:
    assert system_call_probe.has_capabilities() == (os.geteuid() == 0)

"""A Docker engine that sees other files than this machine's, and gVisor as its runtime."""

import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from pi_sandbox.containers.docker_engine import DockerEngine, connect
from pi_sandbox.containers.engine import TerminalSize
from pi_sandbox.errors import EngineError
from tests.fakes import system_call_probe
from tests.fakes.busybox_image import connected_engine
from tests.fakes.container_runs import read, run, started
from tests.fakes.container_specs import bind, make_spec, mask
from tests.fakes.real_engines import OtherEngine, engine_elsewhere
from tests.needs import needs

PROGRAMS = ("/usr", "/lib", "/lib64")


class Elsewhere(NamedTuple):
    engine: DockerEngine
    image: str
    hidden: Path
    other: OtherEngine


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Elsewhere]:
    hidden = tmp_path_factory.mktemp("hidden")
    (hidden / "store").mkdir()
    (hidden / "store/note").write_text("a note")
    with ExitStack() as stack:
        other = stack.enter_context(engine_elsewhere(hidden))
        engine, image = stack.enter_context(connected_engine(other.environ))
        yield Elsewhere(engine, image, hidden, other)


def test_a_folder_that_the_engine_does_not_see_is_named_and_not_made(elsewhere: Elsewhere) -> None:
    store = elsewhere.hidden / "store"
    with pytest.raises(EngineError, match=f'does not see "{store}"') as caught:
        elsewhere.engine.create(make_spec("true", image=elsewhere.image, mounts=(bind(store, "/brain/core"),)))
    assert "this machine" in caught.value.hint


def test_a_folder_that_the_engine_sees_empty_gives_no_error_so_a_marker_is_needed(elsewhere: Elsewhere) -> None:
    spec = make_spec("ls", "/brain", image=elsewhere.image, mounts=(bind(elsewhere.hidden, "/brain"),))
    outcome = run(elsewhere.engine, spec)
    assert (outcome.out, outcome.code) == ("", 0)


@pytest.fixture
def gvisor(elsewhere: Elsewhere) -> Elsewhere:
    needs("runsc")
    assert "runsc" in elsewhere.engine.facts().runtimes
    return elsewhere


def test_gvisor_runs_the_same_plan(gvisor: Elsewhere) -> None:
    folder = gvisor.other.folder / "work"
    (folder / "hidden").mkdir(parents=True)
    (folder / "hidden/note").write_text("hidden words")
    (folder / "seen").write_text("seen words")
    mounts = (bind(folder, "/seen", read_only=True), mask("/seen/hidden"))
    script = "dmesg | head -1; cat /seen/seen; ls -A /seen/hidden; touch /seen/x; touch /x; cat; exit 7"
    spec = make_spec("sh", "-c", script, image=gvisor.image, runtime="runsc", mounts=mounts, user="0:0")
    container_id = gvisor.engine.create(spec)
    assert list(gvisor.engine.differences(container_id, spec)) == []
    gvisor.engine.remove(container_id)
    outcome = run(gvisor.engine, spec, b" typed")
    assert "gVisor" in outcome.out
    assert outcome.out.endswith("seen words typed")
    assert outcome.err.count("Read-only file system") == 2
    assert outcome.code == 7


SHOWN = """
for place in /shown/hidden /shown/open; do
    /usr/bin/find $place
    /usr/bin/python3 -c 'import os, sys; print(os.listdir(sys.argv[1]))' $place
done
"""
LISTED = "for place in /shown/hidden /shown/open /tmp /; do /usr/bin/ls -d $place; done"
THIS_MACHINES_PROGRAMS = tuple(
    bind(Path(here), there, read_only=True)
    for here, there in (("/usr", "/usr"), ("/usr/lib", "/lib"), ("/usr/lib64", "/lib64"))
)


def test_gvisor_shows_masked_folders_as_it_shows_all_others(gvisor: Elsewhere) -> None:
    folder = gvisor.other.folder / "shown"
    for place in ("hidden", "open"):
        (folder / place).mkdir(parents=True)
        (folder / place / "note").write_text("words")
    mounts = (bind(folder, "/shown", read_only=True), mask("/shown/hidden"), *THIS_MACHINES_PROGRAMS)
    for runtime in ("runsc", None):

        def said(script: str, runtime: str | None = runtime) -> tuple[str, str]:
            outcome = run(
                gvisor.engine, make_spec("sh", "-c", script, image=gvisor.image, runtime=runtime, mounts=mounts)
            )
            return outcome.out, outcome.err

        assert said(SHOWN)[0].splitlines() == ["/shown/hidden", "[]", "/shown/open", "/shown/open/note", "['note']"]
        listed, complaints = said(LISTED)
        assert listed.split() in ([], ["/shown/hidden", "/shown/open", "/tmp", "/"]), "no place otherwise than another"
        assert complaints.count("Invalid argument") == (0 if listed else 4)
    assert listed, "the control: the same program outside of gVisor"


def test_gvisor_has_the_size_of_the_terminal_and_every_key(gvisor: Elsewhere) -> None:
    script = "stty raw -echo; echo ready; dd bs=1 count=1 2>/dev/null | od -An -tx1; stty size"
    spec = make_spec("sh", "-c", script, image=gvisor.image, runtime="runsc", tty=True)
    with started(gvisor.engine, spec) as (container_id, channel):
        gvisor.engine.resize(container_id, TerminalSize(rows=50, columns=200))
        read(channel, until=b"ready")
        channel.send(b"\x10")
        assert b" 10" in (found := read(channel)[1])
        assert b"50 200" in found


@pytest.fixture
def over_tls(elsewhere: Elsewhere) -> Iterator[Elsewhere]:
    with connected_engine(elsewhere.other.tls_environ) as (engine, image):
        yield elsewhere._replace(engine=engine, image=image)


def test_over_tls_the_end_of_input_arrives_and_all_output_after_it(over_tls: Elsewhere) -> None:
    data = b"0123456789abcdef" * 100_000
    spec = make_spec("sh", "-c", "wc -c; head -c 3000000 /dev/zero | tr '\\0' x; echo err >&2", image=over_tls.image)
    outcome = run(over_tls.engine, spec, data)
    assert outcome.out == f"{len(data)}\n" + "x" * 3_000_000
    assert outcome.err == "err\n"


def test_over_tls_an_extra_program_and_a_terminal_work_alike(over_tls: Elsewhere) -> None:
    script = "stty raw -echo; echo ready; dd bs=1 count=1 2>/dev/null | od -An -tx1"
    with started(over_tls.engine, make_spec("sh", "-c", script, image=over_tls.image, tty=True)) as (
        container_id,
        channel,
    ):
        read(channel, until=b"ready")
        extra = over_tls.engine.execute(container_id, ["cat"], "1000:1000")
        extra.send(b"both ways")
        assert read(extra, until=b"ways")[1] == b"both ways"
        extra.close_input()
        assert read(extra) == {1: b"", 2: b""}
        extra.close()
        channel.send(b"\x10")
        assert b" 10" in read(channel)[1]


def test_over_tls_an_engine_wants_a_certificate_of_ours(elsewhere: Elsewhere, tmp_path: Path) -> None:
    authority = Path(elsewhere.other.tls_environ["DOCKER_CERT_PATH"]) / "ca.pem"
    shutil.copy(authority, tmp_path)
    with pytest.raises(EngineError) as caught:
        connect({**elsewhere.other.tls_environ, "DOCKER_CERT_PATH": str(tmp_path)}, tmp_path)
    assert "certificate" in f"{caught.value.message} {caught.value.hint}"


def test_gvisor_has_in_its_own_kernel_little_of_what_our_list_refuses(gvisor: Elsewhere) -> None:
    """It reads no such list. What is tried out before a session starts is closed there, or no session would start."""
    mounts = [bind(Path(name).resolve(), name, read_only=True) for name in PROGRAMS if Path(name).exists()]
    mounts.append(bind(Path(system_call_probe.__file__), "/work/probe.py", read_only=True))
    environment = (("PATH", "/usr/bin"),)
    spec = make_spec(
        *("python3", "/work/probe.py", "AF_VSOCK", "adjtimex", "keyctl", "bpf", "userfaultfd", "netfilter", "TCP"),
        image=gvisor.image,
        runtime="runsc",
        mounts=tuple(mounts),
        environment=environment,
    )
    found = json.loads(run(gvisor.engine, spec).out)
    assert [name for name, what in found.items() if what == "open"] == ["TCP"]

"""On the real Docker engine: what a container sees, what the keys do, and what is left when the wrapper dies."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_sandbox.containers.docker_engine import DockerEngine
from pi_sandbox.errors import EngineError
from tests.fakes.busybox_image import connected_engine
from tests.fakes.container_runs import read, run, started
from tests.fakes.container_specs import MEBIBYTE, bind, make_spec, mask
from tests.running import SOON

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def engine_and_image() -> Iterator[tuple[DockerEngine, str]]:
    with connected_engine() as found:
        yield found


@pytest.fixture
def engine(engine_and_image: tuple[DockerEngine, str]) -> DockerEngine:
    return engine_and_image[0]


@pytest.fixture
def image(engine_and_image: tuple[DockerEngine, str]) -> str:
    return engine_and_image[1]


@pytest.mark.parametrize(
    "name", ["a:b", "a:ro", "a b", "a,b", "größe", "-rf", "$(x)", "a\nb", "a ", 'a"b', "a\\b", "a%2fb"]
)
def test_a_folder_is_mounted_as_itself_whatever_its_name(
    engine: DockerEngine, image: str, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "mark").write_text("it is me")
    spec = make_spec(
        *("sh", "-c", 'cat "$0/mark"', f"/seen/{name}"),
        image=image,
        mounts=(bind(folder, f"/seen/{name}"),),
        user="0:0",
    )
    outcome = run(engine, spec)
    assert (outcome.out, outcome.code) == ("it is me", 0)
    assert sorted(path.name for path in tmp_path.iterdir()) == [name]


def test_a_mask_shows_nothing_and_takes_nothing(engine: DockerEngine, image: str, tmp_path: Path) -> None:
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden/note").write_text("hidden words")
    script = "ls -A /seen/hidden; touch /seen/hidden/x"
    mounts = (bind(tmp_path, "/seen"), mask("/seen/hidden"))
    outcome = run(engine, make_spec("sh", "-c", script, image=image, mounts=mounts, user="0:0"))
    assert outcome.out == ""
    assert "Read-only file system" in outcome.err
    assert [path.name for path in tmp_path.rglob("*")] == ["hidden", "note"]


def test_a_program_has_no_way_up(engine: DockerEngine, image: str) -> None:
    script = "grep -E '^(Cap|NoNewPrivs|Seccomp:|Uid|Gid|Groups)' /proc/self/status; touch /x; touch /tmp/x"
    outcome = run(engine, make_spec("sh", "-c", script, image=image))
    words = dict(line.split(":", 1) for line in outcome.out.splitlines())
    assert {words[name].strip() for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb", "CapInh")} == {"0" * 16}
    assert words["NoNewPrivs"].strip() == "1"
    assert words["Seccomp"].strip() == "2"
    assert words["Uid"].split() == ["1000"] * 4
    assert outcome.err == "touch: /x: Read-only file system\n"


def test_the_engine_keeps_no_log_of_the_terminal(engine: DockerEngine, image: str) -> None:
    with started(engine, make_spec("echo", "private words", image=image)) as (container_id, channel):
        read(channel)
        report = engine.inspect(container_id)
    assert report["HostConfig"]["LogConfig"]["Type"] == "none"
    assert report["LogPath"] == ""


def test_a_program_above_its_memory_is_ended_and_the_reason_is_known(engine: DockerEngine, image: str) -> None:
    spec = make_spec("tail", "/dev/zero", image=image, standing={"memory_bytes": 32 * MEBIBYTE})
    outcome = run(engine, spec)
    assert outcome.out_of_memory
    assert outcome.code != 0


def test_a_fork_bomb_stays_within_its_number_of_processes(engine: DockerEngine, image: str) -> None:
    script = "i=0; while [ $i -lt 80 ]; do sleep 1 & i=$((i+1)); done; echo all"
    outcome = run(engine, make_spec("sh", "-c", script, image=image))
    assert "all" not in outcome.out
    assert "fork" in outcome.err


@pytest.mark.parametrize("init", [True, False])
def test_a_program_that_does_not_exist_is_named_within_seconds_every_time(
    engine: DockerEngine, image: str, init: bool
) -> None:
    for _ in range(10):
        started_at = time.monotonic()
        spec = make_spec("/no/such/program", image=image, standing={"init": init})
        if init:
            outcome = run(engine, spec)
            assert (outcome.code, "/no/such/program" in outcome.err) == (127, True)
        else:
            with pytest.raises(EngineError, match=r"cannot be started: .*/no/such/program"):
                run(engine, spec)
        assert time.monotonic() - started_at < SOON


KEYS = "stty raw -echo; echo ready; while true; do dd bs=1 count=1 2>/dev/null | od -An -tx1; done"


def test_no_key_is_held_back_and_none_detaches(engine: DockerEngine, image: str) -> None:
    with started(engine, make_spec("sh", "-c", KEYS, image=image, tty=True)) as (_, channel):
        read(channel, until=b"ready")
        for byte in b"\x10\x11\x10\x10\x11\x03\x1a\x1c\x04":
            channel.send(bytes([byte]))
            read(channel, until=f" {byte:02x}".encode(), seconds=SOON)


def test_output_of_a_terminal_has_straight_margins(engine: DockerEngine, image: str) -> None:
    with started(engine, make_spec("sh", "-c", "echo one; echo two", image=image, tty=True)) as (_, channel):
        assert read(channel)[1] == b"one\r\ntwo\r\n"


CHILD = """
import os, sys, time
from pi_sandbox.containers.docker_engine import connect
engine = connect(os.environ)
channel = engine.execute(sys.argv[1], ["sh", "-c", "echo up; cat; echo gone > /tmp/input-ended"], "1000:1000")
print("up", flush=True)
time.sleep(60)
"""


def test_an_extra_program_sees_the_end_of_its_input_when_the_wrapper_is_killed(
    engine: DockerEngine, image: str
) -> None:
    with started(engine, make_spec("sleep", "600", image=image)) as (container_id, _):
        child = subprocess.Popen([sys.executable, "-c", CHILD, container_id], stdout=subprocess.PIPE, cwd=CHECKOUT)
        assert child.stdout is not None
        with child.stdout:
            assert child.stdout.readline() == b"up\n"
            assert shown(engine, container_id, "ls /tmp") == ""
            child.send_signal(signal.SIGKILL)
            child.wait()
        deadline = time.monotonic() + SOON
        while shown(engine, container_id, "ls /tmp") != "input-ended\n":
            assert time.monotonic() < deadline
            time.sleep(0.1)


def shown(engine: DockerEngine, container_id: str, script: str) -> str:
    channel = engine.execute(container_id, ["sh", "-c", script], "1000:1000")
    try:
        return read(channel)[1].decode()
    finally:
        channel.close()


def test_the_first_words_of_an_extra_program_are_never_lost(engine: DockerEngine, image: str) -> None:
    with started(engine, make_spec("sleep", "600", image=image)) as (container_id, _):
        for number in range(20):
            assert shown(engine, container_id, f"echo {number}") == f"{number}\n"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"runtime": "no-such-runtime"}, "PI_SANDBOX_RUNTIME"),
        ({"standing": {"cpus": 4096.0}}, "PI_SANDBOX_CPUS"),
        ({"standing": {"network": "no-such-network"}}, "network"),
    ],
)
def test_what_the_engine_does_not_have_is_named(
    engine: DockerEngine, image: str, changes: dict[str, object], words: str
) -> None:
    with pytest.raises(EngineError) as caught:
        run(engine, make_spec("true", image=image, **changes))
    assert words in f"{caught.value.message} {caught.value.hint}"


def test_many_megabytes_pass_both_ways_unchanged(engine: DockerEngine, image: str) -> None:
    data = "0123456789abcdef" * (1 << 19)
    assert run(engine, make_spec("cat", image=image), data.encode()).out == data

"""A session without a terminal: what goes in comes out, and nothing hangs."""

import hashlib
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.integration.session.sandbox import SECONDS, Sandbox, wait_until
from tests.running import SOON

MEGABYTE = 1024 * 1024


def _started(sandbox: Sandbox, command: Sequence[str], **streams: object) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        (*sandbox.command, "shell", str(sandbox.project()), "--", *command),
        env=sandbox.environment(),
        **streams,  # type: ignore[call-overload]
    )


def test_piped_input_arrives_with_its_end_and_the_two_outputs_stay_apart(sandbox: Sandbox) -> None:
    ended = sandbox.shell(
        sandbox.project(), "cat; echo complaint >&2; exit 4", stdin=b"one\r\ntwo\x00\xff\x03\x04three"
    )
    assert ended.code == 4
    assert ended.out.encode("utf-8", "replace").startswith(b"one\r\ntwo\x00")
    assert ended.out.endswith("\x03\x04three")
    assert ended.err == "complaint\n"


def test_a_hundred_megabytes_go_through_unchanged_both_ways(sandbox: Sandbox) -> None:
    block = bytes(range(256)) * 4096
    given = hashlib.sha256()
    with _started(sandbox, ["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        reader = subprocess.Popen(("sha256sum",), stdin=process.stdout, stdout=subprocess.PIPE)
        assert process.stdin is not None
        for _ in range(100):
            process.stdin.write(block)
            given.update(block)
        process.stdin.close()
        said = reader.communicate(timeout=SECONDS)[0]
        assert process.wait(timeout=SECONDS) == 0
    assert said.split()[0].decode() == given.hexdigest()


def test_output_goes_to_a_file_as_it_is(sandbox: Sandbox, tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as out:
        process = _started(sandbox, ["printf", "a\\nb\\n\\033[1m"], stdin=subprocess.DEVNULL, stdout=out)
        assert process.wait(timeout=SECONDS) == 0
    assert (tmp_path / "out").read_bytes() == b"a\nb\n\x1b[1m"


@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"])
def test_closed_streams_are_no_crash(sandbox: Sandbox, closed: str) -> None:
    project = sandbox.project()
    script = f'"$@" shell {project} -- bash -c "cat; echo out; echo err >&2; touch done" {closed}; echo code=$?'
    ended = subprocess.run(
        ("sh", "-c", script, "sh", *sandbox.command), env=sandbox.environment(), capture_output=True, timeout=SECONDS
    )
    assert b"Traceback" not in ended.stderr
    assert b"code=0\n" in ended.stdout or ("1>&-" in closed and b"code=" in ended.stdout)
    assert (project / "done").exists()
    (project / "done").unlink()


def test_it_runs_as_from_cron_without_any_terminal(sandbox: Sandbox) -> None:
    ended = subprocess.run(
        ("setsid", "--wait", *sandbox.command, "shell", str(sandbox.project()), "--", "bash", "-c", "tty; echo $TERM"),
        env={
            name: value
            for name, value in sandbox.environment().items()
            if name not in ("TERM", "LANG", "SHELL", "USER")
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    assert ended.returncode == 0
    assert ended.stdout.startswith(b"not a tty\n")
    assert ended.stderr == b""


def test_a_reader_that_has_enough_ends_the_session_quietly(sandbox: Sandbox) -> None:
    with _started(
        sandbox, ["yes"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"y\n"
        process.stdout.close()
        began = time.monotonic()
        code = process.wait(timeout=60)
        assert process.stderr is not None
        said = process.stderr.read().decode()
    assert code == 141
    assert time.monotonic() - began < SOON
    assert said == ""
    wait_until(lambda: sandbox.containers() == [], "the removal")


def test_a_slow_reader_gets_everything(sandbox: Sandbox) -> None:
    with _started(sandbox, ["seq", "200000"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        time.sleep(2)
        read = process.stdout.read()
    assert read == b"".join(b"%d\n" % number for number in range(1, 200001))


def test_an_input_that_never_ends_does_not_keep_a_session_that_has_ended(sandbox: Sandbox) -> None:
    began = time.monotonic()
    with _started(sandbox, ["true"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.wait(timeout=60) == 0
    assert time.monotonic() - began < SOON


def test_an_agent_that_does_not_read_its_input_is_no_deadlock(sandbox: Sandbox) -> None:
    ended = sandbox.call("shell", sandbox.project(), "--", "sh", "-c", "sleep 1; echo fine", stdin=b"x" * MEGABYTE)
    assert ended.ok() == "fine\n"


def test_a_full_disk_behind_the_output_is_told(sandbox: Sandbox) -> None:
    with Path("/dev/full").open("wb") as full:
        process = _started(sandbox, ["seq", "100000"], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE)
        said = process.communicate(timeout=60)[1].decode()
    assert process.returncode != 0
    assert "Traceback" not in said

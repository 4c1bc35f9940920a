"""However a session with memory ends, what its tasks write is whole and the next session goes on. Only the model has a
script: each of its tasks writes notes and lines of the index, and tells the host what was confirmed.
"""

import contextlib
import os
import random
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

from tests.integration.session.sandbox import SECONDS, Sandbox, docker, make_sandbox, wait_until
from tests.integration.session.window import Window

pytestmark = pytest.mark.image

MODEL = Path(__file__).parents[3] / "container" / "pi-extension" / "test" / "helpers"
PI = ("--model", "faux/main")
PROMPTS = [f"hello {number}" for number in range(8)]
"""As many as keep a session at work until the other one has started."""
INDEX = "# Memory\n\n"
LINES = 100
ORIGIN = re.compile(r"^created: .* in session .*\n", re.MULTILINE)
SLOW = 15
"""Seconds that a task thinks before it writes."""
BUSY = 60.0
QUARTER_OF_AN_HOUR = 16 * 60.0
AN_HOUR = 61 * 60.0


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    sandbox = make_sandbox(tmp_path_factory.mktemp("ends") / "home")
    agent = sandbox.home / "pi-config" / "agent"
    model = agent / "extensions" / "model"
    model.mkdir(parents=True)
    shutil.copy(MODEL / "writing-model.ts", model / "index.ts")
    shutil.copy(MODEL / "written-memory.ts", model)
    (agent / "project-memory.json").write_text('{"dream": {"minIntervalHours": 0, "minSessions": 0}}')
    return sandbox


def memory_of(sandbox: Sandbox, project: Path) -> Path:
    return sandbox.store("private") / project.relative_to(sandbox.home / "ws" / "private") / "auto"


def confirmed(project: Path) -> list[str]:
    file = project / "confirmed"
    return file.read_text().splitlines() if file.exists() else []


def faults(memory: Path, said: list[str]) -> list[str]:
    """Gives what is torn, what was confirmed and is not there, and what is neither a note nor the index."""
    files = {file.name: file for file in memory.iterdir()}
    index = files.pop("MEMORY.md").read_text()
    found = [f"foreign: {name}" for name in files if not name.endswith(".md")]
    notes = {file.stem for file in files.values() if file.suffix == ".md"}
    whole = {name for name in notes if ORIGIN.sub("", files[f"{name}.md"].read_text()) == note_of(name)}
    found += [f"torn: {name}" for name in notes - whole]
    lines = index.removeprefix(INDEX).splitlines(keepends=True)
    told = {match[1]: line for line in lines if (match := re.match(r"- \[(.*?)\]", line))}
    found += [f"torn: {line}" for line in lines if line not in {line_of(name) for name in told}]
    found += [f"lost: {each}" for each in said if each.startswith("note ") and each[5:] not in whole]
    found += [f"lost: {each}" for each in said if each.startswith("line ") and lines.count(line_of(each[5:])) != 1]
    return found


def note_of(name: str) -> str:
    return f"---\ndescription: {name}\n---\n" + f"{name}\n" * LINES


def line_of(name: str) -> str:
    return f"- [{name}]({name}.md): a note\n"


@contextlib.contextmanager
def running(sandbox: Sandbox, project: Path) -> Iterator["subprocess.Popen[str]"]:
    """Runs pi without a terminal."""
    command = (*sandbox.command, "run", str(project), "--", *PI, "-p", *PROMPTS)
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=sandbox.environment(), text=True, **pipes) as process:  # type: ignore[call-overload]
        try:
            yield process
        finally:
            process.kill()


def kill_inside(container: str, program: str) -> None:
    """Kills every process in a container whose command is the program's, as soon as there is one."""
    script = (
        f"for f in /proc/[0-9]*; do p=${{f#/proc/}}; [ $p != $$ ] && [ $p != 1 ] && "
        f"tr '\\0' ' ' < $f/cmdline 2>/dev/null | grep -qE {shlex.quote(program)} && kill -9 $p && echo $p; done; true"
    )
    wait_until(lambda: docker("exec", container, "sh", "-c", script, check=False).split(), program)


KILLS: dict[str, tuple[Callable[[str], object], int, str]] = {
    "the engine": (lambda container: kill_inside(container, "^[^ ]*python .*memory_engine serve"), 0, "done\n"),
    "pi": (lambda container: kill_inside(container, "^(pi|[^ ]*node) "), 137, ""),
    "the container": (lambda container: docker("kill", container), 137, ""),
}


def let_leases_end(sandbox: Sandbox) -> int:
    """Dates each lock that was left behind as if its lease were over, and gives how many there were."""
    locks = list((sandbox.home / "state").rglob("*.lock"))
    for lock in locks:
        then = time.time() - (AN_HOUR if lock.name == "dream.lock" else QUARTER_OF_AN_HOUR)
        os.utime(lock, (then, then))
    return len(locks)


def test_whatever_is_killed_in_one_of_two_sessions_nothing_is_torn_or_lost_and_the_next_one_goes_on(
    sandbox: Sandbox,
) -> None:
    project = sandbox.project("git.example.org/group/chaos", git=False)
    memory = memory_of(sandbox, project)
    memory.mkdir(parents=True)
    (memory / "MEMORY.md").write_text(INDEX)
    locks = 0
    for what, (kill, code, out) in KILLS.items():
        before = len(confirmed(project))
        with running(sandbox, project) as one, running(sandbox, project) as other:
            wait_until(lambda: any("line" in each for each in confirmed(project)[before:]), "a first note", BUSY)  # noqa: B023
            wait_until(lambda: len(sandbox.containers()) == 2, "both containers")
            time.sleep(random.random() * 0.3)
            kill(sandbox.container_of((killed := one if random.random() < 0.5 else other).pid))
            for process in (one, other):
                said, errors = process.communicate(timeout=SECONDS)
                expected = (code, out) if process is killed else (0, "done\n")
                assert (process.returncode, said) == expected, f"{what}: {errors}"
        locks += let_leases_end(sandbox)
    before = len(confirmed(project))
    sandbox.call("run", project, "--", *PI, "-p", "hello").ok()
    more = confirmed(project)[before:]
    assert {"extract", "dream"} <= {each.split()[1].split("-")[0] for each in more if each.startswith("line")}
    assert faults(memory, confirmed(project)) == []
    assert sandbox.containers() == []
    print(f"{len(KILLS)} kills, {len(confirmed(project))} lines confirmed, {locks} locks left behind")


def test_a_torn_or_lost_note_is_seen(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text(INDEX + line_of("a") + line_of("b")[:9])
    (tmp_path / "a.md").write_text(note_of("a")[:-1])
    (tmp_path / ".pi-memory.x.tmp").touch()
    assert {each.split()[0] for each in faults(tmp_path, ["note a", "line b"])} == {"torn:", "lost:", "foreign:"}


@pytest.fixture
def slow(sandbox: Sandbox) -> Callable[[str], tuple[Path, Path, Window]]:
    """Gives a project, its memory, and a terminal in which an extraction thinks for long."""

    def begin(name: str) -> tuple[Path, Path, Window]:
        project = sandbox.project(f"git.example.org/slow/{name}", git=False)
        (project / "seconds").write_text(str(SLOW))
        memory = memory_of(sandbox, project)
        memory.mkdir(parents=True)
        (memory / "MEMORY.md").write_text(INDEX)
        return project, memory, Window(sandbox, project, *PI)

    return begin


def test_a_slow_extraction_is_waited_for_whoever_ends_the_session_unless_ctrl_c_skips_it(
    sandbox: Sandbox, slow: Callable[[str], tuple[Path, Path, Window]]
) -> None:
    sessions = {name: slow(name) for name in ("stop", "hangup", "quit", "skip")}
    for _, _, window in sessions.values():
        window.wait_for("private: core, private", BUSY)
        window.type("hello")
    for project, _, window in sessions.values():
        window.wait_for("taking notes", BUSY)
        wait_until(lambda: "began # Task: take notes" in confirmed(project), "an extraction", BUSY)  # noqa: B023

    stopped, closed, left, skipped = (sessions[name][2] for name in sessions)
    stopping = subprocess.Popen(
        ("docker", "stop", sandbox.container_of(stopped.process.pid)), stdout=subprocess.DEVNULL
    )
    os.close(closed.process.child_fd)
    for window in (left, skipped):
        window.type("/quit")
        window.wait_for("Ctrl-C skips it", BUSY)
    began = time.monotonic()
    skipped.process.send("\x03")
    skipped.process.expect(pexpect.EOF)
    assert time.monotonic() - began < SLOW / 2
    left.process.expect(pexpect.EOF)
    for window in (left, skipped):
        window.process.close()
        assert window.process.exitstatus == 0
    assert stopping.wait(BUSY) == 0
    wait_until(lambda: sandbox.containers() == [], "the end of the containers", BUSY)
    with contextlib.suppress(OSError):
        stopped.process.expect(pexpect.EOF)
    written = {
        name: any(each.startswith("line extract") for each in confirmed(project))
        and faults(memory, confirmed(project)) == []
        for name, (project, memory, _) in sessions.items()
    }
    assert written == {"stop": True, "hangup": True, "quit": True, "skip": False}

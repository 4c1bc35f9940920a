"""script/fresh makes a system of its own, tells how the commands went in it, and leaves nothing behind however it ends.

The system is a small one here: a static busybox in place of Debian, and commands that tell what they see.
"""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.needs import Host, host_cannot, needs
from tests.running import wait_until

CHECKOUT = Path(__file__).parents[3]
SECONDS = 120
MMDEBSTRAP = """#!/bin/bash
for root; do :; done
mkdir -p "$root"/{bin,dev,etc,proc,root,run,sys,tmp,usr/bin}
cp "$(command -v busybox)" "$root/bin/busybox"
chroot "$root" /bin/busybox --install -s /bin
"""
SEES = """#!/bin/sh
echo "network: $(ls /sys/class/net | tr '\\n' ' ')"
echo "processes: $(ls -d /proc/[0-9]* | wc -l)"
echo "groups: $(cut -d: -f3 /proc/self/cgroup | sort -u | tr '\\n' ' ')"
echo "mounts: $(cut -d' ' -f2 /proc/mounts | tr '\\n' ' ')"
echo "name: $(hostname)"
echo "disk: $(df -k / | awk 'END { print $2 }')"
echo "environment: $(env | cut -d= -f1 | sort | tr '\\n' ' ')"
echo "folder: $(pwd) $(ls)"
echo "certificates: $(ls /usr/local/share/ca-certificates)"
"""


@dataclass
class Fresh:
    """A checkout with script/fresh and made-up commands, and a folder for its runs."""

    checkout: Path
    folder: Path
    fakes: Path
    names: set[str] = field(default_factory=set)

    def commands(self, *, demo: str = SEES, test: str = '#!/bin/sh\necho "12 passed, 0 failed" "$@"\n') -> None:
        for name, text in (("demo", demo), ("test", test)):
            (self.checkout / "script" / name).write_text(text)
            (self.checkout / "script" / name).chmod(0o755)
        subprocess.run(["git", "-C", self.checkout, "add", "-A"], check=True)
        identity = ("-c", "user.name=Test", "-c", "user.email=test@example.org")
        subprocess.run(["git", "-C", self.checkout, *identity, "commit", "-qm", "One"], check=True)

    def start(self, *arguments: str, environment: Mapping[str, str] | None = None) -> "subprocess.Popen[str]":
        variables = {"PATH": f"{self.fakes}:{os.environ['PATH']}", "TMPDIR": str(self.folder)}
        return subprocess.Popen(
            [self.checkout / "script" / "fresh", *arguments],
            env={**os.environ, **variables, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *arguments: str, environment: Mapping[str, str] | None = None) -> tuple[int, str]:
        process = self.start(*arguments, environment=environment)
        said, _ = process.communicate(timeout=SECONDS)
        return process.returncode, said

    def remains(self) -> list[str]:
        """Gives what is left of runs beside their logs: files, mounts, loop devices, cgroups and processes."""
        runs = str(self.folder / "pi-sandbox-fresh")
        self.names |= {path.name.partition(".")[2] for path in Path(runs).glob("run.*")}
        files = [str(path) for path in Path(runs).glob("*") if path.name != "lock" and path.suffix != ".log"]
        mounts = [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if runs in line]
        loops = subprocess.run(["losetup", "--all"], capture_output=True, text=True, check=True).stdout.splitlines()
        groups = [
            str(path) for name in self.names for path in Path("/sys/fs/cgroup").glob(f"**/pi-sandbox-fresh.{name}")
        ]
        return [*files, *mounts, *(line for line in loops if runs in line), *groups, *_processes_of(runs)]


def _processes_of(runs: str) -> Iterator[str]:
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if runs in command and "pytest" not in command:
            yield f"{process.name} {command}"


@pytest.fixture
def fresh(tmp_path: Path) -> Fresh:
    needs(Host.ROOT, Host.MOUNTS, Host.TUNNELS, "busybox", "slirp4netns", "mkfs.ext4", "git", "ip")
    found = subprocess.run(["losetup", "--find"], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        host_cannot(Host.LOOP_DEVICES, found.stderr)
    checkout = tmp_path / "checkout"
    shutil.copytree(CHECKOUT / "script", checkout / "script", ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run(["git", "init", "--quiet", checkout], check=True)
    fakes = tmp_path / "fakes"
    fakes.mkdir()
    (fakes / "mmdebstrap").write_text(MMDEBSTRAP)
    (fakes / "mmdebstrap").chmod(0o755)
    (tmp_path / "runs").mkdir()
    made = Fresh(checkout, tmp_path / "runs", fakes)
    made.commands()
    return made


def seen(said: str, what: str) -> str:
    found = re.search(rf"^{what}: (.*)$", said, re.MULTILINE)
    assert found, said
    return found[1].strip()


def test_both_commands_run_in_a_system_of_their_own_and_their_totals_close_the_run(fresh: Fresh) -> None:
    code, said = fresh.run(environment={"PIP_DEFAULT_TIMEOUT": "7", "MADE_UP_TOKEN": "x"})

    assert code == 0, said
    assert seen(said, "network") == "lo tap0"
    assert int(seen(said, "processes")) < 10
    assert seen(said, "groups") in ("/", "/ /init")
    assert seen(said, "name") == "pi-sandbox-fresh"
    assert 10_000_000 < int(seen(said, "disk")) <= 20 * 1024 * 1024
    assert seen(said, "folder") == "/srv/pi-sandbox script"
    assert seen(said, "certificates") == "this-machine.crt"
    mounts = set(seen(said, "mounts").split())
    assert {"/", "/proc", "/sys", "/dev", "/dev/pts", "/run"} <= mounts
    assert not [place for place in mounts if place.startswith(("/var", "/tmp", "/.outside", str(fresh.folder)))]
    environment = set(seen(said, "environment").split())
    assert {"PIP_DEFAULT_TIMEOUT", "HOME", "PATH"} <= environment
    assert "MADE_UP_TOKEN" not in environment
    summary = [line for line in said.splitlines() if line.startswith("fresh: ")][-3:]
    assert re.fullmatch(r"fresh: script/demo: ok \(\d+ s\)", summary[0])
    assert re.fullmatch(r"fresh: script/test: ok \(\d+ s\): 12 passed, 0 failed", summary[1])
    assert re.fullmatch(r"fresh: commit [0-9a-f]{40} passed", summary[2])
    (log,) = (fresh.folder / "pi-sandbox-fresh").glob("*.log")
    assert log.read_text().splitlines()[-3:] == summary
    assert fresh.remains() == []


def test_a_command_that_fails_fails_the_run_and_the_other_one_runs_all_the_same(fresh: Fresh) -> None:
    fresh.commands(demo="#!/bin/sh\nexit 7\n")
    code, said = fresh.run()

    assert code == 7, said
    assert "fresh: script/demo: FAILED with exit code 7" in said
    assert "fresh: script/test: ok" in said
    assert "did not pass" in said.splitlines()[-1]
    assert fresh.remains() == []


def test_what_the_host_could_not_do_stands_in_the_summary(fresh: Fresh) -> None:
    lines = (
        "== what this host cannot do ==",
        "mount through FUSE: 2 left out (fuse: no device)",
        "3 passed, 2 skipped in 1 s",
    )
    fresh.commands(test="#!/bin/sh\ncat <<END\n" + "\n".join(lines) + "\nEND\n")
    code, said = fresh.run("test")

    assert code == 0, said
    summary = [line for line in said.splitlines() if line.startswith("fresh: ")][-3:-1]
    assert re.fullmatch(r"fresh: script/test: ok \(\d+ s\): 3 passed, 2 skipped", summary[0])
    assert summary[1] == "fresh: this host cannot mount through FUSE: 2 left out (fuse: no device)"


def test_one_command_runs_alone_with_its_arguments(fresh: Fresh) -> None:
    code, said = fresh.run("test", "unit", "-k", "two words")

    assert code == 0
    assert "12 passed, 0 failed unit -k two words" in said
    assert "script/demo" not in said


def test_what_is_not_committed_is_told_and_is_not_part_of_the_run(fresh: Fresh) -> None:
    (fresh.checkout / "script" / "demo").write_text("#!/bin/sh\nexit 9\n")
    (fresh.checkout / "new").touch()
    code, said = fresh.run("demo")

    assert code == 0, said
    assert "what is not committed is not part of the run" in said
    assert seen(said, "folder") == "/srv/pi-sandbox script"


def test_the_folders_that_pip_looks_into_are_there_to_read(fresh: Fresh, tmp_path: Path) -> None:
    wheels, index = tmp_path / "wheels", tmp_path / "index"
    for folder in (wheels, index / "simple", index / "files"):
        folder.mkdir(parents=True)
        (folder / "here").write_text("content")
    fresh.commands(demo=f"#!/bin/sh\ncat {wheels}/here {index}/simple/here {index}/files/here\necho x >{wheels}/new\n")
    paths = {"PIP_FIND_LINKS": str(wheels), "PIP_EXTRA_INDEX_URL": f"https://example.org/simple file://{index}/simple"}
    code, said = fresh.run("demo", environment=paths)

    assert code != 0
    assert "contentcontentcontent" in said
    assert "Read-only file system" in said
    assert os.listdir(wheels) == ["here"]


WAITS = "#!/bin/sh\necho it waits\n(sleep 600) &\nsleep 600\n"


def waiting(fresh: Fresh) -> "subprocess.Popen[str]":
    fresh.commands(demo=WAITS)
    process = fresh.start("demo")
    assert process.stdout is not None
    for line in process.stdout:
        if line == "it waits\n":
            break
    assert len(fresh.remains()) > 3, "the control: there is something to leave behind"
    return process


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_an_interrupted_run_leaves_nothing(fresh: Fresh, number: signal.Signals, code: int) -> None:
    process = waiting(fresh)
    process.send_signal(number)
    said, _ = process.communicate(timeout=SECONDS)

    assert process.returncode == code
    assert f"did not pass (exit code {code}" in said
    assert fresh.remains() == []


def test_what_a_killed_run_leaves_is_removed_by_the_next_one_and_a_living_one_is_left_alone(fresh: Fresh) -> None:
    with waiting(fresh) as living:
        killed = fresh.start("demo")
        assert killed.stdout is not None
        for line in killed.stdout:
            if line == "it waits\n":
                break
        remains_of_both = fresh.remains()
        killed.kill()
        killed.communicate(timeout=SECONDS)
        runs = fresh.folder / "pi-sandbox-fresh"
        wait_until(lambda: len(list(_processes_of(str(runs)))) < len(remains_of_both) / 2, "the end of what was killed")
        assert len(list(runs.glob("run.*"))) == 2

        fresh.commands()
        code, said = fresh.run("test")
        assert code == 0, said
        assert said.count("removing what a killed run left in") == 1
        assert len(list(runs.glob("run.*"))) == 1
        assert living.poll() is None
        living.terminate()
        living.communicate(timeout=SECONDS)
    assert fresh.remains() == []


def test_the_disk_is_kept_where_that_is_asked(fresh: Fresh) -> None:
    fresh.commands(demo="#!/bin/sh\necho made >/made\n")
    code, said = fresh.run("--keep", "demo")

    assert code == 0
    (disk,) = (fresh.folder / "pi-sandbox-fresh").glob("*.disk")
    assert f"mount -o loop {disk}" in said
    told = subprocess.run(["debugfs", "-R", "cat /made", disk], capture_output=True, text=True, check=True)
    assert told.stdout == "made\n"
    disk.unlink()
    assert fresh.remains() == []


@pytest.mark.parametrize("arguments", [["unknown"], ["demo", "more"], ["--keep", "unknown"]])
def test_what_it_does_not_know_is_refused_before_anything_is_made(fresh: Fresh, arguments: list[str]) -> None:
    code, said = fresh.run(*arguments)

    assert code == 2
    assert "script/fresh --help" in said
    assert list(fresh.folder.iterdir()) == []


def test_somebody_else_than_root_is_refused(fresh: Fresh) -> None:
    for folder in fresh.checkout.parents[:3]:
        folder.chmod(0o755)
    told = subprocess.run(
        ["setpriv", "--reuid=12345", "--clear-groups", fresh.checkout / "script" / "fresh"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 2
    assert "only root" in told.stderr

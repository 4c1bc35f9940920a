"""A home of a test's own and the commands of pi-sandbox in it, run as a user runs them: in processes of their own."""

import contextlib
import hashlib
import json
import os
import shlex
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pi_sandbox.session.plan import HOME_LABEL
from tests.running import wait_until as wait_until

COMMAND = (sys.executable, "-m", "pi_sandbox")
SECONDS = 120
SOCKET = Path("/var/run/docker.sock")
DEMO_EXTENSIONS = Path(__file__).parents[3] / "templates" / "demo" / "extensions"
GIT_IDENTITY = ("-c", "user.name=Test", "-c", "user.email=test@example.org")


@dataclass(frozen=True)
class Finished:
    """What a command came to."""

    code: int
    out: str
    err: str

    def ok(self) -> str:
        """Gives the standard output of a command that has to succeed."""
        assert self.code == 0, f"code {self.code}\n{self.out}\n{self.err}"
        return self.out


class Sandbox:
    """One home. `command` puts something in front of every call, such as a change of the user."""

    def __init__(self, home: Path, environment: Mapping[str, str] | None = None, command: Sequence[str] = ()) -> None:
        self.home = home
        self.command = (*command, *COMMAND)
        self._environment = dict(environment or {})

    def environment(self, changes: Mapping[str, str] | None = None) -> dict[str, str]:
        return {**os.environ, "PI_SANDBOX_HOME": str(self.home), **self._environment, **(changes or {})}

    def store(self, name: str) -> Path:
        return self.home / "brain" / f"pi-memory-{name}"

    def project(self, level: str = "git.example.org/group/repo", domain: str = "private", *, git: bool = True) -> Path:
        """Makes a project with one commit, or a bare folder."""
        project = self.home / "ws" / domain / level
        project.mkdir(parents=True, exist_ok=True)
        if git and not (project / ".git").exists():
            run_git(project, "init", "--quiet")
            (project / "README.md").write_text("# A project\n")
            run_git(project, "add", "README.md")
            run_git(project, *GIT_IDENTITY, "commit", "--quiet", "--message=First")
        return project

    def call(
        self, *arguments: str | Path, environment: Mapping[str, str] | None = None, stdin: bytes = b"", **options: Any
    ) -> Finished:
        done = subprocess.run(
            (*self.command, *map(str, arguments)),
            env=self.environment(environment),
            input=stdin,
            capture_output=True,
            timeout=SECONDS,
            check=False,
            **options,
        )
        return Finished(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))

    def shell(self, project: Path, script: str, *options: str, **more: Any) -> Finished:
        """Runs a bash script in place of the agent."""
        return self.call("shell", project, *options, "--", "bash", "-c", script, **more)

    @contextlib.contextmanager
    def session(
        self,
        project: Path,
        script: str = "exec sleep 300",
        *options: str,
        before: str = "true",
        environment: Mapping[str, str] | None = None,
    ) -> Iterator["Live"]:
        """Keeps a session running for the time of the block, which begins once `before` is done in it."""
        process = subprocess.Popen(
            (*self.command, "shell", str(project), *options, "--", "bash", "-c", f"{before}; echo ready; {script}"),
            env=self.environment(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            first = process.stdout.readline()
            assert first == b"ready\n", process.stderr.read().decode()
            yield Live(process, self.container_of(process.pid))
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            process.communicate(timeout=SECONDS)

    def containers(self) -> list[dict[str, Any]]:
        """Gives the engine's report of every container of this home."""
        found = docker("ps", "--all", "--quiet", "--no-trunc", "--filter", f"label={HOME_LABEL}={self.home}").split()
        return inspect(*found, gone_is_fine=True) if found else []

    def container_of(self, pid: int) -> str:
        """Gives the container of the session whose wrapper is this process."""
        for container in self.containers():
            if json.loads(container["Config"]["Labels"]["dev.pi-sandbox.owner"])["pid"] == pid:
                return str(container["Id"])
        raise AssertionError("the session has no container")


@dataclass(frozen=True)
class Live:
    """A running session: the wrapper's process and its container."""

    process: "subprocess.Popen[bytes]"
    container: str


def make_sandbox(home: Path, environment: Mapping[str, str] | None = None, command: Sequence[str] = ()) -> Sandbox:
    """Makes a home with `pi-sandbox init`."""
    sandbox = Sandbox(home, environment, command)
    sandbox.call("init").ok()
    return sandbox


@contextlib.contextmanager
def sandbox_of_user(uid: int) -> Iterator[Sandbox]:
    """Gives a home, not made yet, of a user who may use the engine by its group; needs root."""
    folder = Path(tempfile.mkdtemp(prefix="pi-sandbox-user-", dir="/var/tmp"))
    folder.chmod(0o755)
    home = folder / "user"
    home.mkdir()
    os.chown(home, uid, uid)
    become = (
        *("setpriv", f"--reuid={uid}", f"--regid={uid}", f"--groups={SOCKET.stat().st_gid}"),
        # The checkout may lie in a folder of root's own; reading is all that this right gives.
        *("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"),
    )
    try:
        yield Sandbox(home / "pi", {"HOME": str(home)}, () if uid == 0 else become)
    finally:
        subprocess.run(("chmod", "-R", "u+rwX", folder), check=False, capture_output=True)
        subprocess.run(("rm", "-rf", folder), check=True)


def script_model(sandbox: Sandbox, answers: object, extension: str | None = None) -> None:
    """Gives pi the scripted model of the demo, with answers of the test's own."""
    extensions = sandbox.home / "pi-config" / "agent" / "extensions"
    extensions.mkdir(exist_ok=True)
    model = extension or (DEMO_EXTENSIONS / "demo-model.ts").read_text()
    (extensions / "demo-model.ts").write_text(model)
    (extensions / "demo-script.json").write_text(json.dumps(answers))


def docker(*arguments: str, check: bool = True) -> str:
    """Runs the engine's own client."""
    done = subprocess.run(("docker", *arguments), capture_output=True, text=True, check=False, timeout=SECONDS)
    assert done.returncode == 0 or not check, done.stderr
    return done.stdout


def inspect(*names: str, gone_is_fine: bool = False) -> list[dict[str, Any]]:
    """Gives the engine's reports, of those that are still there if some may be gone by now."""
    found: list[dict[str, Any]] = json.loads(docker("inspect", *names, check=not gone_is_fine))
    return found


def run_git(folder: Path, *arguments: str) -> str:
    """Runs the host's git."""
    done = subprocess.run(("git", *arguments), cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def tree(folder: Path) -> dict[str, str]:
    """Gives every entry below a folder with its kind, mode, owner and content, links unfollowed."""
    return {str(path.relative_to(folder)): _fingerprint(path) for path in sorted(folder.rglob("*"))}


def _fingerprint(path: Path) -> str:
    state = path.lstat()
    content = ""
    if stat.S_ISREG(state.st_mode):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
    elif stat.S_ISLNK(state.st_mode):
        content = os.readlink(path)
    return f"{state.st_mode:o} {state.st_uid}:{state.st_gid} {content}"


def sections(text: str) -> dict[str, str]:
    """Reads a probe's output, `== name` lines followed by what belongs to the name."""
    found: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        if line.startswith("== "):
            name = line[3:]
            found[name] = ""
        else:
            found[name] += line + "\n"
    return found


def probe_script(probes: Mapping[str, str]) -> str:
    """Gives one script that runs each probe in a shell of its own and shows what it said and how it ended."""
    return "\n".join(
        f"echo '== {name}'; bash -c {shlex.quote(probe)} 2>&1 </dev/null; echo \"code $?\""
        for name, probe in probes.items()
    )

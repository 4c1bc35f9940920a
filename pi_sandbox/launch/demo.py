"""The trial: a throw-away home, a small project, and real pi in the real container; only the model has a script.

The session is started by the very command that a user types, in a process of its own, so that nothing here can help it.
"""

import fcntl
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pi_sandbox.errors import EngineError, FilesError, ImageError, PiSandboxError, SecretsError, UsageError
from pi_sandbox.exit_codes import ExitCode
from pi_sandbox.git_access.runner import make_repository, run_git
from pi_sandbox.settings.folders import Folders
from pi_sandbox.settings.read import user_home
from pi_sandbox.system.processes import run
from pi_sandbox.system.shipped_files import shipped_folder

PROJECT_LEVEL = "demo.example/garden"
PROMPT = "Please check the watering interval in README.md. And never water at noon: the leaves burn."
QUESTION = "When should I water the tomatoes?"
KNOWN = "the leaves burn"
MODEL = "demo/gardener"
SESSION_SECONDS = 120

_MESSAGE, _ADVICE = "pi-sandbox: ", "  → "
"""How our command begins its messages, and the advice below them."""

_THROW_AWAY, _KEPT = "pi-sandbox-demo-", "pi-sandbox-kept-demo-"
_LOCK = ".demo-is-running"

_KEPT_SETTINGS = ("PI_SANDBOX_CA_BUNDLE", "PI_SANDBOX_BASE_IMAGE", "PI_SANDBOX_RUNTIME", "PI_SANDBOX_DEBUG")
_README = "# Garden\n\nA small project to try pi-sandbox on.\n\nWater the tomatoes every two weeks.\n"


class DemoFailed(PiSandboxError):
    """The trial did not do what it is there to show."""

    exit_code = ExitCode.FINDINGS


@dataclass(frozen=True)
class Step:
    """One thing that pi did: said something, or used a tool on something."""

    text: str


@dataclass(frozen=True)
class DemoResult:
    """What a trial came to: pi's steps, the project's change as a diff, and what stands in the memory afterwards."""

    steps: tuple[Step, ...]
    change: str
    notes: tuple[tuple[str, str], ...]


@contextmanager
def demo_home(environ: Mapping[str, str]) -> Iterator[Path]:
    """Gives a new folder below the user's cache, which virtual machines share, and removes it at the end.

    What a trial that was killed left there is removed first: nobody holds its lock any more.
    """
    cache = _cache(environ)
    for left in cache.glob(f"{_THROW_AWAY}*"):
        if (lock := _lock(left)) is not None:
            shutil.rmtree(left, ignore_errors=True)
            os.close(lock)
    home = Path(tempfile.mkdtemp(prefix=_THROW_AWAY, dir=cache))
    (home / _LOCK).touch()
    lock = _lock(home)
    try:
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def keep_home(environ: Mapping[str, str]) -> Path:
    """Gives a new, empty folder below the user's cache and leaves it there."""
    return Path(tempfile.mkdtemp(prefix=_KEPT, dir=_cache(environ)))


def _cache(environ: Mapping[str, str]) -> Path:
    cache = Path(environ.get("XDG_CACHE_HOME") or user_home(environ) / ".cache")
    cache.mkdir(parents=True, exist_ok=True)
    return cache


def _lock(home: Path) -> int | None:
    """Gives the lock of a throw-away home, `None` where another process has it or there is none to have."""
    try:
        descriptor = os.open(home / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def demo_environment(environ: Mapping[str, str], home: Path) -> dict[str, str]:
    """Gives the environment of the trial: the user's, with no setting of theirs but those about the engine's image."""
    kept = {name: value for name, value in environ.items() if not name.startswith(("PI_SANDBOX_", "BRAIN_"))}
    return {
        **kept,
        **{name: environ[name] for name in _KEPT_SETTINGS if name in environ},
        "PI_SANDBOX_HOME": str(home),
    }


def make_project(folders: Folders) -> Path:
    """Makes the small project, with one commit, and gives pi the scripted model."""
    project = folders.domain_workspace("private") / PROJECT_LEVEL
    project.mkdir(parents=True)
    (project / "README.md").write_text(_README, encoding="utf-8")
    make_repository(project)
    run_git(project, "add", "README.md")
    identity = ("-c", "user.name=Demo", "-c", "user.email=demo@example.org")
    run_git(project, *identity, "commit", "--quiet", "--message=Plant the garden")
    shutil.copytree(shipped_folder("templates") / "demo" / "extensions", folders.agent_config / "extensions")
    return project


def run_demo_session(project: Path, prompt: str, environment: Mapping[str, str]) -> tuple[Step, ...]:
    """Starts a session and gives pi's steps; raises `DemoFailed` with what the command said."""
    command = (
        sys.executable,
        "-m",
        "pi_sandbox",
        "run",
        str(project),
        "--",
        "--mode",
        "json",
        "--model",
        MODEL,
        prompt,
    )
    finished = run(command, environment=environment, seconds=SESSION_SECONDS)
    if finished.code != 0:
        raise session_failure(finished.code, finished.stderr.decode("utf-8", "replace"))
    return tuple(_steps(finished.stdout))


def session_failure(code: int, said: str) -> PiSandboxError:
    """Gives the session's own error again, where its messages hold one: the last, with its advice and its kind."""
    lines = said.splitlines()
    starts = [
        at for at, line in enumerate(lines) if line.startswith(_MESSAGE) and not line.startswith(f"{_MESSAGE}warning: ")
    ]
    if not starts:
        return DemoFailed(f"the session ended with code {code}", "run `pi-sandbox doctor`")
    message = lines[starts[-1]].removeprefix(_MESSAGE)
    advice = [line.removeprefix(_ADVICE) for line in lines[starts[-1] :] if line.startswith(_ADVICE)]
    kinds = {kind.exit_code: kind for kind in (UsageError, EngineError, ImageError, SecretsError, FilesError)}
    kind = next((kind for known, kind in kinds.items() if known == code), DemoFailed)
    return kind(f"the session could not be had: {message}", advice[-1] if advice else "run `pi-sandbox doctor`")


def _steps(events: bytes) -> Iterator[Step]:
    for line in events.splitlines():
        match json.loads(line):
            case {"type": "message_end", "message": {"role": "assistant", "content": list(blocks)}}:
                yield from (Step(block["text"]) for block in blocks if block.get("type") == "text")
            case {"type": "tool_execution_start", "toolName": str(tool), "args": {**arguments}}:
                yield Step(f"[{tool}] {arguments.get('path') or arguments.get('command') or ''}")


def ask_in_a_second_session(project: Path, environment: Mapping[str, str]) -> str:
    """Gives the answer to a question about what was said in the first; raises `DemoFailed` where it is not known."""
    answer = run_demo_session(project, QUESTION, environment)[-1].text
    if KNOWN not in answer:
        raise DemoFailed(f"the second session knew nothing of the first: it said {answer!r}", "run `pi-sandbox doctor`")
    return answer


def collect_result(project: Path, folders: Folders, steps: tuple[Step, ...]) -> DemoResult:
    """Looks at the host's files after the session; raises `DemoFailed` if the session left nothing there."""
    change = run_git(project, "diff", "--no-color", "--no-ext-diff")
    level = folders.store("private") / PROJECT_LEVEL
    notes = tuple(
        (str(note.relative_to(folders.home)), note.read_text(encoding="utf-8")) for note in sorted(level.rglob("*.md"))
    )
    if not change or not notes:
        raise DemoFailed("the session changed nothing on this machine", "run `pi-sandbox doctor`")
    return DemoResult(steps, change, notes)

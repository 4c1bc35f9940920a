"""A store on the disk, a console that answers as told, and one sync of the store against a real server."""

import dataclasses
import os
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pi_sandbox.errors import PiSandboxError
from pi_sandbox.memory_sync.console import GuardedConsole
from pi_sandbox.memory_sync.outcome import StoreOutcome
from pi_sandbox.memory_sync.push_access import Network, PushAccess
from pi_sandbox.memory_sync.sync import StoreSync, sync_store
from pi_sandbox.memory_text.visible import visible
from tests.fakes.git_server import USER, GitServer

DATE = "2026-01-31"
NOTE = "---\ndescription: how the site is built\n---\n# Build\n\n{text}\n"


@dataclass
class Conversation:
    """Answers each question from a list, and no once the list is at its end."""

    answers: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    before_answer: object = None

    def say(self, line: str) -> None:
        self.lines += line.split("\n")

    def name(self, line: str) -> None:
        self.lines += line.split("\n")

    def show(self, lines: Iterable[str]) -> bool:
        self.lines += [f"  | {visible(line)}" for line in lines]
        return True

    def ask(self, question: str) -> bool:
        self.questions.append(question)
        if callable(self.before_answer):
            self.before_answer(question)
        return bool(self.answers) and self.answers.pop(0) == "y"

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@dataclass
class Result:
    """What came of one sync."""

    outcome: StoreOutcome
    said: Conversation
    message: str = ""
    hint: str = ""


@dataclass
class Store:
    """One store with its remote on a server."""

    name: str
    folder: Path
    records: Path
    server: GitServer
    access: PushAccess
    network: Network

    def git(self, *arguments: str, check: bool = True) -> str:
        result = subprocess.run(
            ["git", "-C", str(self.folder), *arguments],
            capture_output=True,
            check=False,
            env=_environment(),
            encoding="utf-8",
            errors="surrogateescape",
        )
        if check and result.returncode:
            raise AssertionError(f"git {arguments}: {result.stderr}")
        return result.stdout.strip()

    def write(self, path: str, content: str | bytes) -> Path:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def note(self, slug: str, text: str) -> Path:
        return self.write(f"notes/{slug}.md", NOTE.format(text=text))

    def commit(self, message: str = "by hand", *paths: str) -> str:
        self.git("add", "--", *(paths or (".",)))
        self.git("commit", "--quiet", "--message", message)
        return self.head

    def write_object(self, kind: str, content: bytes) -> str:
        """Writes an object that git itself would not make, and gives its id."""
        command = ["git", "-C", str(self.folder), "hash-object", "-w", "--literally", "-t", kind, "--stdin"]
        result = subprocess.run(command, input=content, capture_output=True, check=True, env=_environment())
        return result.stdout.decode().strip()

    def read_object(self, name: str, kind: str) -> bytes:
        command = ["git", "-C", str(self.folder), "cat-file", kind, name]
        return subprocess.run(command, capture_output=True, check=True, env=_environment()).stdout

    def commit_tree(self, tree: str, *, parent: str | None = None) -> str:
        """Commits a tree as it is, and moves the branch there."""
        made = self.git("commit-tree", "-m", "by hand", "-p", parent or self.head, tree)
        self.git("update-ref", "refs/heads/main", made)
        return made

    @property
    def head(self) -> str:
        return self.git("rev-parse", "HEAD")

    @property
    def tip(self) -> str | None:
        return self.server.tip(self.remote_name)

    @property
    def remote_name(self) -> str:
        return self.access.url.rsplit("/", 1)[1].removesuffix(".git")

    def elsewhere(self, folder: Path) -> "Store":
        """Gives a clone of the store on another machine of the owner's."""
        self.git("clone", "--quiet", str(self.folder), str(folder))
        other = dataclasses.replace(self, folder=folder)
        other.git("config", "user.name", "Owner")
        other.git("config", "user.email", "owner@localhost")
        return other

    def push_by_hand(self, *refspecs: str) -> None:
        self.server.push(self.folder, self.remote_name, *refspecs)

    def state(self) -> dict[str, bytes]:
        """Every file of the store, its `.git` included, without the caches that git may rewrite."""
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and not path.is_symlink()
        }

    def sync(self, *answers: str, said: Conversation | None = None, **changes: object) -> Result:
        said = said or Conversation()
        said.answers += answers
        values = {
            "store": self.name,
            "folder": self.folder,
            "shown_folder": "~/pi/brain/store",
            "access": self.access,
            "network": self.network,
            "records": self.records,
            "live_secrets": self.access.live_secrets,
            "domain": "private",
            "date": DATE,
            **changes,
        }
        try:
            console = GuardedConsole(said, self.access.live_secrets)
            return Result(sync_store(StoreSync(**values), console), said)  # type: ignore[arg-type]
        except PiSandboxError as error:
            return Result(StoreOutcome.FAILED, said, error.message, error.hint)


def make_store(server: GitServer, folder: Path, name: str, remote: str, **options: str) -> Store:
    """Makes a store with the files that the note format wants, without a commit, and an empty remote."""
    store_folder, records = folder / "brain" / name, folder / "records"
    store_folder.mkdir(parents=True)
    records.mkdir(exist_ok=True)
    server.add_repository(remote, **options)
    access = PushAccess(server.url(remote), USER, server.token)
    store = Store(name, store_folder, records, server, access, Network(None, None, str(server.ca_file)))
    store.git("init", "--quiet", "--initial-branch=main", f"--object-format={options.get('object_format', 'sha1')}")
    store.git("config", "user.name", "Owner")
    store.git("config", "user.email", "owner@localhost")
    store.write("briefing.md", "# Briefing\n")
    store.write("log.md", "- 2026-01-30 begun\n")
    store.write("index.md", "- [Build](notes/build.md): how the site is built\n")
    store.note("build", "It is built by make.")
    return store


def _environment() -> dict[str, str]:
    names = ("PATH", "HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM")
    return {name: os.environ[name] for name in names if name in os.environ}

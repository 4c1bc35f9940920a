"""Stores with something in them, and `memory-sync` in a real terminal."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pexpect

from tests.fakes.git_server import USER, GitServer
from tests.integration.session.sandbox import Finished, Sandbox, make_sandbox, run_git

NOTE = "---\ndescription: how the garden is watered\n---\n# Watering\n\n{text}\n"
SECONDS = 60
COLUMNS = 400
"""So wide that no line is broken, wherever the paths of a test break it on a narrower terminal."""


def make_home(folder: Path) -> Sandbox:
    """Makes a home with clean stores."""
    return make_sandbox(folder / "home")


def note(home: Sandbox, store: str, text: str, slug: str = "watering") -> Path:
    """Writes a note into a store and its line into the index."""
    place = home.store(store)
    file = place / "notes" / f"{slug}.md"
    file.write_text(NOTE.format(text=text), encoding="utf-8")
    line = f"- [Watering](notes/{slug}.md): how the garden is watered\n"
    index = place / "index.md"
    if line not in index.read_text():
        index.write_text(index.read_text() + line)
    return file


@dataclass(frozen=True)
class Pushed:
    """A home with a remote for core and for private on a server."""

    home: Sandbox
    server: GitServer
    number: int

    def environment(self, changes: Mapping[str, str] | None = None) -> dict[str, str]:
        """Gives the settings that let both stores be pushed; a change to an empty text takes one away."""
        command = f"printf %s '{self.server.token}'"
        settings = {"PI_SANDBOX_CA_BUNDLE": str(self.server.ca_file)}
        for store in ("core", "private"):
            prefix = f"BRAIN_{store.upper()}"
            settings |= {
                f"{prefix}_URL": self.server.url(self.remote(store)),
                f"{prefix}_USER": USER,
                f"{prefix}_TOKEN_CMD": command,
            }
        return {name: value for name, value in {**settings, **(changes or {})}.items() if value}

    def remote(self, store: str) -> str:
        return f"{store}-{self.number}"

    def tip(self, store: str) -> str | None:
        """Gives the commit that the remote's branch has."""
        return self.server.tip(self.remote(store))

    def head(self, store: str) -> str:
        return run_git(self.home.store(store), "rev-parse", "HEAD").strip()

    def subject(self, store: str) -> str:
        return run_git(self.home.store(store), "log", "-1", "--format=%s").strip()

    def call(self, *arguments: str, changes: Mapping[str, str] | None = None, **options: Any) -> Finished:
        return self.home.call(*arguments, environment=self.environment(changes), **options)

    @contextmanager
    def syncing(self, changes: Mapping[str, str] | None = None) -> Iterator["Screen"]:
        """Runs `memory-sync private` in a terminal for the time of the block."""
        command, *arguments = (*self.home.command, "memory-sync", "private")
        child = pexpect.spawn(
            command,
            arguments,
            env=self.home.environment(self.environment(changes)),
            dimensions=(50, COLUMNS),
            timeout=SECONDS,
        )
        try:
            yield Screen(child)
        finally:
            child.close(force=True)

    def sync(self, *answers: str, changes: Mapping[str, str] | None = None) -> tuple[int, str]:
        """Answers every question of one sync, and gives its exit code and all that stood on the screen."""
        with self.syncing(changes) as screen:
            for answer in answers:
                screen.until(r"\[y/N\] ")
                screen.child.sendline(answer)
            return screen.end()


class Screen:
    """A sync in a terminal: what it said so far, and how it ends."""

    def __init__(self, child: "pexpect.spawn[bytes]") -> None:
        self.child = child
        self.said = ""

    def until(self, pattern: str) -> str:
        """Waits for a text and gives everything since the last call."""
        self.child.expect(re.compile(pattern.encode()))
        heard = (self.child.before + self.child.after).decode("utf-8", "replace")
        self.said += heard
        return heard

    def end(self) -> tuple[int, str]:
        """Waits for the end and gives the exit code, 128 + signal for one that a signal ended, and everything said."""
        self.child.expect(pexpect.EOF)
        self.said += self.child.before.decode("utf-8", "replace")
        self.child.close()
        code = self.child.exitstatus
        return (128 + self.child.signalstatus if code is None else code), self.said

"""Processes that want a lock, for tests."""

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

CHECKOUT = Path(__file__).parents[3]
CONTENDER = Path(__file__).with_name("lock_contender.py")


class Contender:
    """One process; `command` puts something in front of it, such as `unshare`."""

    def __init__(self, folder: Path, name: str, command: tuple[str, ...] = (), program: tuple[str, ...] = ()) -> None:
        program = program or (sys.executable, str(CONTENDER), str(folder), name)
        self.process = subprocess.Popen(
            (*command, *program),
            env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.says() == "ready"

    def says(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def ask(self, word: str = "") -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def holds(self) -> bool:
        self.ask()
        return self.says() == "True"

    def end(self) -> None:
        """Let it give the lock back."""
        self.ask("end")
        self.process.wait(30)
        self._close()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(30)
        self._close()

    def _close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()


def kill_running(contenders: Iterable[Contender]) -> None:
    """Kills those that a test has left running."""
    for contender in contenders:
        if contender.process.returncode is None:
            contender.kill()


def go(folder: Path) -> None:
    """Let all contenders for the locks in this folder try at once."""
    (folder.parent / "go").touch()


def pass_time(lock: Path, seconds: float) -> None:
    """Let the last sign of life of a lock be that much older."""
    before = lock.stat().st_mtime
    os.utime(lock, (before - seconds, before - seconds))

"""A terminal with pi in it, read as a person reads it: by what stands on the screen."""

import contextlib
from pathlib import Path

import pexpect
import pyte

from tests.integration.session.sandbox import Sandbox, wait_until
from tests.running import SOON


class Window:
    """A terminal with pi in it, as a person sees it."""

    def __init__(self, sandbox: Sandbox, project: Path, *arguments: str) -> None:
        self.screen = pyte.Screen(110, 40)
        self._stream = pyte.ByteStream(self.screen)
        given = [*sandbox.command[1:], "run", str(project), "--", *arguments]
        environment = sandbox.environment({"TERM": "xterm-256color"})
        self.process = pexpect.spawn(sandbox.command[0], given, env=environment, timeout=60, dimensions=(40, 110))

    def shows(self, text: str) -> bool:
        with contextlib.suppress(pexpect.TIMEOUT, pexpect.EOF):
            self._stream.feed(self.process.read_nonblocking(65536, timeout=0.1))
        return text in "\n".join(self.screen.display)

    def wait_for(self, text: str, seconds: float = SOON) -> None:
        try:
            wait_until(lambda: self.shows(text), f"the screen shows {text!r}", seconds)
        except AssertionError as error:
            raise AssertionError("\n".join([str(error), *self.screen.display])) from error

    def type(self, text: str) -> None:
        self.process.send(text)
        self.wait_for(text)
        self.process.send("\r")

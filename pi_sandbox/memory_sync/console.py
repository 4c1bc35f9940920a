"""How a sync talks with the owner: our own words, foreign text, questions. Nothing passes that holds a credential."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from pi_sandbox.memory_check.live_secrets import lines_with
from pi_sandbox.memory_check.shown_names import shown_text

WITHHELD = "(what stood here holds a credential and is not shown)"
_REMOTE_MARK = "remote: "
"""What git puts before each line of the remote: two halves of a credential would stand on both sides of it."""


class NotReviewedError(Exception):
    """What was shown could not be read: whoever reads our output is gone. So nothing is pushed."""


class Console(Protocol):
    """One conversation. Each method raises `NotReviewedError` once the reader is gone."""

    def say(self, line: str) -> None:
        """Writes a line of our own."""

    def name(self, line: str) -> None:
        """Writes a line of our own that names foreign things, such as a file: only its first row begins at the left."""

    def show(self, lines: Iterable[str]) -> bool:
        """Writes foreign text: every line marked as such, every character visible. Tells whether it was shown."""

    def ask(self, question: str) -> bool:
        """Asks and gives whether the answer was `y`, typed after the question. Anything else is no."""


@dataclass(frozen=True)
class GuardedConsole:
    """A console that writes nothing in which one of the credentials stands, in any spelling and over any lines.

    Whatever a remote, a repository or a file may have put into a line passes here once: refs, names, errors, hints. In
    our own lines no other secret is shown either; foreign text is looked at where it comes from.
    """

    inner: Console
    live_secrets: Sequence[str]

    def say(self, line: str) -> None:
        self.inner.say(self._shown(line))

    def name(self, line: str) -> None:
        self.inner.name(self._shown(line))

    def show(self, lines: Iterable[str]) -> bool:
        every = list(lines)
        if self._holds_secret(every):
            self.inner.say(WITHHELD)
            return False
        return self.inner.show(every)

    def ask(self, question: str) -> bool:
        if self._shown(question) != question:
            self.inner.say(f"{WITHHELD} so nobody is asked: no")
            return False
        return self.inner.ask(question)

    def _shown(self, text: str) -> str:
        shown = shown_text(text, self.live_secrets)
        return WITHHELD if self._holds_secret(shown.split("\n")) else shown

    def _holds_secret(self, lines: Sequence[str]) -> bool:
        parts = [part.removeprefix(_REMOTE_MARK) for line in lines for part in line.split("\r")]
        return bool(lines_with(parts, self.live_secrets))

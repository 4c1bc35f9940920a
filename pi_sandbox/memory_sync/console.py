"""How a sync talks with the owner: our own words, foreign text, questions."""

from collections.abc import Iterable
from typing import Protocol


class NotReviewedError(Exception):
    """What was shown could not be read: whoever reads our output is gone. So nothing is pushed."""


class Console(Protocol):
    """One conversation. Each method raises `NotReviewedError` once the reader is gone."""

    def say(self, line: str) -> None:
        """Writes a line of our own."""

    def name(self, line: str) -> None:
        """Writes a line of our own that names foreign things, such as a file: only its first row begins at the left."""

    def show(self, lines: Iterable[str]) -> None:
        """Writes foreign text: every line marked as such, every character visible."""

    def ask(self, question: str) -> bool:
        """Asks and gives whether the answer was `y`, typed after the question. Anything else is no."""

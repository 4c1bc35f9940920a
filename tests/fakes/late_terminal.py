"""A terminal that answers what it is asked in the order of the questions, but late, as over a slow line."""

import os
import re
import threading
import time
from collections import deque

import pyte

ANSWERS = {
    rb"\x1b\[0?c": b"\x1b[?62;22c",
    rb"\x1b\[>0?c": b"\x1b[>41;380;0c",
    rb"\x1b\[0?5n": b"\x1b[0n",
    rb"\x1b\[6n": b"\x1b[7;1R",
    rb"\x1b\[21t": b"\x1b]ltouch tripped\x1b\\",
    rb"\x1b\[\?u": b"\x1b[?0u",
    rb'\x1b\["v': b'\x1b[24;80;1;1;1"w',
    rb"\x1b\]11;\?\x1b\\": b"\x1b]11;rgb:0000/0000/0000\x1b\\",
    rb"\x1b\]52;c;\?\x1b\\": b"\x1b]52;c;b3duZXI=\x1b\\",
    rb"\x1bP\+q544e\x1b\\": b"\x1bP1+r544e=787465726d\x1b\\",
}
"""By what a real terminal (xterm's manual, "Control Sequences") is asked, and what it says."""
EVERYTHING = '\x1b[c\x1b[>c\x1b[6n\x1b[21t\x1b[?u\x1b["v\x1b]11;?\x1b\\\x1b]52;c;?\x1b\\\x1bP+q544e\x1b\\'
STATUS = rb"\x1b\[0?5n"
_QUESTION = re.compile(b"|".join(b"(" + question + b")" for question in ANSWERS))
BETWEEN_SECONDS = 0.02


class LateTerminal:
    """Everything at the user's end of a pseudo-terminal: answers, screen, and keys at the time of the last question."""

    def __init__(self, descriptor: int, delay: float, *, early: bytes = b"", after: bytes = b"") -> None:
        self._descriptor, self._delay = descriptor, delay
        self._early, self._after = early, after
        self._due: deque[tuple[float, bytes]] = deque()
        self.said = b""
        self.screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self.screen)
        self._looked = 0
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> bytes:
        """Waits for the end of the programs in the terminal, and gives all their output."""
        self._thread.join(seconds)
        assert not self._thread.is_alive(), self.said
        self._stream.feed(self.said)
        return self.said

    def _serve(self) -> None:
        threading.Thread(target=self._answer, daemon=True).start()
        while True:
            try:
                data = os.read(self._descriptor, 65536)
            except OSError:
                return
            if not data:
                return
            self.said += data
            self._look()

    def _look(self) -> None:
        for found in _QUESTION.finditer(self.said, self._looked):
            self._looked = found.end()
            answer = next(text for text, asked in zip(ANSWERS.values(), found.groups(), strict=True) if asked)
            last = answer == ANSWERS[STATUS] and self._is_ours(found.start())
            if last:
                os.write(self._descriptor, self._early)
            self._due.append((time.monotonic() + self._delay, answer + (self._after if last else b"")))

    def _is_ours(self, place: int) -> bool:
        """The question that follows the reset of everything is the wrapper's."""
        return b"\x1b[?25h" in self.said[:place]

    def _answer(self) -> None:
        while self._thread.is_alive():
            if self._due and self._due[0][0] <= time.monotonic():
                os.write(self._descriptor, self._due.popleft()[1])
                time.sleep(BETWEEN_SECONDS)
            else:
                time.sleep(0.005)

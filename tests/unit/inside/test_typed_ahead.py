"""What was typed, or is still being pasted, before a question is shown does not answer it. On a real terminal."""

import io
import os
import pty
import threading
import time
from collections.abc import Iterator

import pytest

from pi_sandbox.inside import questions
from pi_sandbox.inside.questions import TerminalConsole


class Keyboard:
    """Our end of a terminal, and a console at the other end whose output tells when a question was shown."""

    def __init__(self) -> None:
        self.keys, self.terminal = pty.openpty()
        self.shown = threading.Event()
        self.output = _Output(self.shown)
        self.console = TerminalConsole(self.output, self.terminal)

    def type_after_the_question(self, text: bytes) -> None:
        def type_it() -> None:
            self.shown.wait(20)
            time.sleep(0.1)
            os.write(self.keys, text)

        threading.Thread(target=type_it, daemon=True).start()


class _Output(io.StringIO):
    def __init__(self, shown: threading.Event) -> None:
        super().__init__()
        self._shown = shown

    def write(self, text: str) -> int:
        if "?" in text:
            self._shown.set()
        return super().write(text)


@pytest.fixture
def keyboard() -> Iterator[Keyboard]:
    made = Keyboard()
    yield made
    os.close(made.keys)
    os.close(made.terminal)


def test_a_y_after_the_question_is_yes_and_what_was_typed_before_is_forgotten(keyboard: Keyboard) -> None:
    os.write(keyboard.keys, b"n\n")
    keyboard.type_after_the_question(b"y\n")
    assert keyboard.console.ask("push core? [y/N]") is True


def test_a_y_before_the_question_is_no_answer(keyboard: Keyboard) -> None:
    os.write(keyboard.keys, b"y\n" * 100)
    keyboard.type_after_the_question(b"n\n")
    assert keyboard.console.ask("push core? [y/N]") is False


def test_a_paste_that_is_still_arriving_is_no_answer(keyboard: Keyboard, monkeypatch: pytest.MonkeyPatch) -> None:
    # A busy machine must not make a rest of the pause between two pieces.
    monkeypatch.setattr(questions, "_REST_SECONDS", 2.0)

    def paste() -> None:
        for _ in range(8):
            os.write(keyboard.keys, b"y\n" * 10)
            time.sleep(0.1)

    pasting = threading.Thread(target=paste)
    pasting.start()
    keyboard.type_after_the_question(b"n\n")
    assert keyboard.console.ask("push core? [y/N]") is False
    pasting.join()


def test_keys_that_never_rest_are_no(keyboard: Keyboard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "_REST_SECONDS", 2.0)
    monkeypatch.setattr(questions, "_RESTLESS_SECONDS", 2.5)
    done = threading.Event()

    def lean_on_the_key() -> None:
        while not done.is_set():
            os.write(keyboard.keys, b"y\n")
            time.sleep(0.02)

    leaning = threading.Thread(target=lean_on_the_key)
    leaning.start()
    assert keyboard.console.ask("push core? [y/N]") is False
    done.set()
    leaning.join()
    assert "the keys did not rest" in keyboard.output.getvalue()

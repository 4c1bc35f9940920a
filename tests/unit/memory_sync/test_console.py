"""Nothing that holds a credential passes the console, whoever put it into the line."""

from collections.abc import Callable, Iterable

import pytest

from pi_sandbox.memory_sync.console import WITHHELD, Console, GuardedConsole

TOKEN = "".join(("tok", "-Ab3dEf6h", "Ij9lMn2p"))


class Written:
    """A console that keeps what it writes, and answers yes."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)

    def name(self, line: str) -> None:
        self.lines.append(line)

    def show(self, lines: Iterable[str]) -> bool:
        self.lines += lines
        return True

    def ask(self, question: str) -> bool:
        self.lines.append(question)
        return True


def guarded() -> tuple[GuardedConsole, Written]:
    written = Written()
    return GuardedConsole(written, (TOKEN,)), written


WAYS: list[Callable[[Console, str], object]] = [
    lambda console, text: console.say(text),
    lambda console, text: console.name(text),
    lambda console, text: console.show(text.split("\n")),
    lambda console, text: console.ask(text),
]


NAMED = f'the remote has no branch "main" (deleted, or renamed?); it has "{TOKEN}"'
BROKEN = [f"remote: {TOKEN[:9]}\nremote: {TOKEN[9:]}", f"before\r{TOKEN[:9]}\r\nremote: {TOKEN[9:]}\nafter"]


@pytest.mark.parametrize("way", WAYS, ids=["say", "name", "show", "ask"])
@pytest.mark.parametrize("text", BROKEN, ids=["halves", "returns"])
def test_a_line_that_holds_a_credential_is_not_written(way: Callable[[Console, str], object], text: str) -> None:
    console, written = guarded()
    way(console, text)
    (line,) = written.lines
    assert line.startswith(WITHHELD)


@pytest.mark.parametrize("way", WAYS[:2], ids=["say", "name"])
@pytest.mark.parametrize(
    "secret", [TOKEN, "gh" + "p_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"], ids=["in use", "another"]
)
def test_a_line_of_ours_says_as_much_as_it_may_of_a_name_with_a_secret(
    way: Callable[[Console, str], object], secret: str
) -> None:
    console, written = guarded()
    way(console, NAMED.replace(TOKEN, secret))
    assert written.lines == [NAMED.replace(TOKEN, "?" * len(secret))]


@pytest.mark.parametrize("way", WAYS, ids=["say", "name", "show", "ask"])
def test_every_other_line_is_written_as_it_is(way: Callable[[Console, str], object]) -> None:
    console, written = guarded()
    text = f"remote: {TOKEN[:9]}\nremote: of something else"
    way(console, text)
    assert "\n".join(written.lines) == text


def test_it_is_told_whether_everything_was_shown() -> None:
    console, _ = guarded()
    assert console.show(["a", "b"]) is True
    assert console.show(iter(["a", TOKEN])) is False


def test_a_question_that_cannot_be_read_is_answered_with_no() -> None:
    console, _ = guarded()
    assert console.ask("push core? [y/N]") is True
    assert console.ask(f"confirm notes/{TOKEN}.md personal-name? [y/N]") is False

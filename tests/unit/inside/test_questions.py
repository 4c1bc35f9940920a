import io
import os
import pty
import signal
import sys
import time

import pexpect
import pytest

from pi_sandbox.inside.questions import BAR, TerminalConsole, hanging, rows
from pi_sandbox.memory_sync.console import NotReviewedError

PROGRAM = """
import select, sys, time
from pi_sandbox.inside.questions import terminal_console
console = terminal_console()
{body}
"""


def on_terminal(body, *, dimensions=(24, 80)):
    command = ["-c", PROGRAM.format(body=body)]
    return pexpect.spawn(sys.executable, command, encoding="utf-8", timeout=20, dimensions=dimensions, echo=True)


def ask(*typed, body="print(console.ask('push core? [y/N]'))"):
    child = on_terminal(body)
    child.expect_exact("push core? [y/N] ")
    for text in typed:
        child.send(text)
    child.expect(pexpect.EOF)
    child.wait()
    return child.before.replace("\r\n", "\n").strip().split("\n")[-1]


def test_y_and_return_is_yes():
    assert ask("y\n") == "True"


@pytest.mark.parametrize(
    "typed", ["\n", "n\n", "Y\n", "yes\n", "yy\n", " y\n", "y \n", "\x04", "y\x04\x04", "j\n", "\x1b[Ay\n"]
)
def test_anything_else_is_no(typed):
    assert ask(typed) == "False"


@pytest.mark.parametrize(("typed", "told"), [("yes\n", True), ("j\n", True), ("\n", False), ("n\n", False)])
def test_an_answer_that_is_neither_y_nor_a_plain_no_is_told_that_it_is_a_no(typed, told):
    child = on_terminal("console.ask('push core? [y/N]')")
    child.expect_exact("push core? [y/N] ")
    child.send(typed)
    child.expect(pexpect.EOF)

    assert ("only a single y goes on" in child.before) is told


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("core: look at the network, then try again", ["core: look at the", "    network, then try", "    again"]),
        ("  mend /a/long/path/here now", ["  mend", "    /a/long/path/here", "    now"]),
        ("x" * 45, ["x" * 21, "    " + "x" * 17, "    " + "x" * 7]),
        ("ab " + "x" * 40, ["ab", "    " + "x" * 17, "    " + "x" * 17, "    " + "x" * 6]),
        ("", [""]),
        ("short", ["short"]),
    ],
)
def test_our_own_lines_break_between_words_and_hang(line, expected):
    assert list(hanging(line, 21)) == expected


def test_without_a_terminal_nothing_is_broken():
    assert list(hanging("a b " * 100, None)) == ["a b " * 100]


def test_what_was_typed_before_the_question_does_not_count():
    body = "console.say('working'); select.select([0], [], []); print(console.ask('push core? [y/N]'))"
    child = on_terminal(body)
    child.expect_exact("working")
    child.send("y\ny\ny\n")
    child.expect_exact("push core? [y/N] ")
    time.sleep(0.3)
    assert child.isalive()
    child.send("n\n")
    child.expect(pexpect.EOF)

    assert child.before.strip().endswith("False")


def test_an_answer_counts_for_one_question_only():
    body = "print(console.ask('push core? [y/N]')); print(console.ask('push work? [y/N]'))"
    child = on_terminal(body)
    child.expect_exact("push core? [y/N] ")
    child.send("y\ny\n")
    child.expect_exact("True")
    child.expect_exact("push work? [y/N] ")
    time.sleep(0.3)
    child.send("\n")
    child.expect(pexpect.EOF)

    assert child.before.strip().endswith("False")


def test_an_interrupt_at_a_question_is_no_answer():
    body = "try:\n    print(console.ask('push core? [y/N]'))\nexcept KeyboardInterrupt:\n    print('interrupted')"

    assert ask("\x03", body=body).endswith("interrupted")


def test_a_closed_window_is_no():
    controller, terminal = pty.openpty()
    output = io.StringIO()
    console = TerminalConsole(output, terminal)
    os.close(controller)
    answer = console.ask("push core? [y/N]")
    os.close(terminal)

    assert answer is False


def test_without_a_terminal_the_answer_is_no_and_nothing_is_read():
    output = io.StringIO()

    assert TerminalConsole(output, None).ask("push core? [y/N]") is False
    assert output.getvalue() == "push core? [y/N] no (there is no terminal to answer on)\n"


def test_piped_input_is_no_terminal():
    import subprocess

    program = PROGRAM.format(body="print(console.ask('push core? [y/N]'))")
    result = subprocess.run([sys.executable, "-c", program], input="y\n", capture_output=True, text=True, check=True)

    assert result.stdout.strip().endswith("False")


def test_a_reader_that_is_gone_is_said():
    class Gone(io.StringIO):
        def flush(self):
            raise BrokenPipeError

    console = TerminalConsole(Gone(), None)
    with pytest.raises(NotReviewedError):
        console.say("text")
    with pytest.raises(NotReviewedError):
        console.show(["text"])
    with pytest.raises(NotReviewedError):
        console.ask("push core? [y/N]")


def test_foreign_text_stands_behind_a_bar_and_is_visible():
    output = io.StringIO()
    TerminalConsole(output, None).show(["a\x1b[2Jb", "", "push core? [y/N] "])

    assert output.getvalue() == f"{BAR}a\\x1b[2Jb\n{BAR}\n{BAR}push core? [y/N] \n"


def test_our_own_lines_cannot_carry_controls_either():
    output = io.StringIO()
    TerminalConsole(output, None).say("one\ntwo\x1b[2J")

    assert output.getvalue() == "one\ntwo\\x1b[2J\n"


def test_a_line_that_the_terminal_would_wrap_has_the_bar_on_every_row():
    body = "console.show(['x' * 36 + 'push core? [y/N] ' + '\\u754c' * 40])"
    child = on_terminal(body, dimensions=(24, 40))
    child.expect(pexpect.EOF)
    shown = child.before.replace("\r\n", "\n").strip("\n").split("\n")

    assert len(shown) == 5
    assert all(line.startswith(BAR) for line in shown)
    assert "".join(line.removeprefix(BAR) for line in shown) == "x" * 36 + "push core? [y/N] " + "\u754c" * 40


@pytest.mark.parametrize("character", ["\u4dc0", "\u2630", "\u268a", "\U0001d300", "\u00a7", "\u2500"])
def test_a_row_of_characters_that_terminals_disagree_on_has_room_for_the_widest(character):
    child = on_terminal(f"console.show(['{character}' * 38 + 'push core? [y/N] '])", dimensions=(24, 80))
    child.expect(pexpect.EOF)
    shown = child.before.replace("\r\n", "\n").strip("\n").split("\n")

    assert all(line.startswith(BAR) for line in shown)
    assert all(sum(2 if one == character else 1 for one in line) <= 80 for line in shown)


@pytest.mark.parametrize(("columns", "answer"), [(23, "False"), (24, "True")])
def test_nothing_is_asked_in_a_window_in_which_foreign_text_would_reach_the_margin(columns, answer):
    child = on_terminal("print(console.ask('push core? [y/N]'))", dimensions=(24, columns))
    child.expect_exact("push core? [y/N] ")
    child.send("y\n")
    child.expect(pexpect.EOF)

    assert answer in child.before.split()
    assert ("too narrow" in " ".join(child.before.split())) is (answer == "False")


def test_a_name_cannot_begin_a_row_when_it_wraps():
    name = "x" * 50 + "push core? [y/N] " + "y" * 60
    body = f"console.name('  added {name}'); console.ask('confirm {name}:1 personal-email? [y/N]')"
    child = on_terminal(body, dimensions=(24, 40))
    child.expect(r"\[y/N\] $")
    shown = (child.before + child.after).replace("\r\n", "\n").split("\n")
    child.close()

    assert shown[0] == "  added"
    assert [line for line in shown if not line.startswith(("  ", "    "))] == ["confirm"]
    assert "".join("".join(shown[: shown.index("confirm")]).split()) == f"added{name}".replace(" ", "")


def test_a_name_that_fits_stays_one_line():
    output = io.StringIO()
    TerminalConsole(output, None).name("  added " + "x" * 300)

    assert output.getvalue() == "  added " + "x" * 300 + "\n"


@pytest.mark.parametrize(
    ("line", "width", "expected"),
    [
        ("", 4, [""]),
        ("abcd", 4, ["abcd"]),
        ("abcde", 4, ["abcd", "e"]),
        ("a界界b", 4, ["a界", "界b"]),
        ("a\u4dc0\u4dc0b", 4, ["a\u4dc0", "\u4dc0b"]),
        ("\u00e9\u00e9\u00e9", 4, ["\u00e9\u00e9", "\u00e9"]),
        ("abcde", None, ["abcde"]),
        ("many words here", 10, ["many words", " here"]),
        ("many wordy here", 9, ["many ", "wordy ", "here"]),
        ("a bcdefghijkl", 8, ["a bcdefg", "hijkl"]),
    ],
)
def test_rows_fit_into_the_width(line, width, expected):
    assert list(rows(line, width)) == expected


def test_a_hangup_ends_the_program():
    child = on_terminal("console.ask('push core? [y/N]')")
    child.expect_exact("push core? [y/N] ")
    child.kill(signal.SIGHUP)
    child.expect(pexpect.EOF)
    child.close()

    assert child.signalstatus == signal.SIGHUP

"""The output is read as a terminal reads it, and what was changed is changed back, without a visible trace."""

import re

import pyte
import pytest

from pi_sandbox.containers.output_trace import OutputTrace, leaving_bytes
from pi_sandbox.containers.terminal_changes import KEYBOARD

ST = "\x1b\\"


def traced(*pieces: bytes) -> OutputTrace:
    trace = OutputTrace()
    for piece in pieces:
        trace.note(piece)
    return trace


def bytewise(output: bytes) -> list[bytes]:
    """Gives the output in the smallest pieces, a very long one in larger ones."""
    size = 1 if len(output) < 2000 else 499
    return [output[place : place + size] for place in range(0, len(output), size)]


def left(*pieces: bytes) -> str:
    """Gives what is written after this output."""
    return leaving_bytes(traced(*pieces), ends_line=False).decode("ascii")


@pytest.mark.parametrize(
    ("pieces", "saved"),
    [
        ([b"\x1b[?1049h"], True),
        ([b"\x1b[?10", b"49h"], True),
        ([b"\x1b[?25;1049h"], True),
        ([b"\x1b[?1049h", b"x" * 1000, b"\x1b[?1049l"], False),
        ([b"\x1b[?47h"], False),
        ([b"\x1b[?1047h"], False),
        ([b"\x1b[?01049h"], True),
        ([b"\x1b[?" + b"0" * 100 + b"1049h"], True),
        ([b"\x1b[?" + b"0" * 50000, b"0" * 50000 + b"10", b"49h"], True),
        ([b"\x1b[?" + b"1;" * 100 + b"1049h"], True),
        ([b"\x1b[?", b"9" * 20000 + b";1049h"], True),
        ([b"\x1b[?10\x0049h"], True),
        ([b"\x1b[\r\n?10\x0749h"], True),
        ([b"\x1b\x00[?1049h"], True),
        ([b"\xc2\x9b?1049h"], False),
        ([b"\xc2", b"\x9b?1049h"], False),
        ([b"\x9b?1049h"], False),
        ([b"\x1b[?1049h", b"\x1b]0;title\x1b[?1049l"], False),
        ([b"\x1b[?1049h\x1bc"], False),
        ([b"\x1b[?1049h\x1b[?104\x18 9l"], True),
        ([b"\x1b[?10491h"], False),
        ([b"\x1b[1049h"], False),
        ([b"\x1b[?25h"], False),
        ([b"\x1b]0;[?1049h\x07"], False),
        (["\u6f5b?1049h".encode()], False),
        ([b"text"], False),
    ],
)
def test_where_the_cursor_was_saved_with_the_screen_both_are_restored(pieces: list[bytes], saved: bool) -> None:
    assert traced(*pieces).saved_screen == saved
    assert traced(*bytewise(b"".join(pieces))).saved_screen == saved
    assert ("\x1b[?1049l" in left(*pieces)) == saved
    assert ("\x1b[?1047l" in left(*pieces)) == traced(*pieces).saw_control


@pytest.mark.parametrize(
    "output",
    [b"\x1b[1m", b"\xc2\x9b1m", b"\x9b1m", b"\x0e", b"\x05", b"\xc2\x90q", b"\x1b", b"\x1b]0;unfinished"],
)
def test_every_kind_of_control_is_followed_by_a_reset(output: bytes) -> None:
    assert "\x1b[0m" in left(output)
    assert "\x1b(B" in left(b"text " + output + b" text")


@pytest.mark.parametrize(
    "output",
    [
        b"one line\r\n",
        b"a bell\x07\ttab\b\r\n",
        "\u6f5b\u201b \U0001f41b \u00db \u00a0".encode(),
        "\u6f22\u5b57".encode()[:4],
        b"\xe9\xfc\xdf in another encoding",
        b"",
    ],
)
def test_after_output_without_controls_nothing_is_added(output: bytes) -> None:
    assert left(output) == ""
    assert left(*bytewise(output)) == ""


@pytest.mark.parametrize(
    ("output", "at_start"),
    [
        (b"", True),
        (b"x\r\n", True),
        (b"x", False),
        (b"x\r\n\x1b[0m\x1b[?25h", True),
        (b"x\r\n\x07", True),
        (b"x\x1b[0m", False),
        (b"x" + b"\x1b[0m" * 200, False),
        (b"x\r\n" + b"\x1b[0m" * 200, True),
        (b"\x1b]0;title\x07", True),
        (b"\x1b]0;" + b"t" * 50000 + b"\x1b\\", True),
        (b"\x1bP" + b"t" * 50000 + b"\x1b\\x", False),
        (b"\x1b[31", True),
    ],
)
def test_the_start_of_a_line_is_seen_through_control_sequences(output: bytes, at_start: bool) -> None:
    assert traced(output).at_line_start == at_start
    assert traced(*bytewise(output)).at_line_start == at_start


def test_a_begun_line_is_ended_where_that_is_asked_for() -> None:
    assert leaving_bytes(traced(b"half a line"), ends_line=True) == b"\r\n"
    assert leaving_bytes(traced(b"a line\r\n"), ends_line=True) == b""


def test_after_colours_alone_the_cursor_does_not_jump_to_a_saved_place() -> None:
    after = left(b"\x1b[31mred\x1b[0m\r\n")
    assert "1049l" not in after
    assert "\x1b7\x1b[r\x1b8" in after


@pytest.mark.parametrize(("output", "resets"), [(b"\x1b[>7u", True), (b"\x1b[=1;1u", True), (b"\x1b[?u\x1b[1m", False)])
def test_the_keyboard_protocol_is_reset_only_where_the_agent_used_it(output: bytes, resets: bool) -> None:
    assert (KEYBOARD in left(*bytewise(output))) is resets


def test_the_first_thing_ends_an_open_string_and_vt52_mode() -> None:
    assert left(b"\x1b[?2l").startswith(ST + "\x1b<")


@pytest.mark.parametrize(
    ("mode", "undone"),
    [
        (b"\x1b[2h", "\x1b[2l"),
        (b"\x1b[12l", "\x1b[12h"),
        (b"\x1b[20h", "\x1b[20l"),
        (b"\x1b[?5h", "\x1b[?5l"),
        (b"\x1b[?8l", "\x1b[?8h"),
        (b"\x1b[?45h", "\x1b[?45l"),
        (b"\x1b[?69h", "\x1b[?69l"),
        (b"\x1b[?9001h", "\x1b[?9001l"),
    ],
)
def test_modes_that_spoil_a_prompt_are_undone(mode: bytes, undone: str) -> None:
    assert undone in left(mode)


@pytest.mark.parametrize(
    ("used", "unused", "undone"),
    [
        (b"\x1b]10;#fff\x07", b"\x1b]10;?\x07", "\x1b]110" + ST),
        (b"\x1b]11;rgb:0/0/0\x1b\\", b"\x1b]11;?\x1b\\", "\x1b]111" + ST),
        (b"\xc2\x9d12;red\xc2\x9c", b"\xc2\x9d12;?\xc2\x9c", "\x1b]112" + ST),
        (b"\x1b]010;?;red\x1b\\", b"\x1b]10;red\x1b\\", "\x1b]111" + ST),
        (b"\x1b]4;7;#fff\x07", b"\x1b]4;7;?\x07", "\x1b]104;7" + ST),
        (b"\x1b]4;1;?;2;red\x07", b"\x1b]4;1;red;2;?\x07", "\x1b]104;2" + ST),
        (b"\x1b]P0ff0000", b"\x1b]0;P\x07", "\x1b]R" + ST),
        (b"\x1b]9;4;3;50\x07", b"\x1b]9;hello\x07", "\x1b]9;4;0" + ST),
        (b"\x1b]22;wait\x07", b"\x1b]2;22\x07", "\x1b]22;" + ST),
        (b"\x1b[?6h", b"\x1b[?7h", "\x1b[?6l\x1b[9999;1H"),
        (b"\x1b[?003h", b"\x1b[?3l", "\x1b[?3l"),
        (b"\x1b[3g", b"\x1b[G", "\x1b[3g\x1b[9G\x1bH\x1b[17G\x1bH"),
        (b"\x1b[g", b"\x1b[d", "\x1b[9G\x1bH"),
        (b"\x1b[5W", b"\x1b[5X", "\x1b[9G\x1bH"),
        (b"\x1b[?5W", b"\x1b[?5J", "\x1b[9G\x1bH"),
        (b"\x1bH", b"\x1bM", "\x1b[9G\x1bH"),
        (b"\x88", b"\x8d", "\x1b[9G\x1bH"),
        (b"\x1bP2$t3/7\x1b\\", b"\x1bP$qt\x1b\\", "\x1b[9G\x1bH"),
        (b"\x1bP1$t1;1;1;@;@;A;0;2;@;BBBB\x1b\\", b"\x1b[1$t", "\x1b[?6l\x1b[9999;1H"),
        (b"\x1bV", b"\x1bU", '\x1bW\x1b[0"q'),
        (b"\x96", b"\x95", '\x1bW\x1b[0"q'),
        (b'\x1b[1"q', b"\x1b[1 q", '\x1bW\x1b[0"q'),
        (b"\x1b[1$}", b"\x1b[1}", "\x1b[0$}"),
        (b"\x1b[2$~", b"\x1b[2~", "\x1b[0$~"),
        (b"\x1b[?38h", b"\x1b[?38l", "\x1b\x03"),
        (b"\x1b[?67h", b"\x1b[?67l", "\x1b[?67l"),
        (b"\x1b[?1;1061;25h", b"\x1b[?1061l", "\x1b[?1061l"),
        (b"\x1b[?1036l", b"\x1b[?1036h", "\x1b[?1036h"),
        (b"\x1b[?1036r", b"\x1b[?1036s", "\x1b[?1036h"),
        (b"\x1b[?67r", b"\x1b[67r", "\x1b[?67l"),
        (b"\x1b[?12h", b"\x1b[?12l", "\x1b[?12l\x1b[0 q"),
        (b"\x1b[5 q", b"\x1b[5q", "\x1b[0 q"),
        (b"\x1b[?4711h", b"\x1b[?4711l", "\x1b[?4711l"),
        (b"\x1b[6h", b"\x1b[6l", "\x1b[6l"),
        (b"\x1b[8l", b"\x1b[8h", "\x1b[8h"),
        (b"\x1b[1;2'z", b"\x1b[1;2$z", "\x1b[0'z"),
        (b"\x1b[1'{", b"\x1b[1#{", "\x1b[0'z"),
        (b'\x1b[61"p', b"\x1b[!p", '\x1b[64;1"p'),
        (b"\x1b[>1n", b"\x1b[>9n", "\x1b[>1m"),
        (b"\x1b[>n", b"\x1b[n", "\x1b[>2m"),
        (b"\x1b[>4;2m", b"\x1b[4m", "\x1b[>4m"),
        (b"\x1b[>0;1t", b"\x1b[22;0t", "\x1b[>0T\x1b[>1T"),
        (b"\x1b[>3p", b"\x1b[3p", "\x1b[>1p"),
        (b"\x1b[>1s", b"\x1b[s", "\x1b[>0s"),
        (b"\x1b[1 t", b"\x1b[1t", "\x1b[8 t"),
        (b"\x1b[1q", b"\x1b[>1q", "\x1b[0q"),
        (b"\x1b[10;40]", b"\x1b]10;?\x07", "\x1b[10]\x1b[11]"),
        (b"\x1b[8]", b"\x1b[9]", "\x1b[37;40m\x1b[8]"),
        (b"\x1b[?17;0;64c", b"\x1b[c", "\x1b[?0c"),
        (b"\x1b[2 k", b"\x1b[2k", "\x1b[0 k"),
        (b"\x1b#6", b"\x1b#8", "\x1b#5"),
        (b"\x1bP0;1|17/726d\x1b\\", b"\x1bP+q17\x1b\\", "\x1bP0;1|" + ST),
        (b"\x90|17/726d\x9c", b"\x90q|\x9c", "\x1bP0;1|" + ST),
        (b"\x1bP1;0;1!z6c73\x1b\\", b"\x1b[1*z", "\x1bP0;1;0!z" + ST),
        (b"\x1b]4;257;red\x07", b"\x1b]4;257;?\x07", "\x1b]104;257" + ST),
        (b"\x1b]6;1;1\x07", b"\x1b]6;?\x07", "\x1b]106;1;0" + ST),
        (b"\x1b]6;1;bg;red;brightness;9\x07", b"\x1b]6;1\x07", "\x1b]6;1;bg;*;default" + ST),
        (b"\x1b]21;background=red;7=\x07", b"\x1b]21;7=?\x07", "\x1b]21;7" + ST),
        (b"\x1b]7;file:///tmp\x07", b"\x1b]2;7\x07", "\x1b]7;" + ST),
        (b"\x1b]440;a.wav:loop\x07", b"\x1b]44;a\x07", "\x1b]440;" + ST),
        (b"\x1b[?2l", b"\x1b[?2h", '\x1b[64;1"p'),
        (b"\x1b%@", b"\x1b%G", "\x1b%G"),
        (b"\x1b[>1;3m", b"\x1b[>4;2m", "\x1b[>1m"),
        (b"\x1b[5i", b"\x1b[i", "\x1b[4i"),
        (b"\xc2\x9b005i", b"\x1b[15i", "\x1b[4i"),
        (b"\x1b[?5i", b"\x1b[?1i", "\x1b[?4i"),
        (b"\x1b G", b"\x1b F", "\x1b F"),
    ],
)
def test_what_is_the_owners_choice_or_shows_elsewhere_is_undone_only_where_it_was_changed(
    used: bytes, unused: bytes, undone: str
) -> None:
    ends = b"\x1b[0m"
    assert undone in left(*bytewise(used + ends))
    assert undone in left(used + ends)
    assert undone not in left(unused + ends)


def test_a_hostile_output_does_not_grow_what_is_remembered_and_pushes_nothing_known_out() -> None:
    trace = OutputTrace()
    for number in range(5000, -1, -1):
        trace.note(b"\x1b]4;%d;red\x07\x1b]%d;red\x07\x1b[>%d;1m\x1b[?%dh\x1b]21;%d=red\x07" % ((number,) * 5))
    assert len(trace.used) < 800
    left_behind = leaving_bytes(trace, ends_line=True)
    assert len(left_behind) < 16384
    assert b"\x1b[?67l" in left_behind


USUAL_MODES = {
    **dict.fromkeys((1, 3, 4, 5, 6, 9, 12, 18, 19, 40, 41, 42, 43, 44, 45, 46, 47, 66, 67, 69, 80, 95), False),
    **dict.fromkeys((7, 8, 25, 35), True),
    **dict.fromkeys((1000, 1001, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 1034, 1037, 1041, 1042, 1043, 1044), False),
    **dict.fromkeys((1035, 1036, 1040, 1046), True),
    **dict.fromkeys((1047, 1049, 1050, 1051, 1052, 1053, 1060, 1061, *range(2001, 2007), 2026, 8452), False),
}
"""Every private mode in xterm's list that has a usual state, and that state; two that are no switch stand above."""
SCREENS = {47, 1047, 1049}
LEFT_ALONE = (10, 13, 14, 30, 1007, 1010, 1011, 2027)


def modes_after(*outputs: str) -> dict[int, bool]:
    """Gives how a terminal's modes are after the output; what was never saved is off when it is restored."""
    modes = dict(USUAL_MODES)
    for numbers, final in re.findall(r"\x1b\[\?([0-9;]+)([hlr])", "".join(outputs)):
        changed = {int(number) for number in numbers.split(";")}
        screens = SCREENS if changed & SCREENS else set()
        modes |= dict.fromkeys((changed | screens) & modes.keys(), final == "h")
    return modes


@pytest.mark.parametrize("number", USUAL_MODES)
def test_every_mode_of_xterms_list_is_as_usual_again(number: int) -> None:
    outputs = [f"\x1b[?{number}{final}" for final in "hlr"]
    for output in outputs:
        assert modes_after(output, left(output.encode())) == USUAL_MODES
    assert any(modes_after(output) != USUAL_MODES for output in outputs), "the control"


@pytest.mark.parametrize("number", LEFT_ALONE)
def test_a_mode_that_terminals_begin_with_on_or_off_is_left_as_it_is(number: int) -> None:
    for final in "hlr":
        assert re.search(rf"\?{number}[hl]", left(f"\x1b[?{number}{final}".encode())) is None


def test_where_a_change_needs_another_mode_that_one_is_taken_back_after_it() -> None:
    after = left(b"\x1b[?95;40;3h")
    assert max(after.index(f"\x1b[?{number}l") for number in (3, 40, 95)) > after.index("\x1b[?3l")


def test_what_takes_all_output_elsewhere_is_ended_before_anything_is_sent_that_has_to_arrive() -> None:
    assert left(b"\x1b[1$}\x1b[?38h\x1b[5i").startswith("\x1b[4i" + "\x1b\x03" + ST + "\x1b<\x1b[?2026l" + "\x1b[0$}")


def test_what_ends_like_a_change_of_colours_comes_before_the_colours_are_reset() -> None:
    after = left(b"\x1b[>1;3m\x1b[>2n\x1b[31m\x1b[8]")
    assert max(place.start() for place in re.finditer(r"\x1b\[[^m\x1b]*m", after)) == after.index("\x1b[0m\x1b[?25h")


def test_no_tab_stop_is_left_in_the_last_column_that_stops_beyond_it_came_to_stand_in() -> None:
    screen = pyte.Screen(70, 24)
    before = set(screen.tabstops)
    pyte.ByteStream(screen).feed(b"\x1b[3g\x1b[3G\x1bH")
    assert screen.tabstops != before
    pyte.ByteStream(screen).feed(left(b"\x1b[3g\x1b[3G\x1bH").encode())
    assert screen.tabstops == before


ASKING = [
    b"\x1b[c",
    b"\x1b[>0c",
    b"\x1b[=c",
    b"\x1b[6n",
    b"\x1b[?996n",
    b"\x1b[0005n",
    b"\x9b6n",
    b"\x1b[?2026$p",
    b"\x1b[4$p",
    b"\x1b[?u",
    b"\x1b[>q",
    b"\x1b[>0q",
    b"\x1b[?4m",
    b"\x1b[?2;1;0S",
    b"\x1b[x",
    b"\x1b[14t",
    b"\x1b[014;2t",
    b"\x1b[18t",
    b"\x1b[21t",
    b"\x1b[1;1;1;1;9;9*y",
    b"\x1b[&u",
    b"\x1b[1$w",
    b"\x1b[2$u",
    b"\x1b['|",
    b'\x1b["v',
    b"\x1b[1;1;2;2#|",
    b"\x1b[#R",
    b"\x1b[1'z",
    b"\x1b[+x",
    b"\x1b[>0 q",
    b"\x1b]60\x1b\\",
    b"\x1b]61;allowWindowOps\x07",
    b"\x1b]50;?\x07",
    b"\x1b[?2001h",
    b"\x1b[?7700h",
    b"\x1b[?1000r",
    b"\x1b]10;?\x07",
    b"\x1b]11;?\x1b\\",
    b"\x1b]4;1;?\x1b\\",
    b"\xc2\x9d11;?\xc2\x9c",
    b"\x1b]11;?",
    b"\x1b]52;c;?\x07",
    b"\x1b]52;c;aGVsbG8=\x07",
    b"\x1b]1337;ReportCellSize\x07",
    b"\x1bP$qm\x1b\\",
    b"\x1bP+q544e\x1b\\",
    b"\x90+q544e\x9c",
    b"\x1b_Gi=1,a=q;AAAA\x1b\\",
    b"\x1bZ",
    b"\x05",
    b"\x1b[?1000h",
    b"\x1b[?1;1003;1006h",
    b"\x1b[?1004h",
    b"\x1b[?2048h",
]
NOT_ASKING = [
    b"plain?\r\n",
    b"\x1b[1;31mred?\x1b[0m",
    b"\x1b[?1049h\x1b[22;0;0t\x1b[2J\x1b[H\x1b[5;1Hx\x1b[K\x1b[23;0;0t\x1b[?1049l",
    b"\x1b[2 q\x1b[!p\x1b[>4;2m\x1b[>1u\x1b[<u",
    b"\x1b[8;24;80t",
    b"\x1b]0;title\x07",
    b"\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\",
    b"\x1b]11;#000\x07",
    b"\x1b[?2004h\x1b[?25l\x1b[?1h\x1b=",
    b"\x1b[1000h\x1b[?1000l",
    b"\x1b7\x1b8\x1b(B\x1bM",
    b"\x1b[?67;1034h\x1b[?1036l\x1b[?25r",
    b"\x1b[3g\x1bH\x1b[>1;3m",
]


@pytest.mark.parametrize("output", ASKING)
def test_whatever_the_terminal_answers_or_reports_is_noticed(output: bytes) -> None:
    assert traced(output).asked
    assert traced(b"text", *bytewise(b"\x1b[1m" + output + b"text")).asked


@pytest.mark.parametrize("output", NOT_ASKING)
def test_what_no_terminal_answers_is_no_question(output: bytes) -> None:
    assert not traced(output).asked
    assert not traced(*bytewise(output)).asked


def test_questions_for_the_status_are_counted() -> None:
    output = b"\x1b[5n\x1b[05n\x1b[?5n\x1b[6n\x9b5n\x1b[5\x18n"
    assert traced(output).statuses_asked == traced(*bytewise(output)).statuses_asked == 3


def test_the_status_is_asked_for_after_everything_was_reset_and_before_the_line_ends() -> None:
    after = leaving_bytes(traced(b"\x1b[?1000h\x1b[cx"), ends_line=True, asks=True)
    assert after.endswith(b"\x1b[5n\r\n")
    assert b"\x1b[5n" not in leaving_bytes(traced(b"\x1b[?1000h\x1b[cx"), ends_line=True)


def test_where_everything_is_printed_that_ends_before_anything_else_is_sent() -> None:
    assert left(b"\x1b[5i\x1b[1m").startswith("\x1b[4i" + ST)


@pytest.mark.parametrize(
    "output",
    [
        b"\x1b[1;31mred\x1b[0m",
        b"\x1b[?1049h\x1b[?25l\x1b[2J\x1b[Hscreen\x1b[?1049l",
        b"\x1b]0;title\x07",
        b"\x1b]11;?\x07",
        b"\x1b[?2004h\x1b[?1h\x1b=",
        b"\x0e",
    ],
)
def test_what_is_written_shows_nothing_and_leaves_the_cursor_where_it_is(output: bytes) -> None:
    screen = pyte.Screen(80, 24)
    stream = pyte.ByteStream(screen)
    stream.feed(b"first\r\nsecond\r\n" + output)
    before, place = list(screen.display), (screen.cursor.x, screen.cursor.y)
    stream.feed(left(b"first\r\nsecond\r\n", output).encode())
    assert screen.display == before
    assert (screen.cursor.x, screen.cursor.y) == place
    assert screen.cursor.attrs.fg == "default"


def test_no_sequence_with_a_mark_between_that_old_consoles_print_is_sent_after_colours() -> None:
    assert "!" not in left(b"\x1b[1m")
    assert re.findall(r"\x1b\[[<=][^@-~]*[@-~]", left(b"\x1b[1m")) == []

r"""What an agent's output did to the terminal, and what puts that in order again.

Rules:

- After output without control sequences nothing is added.
- Sequences are read as terminals read them (ECMA-48; Williams, "A parser for DEC's ANSI-compatible video terminals"):
  numbers may have leading zeros, other controls do not end a sequence, CAN, SUB and a new ESC do. A C1 control, as
  UTF-8 or as the single byte that is no part of a character, is one for some terminals and nothing for others.
- What every terminal takes or ignores is reset after any control sequence (`RESET_MODES`). What some terminals would
  print, what moves the cursor and what would undo the owner's own choice of colours is reset only where it was used
  (`_undo`). A soft reset (`\e[!p`) is never sent: terminals that do not know it print its last letter.
- The window's title is left alone.
- What makes a terminal send something by itself, an answer or a report, is noticed (`asked`): it may come later than
  the agent's end. It is noticed too often rather than too seldom, for it costs no more than a question (`STATUS`).
"""

import codecs
import re
from collections.abc import Sequence

_ST = "\x1b\\"

KEYBOARD = "\x1b[<99u\x1b[=0u"
"""Kitty's keyboard protocol off; each of the two screens has a stack of its own."""

PRINTER = "\x1b[4i"
"""Ends the printing of all output. A terminal that prints looks for this alone, so it comes first."""

STATUS = "\x1b[5n"
STATUS_ANSWERS = (b"\x1b[0n", b"\x9b0n")
"""Asks how the terminal is, which every terminal answers, and in the order of the questions (ECMA-48, DSR)."""

_RELEASE = _ST + "\x1b<" + "\x1b[?2026l"
"""Ends a control string that was cut off, leaves VT52 mode, and shows what synchronised output held back."""

_RESTORE_SCREEN = "\x1b[?1049l"
_MAIN_SCREEN = "\x1b[?1047l"
"""The main screen, however the other one was entered. Unlike the one before, it does not move the cursor."""

RESET_MODES = "".join(
    (
        "\x1b[>4;0m",  # modifyOtherKeys
        "\x1b[?9l\x1b[?1000l\x1b[?1001l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l",  # mouse
        "\x1b[?1004l\x1b[?2004l\x1b[?2031l\x1b[?2048l",  # focus, bracketed paste, colour scheme and size reports
        "\x1b[?1l\x1b[?9001l\x1b>",  # application cursor keys, keys as Windows reports them, application keypad
        "\x1b[2l\x1b[12h\x1b[20l\x1b[?8h",  # keyboard unlocked, no echo by the terminal, Return as CR, repeating keys
        "\x1b[4l\x1b[?7h\x1b[?45l\x1b[?5l",  # insert mode off, wrapping on but not backwards, no reverse video
        "\x0f\x1b(B",  # plain character set
        "\x1b]8;;" + _ST,  # an open hyperlink
        "\x1b[?69l\x1b7\x1b[r\x1b8",  # the whole screen scrolls; setting that moves the cursor, hence the frame
        "\x1b[0m\x1b[0 q\x1b[?25h",  # colours, cursor shape, cursor visible
    )
)

_SAVING_SCREEN = 1049
_REPORTING_MODES = frozenset((9, 1000, 1001, 1002, 1003, 1004, 2031, 2048, 9001))
_UNDO_MODES = {
    3: "\x1b[?3l",  # 132 columns
    # Moves the cursor to the first line; from the last one on the prompt overwrites nothing.
    6: "\x1b[?6l\x1b[9999;1H",  # lines counted within the scrolling region
}
_AUTO_PRINT = "\x1b[?4i"
_SEVEN_BITS = "\x1b F"
_VT420 = '\x1b[64;1"p'
"""xterm comes back from VT52 mode as a VT100, which does not answer what programs ask it at their start."""
_MODIFIED_KEYS = (0, 1, 2, 3, 6, 7)
_TAB_STOPS = "\x1b7" + "".join(f"\x1b[{column}G\x1bH" for column in range(9, 400, 8)) + "\x1b8"
_UTF_8 = "\x1b%G"
_COLOURS = range(10, 20)
_PALETTE = range(256)
_CONSOLE_PALETTE = "\x1b]R" + _ST
_PROGRESS = "\x1b]9;4;0" + _ST
_POINTER = "\x1b]22;" + _ST
_LOOK_BACK = 256
_LIMIT = 4096
"""How many characters of an unfinished sequence are kept: far more parameters than any terminal reads."""

_CONTROL = re.compile("[\x05\x0e\x1b\x80-\x9f\udc80-\udc9f]")
_C1 = re.compile("[\x80-\x9f\udc80-\udc9f]")
_UNSEEN = re.compile("[\x00-\x06\x08\x0b\x0c\x0e-\x17\x19\x1c-\x1f\x7f]")
_EXECUTED = "\x07\t\r\n"
_C1_MARK = "\x0b"
"""Stands between ESC and the letter that a C1 control is rewritten to; taken out of the output itself."""
_BEGIN = rf"\x1b[{_C1_MARK}{_EXECUTED}]*"
_INSIDE = r"[^\x07\x18\x1a\x1b]*"
_END = r"(?:[\x07\x18\x1a]|(?=\x1b))"
_SEQUENCE = re.compile(
    rf"{_BEGIN}(?:\[[0-?{_EXECUTED}]*[ -/{_EXECUTED}]*[@-~]|[\]PX^_]{_INSIDE}{_END}"
    rf"|[ -/][ -/{_EXECUTED}]*[0-~]|[0-OQ-WYZ\\`-~])"
)
_TELLING = re.compile(
    rf"(?P<begin>{_BEGIN})(?:\[(?![0-9:;]*m)[{_EXECUTED}]*(?P<private>[<-?]?)(?P<parameters>[0-9:;{_EXECUTED}]*)(?P<final>[ghilmnu])"
    rf"|\](?P<text>{_INSIDE}){_END}|%[ -/{_EXECUTED}]*(?P<coding>[0-~])|(?P<reset>c)|[ ][{_EXECUTED}]*(?P<bits>G))"
)
"""The sequences that say something here; the most frequent one, a change of colours, does not."""
_ASKING = re.compile(
    rf"{_BEGIN}(?:Z|[P_]"  # the terminal's kind; settings, capabilities and pictures
    rf"|\][0{_EXECUTED}]*(?:52|99|1337|5522);|\]{_INSIDE}\?"  # clipboard, notifications, cell size; colours
    rf"|\[[0-?{_EXECUTED}]*(?:[cnxy]|[#$&'*][{_EXECUTED}]*[pRuwy|])"  # kind, status, place; modes, tables, checksums
    rf"|\[[{_EXECUTED}]*>[0-9:;{_EXECUTED}]*q|\[[{_EXECUTED}]*\?[0-9:;{_EXECUTED}]*[mSu]"  # version; keyboard, pictures
    rf"|\[[0{_EXECUTED}]*(?:1[134-9]|2[01])[0-9:;{_EXECUTED}]*t)"  # the window's state, place, size and title
)
_UNFINISHED = re.compile(rf"{_BEGIN}(?:\[[0-?{_EXECUTED}]*[ -/{_EXECUTED}]*|[\]PX^_]{_INSIDE}|[ -/{_EXECUTED}]*)\Z")
_BEGUN_CONTROL = re.compile(rf"{_BEGIN}\[")
_LONG_NUMBER = re.compile(r"(?<![0-9])0*([0-9]{1,9})[0-9]*")


class OutputTrace:
    """Remembers of the output on one terminal what is needed to leave it in order."""

    def __init__(self) -> None:
        self.saw_control = False
        self.asked = False
        self.statuses_asked = 0
        self.saved_screen = False
        self.at_line_start = True
        self.used: dict[str, None] = {}
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._unfinished = ""

    def note(self, data: bytes) -> None:
        """Takes the next piece of output; characters and sequences may be split over pieces."""
        text = self._decoder.decode(data)
        if self._unfinished or _CONTROL.search(text):
            self.saw_control = True
            self.asked = self.asked or "\x05" in text
            text = self._without_sequences(text)
        visible = text.rstrip("\x00\x07")
        if visible:
            self.at_line_start = visible[-1] in "\r\n"

    def _without_sequences(self, text: str) -> str:
        """Takes the sequences and gives the end of the text without them."""
        text = _UNSEEN.sub("", text)
        text = self._unfinished + (_C1.sub(_seven_bit, text) if _C1.search(text) else text)
        last = text.rfind("\x1b")
        unfinished = text[last:] if last >= 0 and _UNFINISHED.match(text, last) else ""
        self._unfinished = _bounded(unfinished)
        for found in _TELLING.finditer(text):
            self._take(found)
        self.asked = self.asked or _ASKING.search(text) is not None
        # Any ESC begins a sequence, so that a part that begins with one has no half of an earlier one.
        begin = max(text.rfind("\x1b", 0, -_LOOK_BACK), 0)
        visible = _SEQUENCE.sub("", text[begin:]).removesuffix(unfinished)
        return visible or _SEQUENCE.sub("", text).removesuffix(unfinished)

    def _take(self, found: "re.Match[str]") -> None:
        if found["reset"]:
            self.saved_screen = False
        elif found["text"] is not None:
            self.used |= dict.fromkeys(_undo_string(found["text"]))
        elif found["bits"]:
            self.used |= {_SEVEN_BITS: None}
        elif found["coding"]:
            self.used |= dict.fromkeys([_UTF_8] if found["coding"] != "G" else [])
        else:
            self._take_control(found, _numbers(found["parameters"]))

    def _take_control(self, found: "re.Match[str]", numbers: Sequence[int]) -> None:
        private, final = found["private"], found["final"]
        if private == "?" and final in "hl" and _SAVING_SCREEN in numbers and _C1_MARK not in found["begin"]:
            self.saved_screen = final == "h"
        self.asked = self.asked or (private == "?" and final == "h" and not _REPORTING_MODES.isdisjoint(numbers))
        self.statuses_asked += (private, final, list(numbers)) == ("", "n", [5])
        self.used |= dict.fromkeys(_undo_control(private, numbers, final))


def leaving_bytes(trace: OutputTrace, *, ends_line: bool, asks: bool = False) -> bytes:
    """Gives what puts the terminal in order after the traced output.

    With `asks` it is asked for its status after that, and with `ends_line` a begun line is ended.
    """
    text = ""
    if trace.saw_control:
        # The screen first: on some terminals saving the cursor would overwrite where that screen was entered from.
        keyboard = KEYBOARD if KEYBOARD in trace.used else ""
        screen = (_RESTORE_SCREEN if trace.saved_screen else "") + _MAIN_SCREEN
        others = "".join(undo for undo in trace.used if undo not in (KEYBOARD, PRINTER))
        text += (
            (PRINTER if PRINTER in trace.used else "") + _RELEASE + keyboard + screen + keyboard + RESET_MODES + others
        )
    if asks:
        text += STATUS
    if ends_line and not trace.at_line_start:
        text += "\r\n"
    return text.encode("ascii")


def _seven_bit(control: "re.Match[str]") -> str:
    return "\x1b" + _C1_MARK + chr((ord(control[0]) & 0x1F) + 0x40)


def _bounded(unfinished: str) -> str:
    """Keeps of a sequence what decides about it: more digits, parameters and text than that change nothing."""
    if len(unfinished) > _LIMIT and _BEGUN_CONTROL.match(unfinished):
        unfinished = _LONG_NUMBER.sub(r"\1", unfinished)
    return unfinished[:_LIMIT]


def _numbers(parameters: str) -> list[int]:
    """Gives the numbers among the parameters; one of very many digits is no mode and no colour, and so cut."""
    digits = "".join(character for character in parameters if character not in _EXECUTED)
    return [int(found[1]) for found in _LONG_NUMBER.finditer(digits)]


def _undo_control(private: str, numbers: Sequence[int], final: str) -> tuple[str, ...]:
    """Gives what takes back one control sequence that is reset only where it was used."""
    match (private, final):
        case (">" | "=", "u"):
            return (KEYBOARD,)
        case (">", "m") if numbers and numbers[0] in _MODIFIED_KEYS:
            return (f"\x1b[>{numbers[0]}m",)
        case ("?", "h"):
            return tuple(_UNDO_MODES[number] for number in numbers if number in _UNDO_MODES)
        case ("", "i") if 5 in numbers:
            return (PRINTER,)
        case ("?", "i") if 5 in numbers:
            return (_AUTO_PRINT,)
        case ("?", "l") if 2 in numbers:
            return (_VT420,)
        case ("", "g") if 3 in numbers:
            return (_TAB_STOPS,)
        case _:
            return ()


def _undo_string(text: str) -> tuple[str, ...]:
    """Gives what takes back an operating system command; a question (`?`) changes nothing."""
    number, *values = text.split(";")
    if number.startswith("P"):
        return (_CONSOLE_PALETTE,)
    match _number(number):
        case 4 | 5 as code:
            places = [_number(place) for place, value in zip(values[::2], values[1::2], strict=False) if value != "?"]
            return tuple(f"\x1b]{100 + code};{place}{_ST}" for place in places if place in _PALETTE)
        case code if code in _COLOURS:
            changed = [code + place for place, value in enumerate(values) if value not in ("?", "")]
            return tuple(f"\x1b]{100 + one}{_ST}" for one in changed if one in _COLOURS)
        case 9 if values[:1] == ["4"]:
            return (_PROGRESS,)
        case 22:
            return (_POINTER,)
        case _:
            return ()


def _number(text: str) -> int:
    """Gives the number that the text is, -1 for any other text."""
    return _numbers(text)[0] if text.isascii() and text.isdigit() else -1

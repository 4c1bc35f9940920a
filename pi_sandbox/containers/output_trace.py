r"""What an agent's output did to the terminal, and what puts that in order again.

Rules:

- After output without control sequences nothing is added.
- Sequences are read as terminals read them (ECMA-48; Williams, "A parser for DEC's ANSI-compatible video terminals"):
  numbers may have leading zeros, other controls do not end a sequence, CAN, SUB and a new ESC do. A C1 control, as
  UTF-8 or as the single byte that is no part of a character, is one for some terminals and nothing for others.
- What is changed back, always or where it was used, and with what, stands in `terminal_changes.py`.
- What makes a terminal send something by itself, an answer or a report, is noticed (`asked`): it may come later than
  the agent's end. It is noticed too often rather than too seldom, for it costs no more than a question (`STATUS`).
"""

import codecs
import re
from collections.abc import Iterable, Sequence

from pi_sandbox.containers.terminal_changes import (
    FIRST,
    KEYBOARD,
    LAST,
    MAIN_DISPLAY,
    MAIN_SCREEN,
    RELEASE,
    RESET_MODES,
    RESTORE_SCREEN,
    SAVING_SCREEN,
    UNKNOWN_MODES,
    is_reporting,
    undo_control,
    undo_device_control,
    undo_escape,
    undo_string,
    unknown_modes,
)

STATUS = "\x1b[5n"
STATUS_ANSWERS = (b"\x1b[0n", b"\x9b0n")
"""Asks how the terminal is, which every terminal answers, and in the order of the questions (ECMA-48, DSR)."""

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
    rf"(?P<begin>{_BEGIN})(?:\[(?![0-9:;]*[A-HJ-MSTXad-fm])[{_EXECUTED}]*(?P<private>[<-?]?)"
    rf"(?P<parameters>[0-9:;{_EXECUTED}]*)(?P<kind>[ -/{_EXECUTED}]*[@-~])"
    rf"|\](?P<text>{_INSIDE}){_END}|P(?P<arguments>[0-9:;{_EXECUTED}]*)(?P<device>[ -/{_EXECUTED}]*[@-~])"
    rf"|(?P<letters>[ -/][ -/{_EXECUTED}]*[0-~]|[0-OQ-WYZ`-~]))"
)
"""The sequences that may say something here; the most frequent ones (colours, moving, erasing) do not."""
_ASKING = re.compile(
    rf"{_BEGIN}(?:Z|[P_]"  # the terminal's kind; settings, capabilities and pictures
    rf"|\][0{_EXECUTED}]*(?:60|61|(?:52|99|1337|5522);)|\]{_INSIDE}\?"  # features, clipboard, notifications; colours
    rf"|\[[0-?{_EXECUTED}]*(?:[cnxy]|[\"-/][ -/{_EXECUTED}]*[@-~])"  # kind, status, place; DEC's reports
    rf"|\[[{_EXECUTED}]*>[0-9:;{_EXECUTED}]*[ {_EXECUTED}]*q"  # version, cursors
    rf"|\[[{_EXECUTED}]*\?[0-9:;{_EXECUTED}]*[mSu]"  # keyboard, pictures
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
        self.unknown_modes: dict[int, None] = {}
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
        if found["kind"] is not None:
            self._take_control(found, _numbers(found["parameters"]))
        elif found["text"] is not None:
            self._remember(undo_string(found["text"]))
        elif found["device"] is not None:
            self._remember([undo_device_control(_plain(found["device"]), _numbers(found["arguments"]))])
        elif (letters := _plain(found["letters"])) == "c":
            self.saved_screen = False
        else:
            self._remember([undo_escape(letters)])

    def _take_control(self, found: "re.Match[str]", numbers: Sequence[int]) -> None:
        kind = found["private"] + _plain(found["kind"])
        if kind in ("?h", "?l") and SAVING_SCREEN in numbers and _C1_MARK not in found["begin"]:
            self.saved_screen = kind == "?h"
        if kind in ("?h", "?r"):
            self.asked = self.asked or is_reporting(numbers)
            self.unknown_modes |= dict.fromkeys(unknown_modes(numbers)[: UNKNOWN_MODES - len(self.unknown_modes)])
        self.statuses_asked += (kind, list(numbers)) == ("n", [5])
        self._remember(undo_control(kind, numbers))

    def _remember(self, undoing: Iterable[str | None]) -> None:
        self.used |= dict.fromkeys(undo for undo in undoing if undo)


def leaving_bytes(trace: OutputTrace, *, ends_line: bool, asks: bool = False) -> bytes:
    """Gives what puts the terminal in order after the traced output.

    With `asks` it is asked for its status after that, and with `ends_line` a begun line is ended.
    """
    text = ""
    if trace.saw_control:
        used = trace.used
        first = "".join(undo for undo in FIRST if undo in used)
        display = MAIN_DISPLAY if MAIN_DISPLAY in used else ""
        # The screen first: on some terminals saving the cursor would overwrite where that screen was entered from.
        keyboard = KEYBOARD if KEYBOARD in used else ""
        screen = (RESTORE_SCREEN if trace.saved_screen else "") + MAIN_SCREEN
        others = [undo for undo in used if undo not in (*FIRST, MAIN_DISPLAY, KEYBOARD)]
        others = sorted(others, key=LAST.__contains__) + [f"\x1b[?{number}l" for number in trace.unknown_modes]
        # Colours last: a terminal that knows no private mark takes what ends in `m` for one.
        text += first + RELEASE + display + keyboard + screen + keyboard + "".join(others) + RESET_MODES
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
    return [int(found[1]) for found in _LONG_NUMBER.finditer(_plain(parameters))]


def _plain(part: str) -> str:
    """Gives part of a sequence without the controls that a terminal carries out within one."""
    return "".join(character for character in part if character not in _EXECUTED)

r"""What a control sequence changes on a terminal to stay, and what changes that back.

Rules:

- The lists follow "XTerm Control Sequences" (patch 379), and for what xterm does not know console_codes(4) and the
  manuals of kitty, mintty, iTerm2 and VTE.
- What every terminal takes or ignores and nobody chooses otherwise is reset at each end (`RESET_MODES`). All else only
  where it was used: it may be the owner's choice, move the cursor or be printed by a terminal that does not know it.
- A private mode that was set is reset, one of `_USUALLY_SET` that was reset is set again, and one that was restored
  (XTRESTORE) is either, so both hold. That goes for modes which nobody here knows, too, up to `UNKNOWN_MODES`.
- A soft reset (`\e[!p`) is never sent: terminals that do not know it print its last letter.

Not changed back: `_LEFT`; what has no usual value (the font; the window's title, icon, properties, place and size);
and what a multiplexer handed through to the terminal around it.
"""

import re
from collections.abc import Sequence

_ST = "\x1b\\"

KEYBOARD = "\x1b[<99u\x1b[=0u"
"""Kitty's keyboard protocol off; each of the two screens has a stack of its own."""

PRINTER = "\x1b[4i"
"""Ends the printing of all output. A terminal that prints looks for this alone."""

TEKTRONIX = "\x1b\x03"
"""Back from the window of Tektronix' terminal, to which nothing else means what it means here."""

MAIN_DISPLAY = "\x1b[0$}"
"""Back from the status line, which takes the output until then."""

RELEASE = _ST + "\x1b<" + "\x1b[?2026l"
"""Ends a control string that was cut off, leaves VT52 mode, and shows what synchronised output held back."""

RESTORE_SCREEN = "\x1b[?1049l"
MAIN_SCREEN = "\x1b[?1047l"
"""The main screen, however the other one was entered. Unlike the one before, it does not move the cursor."""

RESET_MODES = "".join(
    (
        "\x1b[>4;0m",  # modifyOtherKeys
        "\x1b[?9l\x1b[?1000l\x1b[?1001l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l",  # mouse
        "\x1b[?1004l\x1b[?2004l\x1b[?2031l\x1b[?2048l",  # focus, bracketed paste, colour scheme and size reports
        "\x1b[?1l\x1b[?9001l\x1b>",  # application cursor keys, keys as Windows reports them, application keypad
        "\x1b[2l\x1b[12h\x1b[20l\x1b[?8h",  # keyboard unlocked, no echo by the terminal, Return as CR, repeating keys
        "\x1b[3l\x1b[4l\x1b[?7h\x1b[?45l\x1b[?5l",  # controls not shown, no insert mode, wrapping, no reverse video
        "\x0f\x1b(B\x1b[10m",  # plain character set, also by the Linux console's way
        "\x1b]8;;" + _ST,  # an open hyperlink
        "\x1b[?69l\x1b7\x1b[r\x1b8",  # the whole screen scrolls; setting that moves the cursor, hence the frame
        "\x1b[0m\x1b[?25h",  # colours, cursor visible
    )
)

SAVING_SCREEN = 1049
UNKNOWN_MODES = 64
FIRST = (PRINTER, TEKTRONIX)
"""In this order before all else: until then nothing else is understood."""
LAST = ("\x1b[?40l", "\x1b[?95l")
"""Without these two the width cannot be changed, or the screen is cleared by that."""

_VT420 = '\x1b[64;1"p'
"""The level of a terminal, with controls of seven bits: in VT52 mode xterm forgets it, and DECSCL sets it."""
_UNPROTECTED = '\x1bW\x1b[0"q'
"""No guarded characters, and those that are on the screen are erased like others."""
_TAB_STOPS = "\x1b7\x1b[3g" + "".join(f"\x1b[{column}G\x1bH" for column in range(9, 400, 8)) + "\x1b[g\x1b8"
"""Those beyond the last column come to stand there, and are taken away again."""
_ORIGIN = "\x1b[?6l\x1b[9999;1H"
"""Moves the cursor to the first line; from the last one on the prompt overwrites nothing."""
_CURSOR = "\x1b[0 q"
"""As the owner has it; xterm's blinks afterwards."""
_SINGLE_WIDTH = "\x1b#5"
_SEVEN_BITS = "\x1b F"
_UTF_8 = "\x1b%G"
_FUNCTION_KEYS = f"\x1bP0;1|{_ST}"
"""Clears the texts that keys were given (DECUDK): what a key types into the shell."""
_MACROS = f"\x1bP0;1;0!z{_ST}"
_BELL = "\x1b[10]\x1b[11]"
_CONSOLE_COLOURS = "\x1b[37;40m\x1b[8]\x1b[0m"
_LOCATOR = "\x1b[0'z"
_PAGE = "\x1b[1 P"

_ALWAYS = frozenset(int(number) for number in re.findall(r"\?([0-9]+)[hl]", RELEASE + RESET_MODES))
_SCREENS = frozenset((47, 1047, 1048, SAVING_SCREEN))
_USUALLY_SET = frozenset(
    (
        35,  # font sizes by keys (rxvt, xterm)
        64,  # the page follows the cursor
        1035,  # modifiers with NumLock
        1036,  # Meta sends ESC
        1039,  # Alt sends ESC
        1040,  # the selection is kept
        1046,  # the other screen may be used
        1070,  # colours of one picture only
        1243,  # arrow keys follow the direction of the text (VTE)
        7723,  # lines are wrapped anew (mintty)
        7786,  # the wheel is reported on the other screen (mintty)
    )
)
_USUALLY_RESET = frozenset(
    (
        4,  # smooth scrolling
        *(18, 19),  # printing: form feed, extent
        40,  # 132 columns allowed
        41,  # the fix for more(1)
        42,  # national character sets
        *(43, 44, 46),  # printing of pictures, margin bell, a log file
        *(66, 67, 68),  # application keypad, Backspace sends BS, business keys
        *(80, 81),  # pictures do not scroll, keys by their place
        95,  # no clearing when the width changes
        1034,  # Meta sets the eighth bit
        1037,  # Delete sends DEL
        *(1041, 1042, 1043, 1044),  # clipboard as selection, urgent and raising bell, kept clipboard
        1045,  # wrapping backwards beyond the screen
        *(1050, 1051, 1052, 1053, 1060, 1061),  # other keyboards
        *(2001, 2002, 2003, 2005, 2006),  # mouse, quoting and pasting for readline
        2500,  # mirrored boxes (VTE, mintty)
        *(7727, 7728, 7765, 7783, 7787),  # ESC, wheel and shortcuts as other keys (mintty)
        8452,  # the cursor beside a picture
        *range(77000, 77032),  # control keys as sequences (mintty)
    )
)
_LEFT = frozenset(
    (
        *(10, 30, 7766),  # toolbar and scroll bar
        *(13, 14),  # xterm only reports these
        1007,  # the wheel as arrow keys on the other screen: on or off at the start, as terminals go
        *(1010, 1011),  # scrolling to the end with output and keys
        *(2027, 2501, 7769),  # how wide characters are, which way text runs
        *(7711, 7796),  # marks on lines
    )
)
_REPORTING = frozenset((9, *range(1000, 1004), 1004, *range(2001, 2004), 2031, 2048, 9001))
_MODES = {
    2: _VT420,
    3: "\x1b[?3l",
    6: _ORIGIN,
    12: "\x1b[?12l" + _CURSOR,  # a blinking cursor
    38: TEKTRONIX,
    **{number: f"\x1b[?{number}h" for number in _USUALLY_SET},
    **{number: f"\x1b[?{number}l" for number in _USUALLY_RESET},
}
_CHANGED_BY_RESET = _USUALLY_SET | {2}
_KNOWN = frozenset(_MODES) | _ALWAYS | _SCREENS | _LEFT

_ANSI_SET = frozenset((8, 12))  # text in two directions is sorted; no echo by the terminal
_ANSI_MODES = range(1, 23)
"""Those of ECMA-48."""

_CONTROLS = {
    ">u": KEYBOARD,
    "=u": KEYBOARD,
    ">p": "\x1b[>1p",  # the mouse pointer hidden
    ">s": "\x1b[>0s",  # Shift goes to the program
    "?c": "\x1b[?0c",  # the Linux console's cursor
    "]": _BELL,  # the Linux console's settings
    "q": "\x1b[0q",  # lights
    " q": _CURSOR,
    " t": "\x1b[8 t",  # the bell's loudness
    "-p": "\x1b[-p",  # how fast keys repeat
    '"p': _VT420,
    '"q': _UNPROTECTED,
    "$}": MAIN_DISPLAY,
    "$~": "\x1b[0$~",  # the status line itself
    "'z": _LOCATOR,  # reports of the mouse, DEC's way
    "'{": _LOCATOR,
    "'w": _LOCATOR,
    "g": _TAB_STOPS,
    "W": _TAB_STOPS,
    "?W": _TAB_STOPS,
    "U": _PAGE,
    "V": _PAGE,
    " P": _PAGE,
    " Q": _PAGE,
    " R": _PAGE,
    " k": "\x1b[0 k",  # the direction of text
    " S": "\x1b[0 S",
    " Z": "\x1b[0 Z",  # its width (mintty)
    "%q": "\x1b[10%q",  # progress (mintty)
}
"""By what stands before and at the end of the sequence, whatever its parameters."""

_NUMBERED_CONTROLS = {
    ">m": (range(8), "\x1b[>{}m"),  # what modifiers do to keys
    ">n": (range(8), "\x1b[>{}m"),
    ">f": (range(8), "\x1b[>{}f"),
    ">t": (range(4), "\x1b[>{}T"),  # how titles are written
}
_WITHOUT_NUMBER = {">n": 2}
_STRINGS = {
    7: "7;",  # the folder that a new window opens in
    22: "22;",  # the mouse pointer
    440: "440;",  # a sound (mintty)
    701: "701;",  # the locale
    7770: "7770;",  # the font's size, alone and with the window (mintty)
    7777: "7777;",
    77119: "77119;0",  # wide characters (mintty)
}
"""Operating system commands by number; a question (`?`) changes nothing."""

_COLOURS = range(10, 20)
_PALETTE = {4: range(262), 5: range(6), 6: range(6), 106: range(6), 7704: range(16)}
"""xterm counts its special colours from 256 on, too."""
_RESET_PALETTE = {4: "104;{}", 5: "105;{}", 6: "106;{};0", 106: "106;{};0", 7704: "7704;{};"}
"""What has no colour of its own in xterm's settings keeps a special colour, but does not show it."""
_COLOUR_NAMES = re.compile(
    r"foreground|background|selection_(?:fore|back)ground|cursor(?:_text)?|visual_bell"
    r"|transparent_background_color[1-7]|[0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5]"
)
"""kitty's."""
_CONSOLE_PALETTE = "\x1b]R" + _ST


def is_reporting(modes: Sequence[int]) -> bool:
    """Tells whether one of these private modes makes a terminal send by itself, or is unknown and so may."""
    return any(number in _REPORTING or number not in _KNOWN for number in modes)


def unknown_modes(numbers: Sequence[int]) -> list[int]:
    """Gives which of these private modes are in no list here."""
    return [number for number in numbers if number not in _KNOWN]


def undo_escape(letters: str) -> str | None:
    """Gives what takes back an escape sequence that is none of the longer kinds, by all after its ESC."""
    match letters:
        case "H":
            return _TAB_STOPS
        case "V" | "W":
            return _UNPROTECTED
        case "#3" | "#4" | "#6":
            return _SINGLE_WIDTH
        case " G":
            return _SEVEN_BITS
        case _ if letters[:1] == "%" and letters != "%G":
            return _UTF_8
        case _:
            return None


def undo_control(kind: str, numbers: Sequence[int]) -> list[str]:
    """Gives what takes back a control sequence, by its private mark, intermediates and final (`kind`)."""
    if kind in _NUMBERED_CONTROLS:
        known, text = _NUMBERED_CONTROLS[kind]
        default = [_WITHOUT_NUMBER[kind]] if kind in _WITHOUT_NUMBER else []
        # Of keys only the first parameter is one, the second is its value.
        chosen = numbers if kind == ">t" else (list(numbers) or default)[:1]
        return [text.format(number) for number in chosen if number in known]
    match kind:
        case "?h" | "?l" | "?r":
            return [
                _MODES[number]
                for number in numbers
                if number in _MODES and (kind == "?r" or (kind == "?l") == (number in _CHANGED_BY_RESET))
            ]
        case "h":
            return [f"\x1b[{number}l" for number in numbers if number in _ANSI_MODES and number not in _ANSI_SET]
        case "l":
            return [f"\x1b[{number}h" for number in numbers if number in _ANSI_SET]
        case "i":
            return [PRINTER] if 5 in numbers else []
        case "?i":
            return ["\x1b[?4i"] if 5 in numbers else []
        case "]" if 8 in numbers[:1]:
            return [_CONSOLE_COLOURS]
        case _:
            return [_CONTROLS[kind]] if kind in _CONTROLS else []


def undo_device_control(kind: str, numbers: Sequence[int]) -> str | None:
    """Gives what takes back a device control string, by the intermediates and final that stand before its text."""
    match kind:
        case "|":
            return _FUNCTION_KEYS
        case "!z":
            return _MACROS
        case "$t":
            return _TAB_STOPS if 2 in numbers[:1] else _ORIGIN
        case _:
            return None


def undo_string(text: str) -> list[str]:
    """Gives what takes back an operating system command; a question (`?`) changes nothing."""
    number, *values = text.split(";")
    if number.startswith("P"):
        return [_CONSOLE_PALETTE]
    return [f"\x1b]{undo}{_ST}" for undo in _undo_numbered(_number(number), values)]


def _undo_numbered(number: int, values: Sequence[str]) -> list[str]:
    if number == 6 and values[1:2] == ["bg"]:
        return ["6;1;bg;*;default"]
    if number in _STRINGS:
        return [] if values[:1] == ["?"] else [_STRINGS[number]]
    if number in _PALETTE:
        places = [_number(place) for place, value in zip(values[::2], values[1::2], strict=False) if value != "?"]
        return [_RESET_PALETTE[number].format(place) for place in places if place in _PALETTE[number]]
    if number in _COLOURS:
        changed = [number + place for place, value in enumerate(values) if value not in ("?", "")]
        return [f"1{one}" for one in changed if one in _COLOURS]
    match number:
        case 9 if values[:1] in (["4"], ["progress"]):
            return ["9;4;0"]
        case 21:
            set_ones = [name for name, _, value in (part.partition("=") for part in values) if value != "?"]
            return [f"21;{name}" for name in set_ones if _COLOUR_NAMES.fullmatch(name)]
        case _:
            return []


def _number(text: str) -> int:
    """Gives the number that the text is, -1 for any other text or one of more digits than any command's."""
    digits = text.lstrip("0") or text[-1:]
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 9 else -1

"""Takes out of a text what a reader does not see: controls, terminal sequences, bidi controls, zero-width characters.

- An ANSI sequence goes as a whole. One that never ends loses only its start, so that it cannot take text with it.
- Each mandatory line break of Unicode (CR LF, CR, VT, FF, NEL, LS, PS) becomes one newline: text behind a lone CR must
  not overwrite what stands before it. Newline and tab stay; every other C0 and C1 control goes, and so do DEL, lone
  surrogates and noncharacters.
- All default-ignorable characters of Unicode go, assigned or not, because text can be hidden in them. Three kinds stay
  where the writing around them needs them, one at a time, so that they cannot carry a message of their own: U+FE0F
  after an emoji or in a keycap, ZWJ between two emoji, ZWJ and ZWNJ between two letters of a joining script or after
  its virama (the places that RFC 5892 allows, more coarsely).
- What that costs: soft hyphens, direction marks in Hebrew and Arabic, ideographic and Mongolian variants, Hangul
  fillers, and the flags of England, Scotland and Wales, which show as a black flag.
"""

import re

ALWAYS_IGNORED = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Default_Ignorable_Code_Point of Unicode without the three of `JOINERS`, and the interlinear annotation characters."""

JOINERS = "\u200c\u200d\ufe0f"

_NONCHARACTERS = "\ufdd0-\ufdef" + "".join(
    chr(plane + 0xFFFE) + chr(plane + 0xFFFF) for plane in range(0, 0x110000, 0x10000)
)
_IGNORED = re.compile(f"[{ALWAYS_IGNORED}{_NONCHARACTERS}\ud800-\udfff]")

_ANSI = re.compile(
    r"""
    (?: \x1b\[ | \x9b ) [0-?]* [ -/]* [@-~]                         # CSI: colours, cursor, erasing
    | (?: \x1b[\]PX^_] | [\x90\x98\x9d-\x9f] )                      # OSC, DCS, SOS, PM, APC: titles, links, clipboard
      [^\x07\n\x1b\x90\x98\x9b-\x9f]* (?: \x07 | \x1b\\ | \x9c )
    | \x1b [ -/]+ [0-~]                                             # character sets and the like
    | \x1b [0-Z\\^-~]                                               # two characters: reset, save, shift
    """,
    re.VERBOSE,
)
_LINE_BREAK = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")

_EMOJI = "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_JOINING = "\u0600-\u061b\u061d-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u17b3\u17b6-\u17ff\ua840-\ua8ff\uaa60-\uaa7f"
_VIRAMA = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca"
_NEEDED_JOINER = (
    f"(?<=[{_EMOJI}])\ufe0f|(?<=[0-9#*])\ufe0f(?=\u20e3)"
    f"|(?:(?<=[{_EMOJI}])|(?<=[{_EMOJI}]\ufe0f))\u200d(?=[{_EMOJI}])"
    f"|(?<=[{_JOINING}])[\u200c\u200d](?=[{_JOINING}])|(?<=[{_VIRAMA}])[\u200c\u200d]"
)
_JOINER = re.compile(f"({_NEEDED_JOINER})|[{JOINERS}]")


def without_invisible(text: str) -> str:
    """Gives the text without what a reader would not see; as often as it is applied, the same."""
    text = _IGNORED.sub("", text)
    if not text.isprintable():
        text = _CONTROL.sub("", _LINE_BREAK.sub("\n", _ANSI.sub("", text)))
    return _JOINER.sub(lambda match: match[1] or "", text)

"""sed: one substitution on standard input, or a list of printing expressions in quiet mode.

- The two forms are the specification's: `s/…/…/` without `e` and `w`, on a pipe or `< file` and not on files that are
  named; or, with `-n`, addresses with `p`, `P`, `=`, `l` or `q`, also in braces, on files
  as well.
- Everything else of the language is refused, above all what writes (`w`, `W`, `s///w`), runs (`e`, `s///e`), reads
  other files (`r`, `R`) or changes files in place (`-i`).
- Versions of sed disagree about where an expression with brackets ends (`pattern_ends.Reading`). A script passes if in
  each of these ways it is one of the two forms, or a mistake at which sed ends before it has read a line; nothing that
  looks like a writing or running command may stand behind that.
- A letter as delimiter and a line break in an expression are refused.
- `--sandbox` is added, which makes sed itself refuse `e`, `r` and `w`.
"""

from __future__ import annotations

import re

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.devices import refuse_devices
from pi_sandbox.bash_policy.options import OptionTable, Parsed, literal, plain_options, value_options, whole_number
from pi_sandbox.bash_policy.pattern_ends import Reading, end_in_reading
from pi_sandbox.bash_policy.words import Word

_IN_PLACE = "changes files in place; use the edit tool for memory files"
_TABLE = OptionTable(
    "sed",
    plain_options(
        "-n/--quiet/--silent -E/-r/--regexp-extended -s/--separate -u/--unbuffered -z/--null-data --posix --sandbox "
        "--debug --help --version"
    )
    + value_options("-e/--expression", literal)
    + value_options("-l/--line-length", whole_number),
    advice={
        "-i": _IN_PLACE,
        "--in-place": _IN_PLACE,
        "-f": "reads a script that nobody has seen; write it on the command line",
        "--file": "reads a script that nobody has seen; write it on the command line",
    },
)
_DELIMITERS = frozenset("/|#,:@!%+~=_;")
_LINE = re.compile(r"[0-9]+(?:~[0-9]+)?|\$")
_SECOND = re.compile(r"[+~][0-9]+")
_FLAGS = re.compile(r"[gpiIMm]*(?:[1-9][0-9]*)?[gpiIMm]*")
_NO_FLAG = re.compile(r"[^\sewWrR;}#]")
_NO_COMMAND = frozenset("][^()*.?|<>&\"'-")
"""What no sed takes for a command: all of them end there with an error."""
_WRITES = re.compile(r"(?<![A-Za-z0-9])[ewWrR](?![A-Za-z0-9])")
_FORMS = "write one 's/…/…/' on a pipe, or sed -n with printing expressions such as '1,20p'"


class _Mistake(Exception):
    """sed itself ends with an error here."""


class _Script:
    """A script and how far it has been read, in one of the readings."""

    def __init__(self, text: str, reading: Reading) -> None:
        self._text = text
        self._reading = reading
        self._at = 0

    @property
    def rest(self) -> str:
        return self._text[self._at :]

    def take(self, pattern: re.Pattern[str]) -> bool:
        found = pattern.match(self._text, self._at)
        if found is None:
            return False
        self._at = found.end()
        return True

    def skip(self, characters: str) -> None:
        while self.rest[:1] and self.rest[0] in characters:
            self._at += 1

    def next(self) -> str:
        self._at += 1
        return self._text[self._at - 1 : self._at]

    def pattern(self, delimiter: str, *, is_expression: bool) -> None:
        """Step over a pattern and its delimiter; `is_expression` says whether brackets have a meaning in it."""
        if delimiter not in _DELIMITERS:
            raise Refused(f"the delimiter {delimiter} in a script of sed is refused; write / instead")
        reading = self._reading if is_expression else Reading.NO_BRACKETS
        end = end_in_reading(self._text, self._at, delimiter, reading)
        if end is None and "\n" in self._text[self._at :]:
            raise Refused(f"the script {self._text} of sed has a line break in an expression; {_FORMS}")
        if end is None:
            raise self.mistake(f"lacks a closing {delimiter}")
        self._at = end

    def mistake(self, what: str) -> _Mistake:
        """Give the mistake that stands here, or refuse the script for what stands behind it."""
        if _WRITES.search(self.rest):
            raise Refused(f"versions of sed see the end of brackets in {self._text} elsewhere; use another delimiter")
        return _Mistake(f"the script {self._text} of sed {what}")

    def address(self) -> None:
        """Step over an address of one or two parts, if there is one."""
        if not self._part():
            return
        self.skip(" \t")
        if self.rest.startswith(","):
            self.next()
            self.skip(" \t")
            if not (self.take(_SECOND) or self._part()):
                raise Refused(f"the address in the script {self._text} of sed is not understood; {_FORMS}")
            self.skip(" \t")

    def _part(self) -> bool:
        if self.take(_LINE):
            return True
        if self.rest[:1] not in ("/", "\\"):
            return False
        delimiter = self.next()
        self.pattern(self.next() if delimiter == "\\" else delimiter, is_expression=True)
        self.skip("IM")
        return True


def _is_substitution(text: str, reading: Reading) -> bool:
    """Whether the script is one substitution that only prints; refuses one that writes or runs."""
    script = _Script(text, reading)
    script.skip(" \t")
    script.address()
    script.skip("! \t")
    if script.next() != "s":
        return False
    delimiter = script.next()
    script.pattern(delimiter, is_expression=True)
    script.pattern(delimiter, is_expression=False)
    script.take(_FLAGS)
    if _NO_FLAG.match(script.rest):
        raise script.mistake(f"has the flag {script.rest[0]}, which no sed knows")
    script.skip(" \t;")
    if script.rest:
        raise Refused(f"{script.rest} behind the substitution of sed is refused; {_FORMS}")
    return True


def _judge_printing(text: str, reading: Reading) -> None:
    script = _Script(text, reading)
    depth = 0
    while True:
        script.skip(" \t\n;")
        if not script.rest:
            break
        if script.rest[0] == "}":
            script.next()
            depth -= 1
            continue
        script.address()
        script.skip("! \t")
        command = script.next()
        if command == "{":
            depth += 1
            continue
        if command in _NO_COMMAND:
            raise script.mistake(f"has the command {command}, which no sed knows")
        if command not in ("p", "P", "=", "l", "q"):
            raise Refused(f"the command {command or '(none)'} in the script {text} of sed is refused; {_FORMS}")
        script.skip(" \t")
        if script.rest and script.rest[0] not in ";\n}":
            raise Refused(f"{script.rest} behind {command} in the script of sed is refused; {_FORMS}")
    if depth:
        raise Refused(f"the braces in the script {text} of sed do not match; {_FORMS}")


def _scripts(parsed: Parsed) -> tuple[tuple[str, ...], tuple[Word, ...]]:
    given = tuple(option.value or "" for option in parsed.options if option.name == "-e")
    if given:
        return given, parsed.operands
    if not parsed.operands:
        raise Refused(f"sed lacks its script; {_FORMS}")
    script, *files = parsed.operands
    if not script.is_literal:
        raise Refused(f"the script {script.text} of sed is a pattern to bash; quote it")
    return (script.text,), tuple(files)


def _instead(script: str) -> str:
    """Give the reading command that does what a script was most likely meant to do."""
    if first := re.fullmatch(r"([0-9]{1,9})q", script):
        return f"write head -n {first[1]}"
    if deleted := re.fullmatch(r"(?:1,)?([0-9]{1,9})d", script):
        whole = script.startswith("1,") or deleted[1] == "1"
        return f"write tail -n +{int(deleted[1]) + 1}" if whole else _FORMS
    if re.fullmatch(r"/[^/]*/d", script):
        return f"write grep -v '{script[1:-2]}'"
    return _FORMS


def _judge(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    parsed = _TABLE.parse(words)
    added = () if parsed.has("--sandbox") else (Word.literal("--sandbox"),)
    if parsed.has("--help", "--version"):
        return Judged(parsed.words())
    scripts, files = _scripts(parsed)
    refuse_devices("sed", files)
    substitutes = _judge_in_each_reading(scripts, files, quiet=parsed.has("-n"))
    return Judged((*added, *parsed.words()), options_ended=parsed.ended and not substitutes)


def _judge_in_each_reading(scripts: tuple[str, ...], files: tuple[Word, ...], *, quiet: bool) -> bool:
    """Give whether the scripts substitute in some reading; refuse what is harmful in one or a mistake in all."""
    forms: set[bool] = set()
    mistakes: list[_Mistake] = []
    for reading in Reading:
        try:
            forms.add(_judge_scripts(scripts, files, reading, quiet=quiet))
        except _Mistake as mistake:
            mistakes.append(mistake)
    if not forms:
        raise Refused(f"{mistakes[0]}; {_FORMS}")
    return True in forms


def _judge_scripts(scripts: tuple[str, ...], files: tuple[Word, ...], reading: Reading, *, quiet: bool) -> bool:
    if len(scripts) == 1 and _is_substitution(scripts[0], reading):
        if files:
            raise Refused(f"sed 's/…/…/' reads standard input only; write sed '…' < {files[0].text}")
        return True
    if not quiet:
        raise Refused(f"this script of sed is refused; {_instead(scripts[0])}")
    for script in scripts:
        _judge_printing(script, reading)
    return False


RULES = (
    CommandRule(
        names=("sed",),
        manual="sed(1) and info sed of GNU sed 4.9",
        judge=_judge,
        added_words=AddedWords.AFTER_END_OF_OPTIONS,
        allowed=(
            "sed -n '1,20p' notes/a.md",
            "sed -n 5p notes/a.md",
            "sed -n '$p' notes/a.md",
            "sed -n '/one/,/two/p' notes/a.md notes/b.md",
            "sed -n '/one/,+3p;$=' notes/a.md",
            "sed -ne 1p -e '$p' notes/a.md",
            "sed -n '/a\\/b/Ip' ./notes/*.md",
            "sed -n '\\|/x|p' notes/a.md",
            "sed -n '1~2p' notes/a.md",
            "sed -n '/one/!p' notes/a.md",
            "sed -n '1,40p;41q' notes/a.md",
            "sed -n '=' notes/a.md",
            "sed -n '/one/,/two/{/two/!p}' notes/a.md",
            "sed -n '1p\n3p' notes/a.md",
            "sed -n -- 1p -e.md",
            "cat notes/a.md | sed 's/one/two/g'",
            "cat notes/a.md | sed -E 's|(a+)|[\\1]|2'",
            "sed 's/^/  /' < notes/a.md",
            "cat notes/a.md | sed -n 's/^name: //p'",
            "cat notes/a.md | sed '2s/a/b/'",
            "cat notes/a.md | sed -e 's/[^a-z]*$//'",
            "cat notes/a.md | sed '/one/!s,a,b,'",
            "cat notes/a.md | sed 's/[[:space:]/]/x/'",
            "cat notes/a.md | sed -E 's/([^/]+)$/<\\1>/'",
            "sed -n '/[[:space:]/]/p' notes/a.md",
        ),
        refused=(
            "sed -i 's/a/b/' notes/a.md",
            "sed -i.bak 's/a/b/' notes/a.md",
            "sed --in-place=.bak 's/a/b/' notes/a.md",
            "sed -ni 1p notes/a.md",
            "sed -n -i -- 1p notes/a.md",
            "sed --in-pl 1p notes/a.md",
            "sed 's/a/b/' notes/a.md",
            "cat notes/a.md | sed 's/a/b/w out'",
            "cat notes/a.md | sed 's/a/id/e'",
            "cat notes/a.md | sed 's/a/id/ge'",
            "cat notes/a.md | sed 's/a/b/;s/c/d/'",
            "cat notes/a.md | sed -e 's/a/b/' -e 's/c/d/'",
            "cat notes/a.md | sed 's/a/b/;w out'",
            "cat notes/a.md | sed 's/[/]/b/w out/'",
            "cat notes/a.md | sed sxaxbx",
            "cat notes/a.md | sed 's/a/b'",
            "sed -n '1e id' notes/a.md",
            "sed -n e notes/a.md",
            "sed -n 'w out' notes/a.md",
            "sed -n '/a/W out' notes/a.md",
            "sed -n 'p;w out' notes/a.md",
            "sed -n 'r /etc/passwd' notes/a.md",
            "sed -n 'R x' notes/a.md",
            "sed -n 'F' notes/a.md",
            "sed -n '1p' *",
            "sed -n 1p *.md",
            "sed -n '/[/]w out/p' notes/a.md",
            "cat notes/a.md | sed 's/[/]/w out/'",
            "cat notes/a.md | sed 's/[[:x]/a/e]/b/'",
            "cat notes/a.md | sed 's/[\\]/x/w out'",
            "sed -n '/[[:x]/w out:]]/p' notes/a.md",
            "sed -n '/[]/w out/]/p' notes/a.md",
            "sed -n '1{p;w out\n}' notes/a.md",
            "sed -n '1{p' notes/a.md",
            "sed -n -f script notes/a.md",
            "sed -n --file=script notes/a.md",
            "sed 1d notes/a.md",
            "sed -n",
            "sed -n '1,p' notes/a.md",
            "sed -n '1p # x' notes/a.md",
            "sed -n '#n\nw out' notes/a.md",
            "sed -n y/a/b/ notes/a.md",
            "sed -s 1p notes/a.md",
        ),
    ),
)

"""od, hexdump, xxd, strings, base64, base32, basenc, iconv: bytes shown or read in another way.

- No option of od, hexdump and strings writes or runs; nor of GNU's base64, but the BSD tool has `-o`.
- The second operand of xxd is the file that it writes; its options are read in a way of its own: `-r` may be any word
  that begins so, and only the first letters of a word count.
- iconv writes with -o. It finds an encoding by its name, which is held to the letters of such names.
"""

from __future__ import annotations

import re

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.devices import refuse_devices
from pi_sandbox.bash_policy.options import Option, OptionTable, Takes, matches
from pi_sandbox.bash_policy.table_rules import option_table, table_rule
from pi_sandbox.bash_policy.words import Word

_WRITES = "writes a file; leave it out, the result is printed"
_XXD_FLAG = re.compile(r"-(a|b|C|d|e|E|h|i|p|ps|postscript|plain|r|revert|rp|u|v)")
_XXD_BOUND = re.compile(r"-[cglos][+-]?(0x[0-9a-fA-F]+|[0-9]+)")
_XXD_NUMBER = re.compile(r"-(c|cols|g|groupsize|l|len|o|offset|s|seek|skip)")
_NUMBER = re.compile(r"[+-]{0,2}(0x[0-9a-fA-F]+|[0-9]+)")
_encoding_name = matches(r"[A-Za-z0-9_.:+-]{0,60}(//(TRANSLIT|IGNORE|translit|ignore)){0,2}")


def _judge_xxd(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    rest = list(words)
    options: list[str] = []
    while rest and rest[0].fixed_start.startswith("-") and rest[0].text != "-":
        word = rest.pop(0)
        if word.text == "--" and word.is_literal:
            break
        options.extend(_xxd_option(word, rest))
    if len(rest) > 1:
        raise Refused(f"xxd writes its second file, {rest[1].text}; put the options first and name one file")
    if rest and rest[0].is_pattern:
        raise Refused(f"xxd writes a second file, and {rest[0].text} may be two; name one file")
    refuse_devices("xxd", rest)
    ended = (Word.literal("--"),) if rest else ()
    return Judged((*map(Word.literal, options), *ended, *rest))


def _xxd_option(word: Word, rest: list[Word]) -> tuple[str, ...]:
    text = word.text
    if not word.is_literal:
        raise Refused(f"the option {text} of xxd holds a pattern; quote it")
    if _XXD_FLAG.fullmatch(text) or _XXD_BOUND.fullmatch(text):
        return (text,)
    if _XXD_NUMBER.fullmatch(text) and rest and rest[0].is_literal and _NUMBER.fullmatch(rest[0].text):
        return text, rest.pop(0).text
    raise Refused(
        f"the option {text} of xxd is not among those known to only read; write one letter each, as -l 64 -s 0"
    )


def _basenc(command: str, more: str = "") -> OptionTable:
    return option_table(
        command,
        f"-d/--decode -i/--ignore-garbage -w/--wrap= {more}",
        advice={"-o": _WRITES, "--output": _WRITES},
    )


RULES = (
    table_rule(
        "od(1) of GNU coreutils 9.7, hexdump(1) of util-linux 2.41, strings(1) of GNU binutils 2.44",
        option_table(
            "od",
            "-A/--address-radix= --endian= -j/--skip-bytes= -N/--read-bytes= -S= --strings=? -t/--format= "
            "-v/--output-duplicates -w/--width=? -a -b -c -d -f -i -l -o -s -x --traditional",
            only_reads=True,
        ),
        *(
            option_table(
                command,
                "-b/--one-byte-octal -X/--one-byte-hex -c/--one-byte-char -C/--canonical -d/--two-bytes-decimal "
                "-o/--two-bytes-octal -x/--two-bytes-hex -L/--color=? -e/--format= -f/--format-file= -n/--length= "
                "-s/--skip= -v/--no-squeezing -h -V",
                only_reads=True,
            )
            for command in ("hexdump", "hd")
        ),
        option_table(
            "strings",
            "-a/--all -d/--data -f/--print-file-name -n/--bytes= -t/--radix= -w/--include-all-whitespace -o "
            "-T/--target= -e/--encoding= -U/--unicode= -s/--output-separator= -h -v -V",
            number="-n",
            only_reads=True,
        ),
        allowed=(
            "od -c a.md",
            "od -An -tx1 -N 16 *.bin",
            "hexdump -C a.md",
            "hd -n 32 a.md",
            "strings -n 8 a.bin",
            "strings -6 *",
        ),
        refused=("od --read=4 a", "hexdump --out=x a", "strings --output=x a", "od /dev/zero", "hexdump -C /dev/sda"),
    ),
    CommandRule(
        names=("xxd",),
        manual="xxd(1) of vim 9.1",
        judge=_judge_xxd,
        added_words=AddedWords.NEVER,
        allowed=("xxd a.bin", "xxd -l 64 -s 0x10 a.bin", "xxd -p", "xxd -r -p", "xxd -c16 -g1 -- a.bin", "xxd -"),
        refused=(
            "xxd a.bin b.hex",
            "xxd - b.hex",
            "xxd -r a.hex b.bin",
            "xxd -- a b",
            "xxd ./*.bin",
            "xxd -l 64 a.bin b.hex",
            "xxd a.bin -l 64",
            "xxd -R always a",
            "xxd -l a b",
        ),
    ),
    table_rule(
        "base64(1), base32(1), basenc(1) of GNU coreutils 9.7",
        _basenc("base64"),
        _basenc("base32"),
        _basenc("basenc", "--base64 --base64url --base32 --base32hex --base16 --base2msbf --base2lsbf --z85 --base58"),
        allowed=("base64 a.md", "base64 -d", "base64 -w0 ./*.md", "base32 --decode a.b32", "basenc --base16 a.md"),
        refused=(
            "base64 -o x a",
            "base64 -d -ox a",
            "base64 --output=x a",
            "base64 *",
            "base64 /dev/zero",
            "basenc --out=x",
        ),
    ),
    table_rule(
        "iconv(1) of the GNU C library 2.41",
        option_table(
            "iconv",
            "-l/--list -c -s/--silent --verbose",
            Option(("-f", "--from-code"), Takes.VALUE, _encoding_name),
            Option(("-t", "--to-code"), Takes.VALUE, _encoding_name),
            advice={"-o": _WRITES, "--output": _WRITES},
        ),
        allowed=(
            "iconv -l",
            "iconv -f latin1 -t UTF-8 a.txt",
            "iconv -t ascii//TRANSLIT a.md",
            "iconv -f utf-16 ./*.txt",
        ),
        refused=(
            "iconv -o x a",
            "iconv -f latin1 -ox a",
            "iconv --output=x a",
            "iconv -f ./map a",
            "iconv -t ../x a",
            "iconv *",
        ),
    ),
)

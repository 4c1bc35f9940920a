"""zcat and its like, gzip -dc, zgrep, tar -t, unzip -l: what compressed files hold, on standard output.

- gzip, bzip2 and xz replace the file that they read unless -c, -l or -t is there, so one of them has to be. Of several
  modes the last counts in xz and bzip2, so -l and -t are taken without -d.
- The cat forms always print: nothing takes that back. zcat and zgrep are shell scripts which start gzip and grep.
- tar runs what --to-command, --use-compress-program, --checkpoint-action, --rsh-command and -F name, and connects for
  an archive whose name holds a colon: only -t with the options here, and no colon.
- unzip and zipinfo read their options before the archive; only the listing ones and those that print, -p and -c, are
  taken.
"""

from __future__ import annotations

import re

from pi_sandbox.bash_policy.command_rule import AddedWords, CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.devices import option_values, refuse_devices
from pi_sandbox.bash_policy.options import Option, OptionTable, Takes, matches
from pi_sandbox.bash_policy.table_rules import option_table, table_rule
from pi_sandbox.bash_policy.words import Word

_COMPRESSOR = (
    "-c/--stdout/--to-stdout -d/--decompress/--uncompress -t/--test -v/--verbose -q/--quiet -k/--keep -f/--force"
)
_LISTS = f"{_COMPRESSOR} -l/--list"
_COMPRESSORS: dict[str, OptionTable] = {
    name: option_table(name, _COMPRESSOR if name.startswith("b") else _LISTS)
    for name in ("gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz")
}
_TAR = option_table(
    "tar",
    "-t/--list -v/--verbose -z/--gzip/--gunzip -j/--bzip2 -J/--xz --zstd -a/--auto-compress --full-time --utc "
    "--numeric-owner",
    Option(("-f", "--file"), Takes.VALUE, matches(r"[^:]+")),
    advice={
        "-x": "writes files; write tar -tf ARCHIVE",
        "-c": "writes an archive; write tar -tf ARCHIVE",
    },
)
_UNZIP = {
    "unzip": re.compile(r"-(l|lq|ql|v|lv|vl|p|c|t|tq|qt|Z|Z1|Zl|Zv)"),
    "zipinfo": re.compile(r"-[1smlvhtz]+"),
}


def _judge_compressor(name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    parsed = _COMPRESSORS[name].parse(words)
    only_looks = parsed.has("-l", "-t") and not parsed.has("-d")
    if not only_looks and not parsed.has("-c", "--help", "--version"):
        raise Refused(f"{name} would replace the file; write {name} -dc FILE, {name} -t FILE without -d, or zcat FILE")
    refuse_devices(name, parsed.operands)
    return Judged(parsed.words(), options_ended=parsed.ended)


def _judge_tar(_name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    if words and words[0].is_literal and re.fullmatch(r"[tvzjJ]*t[tvzjJ]*f", words[0].text):
        words = (Word.literal(f"-{words[0].text}"), *words[1:])
    parsed = _TAR.parse(words)
    if not parsed.has("--help", "--version") and not (parsed.has("-t") and parsed.has("-f")):
        raise Refused("tar is only taken to list an archive; write tar -tf ARCHIVE")
    refuse_devices("tar", option_values(parsed, "-f"))
    return Judged(parsed.words())


def _judge_unzip(name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    options = [word for word in words if word.text.startswith("-")]
    operands = [word for word in words if not word.text.startswith("-")]
    if tuple(words) != (*options, *operands) or not all(_UNZIP[name].fullmatch(word.text) for word in options):
        raise Refused(f"{name} is only taken to list or print; write unzip -l ARCHIVE or unzip -p ARCHIVE MEMBER")
    if (name == "unzip" and len(options) != 1) or not operands or any(word.is_pattern for word in operands):
        raise Refused(f"{name} would write files or read options from names; write unzip -l ARCHIVE")
    refuse_devices(name, operands)
    return Judged(words)


RULES = (
    table_rule(
        "zcat(1) of gzip 1.13, bzcat(1) of bzip2 1.0.8, xzcat(1) of xz 5.8, zstdcat(1) of zstd 1.5",
        option_table("zcat", "-f/--force -q/--quiet -v/--verbose"),
        option_table("bzcat", "-q/--quiet -s/--small"),
        option_table("xzcat", "-q/--quiet -f/--force -k/--keep"),
        option_table("lzcat", "-q/--quiet -f/--force -k/--keep"),
        option_table("zstdcat", "-q/--quiet"),
        allowed=("zcat a.gz", "zcat -f ./*.gz", "bzcat a.bz2", "xzcat a.xz", "zstdcat -q a.zst", "zcat -- *.gz"),
        refused=(
            "zcat *.gz",
            "zstdcat -o x a.zst",
            "zstdcat a.zst -ox",
            "xzcat --files=x",
            "bzcat -z a",
            "zcat -S x a",
        ),
    ),
    CommandRule(
        names=tuple(_COMPRESSORS),
        manual="gzip(1) 1.13, bzip2(1) 1.0.8, xz(1) 5.8",
        judge=_judge_compressor,
        added_words=AddedWords.AFTER_END_OF_OPTIONS,
        allowed=(
            "gzip -dc a.gz",
            "gunzip -c a.gz",
            "gzip -l a.gz",
            "gzip -t a.gz",
            "xz -l a.xz",
            "xz -dc a.xz",
            "bzip2 -dc a.bz2",
            "unxz -t a.xz",
            "xz -t -d -c a.xz",
            "gzip --version",
        ),
        refused=(
            "xz -t -d a.xz",
            "xz -ld a.xz",
            "unxz -l -d a.xz",
            "unxz -td a.xz",
            "bzip2 -t -d a.bz2",
            "bzip2 -td a.bz2",
            "gzip -td a.gz",
            "bzip2 --version a.md",
            "bzip2 a.md --help",
            "gzip a.md",
            "gzip -d a.gz",
            "gunzip a.gz",
            "gzip -k a.md",
            "gzip -S .x -c a",
            "xz a",
            "xz --files=x -c",
            "bzip2 -d a.bz2",
            "gzip -c *",
        ),
    ),
    table_rule(
        "zgrep(1), zegrep(1), zfgrep(1) of gzip 1.13",
        *(
            option_table(
                name,
                "-i/--ignore-case -v/--invert-match -c/--count -n/--line-number -l/--files-with-matches "
                "-L/--files-without-match -h/--no-filename -H/--with-filename -w/--word-regexp -x/--line-regexp "
                "-o/--only-matching -q/--quiet -s/--no-messages -E/--extended-regexp -F/--fixed-strings "
                "-e/--regexp= -A/--after-context= -B/--before-context= -C/--context= -m/--max-count=",
            )
            for name in ("zgrep", "zegrep", "zfgrep")
        ),
        allowed=("zgrep error a.gz", "zgrep -ic 'a b' a.gz", "zgrep -n -e x -- a.gz", "zgrep -A2 x ./*.gz"),
        refused=("zgrep x *.gz", "zgrep -f x a.gz", "zgrep --file=x a.gz", "zgrep -Z x a", "zgrep --regex=x a"),
    ),
    CommandRule(
        names=("tar",),
        manual="tar(1) of GNU tar 1.35",
        judge=_judge_tar,
        allowed=(
            "tar -tf a.tar",
            "tar tzf a.tgz",
            "tar -tvzf a.tgz notes/a.md",
            "tar --list --file=a.tar",
            "tar -tf -",
        ),
        refused=(
            "tar xf a.tar",
            "tar -cf a.tar x",
            "tar -xOf a.tar",
            "tar tf host:a.tar",
            "tar -tf a.tar --to-command=sh",
            "tar -tf a.tar --checkpoint=1 --checkpoint-action=exec=sh",
            "tar -tf a.tar -I sh",
            "tar --use-compress-program=sh -tf a.tar",
            "tar -tF sh -f a.tar",
            "tar -tf a.tar --rsh-command=sh",
            "tar tf a.tar *",
            "tar ft a.tar",
            "tar -t",
            "tar -tf /dev/urandom",
            "tar tfz a.tar",
            "tar -tf a.tar --index-file=x",
        ),
    ),
    CommandRule(
        names=("unzip", "zipinfo"),
        manual="unzip(1) and zipinfo(1) 6.0",
        judge=_judge_unzip,
        allowed=("unzip -l a.zip", "unzip -p a.zip a.md", "unzip -Z1 a.zip", "zipinfo a.zip", "zipinfo -1 a.zip"),
        refused=(
            "unzip a.zip",
            "unzip -o a.zip",
            "unzip -l a.zip -d x",
            "unzip -l *",
            "unzip -d x -l a.zip",
            "unzip -q a.zip",
            "unzip -l",
            "unzip -l /dev/zero",
            "zipinfo -o a",
        ),
    ),
)

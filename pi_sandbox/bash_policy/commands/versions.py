"""Version questions of interpreters, compilers and tools: exactly these words, and nothing with them.

- `python -m`, and a subcommand named version of a tool that reads the folder's files, are not here.
- java keeps a file of figures while it runs: words are put in that turn it off. npm up to 9 keeps a log: `environment`
  gives it folders where it makes nothing. curl reads ~/.curlrc first, which may name a file to write, so -q has to be
  there as it is written.
- cargo and rustc may be those of rustup, which runs what a rust-toolchain.toml names and writes its settings; go counts
  its calls in a file and may fetch the version that a go.mod names; yarn, pnpm, mvn, gradle, dotnet, pytest and
  terraform run or fetch what files of the folder name: none of them is here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pi_sandbox.bash_policy.command_rule import CommandRule, Judged, Surroundings
from pi_sandbox.bash_policy.decision import Refused
from pi_sandbox.bash_policy.words import Word


@dataclass(frozen=True, slots=True)
class _Version:
    """The words that ask for the version, each a whole text, and what is put before them."""

    forms: tuple[str, ...]
    before: tuple[str, ...] = ()


_LONG = _Version(("--version",))
_SHORT = _Version(("--version", "-v"))
_CAPITAL = _Version(("--version", "-V"))
_COMPILER = _Version(("--version", "-dumpversion", "-dumpmachine", "-dumpfullversion"))
_VERSIONS: Mapping[str, _Version] = {
    **dict.fromkeys(("bash", "zsh", "cmake", "ninja", "nano", "clang-format", "ruff", "redis-cli", "pandoc"), _LONG),
    **dict.fromkeys(("make", "ruby", "lua", "nvim", "tsc"), _SHORT),
    **dict.fromkeys(("python", "python3", "python2"), _Version(("--version", "-V", "-VV"))),
    **dict.fromkeys(("uv", "psql", "rsync", "shellcheck", "shfmt"), _CAPITAL),
    **dict.fromkeys(("gcc", "g++", "cc", "c++", "clang", "clang++", "gfortran"), _COMPILER),
    "node": _SHORT,
    "nodejs": _SHORT,
    "npm": _SHORT,
    "java": _Version(("-version", "--version", "-fullversion"), ("-XX:-UsePerfData",)),
    "javac": _Version(("-version", "--version"), ("-J-XX:-UsePerfData",)),
    "perl": _Version(("--version", "-v", "-V")),
    "php": _Version(("--version", "-v"), ("-n",)),
    "curl": _Version(("-q --version", "-q -V")),
    "wget": _CAPITAL,
    "openssl": _Version(("version", "version -a", "version -v")),
    "ssh": _Version(("-V",)),
    "sqlite3": _Version(("--version", "-version")),
    "tmux": _Version(("-V",)),
    "vim": _LONG,
    "ffmpeg": _Version(("-version",)),
}


def _judge(name: str, words: tuple[Word, ...], _surroundings: Surroundings) -> Judged:
    version = _VERSIONS[name]
    texts = [word.text for word in words]
    asked = texts[len(version.before) :] if tuple(texts[: len(version.before)]) == version.before else texts
    plain = all(word.is_literal and " " not in word.text for word in words)
    if not plain or " ".join(asked) not in version.forms:
        raise Refused(
            f"{name} may run or connect to what it is given, so it is only taken to say its version: "
            f"{name} {version.forms[0]}"
        )
    return Judged(tuple(map(Word.literal, (*version.before, *asked))))


RULES = (
    CommandRule(
        names=tuple(_VERSIONS),
        manual="the --help of each: Node 22, Python 3.13, GCC 14, OpenJDK 21, curl 8.14",
        judge=_judge,
        allowed=(
            "node -v",
            "npm --version",
            "python3 --version",
            "gcc --version",
            "java -version",
            "perl -v",
            "curl -q --version",
            "openssl version -a",
            "ssh -V",
        ),
        refused=(
            "node",
            "node a.js",
            "node -v -e 1",
            "node -e 1 -v",
            "npm -v run x",
            "npm version 1.0.0",
            "python3 -V a.py",
            "python3 -c 1",
            "python3 -m pip --version",
            "python3 -VV -c 1",
            "java -version -jar x.jar",
            "java -version @args",
            "make",
            "make -v all",
            "gcc a.c",
            "gcc --version a.c -o x",
            "gcc -wrapper sh --version",
            "curl --version",
            "curl --version -q",
            "curl -q --version example.com",
            "openssl version -engine x",
            "ssh -V host",
            "perl -v -e 1",
            "bash -c id",
            "bash a.sh --version",
            "node '-v '",
            "node *",
        ),
    ),
)

"""Awk programs: those that are accepted write nothing and run nothing in any awk that is here."""

import itertools
import random
import resource
import subprocess
from functools import cache
from pathlib import Path

import pytest

from pi_sandbox.bash_policy.awk_program import judge_program
from pi_sandbox.bash_policy.decision import Refused
from tests.needs import needs

AWKS = [["mawk"], ["gawk"], ["original-awk"], ["busybox", "awk"]]

_TOKENS = (
    *(
        "{",
        "}",
        "(",
        ")",
        ";",
        "\n",
        ",",
        "/",
        '"',
        "\\",
        "[",
        "]",
        ">",
        ">>",
        "|",
        "&",
        "print ",
        "printf ",
        "if",
        " ",
    ),
    *("BEGIN", "END", "x", "$1", "NR", "length", "getline ", 'system("touch trip")', '"touch trip"', '"trip"'),
    *("/a/", "/[/]/", '/a"/', "/\\//", "++", "--", "+", "-", "*", "%", "=", "==", "<", ">=", "!", "~", "?", ":", "&&"),
    *("1", "1e5", ".5", "#", "a[1]", "f(x)", "return ", "next", "@", "\\\n", '"\\""', "/=/", "/=", "else "),
)
_FRAMES = (
    *("%s", "{print $1 %s}", "BEGIN{if(1)%s;x=1}", "BEGIN{x=2;y=%s;print y}", "/a%s/{print}", "BEGIN{print(1)%s}"),
    *('BEGIN{if(1) /a"/ %s "/ }', "{x=y%s print x}", '{ x = "%s" ; print x }', "{ print /%s/ ? 1 : 2 }"),
)
_HARM = (
    'print "x" > "trip"',
    'system("touch trip")',
    '"touch trip" | getline',
    'print | "touch trip"',
    ' > "trip"',
    "",
)


def _random_program(chance: random.Random) -> str:
    tokens = [chance.choice(_TOKENS) for _ in range(chance.randint(1, 9))]
    tokens.insert(chance.randint(0, len(tokens)), chance.choice(_HARM))
    return chance.choice(_FRAMES) % "".join(tokens)


def _is_accepted(program: str) -> bool:
    try:
        judge_program(program)
    except Refused:
        return False
    return True


def _run(awk: list[str], program: str, folder: Path) -> None:
    subprocess.run(
        [*awk, "--", program, "in"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 1)),
        check=False,
        timeout=10,
    )


@cache
def _accepted_programs() -> tuple[str, ...]:
    chance = random.Random(4)
    programs = (_random_program(chance) for _ in itertools.count())
    return tuple(itertools.islice((program for program in programs if _is_accepted(program)), 25))


@pytest.mark.parametrize("awk", AWKS, ids=" ".join)
def test_random_programs_that_are_accepted_leave_no_file_behind(awk: list[str], tmp_path: Path) -> None:
    needs(awk[0])
    (tmp_path / "in").write_text("a b\n1 2\n")
    for program in _accepted_programs():
        _run(awk, program, tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["in"], (awk, program)


@pytest.mark.parametrize("awk", AWKS, ids=" ".join)
@pytest.mark.parametrize("harm", ['BEGIN{system("touch trip")}', '{print > "trip"}', '{print | "cat > trip"}'])
def test_the_harm_of_the_random_programs_would_be_seen(awk: list[str], harm: str, tmp_path: Path) -> None:
    needs(awk[0])
    (tmp_path / "in").write_text("a\n")
    _run(awk, harm, tmp_path)
    assert (tmp_path / "trip").exists()
    assert not _is_accepted(harm)


@pytest.mark.parametrize(
    "program",
    [
        *("", "1", "{print}", "/a\\/b/", '/[a-z]"/', "{print $1/2/3}", "{x = a[1] / 2 / 3}", "{print (1) / 2}"),
        *("{x /= 2}", "$1 ~ /a/ && !/b/", "BEGIN { while (i < 3) { i++ } }"),
        *(
            "{x = 1; print; y = 2 > z; print}",
            "{print (a > b)}",
            "{if (a > b) print}",
            "a > b",
            "{c = a > b}",
            "{print a, (b > c), d}",
            "{f = 1}\nf",
        ),
        *('{printf("%d\\n", a > b)}', "{getline; print}", "{getline x\nprint x}", "{while ((getline x) > 0) n++}"),
        *("function f(a) { return a } {print f(1)}", "{print NF (1)}", "{print \\\n $1}", '{print 1 "\\"" 2}'),
    ],
)
def test_a_program_that_only_reads_is_accepted(program: str) -> None:
    judge_program(program)


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("{print > x}", "print > writes"),
        ("{print (1) > x}", "print > writes"),
        ("{print a[b > c]}", "print > writes"),
        ("{print a,\nb > c}", "print > writes"),
        ("{if (x) print\n> y}", "print > writes"),
        ("{print >> x}", ">> in a program"),
        ("{x >> y}", ">> in a program"),
        ("{print | x}", "runs a command"),
        ("{x | getline}", "runs a command"),
        ("{x |& getline}", "runs a command"),
        ("{system(x)}", "system in a program"),
        ("{system}", "system in a program"),
        ("{close(x)}", "close in a program"),
        ("{ARGV[1] = x}", "ARGV in a program"),
        ("{SYMTAB[x] = 1}", "SYMTAB in a program"),
        ('@include "x"', "@ in a program"),
        ("{@f(1)}", "@ in a program"),
        ("{awk::system(1)}", ":: in a program"),
        ("{a::b(1)}", ":: in a program"),
        ("{unknown(1)}", "the function unknown"),
        ("{getline x < y}", "getline reads another file"),
        ("{getline < y}", "getline reads another file"),
        ("{getline x[1]}", "getline reads another file"),
        ("(print)", "print in parentheses"),
        ("/a/ /b/", "doubtful"),
        ("{x++ /a/}", "doubtful"),
        ("{if (x) /a/}", "doubtful"),
        ("{while (x) /a/}", "doubtful"),
        ("{length / 2}", "doubtful"),
        ("{) / 2}", "doubtful"),
        ("/[/]/", "in brackets or no end"),
        ("/a", "in brackets or no end"),
        ("{x = 0x1print}", "followed by letters"),
        ("{x} # y\\", "a comment"),
        ('{"a', "not understood"),
        ('{"a\\\nb"}', "not understood"),
        ("{é}", "not understood"),
        ("{x\\y}", "not understood"),
        ("{x}\r", "a control character"),
        ("{x}\0", "a control character"),
    ],
)
def test_a_program_that_does_more_or_is_doubtful_is_refused(program: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        judge_program(program)

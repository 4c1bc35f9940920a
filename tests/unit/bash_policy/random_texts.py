"""Texts near the border of what is accepted: commands cut up and glued, and rows of pieces that mean much to bash."""

from random import Random

_WORDS = (
    *(
        "t0",
        "f0",
        "t1",
        "a",
        "b c",
        "-n",
        "--",
        "-",
        "x=y",
        "A=1",
        "B='2 3'",
        "A=",
        "a.md",
        "/m/x.md",
        "*.md",
        "?",
        "[a]",
    ),
    *("[!a]*", "[[:alpha:]]", "a[0]", "~", "~/x", "~x", "x~", "a:~", "a=~", "{}", "{a}", "{a,b}", "{1..3}", "HEAD@{1}"),
    *(
        "@{u}",
        "$",
        "a$",
        "$x",
        "${x}",
        "$(t1)",
        "`t1`",
        "$((1))",
        "$[1]",
        "$'x'",
        "$'\\t'",
        "$'a\\rb'",
        "$'a\\'b'",
        "$'\\\\'",
        '$"x"',
    ),
    *(
        "'a b'",
        '"a b"',
        '"a$"',
        '"$ x"',
        '"a\\"b"',
        '"\\$x"',
        '"a\\nb"',
        "'a'\\''b'",
        '"`"',
        '"\'"',
        "'\"'",
        "''",
        '""',
    ),
    *(
        "\\ ",
        "\\\\",
        "\\n",
        "\\'",
        '\\"',
        "\\*",
        "\\#",
        "\\~x",
        "\\$x",
        "\\\n",
        "#",
        "#x",
        "a#b",
        "!",
        "!x",
        "^a",
        "%1",
        "@",
    ),
    *(
        "in",
        "<",
        "1",
        "2",
        "0",
        "10",
        "é",
        "日本",
        "\u00a0",
        "\t",
        "if",
        "then",
        "fi",
        "do",
        "done",
        "time",
        "{",
        "}",
        "[",
        "]",
    ),
    *(
        "[[",
        "]]",
        "(",
        ")",
        "case",
        "esac",
        "function",
        "coproc",
        "+(a)",
        "@(a|b)",
        "?(x)",
        "a+=1",
        "A[0]=1",
        "x\\=1",
        "=a",
    ),
    *(
        "<<E",
        "<<<x",
        "<(t1)",
        ">(t1)",
        "/dev/null",
        "/dev/tcp/x/1",
        "&1",
        "&2",
        "in",
        "a,b",
        "a..b",
        "%",
        "+",
        ",",
        ":",
        "==",
    ),
)
_OPERATORS = (
    *("&&", "||", ";", "|", "\n", "|&", "&", ";;", "&&\n", "|\n", "\\\n", " ; ", "!", " ! ", "\n\n", ";\n"),
    *(
        ">/dev/null",
        "2>/dev/null",
        "2>&1",
        ">&2",
        "1>&2",
        "&>/dev/null",
        "<in",
        "< in",
        "2> /dev/null",
        "> /dev/null",
        "0<in",
    ),
    *(
        "</dev/null",
        ">>/dev/null",
        "&>>/dev/null",
        "3>&1",
        ">&-",
        "<&0",
        ">|/dev/null",
        "<>in",
        "02>&1",
        "1>&1",
        "2>&2",
    ),
)
_CHARACTERS = (
    '"$\\\n',
    "$\\\n",
    *tuple("abt0f1 '\"\\$`;&|<>(){}[]*?~#!=:,.-+@%^/\n\t"),
    "é",
    "\\\n",
    "t0 ",
    "''",
    '""',
)
_HONEST = (
    "t0 a == b != c =~ d && t1 == 'x y'",
    "t0 -la a.md | t1 -20 2>/dev/null",
    "t0 x && f0 y || t1 z; t2 w",
    "! f0 a | t0 'b c' \"d\"",
    "A=1 B='2 3' t0 a=b --x=y # note",
    "t0 \\( -name '*.md' -o -name \"*.txt\" \\) | t1 {} \\;",
    "t0 -n '1,20p' a.md\nt1 \"foo$\" HEAD@{1} x~1",
    "t0 < in &>/dev/null; f0 2>&1 >/dev/null || t1 ~/x *.[ch]",
    "t0 'a\nb' \\\n  -x $'\\t' \"a\\\"b\\\\c\\$d\"",
)


def random_text(random: Random) -> str:
    """Gives one text of about one to thirty pieces."""
    match random.randrange(4):
        case 0:
            return _row_of_words(random)
        case 1:
            return _mutated(random.choice(_HONEST), random)
        case 2:
            return "t0 " + "".join(random.choice(_CHARACTERS) for _ in range(random.randint(1, 14)))
    return "".join(random.choice(random.choice((_WORDS, _OPERATORS, (" ",)))) for _ in range(random.randint(1, 12)))


def _row_of_words(random: Random) -> str:
    text = ""
    for _ in range(random.randint(1, 4)):
        text += random.choice(("", "", "", "A=1 ", "! ", "time ", "time -p ", "2>/dev/null ", " "))
        text += random.choice(("t0", "t1", "f0", "f1", "t\\0", "'t1'", 't"2"'))
        for _ in range(random.randint(0, 5)):
            text += random.choice((" ", " ", " ", "", "  ", "\t", " \\\n")) + random.choice(_WORDS)
        text += random.choice((" ", "")) + random.choice(_OPERATORS) + random.choice((" ", ""))
    return text if random.random() < 0.3 else text + " t2"


def _mutated(text: str, random: Random) -> str:
    for _ in range(random.randint(1, 4)):
        at = random.randint(0, len(text))
        match random.randrange(4):
            case 0:
                text = text[:at] + random.choice(_CHARACTERS) + text[at:]
            case 1:
                text = text[:at] + random.choice(random.choice((_WORDS, _OPERATORS))) + text[at:]
            case 2:
                text = text[:at] + text[at + random.randint(1, 3) :]
            case 3 if random.random() < 0.5:
                text = text[:at] + "\\\n" + text[at:]
            case 3:
                other = random.randint(0, len(text))
                text = text[:at] + text[min(at, other) : max(at, other)] + text[at:]
    return text

"""Every sign of a redirection with every kind of target: only the few harmless ones pass."""

import itertools

from pi_sandbox.bash_policy.classify import classify

SIGNS = (
    *("<", ">", ">>", ">|", "<>", "<&", ">&", "&>", "&>>", "<<", "<<-", "<<<"),
    *(f"{number}{sign}" for number in (0, 1, 2, 3, 10, "02") for sign in ("<", ">", ">>", ">|", "<>", "<&", ">&")),
)
TARGETS = (
    *("/dev/null", "a.md", "'a b'", "~/a.md", "*.md", "1", "2", "0", "3", "-", "1-", "''", "/dev/stdin", "/dev/tty"),
    *(
        "/dev/tcp/a/1",
        "/dev/udp/a/1",
        "/dev//tcp/a/1",
        "//dev/tcp/a/1",
        "/dev/../dev/tcp/a/1",
        "/dev/null/../sda",
        "$x",
    ),
)
THROWN_AWAY = {f"{sign}/dev/null" for sign in (">", ">>", "1>", "1>>", "2>", "2>>", "&>", "&>>")}
COPIED = {f"{sign}{target}" for sign in (">&", "1>&", "2>&") for target in ("1", "2")}
READ = {
    sign + target
    for sign in ("<", "0<")
    for target in ("a.md", "'a b'", "~/a.md", "/dev/null", "/dev/stdin", "1", "2", "0", "3", "-", "1-")
}


def test_exactly_these_redirections_pass() -> None:
    passed = {
        sign + target
        for sign, target in itertools.product(SIGNS, TARGETS)
        if classify(f"echo a {sign} {target}").run is not None
    }
    assert passed == THROWN_AWAY | COPIED | READ


def test_the_same_pass_without_a_blank_and_before_the_command() -> None:
    for text in THROWN_AWAY | COPIED | READ - {"<-", "<1-", "0<-", "0<1-"}:
        assert classify(f"echo a {text}").run is not None, text
        assert classify(f"{text} echo a").run is not None, text


def test_redirections_run_in_their_order() -> None:
    plan = classify("ls 2>&1 >/dev/null 0<a.md").run
    assert plan is not None
    assert plan.command == "ls 2>&1 >/dev/null <a.md"

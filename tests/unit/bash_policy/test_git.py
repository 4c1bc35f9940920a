"""git: the tables say of each option what git itself says, and what runs is told to run nothing else."""

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pi_sandbox.bash_policy.classify import classify
from pi_sandbox.bash_policy.environment import FIXED
from pi_sandbox.bash_policy.git_queries import QUERIES
from pi_sandbox.bash_policy.options import Takes

_COMPLAINS = re.compile(
    r"(?:unrecognized argument|unknown option|unrecognized option|invalid option).{0,5}zzz|usage: git"
)
_UNKNOWN = re.compile(r"(?:unrecognized argument|unknown option|unrecognized option|invalid option).{0,5}(?!.?-*zzz)")
_CONFLICTS = re.compile(
    r"cannot combine|cannot be used|makes no sense|without MERGE_HEAD|exactly one pathspec|reflogs for"
)
_TABLES = (
    "log",
    "diff",
    "status",
    "blame",
    "grep",
    "ls-files",
    "ls-tree",
    "cat-file",
    "describe",
    "shortlog",
    "branch",
    "tag",
)

Git = Callable[..., str]


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> Git:
    folder = tmp_path_factory.mktemp("repository")
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C", "GIT_PAGER": "cat"}

    def run(*arguments: str, **variables: str) -> str:
        done = subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@localhost", *arguments],
            cwd=folder,
            env=environment | variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=10,
        )
        return (done.stdout[:400] + done.stderr).decode("utf-8", "replace")

    run("init", "-q", "-b", "main")
    (folder / "a").write_text("x\n")
    run("add", "a")
    run("commit", "-q", "-m", "one")
    return run


def _options(name: str) -> Iterator[tuple[str, Takes]]:
    for option in QUERIES[(name,)].table.options:
        for spelling in option.names:
            if option is QUERIES[(name,)].table.find(spelling):
                yield spelling, option.takes


@pytest.mark.parametrize("name", _TABLES)
def test_an_option_takes_the_next_word_only_where_the_table_says_so(name: str, git: Git) -> None:
    wrong = []
    for option, takes in _options(name):
        said = git(name, option, "--zzz")
        complains = _COMPLAINS.search(said) is not None
        is_older = _UNKNOWN.search(said) is not None
        if takes is not Takes.VALUE and not complains and not is_older and not _CONFLICTS.search(said):
            wrong.append(f"git {name} {option} takes the next word: {said[:80]!r}")
    assert wrong == []


def test_the_way_of_asking_git_would_show_an_option_that_takes_the_next_word(git: Git) -> None:
    said = git("log", "--skip", "--zzz")
    assert not _COMPLAINS.search(said)
    assert not _UNKNOWN.search(said)
    assert not _CONFLICTS.search(said)


@pytest.mark.parametrize(
    ("command", "runs"),
    [
        ("git log -5 a -- b", "log --no-ext-diff --no-textconv -n5 a -- b"),
        ("git log main --not HEAD", "log --no-ext-diff --no-textconv main --not HEAD"),
        ("git branch", "branch --list"),
        ("git branch --list 'a*'", "branch --list 'a*'"),
        ("git branch --merged", "branch --list --merged=HEAD"),
        ("git tag -n", "tag --list -n"),
        ("git shortlog -sn", "shortlog -s -n HEAD"),
        ("git shortlog -sn --all", "shortlog -s -n --all"),
        ("git blame a", "blame --no-textconv a"),
        ("git -C .. status", "-C .. status"),
        ("git --no-pager status", "status"),
        ("git diff --no-ext-diff", "diff --no-textconv --no-ext-diff"),
    ],
)
def test_what_runs_is_told_to_run_nothing_else(command: str, runs: str) -> None:
    decision = classify(command)
    assert decision.run is not None, decision.reason
    words = decision.run.command.split(" ")
    assert sorted(words[:3]) == ["--no-optional-locks", "--no-pager", "git"]
    assert " ".join(words[3:]) == runs


def test_shortlog_reads_a_pipe_where_there_is_one() -> None:
    decision = classify("cat a | git shortlog")
    assert decision.run is not None
    assert decision.run.command.endswith("shortlog")


def test_the_environment_keeps_programs_of_the_configuration_out(git: Git, tmp_path: Path) -> None:
    trip = tmp_path / "trip"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\n/usr/bin/touch {trip}\n")
    program.chmod(0o755)
    for key in ("core.fsmonitor", "gpg.program", "core.pager"):
        git("config", key, str(program))
    git("status")
    assert trip.exists()
    trip.unlink()
    git("status", **FIXED)
    git("log", "--show-signature", "-p", **FIXED)
    assert not trip.exists()

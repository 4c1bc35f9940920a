"""The state of a store, looked at by the git of the image: redirects, changes that git could not join, files that it
hides or ignores, and secrets in names."""

import json
import os
import subprocess
from pathlib import Path

from tests.integration.memory.homes import Pushed, note
from tests.integration.session.sandbox import run_git

KEY = "gh" + "p_" + "aB3dE5fG7hI9" + "jK1lM3nO5pQ7" + "rS9tU1vW3xY5"
MASK = "?" * len(KEY)
NAMELESS = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "user.useConfigOnly", "GIT_CONFIG_VALUE_0": "true"}
"""A git that guesses no name from the machine."""

OWNER = ("-c", "user.name=Owner", "-c", "user.email=owner@localhost")


def test_a_redirect_of_the_push_alone_is_named_and_not_followed(pushed: Pushed) -> None:
    assert pushed.sync("y", "y")[0] == 0
    note(pushed.home, "private", "The garden is watered every week.")
    other = f"https://{pushed.server.address}:{pushed.server.other_port}"
    rule = f"RewriteRule ^/git/(.*)/git-receive-pack$ {other}/git/$1/git-receive-pack [R=307,L]"
    before, tip = len(pushed.server.requests(other=True)), pushed.tip("private")
    pushed.server.restart(extra=f"RewriteEngine on\n{rule}")
    try:
        code, said = pushed.sync("y")
    finally:
        pushed.server.restart()
    words = " ".join(said.split())
    assert code == 30, said
    assert f"redirects to {other}/git/{pushed.remote('private')}.git, and that is not followed" in words, said
    assert (len(pushed.server.requests(other=True)), pushed.tip("private")) == (before, tip)
    assert pushed.server.token not in said


def test_two_machines_that_changed_the_same_line_are_joined_by_what_the_messages_say(
    pushed: Pushed, tmp_path: Path
) -> None:
    note(pushed.home, "private", "The garden is watered every two weeks.")
    assert pushed.sync("y", "y")[0] == 0
    store, elsewhere = pushed.home.store("private"), tmp_path / "elsewhere"
    run_git(tmp_path, "clone", "--quiet", str(store), str(elsewhere))
    file = note(pushed.home, "private", "The garden is watered every week.")
    there = elsewhere / file.relative_to(store)
    there.write_text(there.read_text().replace("two weeks", "day"))
    run_git(elsewhere, *OWNER, "commit", "--quiet", "--all", "--message", "elsewhere")
    pushed.server.push(elsewhere, pushed.remote("private"), "main")
    tip, before = pushed.tip("private"), pushed.head("private")
    said = pushed.sync()[1]
    commands, _, identity = said.partition("if git says there that it does not know who you are")
    follow(commands)
    assert pushed.head("private") == before, "the control: without a name git commits nothing, and loses nothing"
    follow(identity)
    follow(commands)
    assert "<" * 7 in file.read_text(), "the control: git could not join them"
    code, said = pushed.sync()
    assert (code, "a rebase is not finished" in said) == (30, True), said
    file.write_text(there.read_text().replace("day", "day or week"))
    follow(said.partition("or, to be where you were before")[0])
    code, said = pushed.sync("y")
    assert code == 0, said
    assert run_git(store, "rev-parse", "HEAD~1").strip() == tip
    assert "1 unpushed commit" not in pushed.call("memory-status", "private").ok()
    assert "<" * 7 not in run_git(store, "log", "-p", "main")


def test_what_git_hides_or_ignores_and_a_secret_in_a_name_are_told_in_every_form(pushed: Pushed) -> None:
    store = pushed.home.store("private")
    note(pushed.home, "private", "Nothing secret.", f"my-{KEY}")
    (store / ".git" / "info").mkdir(exist_ok=True)
    (store / ".git" / "info" / "exclude").write_text("notes/hidden.md\n")
    note(pushed.home, "private", f"token: {KEY}", "hidden")
    (store / f"{KEY}.local").write_text("Nothing secret.\n")
    (store / ".gitignore").write_text("*.local\n")
    forms = [pushed.call("memory-check", "private", *form) for form in ((), ("--json",), ("--sarif",))]
    text, data, sarif = (form.out for form in forms)
    status, (code, said) = pushed.call("memory-status", "private").out, pushed.sync("n")
    assert [form.code for form in forms] == [32, 32, 32]
    for line in (
        f"notes/???{MASK}.md blocking secret",
        "notes/hidden.md blocking hidden-here",
        "notes/hidden.md:6 block",
    ):
        assert line in text
    assert f"private: 1 ({MASK}??????)" in text
    paths = {finding["path"] for finding in json.loads(data)["stores"][1]["findings"]}
    assert {f"notes/???{MASK}.md", "notes/hidden.md"} <= paths
    assert "%3F" * len(KEY) in sarif
    assert "blocked" in status
    assert (code, "hidden-here" in said) == (30, True)
    assert [
        output for output in (text, data, sarif, status, said, *(form.err for form in forms)) if KEY in output
    ] == []


def follow(said: str) -> None:
    """Runs the commands of git that stand on the screen, each on a row of its own, as the owner would."""
    commands = [row.strip() for row in said.splitlines() if row.strip().startswith("git -C ")]
    assert commands, said
    for command in commands:
        subprocess.run(command, shell=True, env={**os.environ, "GIT_EDITOR": "true", **NAMELESS}, check=False)

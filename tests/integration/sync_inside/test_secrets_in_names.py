"""A secret that stands in a name is in no report, in no form of one, on no screen and in no error."""

import json
import os

import pytest

from pi_sandbox.memory_check.report import as_json, as_sarif, text_lines
from pi_sandbox.memory_sync.console import GuardedConsole
from pi_sandbox.memory_sync.outcome import StoreOutcome
from pi_sandbox.memory_sync.status import standing, standing_lines, standing_values
from pi_sandbox.memory_sync.store_check import check_folder
from tests.integration.sync_inside.stores import Conversation

KEY = "gh" + "p_" + "aB3dE5fG7hI9" + "jK1lM3nO5pQ7" + "rS9tU1vW3xY5"
MASK = "?" * len(KEY)


def a_file(store):
    store.note(KEY, "Nothing secret.")
    return f"notes/{MASK}.md blocking secret"


def a_folder(store):
    store.write(f"{KEY}/notes/build.md", "Nothing secret.\n")
    return f"{MASK}/notes/build.md blocking secret"


def a_format_message(store):
    store.write(f"x.{KEY}/log.md", "- 2026-01-30 begun\n")
    return f"??{MASK}/log.md blocking secret"


def a_link(store):
    (store.folder / f"{KEY}.md").symlink_to("/nowhere")
    return f"{MASK}.md blocking symlink"


def a_repository(store):
    store.git("init", "-q", f"notes/{KEY}")
    return f"notes/{MASK} blocking nested-repository"


def an_ignored_file(store):
    store.write(".gitignore", "*.local\n")
    store.write(f"{KEY}.local", "Nothing secret.\n")
    return f"since git ignores them: private: 1 ({MASK}??????)"


def a_hidden_file(store):
    store.write(".git/info/exclude", "*.local\n")
    store.write(f"{KEY}.local", "Nothing secret.\n")
    return f"{MASK}?????? blocking hidden-here"


def an_earlier_commit(store):
    store.note(KEY, "Nothing secret.")
    store.commit()
    words = f"commit {store.head[:12]} notes/{MASK}.md blocking secret"
    store.git("rm", "-q", f"notes/{KEY}.md")
    store.commit()
    return words


def a_message_and_an_author(store):
    store.note("build", "It is built by make, twice.")
    store.git("add", ".")
    store.git("commit", "-q", "-m", f"about {KEY}", f"--author={KEY} <a@localhost>")
    return f"commit {store.head[:12]} message:1 blocking secret"


def a_branch(store):
    store.git("switch", "-q", "-c", f"x/{KEY}")
    store.git("branch", "-D", "main")
    return f"x/{MASK}"


def an_unmerged_file(store):
    store.note(KEY, "One.")
    store.commit()
    store.git("switch", "-q", "-c", "side", "HEAD")
    for branch, text in (("side", "Two."), ("main", "Three.")):
        store.git("switch", "-q", branch)
        store.note(KEY, text)
        store.commit()
    store.note(KEY, "Four.")
    store.git("stash", "-q")
    store.git("reset", "-q", "--hard", "side")
    store.git("stash", "pop", check=False)
    return f"notes/{MASK}.md"


def a_pipe_that_git_would_read(store):
    (store.folder / KEY).mkdir()
    os.mkfifo(store.folder / KEY / ".gitignore")
    return f'"{MASK}/.gitignore" is no plain file'


def a_key_of_the_configuration(store):
    with (store.folder / ".git/config").open("a") as config:
        config.write(f'[url "https://me:{KEY}@h.example/"]\n\tinsteadOf = https://h.example/\n')
    return "???"


def a_plain_key_of_the_configuration(store):
    key = "gl" + "pat-" + "Zx8Kq2" + "Vn7Lw4" + "Rt9Bm3pQ"
    store.git("config", f"a.{key}.b", "x")
    return "???"


def a_lock(store):
    store.write(f".git/refs/heads/{KEY}.lock", "")
    return "???"


SCENES = {
    function.__name__: function
    for function in (
        *(a_file, a_folder, a_format_message, a_link, a_repository, an_ignored_file, a_hidden_file, an_earlier_commit),
        *(a_message_and_an_author, a_branch, an_unmerged_file, a_pipe_that_git_would_read, a_key_of_the_configuration),
        *(a_plain_key_of_the_configuration, a_lock),
    )
}


def everything_said(store, *answers):
    """All that a check, a status and a sync give of the store, in every form."""
    report = check_folder("private", store.folder, store.records)
    status = standing("private", store.folder, store.records)
    result = store.sync(*answers)
    return [
        *text_lines([report]),
        json.dumps(as_json([report])),
        json.dumps(as_sarif([report], version="1")),
        *standing_lines(status),
        json.dumps(standing_values(status)),
        *result.said.lines,
        *result.said.questions,
        *on_the_screen(store, result.message, result.hint),
    ]


def on_the_screen(store, *texts):
    """What the owner sees of an error: the command says it on the console of the sync."""
    seen = Conversation()
    console = GuardedConsole(seen, store.access.live_secrets)
    for text in texts:
        console.name(text)
    return seen.lines


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_a_secret_in_a_name_is_nowhere_in_what_is_said_and_the_name_can_be_found(pushed, scene):
    words = scene(pushed)
    said = everything_said(pushed, "n")

    assert [line for line in said if KEY in line or KEY[4:30] in line or "Vn7Lw4" in line] == []
    assert [line for line in said if words in line] != [], said


def test_what_is_shown_of_a_name_is_a_pattern_that_finds_the_file(pushed):
    pushed.note(KEY, "Nothing secret.")
    report = check_folder("private", pushed.folder, pushed.records)
    (path,) = {finding.path for finding in report.findings if finding.category == "secret"}

    assert list(pushed.folder.glob(path)) == [pushed.folder / f"notes/{KEY}.md"]
    results = as_sarif([report], version="1")["runs"][0]["results"]
    uris = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in results}
    assert f"notes/{'%3F' * len(KEY)}.md" in uris


def test_the_owner_takes_a_secret_that_was_pushed_away_without_seeing_it_again(pushed):
    pushed.note(KEY, f"token: {KEY}")
    pushed.note("build", f"It is built by make.\n\ntoken: {KEY}")
    pushed.commit()
    pushed.push_by_hand("main")
    (pushed.folder / f"notes/{KEY}.md").unlink()
    pushed.note("build", "It is built by make.")
    result = pushed.sync("y")

    assert result.outcome is StoreOutcome.PUSHED, result.said.text
    assert KEY not in result.said.text
    assert f"  removed notes/{MASK}.md" in result.said.lines
    assert f"  | --- a/notes/{MASK}.md" in result.said.lines
    assert result.said.lines.count("  | -(a line with a secret is not shown)") == 2
    assert pushed.git("log", "-1", "-p").count(KEY) > 4, "the control: git shows it"


def test_a_secret_that_the_remote_says_is_not_shown(pushed):
    pushed.server.add_hook(pushed.remote_name, "pre-receive", f"echo 'found {KEY} in it' >&2; exit 1")
    pushed.note("build", "It is built by make, twice.")
    result = pushed.sync("y")

    assert KEY not in result.said.text
    assert [line for line in result.said.lines if f"found {MASK} in it" in line] != []


def test_a_branch_of_the_remote_is_named_without_the_secret_in_its_name(pushed):
    pushed.push_by_hand(f"main:x/{KEY}")
    pushed.server.repository(pushed.remote_name).joinpath("refs/heads/main").unlink()
    result = pushed.sync("y")

    assert f'it has "x/{KEY}"' in result.message, "the control: the console is what keeps it back"
    assert f'it has "x/{MASK}"' in on_the_screen(pushed, result.message)[0]


def test_a_secret_in_the_name_of_the_branch_is_not_pushed(store):
    store.git("symbolic-ref", "HEAD", f"refs/heads/x/{KEY}")
    result = store.sync("y")

    assert result.outcome is StoreOutcome.FAILED
    assert result.message == "blocked by the memory check (fix the listed lines)"
    assert store.server.tip(store.remote_name, f"x/{KEY}") is None
    store.git("symbolic-ref", "HEAD", "refs/heads/x/build")
    assert store.sync("y").outcome is StoreOutcome.PUSHED

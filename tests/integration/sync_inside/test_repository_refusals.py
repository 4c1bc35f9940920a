"""A store that is no plain repository, or is in the middle of something, stops before anything reaches the network."""

import os
import shutil

import pytest

from pi_sandbox.memory_sync.outcome import StoreOutcome
from tests.integration.sync_inside.stores import Conversation

REFUSED = {
    "a program in the configuration": (".git/config", "[core]\n\tfsmonitor = touch RAN\n", "core.fsmonitor"),
    "a push that is redirected": (".git/config", '[url "https://e.example/"]\n\tinsteadOf = https://\n', "insteadof"),
    "a push URL": (".git/config", '[remote "origin"]\n\tpushurl = https://e.example/\n', "pushurl"),
    "a proxy": (".git/config", "[http]\n\tproxy = http://e.example\n", "http.proxy"),
    "an included file": (".git/config", "[include]\n\tpath = evil\n", "include.path"),
    "a filter": (".git/config", '[filter "x"]\n\tclean = touch RAN\n', "filter.x.clean"),
    "another repository's data": (".git/commondir", "/elsewhere\n", "commondir"),
    "a configuration for worktrees": (".git/config.worktree", "[core]\n\tfsmonitor = touch RAN\n", "core.fsmonitor"),
    "borrowed objects": (".git/objects/info/alternates", "/elsewhere\n", "alternates"),
    "grafts": (".git/info/grafts", "0" * 40 + "\n", "grafts"),
    "a cut history": (".git/shallow", "0" * 40 + "\n", "shallow"),
    "a lock": (".git/index.lock", "", "index.lock"),
    "a lock on the branch": (".git/refs/heads/main.lock", "", "main.lock"),
    "a merge": (".git/MERGE_HEAD", "0" * 40 + "\n", "a merge is not finished"),
    "a rebase": (".git/rebase-merge/done", "", "a rebase is not finished"),
}


@pytest.mark.parametrize(("name", "text", "words"), REFUSED.values(), ids=REFUSED)
def test_a_store_that_is_not_plain_is_refused_before_the_network(pushed, name, text, words):
    file = pushed.folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as opened:
        opened.write(text)
    before, requests = pushed.state(), pushed.server.requests()
    result = pushed.sync("y")

    assert result.outcome is StoreOutcome.FAILED
    assert words in result.message + result.hint
    assert pushed.server.requests() == requests
    assert pushed.state() == before
    assert not (pushed.folder / "RAN").exists()


LINKED = {
    "a reflog": (".git/logs/refs/heads/main", "file"),
    "the folder of the branches": (".git/refs/heads", "folder"),
    "a folder of objects": (".git/objects/{missing}", "folder"),
    "a file that git does not know": (".git/mine", "file"),
}


@pytest.mark.parametrize("when", ["before the sync", "while the question is open"])
@pytest.mark.parametrize(("name", "kind"), LINKED.values(), ids=LINKED)
def test_nothing_is_written_through_a_link_in_the_git_folder(pushed, tmp_path, name, kind, when):
    taken = {path.name for path in (pushed.folder / ".git/objects").iterdir()}
    missing = next(name for name in (f"{number:02x}" for number in range(256)) if name not in taken)
    place, target = pushed.folder / name.format(missing=missing), tmp_path / "elsewhere"
    pushed.note("build", "It is made twice.")

    def link(_question: str = "") -> None:
        if place.is_dir():
            place.rename(target)
        elif kind == "folder":
            target.mkdir()
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.unlink(missing_ok=True)
            target.write_text("mine\n")
        place.symlink_to(target)

    tip = pushed.tip
    if when == "before the sync":
        link()
        result = pushed.sync("y")
    else:
        result = pushed.sync(said=Conversation(["y"], before_answer=link))

    assert result.outcome is StoreOutcome.FAILED
    assert "is a link, so git would read or write elsewhere" in result.message
    assert pushed.tip == tip
    if kind == "file":
        assert target.read_text() == "mine\n"
    else:
        assert [path.read_text().strip() for path in target.iterdir()] in ([], [tip])


def test_a_pipe_in_the_git_folder_is_refused(pushed):
    os.mkfifo(pushed.folder / ".git/pipe")
    result = pushed.sync("y")

    assert result.outcome is StoreOutcome.FAILED
    assert "neither a file nor a folder" in result.message


def test_no_reflog_is_begun(pushed):
    shutil.rmtree(pushed.folder / ".git/logs", ignore_errors=True)
    pushed.note("build", "It is made twice.")

    assert pushed.sync("y").outcome is StoreOutcome.PUSHED
    assert not (pushed.folder / ".git/logs").exists()


def test_hooks_of_the_store_never_run(pushed, tmp_path):
    ran = tmp_path / "ran"
    for name in ("pre-commit", "commit-msg", "post-commit", "pre-push", "reference-transaction", "post-index-change"):
        hook = pushed.write(f".git/hooks/{name}", f"#!/bin/sh\necho {name} >>{ran}\n")
        hook.chmod(0o755)
    pushed.note("build", "It is built by make, twice.")

    assert pushed.sync("y").outcome is StoreOutcome.PUSHED
    assert not ran.exists()
    pushed.note("build", "By the owner's own git, whose hooks do run.")
    pushed.git("commit", "-q", "-a", "-m", "control")
    assert "pre-commit" in ran.read_text()


def test_a_detached_head_with_a_new_commit_is_refused_and_nothing_is_lost(pushed):
    pushed.git("checkout", "-q", "--detach")
    pushed.note("build", "Detached.")
    detached = pushed.commit()
    result = pushed.sync("y")

    assert result.outcome is StoreOutcome.FAILED
    assert "detached" in result.message
    assert pushed.head == detached


def test_a_bare_store_and_a_linked_worktree_are_refused(pushed, tmp_path):
    pushed.git("clone", "-q", "--bare", str(pushed.folder), str(tmp_path / "bare"))
    pushed.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "linked"))
    for folder, words in (("bare", "bare"), ("linked", "a file that leads to another place")):
        result = pushed.sync("y", folder=tmp_path / folder)
        assert result.outcome is StoreOutcome.FAILED
        assert words in result.message


def test_a_store_without_a_remote_in_its_configuration_uses_the_url_of_the_settings(store):
    assert "remote" not in (store.folder / ".git/config").read_text()
    assert store.sync("y").outcome is StoreOutcome.PUSHED


def test_what_forges_editors_and_macs_write_does_not_stop_a_store(pushed):
    pushed.write(
        ".git/config",
        (pushed.folder / ".git/config").read_text()
        + f'[core]\n\tignorecase = true\n\tprecomposeunicode = true\n[remote "origin"]\n\turl = {pushed.access.url}\n'
        "\tfetch = +refs/heads/*:refs/remotes/origin/*\n\tgh-resolved = base\n"
        '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n\tvscode-merge-base = origin/main\n'
        "[commit]\n\tgpgsign = true\n[gc]\n\tauto = 0\n[pull]\n\trebase = true\n"
        '[lfs "https://h.example/info/lfs"]\n\taccess = basic\n',
    )
    pushed.note("build", "It is built by make, twice.")

    assert pushed.sync("y").outcome is StoreOutcome.PUSHED


def test_variables_of_the_owner_do_not_reach_git(pushed, monkeypatch, tmp_path):
    trace = tmp_path / "trace"
    for name in (
        "GIT_TRACE",
        "GIT_TRACE_CURL",
        "GIT_TRACE_PACKET",
        "GIT_CURL_VERBOSE",
        "GIT_TRACE2",
        "GIT_TRACE_SETUP",
    ):
        monkeypatch.setenv(name, str(trace))
    monkeypatch.setenv("GIT_DIR", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "http.extraHeader")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "X-Evil: 1")
    pushed.note("build", "It is built by make, twice.")
    result = pushed.sync("y")

    assert result.outcome is StoreOutcome.PUSHED
    assert not trace.exists()
    assert pushed.access.token not in result.said.text


def test_the_token_stands_in_no_file_and_no_argument_of_a_process(pushed, monkeypatch, tmp_path):
    watched = tmp_path / "git"
    watched.mkdir()
    (watched / "git").write_text(
        f'#!/bin/sh\ntr "\\0" " " </proc/$$/cmdline >>{watched}/seen\nenv >>{watched}/seen\nexec /usr/bin/git "$@"\n'
    )
    (watched / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{watched}:{os.environ['PATH']}")
    pushed.note("build", "It is built by make, twice.")

    assert pushed.sync("y").outcome is StoreOutcome.PUSHED
    seen = (watched / "seen").read_text()
    assert "ls-remote" in seen
    assert "push" in seen
    for form in (pushed.access.token, pushed.server.authorization.split()[1]):
        assert form not in seen
        assert not [path for path in tmp_path.rglob("*") if path.is_file() and form.encode() in path.read_bytes()]


def test_only_the_remote_gets_the_credential_and_only_when_it_asks(pushed):
    before = len(pushed.server.requests())
    pushed.note("build", "It is built by make, twice.")
    pushed.sync("y")
    requests = pushed.server.requests()[before:]

    assert requests[0] == ("401", "-")
    assert {authorization for _, authorization in requests} == {"-", pushed.server.authorization}

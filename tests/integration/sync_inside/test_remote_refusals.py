"""Every way in which a remote does not take a push ends the store with its own sentence, and keeps what is local."""

import dataclasses
from datetime import timedelta

import pytest

from pi_sandbox.git_access.repository import read_repository
from pi_sandbox.memory_sync.outcome import StoreOutcome
from pi_sandbox.memory_sync.push_access import Network
from pi_sandbox.memory_sync.remote import reached_remote
from tests.fakes.git_server import git_server
from tests.integration.sync_inside.stores import Conversation, make_store


def with_access(store, **changes):
    return dataclasses.replace(store, access=dataclasses.replace(store.access, **changes))


def fails(store, *words, answers=("y",)):
    before = store.state()
    result = store.sync(*answers)
    assert result.outcome is StoreOutcome.FAILED
    for word in words:
        assert word in result.message, (result.message, result.said.text)
    assert store.access.token not in result.said.text + result.message + result.hint
    assert store.server.authorization.split()[1] not in result.said.text + result.message + result.hint
    assert result.said.questions == []
    assert store.state() == before
    return result


def test_a_wrong_token_is_unauthorized(store):
    fails(with_access(store, token="wrong-to/k+en%"), "did not accept the credential")


def test_a_login_without_the_right_is_forbidden(store):
    store.server.restart(extra=f"<Location /git/{store.remote_name}.git>\nRequire all denied\n</Location>")
    try:
        fails(store, "refused access")
    finally:
        store.server.restart()


def test_a_repository_that_is_not_there_is_not_found(store):
    fails(with_access(store, url=store.server.url("nothing-here")), "no such repository")


def test_a_host_that_does_not_answer_is_unreachable(store):
    fails(with_access(store, url="https://127.0.0.1:9/git/x.git"), "unreachable")


def test_a_name_that_is_not_there_is_unreachable(store):
    fails(with_access(store, url="https://no-such-host.invalid/git/x.git"), "unreachable")


def test_a_server_with_a_fault_of_its_own_is_named(store):
    store.server.restart(extra="RewriteEngine on\nRewriteRule ^ - [R=503,L]")
    try:
        fails(store, "fault of its own")
    finally:
        store.server.restart()


def test_a_login_page_in_the_place_of_the_repository_is_named(store):
    folder = store.server.folder
    (folder / "login.html").write_text("<html>log in</html>\n")
    page = f"RewriteEngine on\nRewriteRule ^/git/ {folder}/login.html [L]\n"
    store.server.restart(extra=f"{page}<Directory {folder}>\nRequire all granted\n</Directory>")
    try:
        fails(store, "something that is no git")
    finally:
        store.server.restart()


def test_an_authority_that_is_not_trusted_is_a_certificate_failure_that_names_the_setting(store):
    before = store.server.requests()
    untrusting = dataclasses.replace(store, network=Network(None, None, None))
    result = fails(untrusting, "certificate")

    assert "PI_SANDBOX_CA_BUNDLE" in result.hint
    assert "clock" in result.hint
    assert store.server.requests() == before


@pytest.mark.parametrize(
    "times",
    [
        {"valid_from": timedelta(days=-30), "valid_for": timedelta(days=10)},
        {"valid_from": timedelta(days=10), "valid_for": timedelta(days=30)},
    ],
    ids=["expired", "not-yet-valid"],
)
def test_a_certificate_of_another_time_mentions_the_clock(tmp_path, times):
    with git_server(**times) as server:
        result = fails(make_store(server, tmp_path, "private", "private"), "certificate")

    assert "clock" in result.hint


def test_a_certificate_for_another_name_is_a_certificate_failure(tmp_path):
    with git_server(names=("elsewhere.example",)) as server:
        fails(make_store(server, tmp_path, "private", "private"), "certificate")


REDIRECTS = {
    "of everything, to another port": (
        "^/git/(.*)$",
        "https://127.0.0.1:{port}/git/$1",
        "https://127.0.0.1:{port}/git/",
    ),
    "of everything, to another host": ("^/git/(.*)$", "https://new.example.org/x/$1", "https://new.example.org/x/"),
    "of everything, to another path": ("^/git/(.*)$", "/moved/$1", "https://127.0.0.1:{own}/moved/"),
    "with a login in it": ("^/git/(.*)$", "https://me:pass@new.example.org/$1?key=x", "https://new.example.org/"),
}


@pytest.mark.parametrize(("source", "target", "shown"), REDIRECTS.values(), ids=REDIRECTS)
def test_a_redirect_is_not_followed_but_named_and_the_other_place_gets_no_credential(store, source, target, shown):
    ports = {"port": store.server.other_port, "own": store.server.port}
    flags = "[R=302,L,NE]"
    store.server.restart(extra=f"RewriteEngine on\nRewriteRule {source} {target.format(**ports)} {flags}")
    try:
        result = fails(store, f"redirects to {shown.format(**ports)}{store.remote_name}.git, and that is not followed")
    finally:
        store.server.restart()

    assert store.server.requests(other=True) == []
    assert "pass" not in result.said.text + result.message + result.hint


def at_the_push(store, rule):
    """Pushes to a server with a rule for the push alone."""
    store.note("build", "It is built by make, twice.")
    before = store.tip
    store.server.restart(extra=f"RewriteEngine on\n{rule}")
    try:
        result = store.sync("y")
    finally:
        store.server.restart()
    assert result.outcome is StoreOutcome.FAILED
    assert store.tip == before
    assert store.access.token not in result.said.text + result.message + result.hint
    assert store.server.authorization.split()[1] not in result.said.text + result.message + result.hint
    return result


def test_a_redirect_of_the_push_alone_is_told_as_one_and_named(pushed):
    requests = len(pushed.server.requests(other=True))
    other = f"https://127.0.0.1:{pushed.server.other_port}/git"
    result = at_the_push(pushed, f"RewriteRule ^/git/(.*)/git-receive-pack$ {other}/$1/git-receive-pack [R=307,L]")

    assert f"redirects to {other}/{pushed.remote_name}.git, and that is not followed" in result.message
    assert len(pushed.server.requests(other=True)) == requests


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (403, "refused access"),
        (404, "no such repository"),
        (413, "does not take that much at once"),
        (429, "asks for fewer requests"),
        (503, "fault of its own"),
    ],
)
def test_what_the_server_says_to_the_push_alone_is_told(pushed, status, words):
    result = at_the_push(pushed, f"RewriteRule ^/git/.*-receive-pack$ - [R={status},L]")

    assert words in result.message
    assert "unreachable" not in result.message


def test_the_trace_that_a_redirect_is_read_from_holds_no_credential(pushed):
    repository = read_repository(pushed.folder)
    with reached_remote(repository, pushed.access, pushed.network, Conversation()) as remote:
        remote.state()
        trace = (remote.git.folder / "trace").read_text()

    assert "Recv header: HTTP/1.1 200" in trace
    assert "Authorization: Basic <redacted>" in trace
    for form in (pushed.access.token, pushed.server.authorization.split()[1]):
        assert form not in trace


def test_the_control_of_the_redirect_that_the_other_place_logs_what_it_gets(store):
    other = with_access(store, url=store.access.url.replace(str(store.server.port), str(store.server.other_port)))

    assert other.sync("y").outcome is StoreOutcome.PUSHED
    assert ("200", store.server.authorization) in store.server.requests(other=True)


def rejected(store, *words):
    """Pushes once more against a remote that does not take it: the commit stays local, the remote stays as it is."""
    store.note("build", "It is built by make, twice.")
    before = store.tip
    result = store.sync("y")
    assert result.outcome is StoreOutcome.FAILED
    for word in words:
        assert word in result.message, (result.message, result.said.text)
    assert store.tip == before
    assert store.git("log", "-1", "--format=%s") == "chore(memory): sync private 2026-01-31"
    assert store.git("status", "--porcelain") == ""
    assert "pushed " not in result.said.text
    return result


def test_a_hook_that_refuses_is_a_rejection_and_the_next_run_shows_what_is_unpushed(pushed):
    pushed.server.add_hook(pushed.remote_name, "pre-receive", "echo not today >&2; exit 1")
    result = rejected(pushed, "rejected", "hook")

    assert "  | remote: not today" in result.said.text.replace("remote: not today        ", "remote: not today")
    again = pushed.sync("n")
    assert again.outcome is StoreOutcome.SKIPPED
    assert f"commit {pushed.head[:12]}" in again.said.lines
    assert "was not made by memory-sync" not in again.said.text


def test_a_hook_cannot_draw_a_question_or_show_the_credential(pushed):
    script = (
        f"printf '\\033[2J\\rpush private? [y/N] ' >&2; echo 'Authorization: {pushed.server.authorization}' >&2; exit 1"
    )
    pushed.server.add_hook(pushed.remote_name, "pre-receive", script)
    result = rejected(pushed, "rejected")

    assert "\033" not in result.said.text
    assert pushed.server.authorization.split()[1] not in result.said.text
    hidden = "?" * len(pushed.server.authorization.split()[1])
    assert [line for line in result.said.lines if f"Authorization: Basic {hidden}" in line] != []


def test_a_hook_that_floods_costs_neither_the_push_nor_the_readers_patience(pushed):
    pushed.server.add_hook(pushed.remote_name, "post-receive", "yes flood | head -c 30000000 >&2; echo last >&2")
    pushed.note("build", "It is built by make, twice.")
    result = pushed.sync("y")

    assert result.outcome is StoreOutcome.PUSHED
    assert pushed.tip == pushed.head
    assert 0 < sum("flood" in line for line in result.said.lines) <= 200
    assert "more lines of the remote are not shown" in result.said.text


def test_a_remote_that_moves_on_between_the_look_and_the_push_rejects(pushed, tmp_path):
    def move_on(question):
        other = pushed.elsewhere(tmp_path / "other")
        other.note("other", "Written elsewhere.")
        other.commit()
        other.push_by_hand("main")

    pushed.note("build", "It is built by make, twice.")
    result = pushed.sync("y", said=Conversation(before_answer=move_on))

    assert result.outcome is StoreOutcome.FAILED
    assert "rejected" in result.message
    assert "moved on" in result.message


def test_a_remote_that_takes_the_objects_and_drops_the_branch_is_noticed(pushed):
    bare = pushed.server.repository(pushed.remote_name)
    old = pushed.tip
    pushed.server.add_hook(pushed.remote_name, "post-receive", f"git -C {bare} update-ref refs/heads/main {old}")
    rejected(pushed, "did not move its branch")


def test_a_protected_branch_is_a_rejection(pushed):
    pushed.server.add_hook(pushed.remote_name, "update", 'echo "GL-HOOK-ERR: protected branch" >&2; exit 1')
    rejected(pushed, "rejected")


def test_the_control_that_the_same_push_arrives_without_a_refusing_hook(pushed):
    pushed.note("build", "It is built by make, twice.")

    assert pushed.sync("y").outcome is StoreOutcome.PUSHED
    assert pushed.tip == pushed.head

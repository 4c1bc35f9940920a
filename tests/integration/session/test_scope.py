"""A session sees its own memory and nobody else's: made-up words stand everywhere, and the session looks for them."""

import json
import re
import secrets
import shutil
import signal
from pathlib import Path

import pytest

from tests.integration.session.sandbox import (
    GIT_IDENTITY,
    Sandbox,
    make_sandbox,
    probe_script,
    run_git,
    sections,
    tree,
    wait_until,
)

WORD = f"mk{secrets.token_hex(6)}"
LEVEL = "git.example.org/group/repo"
OWN = {"core", "private", "host", "group", "repo", "project"}
WORK = {"work", "work-level"}
SIBLINGS = {"other-host", "other-group", "other-repo", "inner-repo"}
NOBODYS = {
    "core-past",
    "private-past",
    "work-past",
    "work-login",
    "work-history",
    "work-project",
    "env",
    "other-project",
}
LOOK = (
    f"grep -rohaE '{WORD}-[a-z-]+' /brain /run /tmp /home /etc /root /var /mnt /srv /opt/pi-sandbox "
    f"/proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/[0-9]*/mountinfo 2>/dev/null | sort -u"
)


@pytest.fixture(scope="module")
def marked(sandbox: Sandbox) -> Sandbox:
    """A home in which each place holds a word of its own."""
    private, work, core = (sandbox.store(name) for name in ("private", "work", "core"))
    for store, name in ((private, "private"), (work, "work"), (core, "core")):
        _put(store / "notes" / "old.md", f"{name}-past")
        run_git(store, "add", ".")
        run_git(store, *GIT_IDENTITY, "commit", "--quiet", "--message=Old")
        (store / "notes" / "old.md").unlink()
        run_git(store, "add", ".")
        run_git(store, *GIT_IDENTITY, "commit", "--quiet", "--message=New")
        _put(store / "briefing.md", name)
    host, group, repo = "git.example.org", "git.example.org/group", LEVEL
    for level, name in ((host, "host"), (group, "group"), (repo, "repo"), ("other.example.org", "other-host")):
        _put(private / level / "notes" / "note.md", name)
    _put(private / host / "other" / "briefing.md", "other-group")
    _put(private / group / "client" / "auto" / "MEMORY.md", "other-repo")
    _put(private / repo / "inner" / "briefing.md", "inner-repo")
    (private / repo / "link").symlink_to("../client/auto")
    _put(work / LEVEL / "briefing.md", "work-level")
    _put(sandbox.project() / "README.md", "project")
    _put(sandbox.project("git.example.org/group/client") / "README.md", "other-project")
    _put(sandbox.project(domain="work") / "README.md", "work-project")
    (sandbox.home / "state" / "work" / "auth.json").write_text(json.dumps({"x": {"key": f"{WORD}-work-login"}}))
    _put(sandbox.home / "state" / "work" / "sessions" / "old.jsonl", "work-history")
    with (sandbox.home / ".env").open("a") as file:
        file.write(f"\nBRAIN_WORK_USER={WORD}-env\n")
    return sandbox


def _put(file: Path, name: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"# Note\n\n{WORD}-{name}\n")


def _seen(sandbox: Sandbox, *options: str) -> set[str]:
    project = sandbox.project()
    said = sandbox.shell(project, f"{{ {LOOK}; grep -rohaE '{WORD}-[a-z-]+' .; }} | sort -u", *options).ok()
    return {word.removeprefix(f"{WORD}-") for word in said.split()}


def test_every_word_is_found_where_everything_is_visible(marked: Sandbox) -> None:
    words = re.compile(f"{WORD}-[a-z-]+")
    plain = {
        word for path in marked.home.rglob("*") if path.is_file() for word in words.findall(path.read_text("latin1"))
    }
    past = {
        word for name in ("core", "private", "work") for word in words.findall(run_git(marked.store(name), "log", "-p"))
    }
    assert {word.removeprefix(f"{WORD}-") for word in plain | past} == OWN | WORK | SIBLINGS | NOBODYS


def test_a_session_sees_the_memory_on_its_own_path_and_nothing_else(marked: Sandbox) -> None:
    assert _seen(marked) == OWN


def test_a_second_domain_is_visible_only_in_the_run_that_asked_for_it(marked: Sandbox) -> None:
    assert _seen(marked, "--with-domain", "work") == OWN | WORK
    assert _seen(marked, "--with-other-domain") == OWN | WORK
    assert _seen(marked) == OWN


def test_the_whole_domain_is_visible_only_in_the_run_that_asked_for_it(marked: Sandbox) -> None:
    assert _seen(marked, "--domain-wide") == OWN | SIBLINGS
    assert _seen(marked) == OWN


def test_the_page_names_nothing_of_the_other_levels_and_is_what_the_command_prints(marked: Sandbox) -> None:
    project = marked.project()
    inside = marked.shell(project, "cat /run/pi-session/context.md", "--with-domain", "work").ok()
    assert inside == marked.call("context", project, "--with-domain", "work").ok()
    assert set(re.findall(f"{WORD}-([a-z-]+)", inside)) == {"core", "private"}
    assert "client" not in inside
    assert "other.example.org" not in inside


def test_a_level_below_or_beside_cannot_be_written_or_uncovered(marked: Sandbox) -> None:
    before = tree(marked.store("private"))
    move = "python3 -c 'import os, sys; os.rename(*sys.argv[1:])'"
    probes = {
        "write beside": "touch /brain/private/git.example.org/group/client/x",
        "remove beside": "rmdir /brain/private/git.example.org/group/client",
        "move beside": f"{move} /brain/private/git.example.org/group/client /brain/private/git.example.org/group/mine",
        "move above": f"{move} /brain/private/git.example.org /brain/private/notes/mine",
        "move the group": f"{move} /brain/private/git.example.org/group /brain/private/notes/mine",
        "move its own": f"{move} /brain/private/git.example.org/group/repo /brain/private/notes/mine",
        "unmount": "umount /brain/private/git.example.org/group/client",
        "write below": "touch /brain/private/git.example.org/group/repo/inner/x",
        "write git": "touch /brain/private/.git/x",
        "move git": f"{move} /brain/private/.git /brain/private/git",
    }
    said = sections(marked.shell(marked.project(), probe_script(probes)).ok())
    assert {name for name, text in said.items() if text.endswith("code 0\n")} == set()
    assert tree(marked.store("private")) == before
    kept = (
        "cd /brain/private/notes && mkdir a && mv a b && rmdir b && cd ../git.example.org/group/repo && touch x && rm x"
    )
    marked.shell(marked.project(), kept).ok()


def test_a_second_domain_stays_read_only_whatever_happens_on_the_host_meanwhile(marked: Sandbox) -> None:
    store, project = marked.store("work"), marked.project()
    probes = {
        "create": "touch /brain/work/x",
        "create deep": "touch /brain/work/new/x",
        "rename": "mv /brain/work/README.md /brain/work/x",
        "rename the store": "mv /brain/work /brain/x",
        "change": "echo x >> /brain/work/renamed.md",
        "remove": "rm -f /brain/work/README.md",
        "remount": "mount -o remount,rw /brain/work",
        "bind over": "mount --bind /tmp /brain/work",
        "link out": "ln /brain/work/README.md /brain/private/x",
    }
    script = f"touch go; until test -e went; do sleep 0.05; done; {probe_script(probes)}"
    with marked.session(project, script, "--with-domain", "work") as live:
        wait_until((project / "go").exists, "the session's first step")
        (store / "new").mkdir()
        (store / "briefing.md").rename(store / "renamed.md")
        (store / "index.md").unlink()
        before = tree(store)
        (project / "went").touch()
        assert live.process.stdout is not None
        said = sections(live.process.stdout.read().decode())
    for name in ("go", "went"):
        (project / name).unlink()
    assert said.keys() == probes.keys()
    assert {name for name, text in said.items() if text.endswith("code 0\n")} == set()
    assert tree(store) == before
    run_git(store, "checkout", "--", "briefing.md", "index.md")
    _put(store / "briefing.md", "work")
    (store / "renamed.md").unlink()
    (store / "new").rmdir()


@pytest.mark.parametrize("missing", ["work", "private", "core"])
def test_a_missing_store_is_an_empty_placeholder_and_nothing_appears_on_the_host(tmp_path: Path, missing: str) -> None:
    sandbox = make_sandbox(tmp_path / "home")
    project = sandbox.project()
    shutil.rmtree(sandbox.store(missing))
    before = _without_what_pi_keeps(sandbox)
    probe = f"ls -A /brain/{missing} | wc -l; touch /brain/{missing}/x 2>&1 || head -5 /run/pi-session/context.md >&2"
    ended = sandbox.shell(project, probe, "--with-domain", "work")
    assert ended.ok() == f"0\ntouch: cannot touch '/brain/{missing}/x': Read-only file system\n"
    assert f"pi-memory-{missing}" in ended.err
    assert "placeholder" in ended.err
    assert _without_what_pi_keeps(sandbox) == before


def test_plan_run_crash_run_leave_the_home_as_it_was(tmp_path: Path) -> None:
    sandbox = make_sandbox(tmp_path / "home")
    project = sandbox.project()
    bare = sandbox.project("git.example.org/bare", git=False)
    before = _without_what_pi_keeps(sandbox)
    sandbox.call("plan", project).ok()
    for place in (project, bare):
        sandbox.shell(place, "true").ok()
        with sandbox.session(place) as live:
            live.process.send_signal(signal.SIGKILL)
            live.process.wait()
        wait_until(lambda: not _runs(sandbox), "the end of a session whose wrapper was killed")
    sandbox.shell(project, "true").ok()
    assert _without_what_pi_keeps(sandbox) == before
    assert sandbox.containers() == []


def _without_what_pi_keeps(sandbox: Sandbox) -> dict[str, str]:
    """Gives the home without the two folders a project in which pi keeps something, which a first session makes."""
    kept = ("state/private/sessions/", "state/private/project-memory/")
    return {name: state for name, state in tree(sandbox.home).items() if not name.startswith(kept)}


def _runs(sandbox: Sandbox) -> bool:
    return any(container["State"]["Running"] for container in sandbox.containers())

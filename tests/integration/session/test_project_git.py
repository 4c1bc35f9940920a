"""The project's git can be read in a session, and nothing in it can be planted that the host would run."""

import subprocess
from pathlib import Path

import pytest

from tests.integration.session.sandbox import Sandbox, probe_script, run_git, sections, tree

PROBES = {
    "commit": "git -c user.name=a -c user.email=a@example.org commit --allow-empty -m x",
    "add": "echo x > y; git add y",
    "branch": "git branch x",
    "stash": "echo x >> README.md; git stash",
    "config": "git config core.fsmonitor 'touch /tmp/tripped'",
    "hook": "echo 'touch tripped' > .git/hooks/post-checkout",
    "commondir": "echo /tmp > .git/commondir",
    "worktree config": "echo x > .git/config.worktree",
    "attributes": "mkdir -p .git/info && echo '* filter=x' > .git/info/attributes",
    "replace": "mv .git x",
    "remove": "rm -rf .git",
    "rename away": "cd .. && mv repo elsewhere",
    "bind": "mkdir -p /tmp/git && mount --bind /tmp/git .git",
    "remount": "mount -o remount,rw,bind $PWD/.git",
    "unmount": "umount .git",
    "mode": "chmod 777 .git/config",
    "link": "ln -sfn /tmp .git",
    "worktree": "git worktree add /tmp/tree",
}


@pytest.fixture(scope="module")
def project(sandbox: Sandbox) -> Path:
    project = sandbox.project()
    (project / "README.md").write_text("# Changed\n")
    return project


def test_status_log_diff_and_blame_work(sandbox: Sandbox, project: Path) -> None:
    script = "git status --short && git log --format=%s && git diff --stat && git blame -s README.md && git show --stat"
    said = sandbox.shell(project, script).ok()
    assert " M README.md" in said
    assert "First" in said
    assert "1 insertion" in said


def test_nothing_can_be_written_into_the_projects_git(sandbox: Sandbox, project: Path) -> None:
    before = tree(project / ".git")
    said = sections(sandbox.shell(project, probe_script(PROBES)).ok())
    assert {name for name, text in said.items() if text.endswith("code 0\n")} == set()
    assert tree(project / ".git") == before
    assert run_git(project, "config", "--get-regexp", "core.*").count("fsmonitor") == 0


def test_the_page_tells_the_agent_so(sandbox: Sandbox, project: Path) -> None:
    page = sandbox.call("context", project).ok()
    assert "git" in page.lower()
    assert "read-only" in page


def test_nothing_runs_on_the_host_that_a_session_planted_in_a_new_repository_and_it_is_reported(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    bare = sandbox.project("git.example.org/group/bare", git=False)
    plant = f"git init -q . && git config core.fsmonitor 'touch {tmp_path}/tripped; false'"
    ended = sandbox.shell(bare, plant)
    assert ended.code == 0
    assert f"{bare}/.git" in ended.err
    assert "hooks" in ended.err
    subprocess.run(("git", "status"), cwd=bare, capture_output=True, check=False)
    assert (tmp_path / "tripped").exists(), "the control: what is reported is what would run"


def test_a_session_in_a_repository_reports_nothing(sandbox: Sandbox, project: Path) -> None:
    assert sandbox.shell(project, "true").err == ""


@pytest.mark.parametrize("relative", [False, True])
def test_a_linked_worktree_is_said_to_be_out_of_reach(sandbox: Sandbox, project: Path, relative: bool) -> None:
    linked = sandbox.home / "ws" / "private" / f"linked-{relative}"
    run_git(project, "worktree", "add", "--quiet", str(linked))
    if relative:
        name = (linked / ".git").read_text().split("/")[-1].strip()
        (linked / ".git").write_text(f"gitdir: ../git.example.org/group/repo/.git/worktrees/{name}\n")
    before = tree(linked)
    ended = sandbox.shell(linked, "git status; echo x > .git; mv .git y; ls -A")
    assert "linked worktree" in ended.err
    assert tree(linked) == before

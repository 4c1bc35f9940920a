"""The patches of many commits from one run of git are those of each alone."""

import pytest

from pi_sandbox.git_access.objects import read_commits
from pi_sandbox.git_access.private_git import private_git
from pi_sandbox.git_access.repository import read_repository
from pi_sandbox.git_access.runner import GitFailedError
from pi_sandbox.memory_sync import patches
from pi_sandbox.memory_sync.patches import patches_of
from tests.unit.git_access.repositories import git, make


@pytest.fixture
def store(tmp_path):
    """The first commit, one with a line that is an id, one without a change, and a merge."""
    folder = make(tmp_path / "store")
    (folder / "b.md").write_text(f"{git(folder, 'rev-parse', 'HEAD')}\ntext\n")
    (folder / "c\nd.md").write_text("odd\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "second")
    git(folder, "commit", "-q", "--allow-empty", "-m", "third")
    git(folder, "checkout", "-q", "-b", "side", "HEAD~1")
    (folder / "side.md").write_text("side\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "side")
    git(folder, "checkout", "-q", "main")
    git(folder, "merge", "-q", "-m", "merge", "side")
    return folder


def alone(folder, commit):
    parents = git(folder, "rev-list", "--parents", "-1", commit).split()[1:]
    before = parents[0] if parents else git(folder, "hash-object", "-t", "tree", "/dev/null")
    options = ("-p", "-r", "--text", "--no-renames", "--full-index")
    return git(folder, "diff-tree", *options, before, commit).rstrip("\n")


@pytest.mark.parametrize("at_once", [50, 2, 1])
def test_each_commit_has_its_own_patch(store, monkeypatch, at_once):
    monkeypatch.setattr(patches, "_AT_ONCE", at_once)
    ids = git(store, "rev-list", "--topo-order", "--reverse", "HEAD").split()
    with private_git(read_repository(store)) as private:
        found = patches_of(private, list(read_commits(private, ids, size_limit=10_000)))

    assert found == {commit: alone(store, commit) for commit in ids}
    assert [bool(found[commit]) for commit in ids].count(False) == 1


def test_no_commit_is_no_run_of_git():
    assert patches_of(None, []) == {}


def test_a_patch_that_git_leaves_out_is_a_failure():
    class Silent:
        def run(self, *_arguments, **_options):
            return ""

    class Commit:
        id = "a" * 40
        parents = ()

    with pytest.raises(GitFailedError):
        patches_of(Silent(), [Commit()])

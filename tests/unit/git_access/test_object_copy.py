import pytest

from pi_sandbox.git_access import trees
from pi_sandbox.git_access.object_copy import copy_commits, copy_contents, copy_trees
from pi_sandbox.git_access.private_git import private_git
from pi_sandbox.git_access.repository import RepositoryRefusedError, read_repository
from pi_sandbox.git_access.trees import tree_entries
from tests.unit.git_access.repositories import git, make


@pytest.fixture
def folder(tmp_path):
    made = make(tmp_path / 'a "store": größe')
    (made / "notes").mkdir()
    (made / "notes/b.md").write_text("b\n" * 100)
    git(made, "add", ".")
    git(made, "commit", "-q", "-m", "second")
    return made


@pytest.fixture
def private(folder):
    with private_git(read_repository(folder), borrows=False) as made:
        yield made


def test_nothing_of_a_store_is_found_before_it_is_copied(folder, private):
    for name in ("HEAD", "HEAD^{tree}", "HEAD:a.md"):
        assert private.attempt("cat-file", "-e", git(folder, "rev-parse", name)).status != 0


def test_a_history_is_copied_by_kind_and_no_object_lies_loose(folder, private):
    head = git(folder, "rev-parse", "HEAD")
    copy_commits(private, head)
    assert private.run("rev-list", head).split() == git(folder, "rev-list", "HEAD").split()
    copy_trees(private, [head, head])
    assert sorted(tree_entries(private, head)) == ["a.md", "notes/b.md"]
    name = git(folder, "rev-parse", "HEAD:notes/b.md")
    assert copy_contents(private, [name, name], size_limit=1000) == frozenset()
    assert private.run("cat-file", "-p", name) == "b\n" * 100
    assert [path for path in (private.git_dir / "objects").iterdir() if len(path.name) == 2] == []


def test_a_content_above_the_limit_is_left_out_and_named(folder, private):
    name = git(folder, "rev-parse", "HEAD:notes/b.md")

    assert copy_contents(private, [name], size_limit=10) == {name}
    assert private.attempt("cat-file", "-e", name).status != 0


def test_a_commit_that_is_missing_in_the_history_is_refused(folder, private):
    first = git(folder, "rev-parse", "HEAD~1")
    (folder / ".git/objects" / first[:2] / first[2:]).unlink()
    with pytest.raises(RepositoryRefusedError, match=first):
        copy_commits(private, git(folder, "rev-parse", "HEAD"))


def test_a_store_without_a_commit_has_nothing_to_copy(private):
    copy_commits(private, None)
    copy_trees(private, [])

    assert list((private.git_dir / "objects/pack").iterdir()) == []


@pytest.mark.parametrize("limit", ["DISTINCT_LIMIT", "TOTAL_LIMIT"])
def test_all_trees_of_a_push_together_are_bounded(folder, private, monkeypatch, limit):
    head = git(folder, "rev-parse", "HEAD")
    copy_commits(private, head)
    monkeypatch.setattr(trees, limit, 3)
    copy_trees(private, [head])
    monkeypatch.setattr(trees, limit, 2)
    with pytest.raises(RepositoryRefusedError, match="too many files"):
        copy_trees(private, [head])

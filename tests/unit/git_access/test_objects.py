import shutil
import zlib

import pytest

from pi_sandbox.git_access.object_data import object_id
from pi_sandbox.git_access.objects import read_commits, read_objects
from pi_sandbox.git_access.private_git import private_git
from pi_sandbox.git_access.repository import RepositoryRefusedError, read_repository
from pi_sandbox.git_access.runner import GitFailedError
from pi_sandbox.git_access.trees import tree_entries
from tests.unit.git_access.repositories import git, make

LIMIT = 1024 * 1024


@pytest.fixture
def folder(tmp_path):
    return make(tmp_path / "store")


@pytest.fixture
def private(folder):
    with private_git(read_repository(folder)) as made:
        yield made


def test_ids_are_counted_as_git_counts_them(folder):
    assert object_id("blob", b"a\n", "sha1") == git(folder, "rev-parse", "HEAD:a.md")
    assert object_id("tree", b"", "sha256") == "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"


def test_objects_come_in_the_order_asked_for(folder, private):
    (folder / "b.md").write_bytes(b"b\0\n\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "second")
    ids = [git(folder, "rev-parse", f"HEAD:{name}.md") for name in "ba"]

    assert list(read_objects(private, ids, size_limit=LIMIT)) == [(ids[0], b"b\0\n\n"), (ids[1], b"a\n")]


def test_many_large_objects_are_read_in_groups(folder, private):
    contents = [bytes([65 + number]) * 9_000_000 for number in range(4)]
    for number, content in enumerate(contents):
        (folder / f"{number}.md").write_bytes(content)
    git(folder, "add", ".")
    ids = [git(folder, "hash-object", f"{number}.md") for number in range(4)]

    assert [content for _, content in read_objects(private, ids, size_limit=10_000_000)] == contents


def test_an_object_above_the_limit_comes_without_content(folder, private):
    name = git(folder, "rev-parse", "HEAD:a.md")

    assert list(read_objects(private, [name], size_limit=1)) == [(name, None)]
    assert list(read_objects(private, [name], size_limit=2)) == [(name, b"a\n")]


def test_a_missing_object_is_refused(private):
    with pytest.raises(RepositoryRefusedError, match="missing or damaged"):
        list(read_objects(private, ["0" * 39 + "1"], size_limit=LIMIT))


def test_an_object_that_holds_something_else_than_its_name_says_is_refused(folder, private):
    name = git(folder, "rev-parse", "HEAD:a.md")
    place = folder / ".git/objects" / name[:2] / name[2:]
    place.chmod(0o644)
    place.write_bytes(zlib.compress(b"blob 2\0b\n"))
    with pytest.raises(RepositoryRefusedError, match="missing or damaged"):
        list(read_objects(private, [name], size_limit=LIMIT))


def test_a_tree_is_listed_with_every_folder_open(folder, private):
    (folder / "notes").mkdir()
    (folder / "notes" / "größe\n.md").write_text("x")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "second")

    assert sorted(tree_entries(private, git(folder, "rev-parse", "HEAD"))) == ["a.md", "notes/größe\n.md"]
    assert tree_entries(private, None) == {}


def test_a_commit_is_taken_apart(folder, private):
    git(folder, "commit", "-q", "--allow-empty", "-m", "subject\n\nbody", "--author", "B <b@localhost>")
    (commit,) = read_commits(private, [git(folder, "rev-parse", "HEAD")], size_limit=LIMIT)

    assert commit.parents == (git(folder, "rev-parse", "HEAD~1"),)
    assert commit.tree == git(folder, "rev-parse", "HEAD^{tree}")
    assert commit.identities == ("B <b@localhost>", "A <a@localhost>")
    assert commit.message == "subject\n\nbody\n"
    assert commit.other_headers == ()


# The private git directory


def test_the_stores_configuration_does_not_reach_git(folder):
    with (folder / ".git/config").open("a") as config:
        config.write("[user]\n\tname = Store\n[core]\n\tfsmonitor = touch ran\n")
    with private_git(read_repository(folder)) as private:
        assert private.attempt("config", "user.name").status == 1


def test_settings_are_in_the_file_and_in_no_argument(folder):
    with private_git(read_repository(folder), {"http.proxy": 'http://me:pass"word\\@proxy'}) as private:
        assert private.run("config", "http.proxy") == 'http://me:pass"word\\@proxy\n'
        assert (private.git_dir / "config").stat().st_mode & 0o077 == 0
        assert private.folder.stat().st_mode & 0o077 == 0


def test_new_objects_stay_out_of_the_store(folder, private):
    before = sorted((folder / ".git").rglob("*"))
    name = private.run("hash-object", "-w", "--stdin", standard_input=b"new").strip()

    assert private.run("cat-file", "-p", name) == "new"
    assert sorted((folder / ".git").rglob("*")) == before


@pytest.mark.parametrize("name", ['a "b"', "größe", "a\\b", "a:b"])
def test_a_store_with_an_odd_name_is_read(tmp_path, name):
    folder = make(tmp_path / name)
    with private_git(read_repository(folder)) as private:
        assert sorted(tree_entries(private, git(folder, "rev-parse", "HEAD"))) == ["a.md"]


def test_everything_is_gone_afterwards(folder):
    with private_git(read_repository(folder)) as private:
        assert private.git_dir.is_dir()
    assert not private.folder.exists()


def test_a_commit_graph_that_tells_another_history_is_not_believed(folder):
    git(folder, "commit", "-q", "--allow-empty", "-m", "second")
    git(folder, "commit-graph", "write", "--reachable")
    graph = folder / ".git/objects/info/commit-graph"
    graph.chmod(0o644)
    graph.write_bytes(b"CGPH nonsense")
    with private_git(read_repository(folder)) as private:
        assert len(private.run("rev-list", git(folder, "rev-parse", "HEAD")).split()) == 2


def test_a_failure_says_what_git_said(private):
    with pytest.raises(GitFailedError, match="rev-parse"):
        private.run("rev-parse", "--verify", "nothing")


def test_a_store_without_objects_is_refused(folder):
    shutil.rmtree(folder / ".git/objects")
    with pytest.raises(RepositoryRefusedError):
        read_repository(folder)

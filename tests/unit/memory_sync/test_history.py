import pytest

from pi_sandbox.git_access.private_git import private_git
from pi_sandbox.git_access.repository import read_repository
from pi_sandbox.memory_check.memory_file import FileKind
from pi_sandbox.memory_sync.history import files_of_commits, identities_on_remote, identity_lines, unpushed_commits
from tests.unit.git_access.repositories import git, make


@pytest.fixture
def store(tmp_path):
    return make(tmp_path / "store")


def write(store, path, text):
    (store / path).parent.mkdir(parents=True, exist_ok=True)
    (store / path).write_text(text)


def commit(store, message, *options):
    git(store, "add", ".")
    git(store, "commit", "-q", "-m", message, *options)
    return git(store, "rev-parse", "HEAD")


def unpushed(store, *on_remote):
    repository = read_repository(store)
    with private_git(repository) as private:
        commits = unpushed_commits(private, repository.head, on_remote)
        files = {one.data.id: files for one, files in files_of_commits(private, commits, frozenset())}
        return commits, files


def added(commits):
    return [[entry.path for entry in one.new_entries] for one in commits]


def test_commits_come_oldest_first_with_what_each_adds(store):
    first = git(store, "rev-parse", "HEAD")
    write(store, "b.md", "b\n")
    second = commit(store, "second")
    write(store, "a.md", "changed\n")
    (store / "b.md").unlink()
    third = commit(store, "third")
    commits, files = unpushed(store, first)

    assert [one.data.id for one in commits] == [second, third]
    assert added(commits) == [["b.md"], ["a.md"]]
    assert [(file.path, file.content) for file in files[third]] == [("message", b"third\n"), ("a.md", b"changed\n")]


def test_the_first_commit_adds_everything(store):
    write(store, "b.md", "b\n")
    commit(store, "second")

    assert added(unpushed(store)[0]) == [["a.md"], ["b.md"]]


def test_an_empty_commit_adds_nothing(store):
    commit(store, "nothing", "--allow-empty")

    assert added(unpushed(store)[0]) == [["a.md"], []]


def test_a_merge_adds_only_what_neither_side_had(store):
    git(store, "checkout", "-q", "-b", "side")
    write(store, "side.md", "side\n")
    commit(store, "side")
    git(store, "checkout", "-q", "main")
    write(store, "main.md", "main\n")
    commit(store, "main")
    git(store, "merge", "-q", "--no-commit", "side")
    write(store, "evil.md", "only in the merge\n")
    write(store, "side.md", "changed in the merge\n")
    commit(store, "merge")

    assert added(unpushed(store)[0])[-1] == ["evil.md", "side.md"]


def test_a_mode_a_link_and_a_nested_repository_are_entries_too(store):
    (store / "a.md").chmod(0o755)
    (store / "link").symlink_to("a.md")
    git(store, "update-index", "--add", "--cacheinfo", f"160000,{git(store, 'rev-parse', 'HEAD')},module")
    git(store, "add", "a.md", "link")
    git(store, "commit", "-q", "-m", "odd")
    commits, files = unpushed(store)

    assert added(commits)[-1] == ["a.md", "link", "module"]
    assert {file.path: file.kind for file in files[commits[-1].data.id]} == {
        "message": FileKind.FILE,
        "a.md": FileKind.FILE,
        "link": FileKind.SYMLINK,
        "module": FileKind.GITLINK,
    }


def test_odd_names_come_as_they_are(store):
    write(store, "größe\n:100644 a.md", "x")
    commit(store, "odd")

    assert added(unpushed(store)[0])[-1] == ["größe\n:100644 a.md"]


def test_nothing_is_unpushed_without_a_commit_or_when_the_remote_has_it(store, tmp_path):
    head = git(store, "rev-parse", "HEAD")

    assert unpushed(store, head) == ((), {})
    assert unpushed(make(tmp_path / "empty", commit=False)) == ((), {})


def test_identities_are_those_of_authors_and_committers(store):
    head = git(store, "rev-parse", "HEAD")
    commit(store, "second", "--allow-empty", "--author", "B <b@localhost>")
    commits, _ = unpushed(store, head)
    with private_git(read_repository(store)) as private:
        assert identity_lines(commits[0]) == ["B <b@localhost>", "A <a@localhost>"]
        assert identities_on_remote(private, [head]) == {"A <a@localhost>"}
        assert identities_on_remote(private, []) == frozenset()

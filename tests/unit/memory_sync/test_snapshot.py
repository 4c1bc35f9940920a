import pytest

from pi_sandbox.errors import FilesError
from pi_sandbox.git_access.private_git import private_git
from pi_sandbox.git_access.repository import RepositoryRefusedError, read_repository
from pi_sandbox.git_access.trees import tree_entries
from pi_sandbox.memory_check.memory_file import FileKind
from pi_sandbox.memory_sync import snapshot as module
from pi_sandbox.memory_sync import store_index
from pi_sandbox.memory_sync.snapshot import Snapshot
from tests.unit.git_access.repositories import git, make


@pytest.fixture
def store(tmp_path):
    return make(tmp_path / "store")


def picture(store, *, keep=True):
    """The files of a picture, its tree's entries, and the paths that differ from the last commit."""
    repository = read_repository(store)
    with private_git(repository) as private:
        snapshot = Snapshot(repository, private, keep=keep)
        files = {file.path: file for file in snapshot.files()}
        entries = tree_entries(private, snapshot.write_tree()) if keep else {}
        return files, entries, snapshot.changed_paths()


def test_a_store_without_changes_is_the_committed_tree(store):
    files, entries, changed = picture(store)

    assert files["a.md"].content == b"a\n"
    assert entries["a.md"].id == git(store, "rev-parse", "HEAD:a.md")
    assert changed == []


def test_changed_new_and_removed_files_make_another_tree(store):
    (store / "b.md").write_text("b\n")
    git(store, "add", ".")
    git(store, "commit", "-q", "-m", "second")
    (store / "a.md").write_text("changed\n")
    (store / "b.md").unlink()
    (store / "new").mkdir()
    (store / "new" / "c.md").write_text("c\n")
    _, entries, changed = picture(store)

    assert sorted(entries) == ["a.md", "new/c.md"]
    assert changed == ["a.md", "b.md", "new/c.md"]


def test_nothing_of_it_is_written_to_the_store(store):
    (store / "a.md").write_text("changed\n")
    before = {path: path.stat().st_mtime_ns for path in store.rglob("*")}
    picture(store)
    picture(store, keep=False)

    assert {path: path.stat().st_mtime_ns for path in store.rglob("*")} == before


def test_the_same_content_twice_is_staged_once(store):
    (store / "b.md").write_text("same\n")
    (store / "c.md").write_text("same\n")
    _, entries, _ = picture(store)

    assert entries["b.md"].id == entries["c.md"].id


def test_files_read_in_several_groups_are_all_there(store, monkeypatch):
    monkeypatch.setattr(module, "READ_AT_ONCE_BYTES", 3)
    for number in range(20):
        (store / f"{number}.md").write_bytes(b"x\r\n" * number)
    files, entries, _ = picture(store)

    assert len(files) == len(entries) == 21


@pytest.mark.parametrize(("file_modes", "mode"), [("true", "100755"), ("false", "100644")])
def test_the_executable_bit_counts_where_the_disk_has_one(store, file_modes, mode):
    git(store, "config", "core.filemode", file_modes)
    (store / "a.md").chmod(0o755)

    assert picture(store)[1]["a.md"].mode == mode


def test_a_committed_executable_stays_one_where_the_disk_has_no_such_bit(store):
    git(store, "update-index", "--chmod=+x", "a.md")
    git(store, "commit", "-q", "-m", "second")
    git(store, "config", "core.filemode", "false")
    (store / "a.md").write_text("changed\n")

    assert picture(store)[1]["a.md"].mode == "100755"


def test_a_submodule_in_the_index_is_named(store):
    git(store, "update-index", "--add", "--cacheinfo", f"160000,{git(store, 'rev-parse', 'HEAD')},module")

    assert picture(store, keep=False)[0]["module"].kind is FileKind.GITLINK


def test_a_sparse_checkout_is_refused_until_it_is_whole_again(store):
    (store / "other").mkdir()
    (store / "other" / "b.md").write_text("b\n")
    git(store, "add", ".")
    git(store, "commit", "-q", "-m", "second")
    git(store, "sparse-checkout", "set", "--no-cone", "a.md")
    assert not (store / "other" / "b.md").exists()
    with pytest.raises(RepositoryRefusedError, match=r"other/b\.md") as refused:
        picture(store)
    assert refused.value.hint.endswith("git sparse-checkout disable")
    git(store, "sparse-checkout", "disable")

    assert picture(store)[2] == []


def test_a_file_behind_an_index_flag_is_read_and_one_that_is_gone_is_not_taken_for_removed(store):
    git(store, "update-index", "--skip-worktree", "a.md")
    (store / "a.md").write_text("changed\n")
    assert picture(store)[2] == ["a.md"]
    (store / "a.md").unlink()
    with pytest.raises(RepositoryRefusedError):
        picture(store)


def test_an_index_that_cannot_be_read_is_refused_with_the_way_out(store):
    (store / ".git/index").write_bytes(b"nonsense")
    with pytest.raises(RepositoryRefusedError, match="index cannot be read") as refused:
        picture(store)
    assert "git reset" in refused.value.hint


def test_a_store_whose_index_is_gone_is_read(store):
    (store / ".git/index").unlink()

    assert picture(store)[2] == []


def test_a_file_that_was_added_by_force_is_tracked(store):
    (store / ".gitignore").write_text("*.tmp\n")
    (store / "a.tmp").write_text("x")
    (store / "b.tmp").write_text("x")
    git(store, "add", "-f", "a.tmp")

    assert sorted(picture(store)[1]) == [".gitignore", "a.md", "a.tmp"]


def test_a_file_replaced_by_a_folder_and_back(store):
    (store / "a.md").unlink()
    (store / "a.md").mkdir()
    (store / "a.md" / "b.md").write_text("b")

    assert sorted(picture(store)[1]) == ["a.md/b.md"]


@pytest.mark.parametrize(("limit", "error"), [("_INDEX_BYTES", FilesError), ("ENTRIES_LIMIT", RepositoryRefusedError)])
def test_an_index_too_large_to_be_looked_at_is_refused(store, monkeypatch, limit, error):
    picture(store)
    monkeypatch.setattr(store_index, limit, 0)

    with pytest.raises(error, match="index"):
        picture(store)


def test_the_parts_of_a_split_index_share_one_bound(store, monkeypatch):
    git(store, "update-index", "--split-index")
    parts = [store / ".git" / "index", *(store / ".git").glob("sharedindex.*")]
    sizes = [part.stat().st_size for part in parts]
    assert len(sizes) == 2
    monkeypatch.setattr(store_index, "_INDEX_BYTES", sum(sizes))
    picture(store)
    monkeypatch.setattr(store_index, "_INDEX_BYTES", sum(sizes) - 1)

    with pytest.raises(FilesError, match="sharedindex"):
        picture(store)


def test_what_git_ignores_is_counted(store):
    (store / ".gitignore").write_text("*.tmp\n")
    for name in ("x.tmp", "y.tmp", "b.md"):
        (store / name).write_text("x\n")
    repository = read_repository(store)
    with private_git(repository) as private:
        snapshot = Snapshot(repository, private, keep=False)
        assert {file.path for file in snapshot.files()} == {".gitignore", "a.md", "b.md"}
        assert snapshot.ignored == ("x.tmp", "y.tmp")

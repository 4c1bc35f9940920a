import contextlib
import os
import unicodedata

import pytest

from pi_sandbox.errors import FilesError
from pi_sandbox.memory_check.memory_file import FileKind
from pi_sandbox.memory_sync import working_tree
from pi_sandbox.memory_sync.open_folders import open_folders
from pi_sandbox.memory_sync.working_tree import ListedFile, list_files, read_listed, repository_names
from tests.rights import bound_by_permissions
from tests.unit.git_access.repositories import make
from tests.unit.memory_sync.listed import listing, write


@pytest.fixture
def store(tmp_path):
    return make(tmp_path / "store")


def reading(store, file):
    with open_folders(store) as folders:
        return read_listed(folders, file)


def kinds(store):
    return {file.path: file.kind for file in listing(store)}


def test_every_kind_of_file_is_listed_and_nothing_is_followed(store, tmp_path):
    write(tmp_path, "outside/secret.md")
    write(store, "notes/b.md")
    (store / "link.md").symlink_to(tmp_path / "outside" / "secret.md")
    (store / "folder").symlink_to(tmp_path / "outside")
    os.mkfifo(store / "pipe")
    write(store, "inner/.git", b"gitdir: x")
    write(store, "inner/c.md")

    assert kinds(store) == {
        "a.md": FileKind.FILE,
        "notes/b.md": FileKind.FILE,
        "link.md": FileKind.SYMLINK,
        "folder": FileKind.SYMLINK,
        "pipe": FileKind.SPECIAL,
        "inner": FileKind.GITLINK,
    }


def test_only_the_stores_own_git_is_left_out(store):
    write(store, "notes/.git/config")
    write(store, ".gitignore")
    write(store, ".github/x")

    assert set(kinds(store)) == {"a.md", ".gitignore", ".github/x", "notes"}


@pytest.mark.parametrize("beside", ["refs/a", "commondir"])
@pytest.mark.parametrize("inner", ["x", "notes/x"])
def test_a_bare_repository_is_named_and_one_with_other_files_is_not(store, inner, beside):
    write(store, f"{inner}/HEAD", b"ref: refs/heads/main\n")
    write(store, f"{inner}/objects/a")
    assert kinds(store)[f"{inner}/HEAD"] is FileKind.FILE

    write(store, f"{inner}/{beside}")
    assert kinds(store) == {"a.md": FileKind.FILE, inner: FileKind.GITLINK}


def test_a_repository_that_borrows_all_but_its_head_is_named_and_what_it_borrows_is_looked_at(store):
    write(store, "notes/src/HEAD", b"ref: refs/heads/m\n")
    write(store, "notes/src/commondir", b"../lib/x\n")
    write(store, "notes/lib/x/config", b"[core]\n")
    assert kinds(store) == {
        "a.md": FileKind.FILE,
        "notes/src": FileKind.GITLINK,
        "notes/lib/x/config": FileKind.FILE,
    }


@pytest.mark.parametrize(("limit", "value"), [("ENTRIES_LIMIT", 4), ("PATHS_LIMIT_CHARACTERS", 31), ("DEPTH_LIMIT", 2)])
def test_what_is_too_much_for_a_list_ends_the_listing_and_says_where(store, monkeypatch, limit, value):
    write(store, "notes/b.md")
    write(store, "notes/c.md")
    monkeypatch.setattr(working_tree, limit, value)
    assert len(kinds(store)) == 3

    write(store, "notes/d/e.md")
    with pytest.raises(FilesError, match="too many files or folders") as refused:
        listing(store)
    assert '"notes' in refused.value.message


@pytest.mark.parametrize("before", ["n" * 45, "n" * 55, "n" * 79, "n" * 120, "n/" * 30 + "n"])
def test_where_the_listing_ended_is_said_without_a_secret_and_without_half_a_name(store, monkeypatch, before):
    key = "gh" + "p_" + "aB3dE5fG7hI9" + "jK1lM3nO5pQ7" + "rS9tU1vW3xY5"
    write(store, f"{before}/{key}/d/e.md")
    monkeypatch.setattr(working_tree, "DEPTH_LIMIT", before.count("/") + 3)

    with pytest.raises(FilesError, match="too many files or folders") as refused:
        listing(store)

    said = refused.value.message
    assert key[:8] not in said
    assert said.endswith((f'"{before}/{"?" * len(key)}/d"', f'"{before}/{"?" * len(key)}/…"', f'"{before}/…"'))


def test_a_long_way_down_is_listed_and_read_without_any_long_path(store):
    folder = "/".join(["d" * 240] * 30)
    here = os.getcwd()
    try:
        os.chdir(store)
        for name in folder.split("/"):
            os.mkdir(name)
            os.chdir(name)
        with open("b.md", "wb") as file:
            file.write(b"deep")
    finally:
        os.chdir(here)

    (file,) = (file for file in listing(store) if file.path != "a.md")
    assert (file.path, reading(store, file).content) == (f"{folder}/b.md", b"deep")


def test_a_folder_that_cannot_be_read_is_named(store):
    write(store, "notes/b.md")
    assert "notes" not in kinds(store)
    (store / "notes").chmod(0)
    try:
        with bound_by_permissions():
            assert kinds(store)["notes"] is FileKind.UNREADABLE
    finally:
        (store / "notes").chmod(0o755)


def test_a_store_that_is_not_there_is_a_failure_and_not_empty(tmp_path):
    with pytest.raises(FilesError):
        listing(tmp_path / "nothing")


def test_the_executable_bit_is_noted(store):
    write(store, "run").chmod(0o755)

    assert {file.path for file in listing(store) if file.executable} == {"run"}


COMPOSED, DECOMPOSED = (unicodedata.normalize(form, "notes/größe.md") for form in ("NFC", "NFD"))


def test_a_name_in_the_other_normal_form_is_the_tracked_file():
    assert repository_names({DECOMPOSED}, {COMPOSED}, ignores_case=False, composes=False) == {DECOMPOSED: COMPOSED}


def test_a_new_name_is_composed_where_git_composes_names():
    assert repository_names({DECOMPOSED}, set(), ignores_case=True, composes=True) == {DECOMPOSED: COMPOSED}
    assert repository_names({DECOMPOSED}, set(), ignores_case=True, composes=False) == {}
    assert repository_names({DECOMPOSED, COMPOSED}, set(), ignores_case=False, composes=True) == {}
    half = {"o\u0323\u0302", "\u1ecd\u0302"}
    assert len(repository_names(half, set(), ignores_case=False, composes=True)) == 1


def test_two_names_that_are_both_there_stay_two():
    assert repository_names({COMPOSED, DECOMPOSED}, {COMPOSED}, ignores_case=False, composes=False) == {}


def test_letter_case_counts_unless_the_disk_ignores_it():
    assert repository_names({"notes/A.md"}, {"notes/a.md"}, ignores_case=False, composes=False) == {}
    assert repository_names({"notes/A.md"}, {"notes/a.md"}, ignores_case=True, composes=False) == {
        "notes/A.md": "notes/a.md"
    }


def test_a_file_above_the_limit_is_named_and_not_read(store, monkeypatch):
    monkeypatch.setattr(working_tree, "FILE_LIMIT_BYTES", 3)

    assert reading(store, ListedFile("a.md", FileKind.FILE, False)).content == b"a\n"
    write(store, "a.md", b"1234")
    assert reading(store, ListedFile("a.md", FileKind.FILE, False)).kind is FileKind.TOO_LARGE


def test_a_file_that_became_a_link_after_the_listing_is_not_followed(store, tmp_path):
    (file,) = listing(store)
    (store / "a.md").unlink()
    (store / "a.md").symlink_to(write(tmp_path, "outside.md"))

    assert reading(store, file) == working_tree.ReadFile(b"", FileKind.UNREADABLE)


@pytest.mark.parametrize("to_link", [True, False], ids=["link", "folder"])
def test_a_folder_that_was_swapped_after_the_listing_is_not_read_from(store, tmp_path, to_link):
    write(store, "notes/b.md", b"inside")
    write(tmp_path, "outside/b.md", b"OUTSIDE")
    with open_folders(store) as folders:
        (file,) = (file for file in list_files(folders) if file.path == "notes/b.md")
        assert read_listed(folders, file).content == b"inside"
        read_listed(folders, ListedFile("a.md", FileKind.FILE, False))
        (store / "notes").rename(tmp_path / "away")
        if to_link:
            (store / "notes").symlink_to(tmp_path / "outside")
        else:
            (tmp_path / "outside").rename(store / "notes")

        with pytest.raises(FilesError, match=r"replaced while it was read|being written to"):
            read_listed(folders, file)


def test_a_folder_that_became_a_link_before_it_was_listed_is_not_entered(store, tmp_path, monkeypatch):
    write(tmp_path, "outside/b.md")
    write(store, "notes/c.md")
    scan = os.scandir

    def swapped(place):
        found = list(scan(place))
        if (store / "notes").is_dir() and not (store / "notes").is_symlink():
            (store / "notes").rename(tmp_path / "away")
            (store / "notes").symlink_to(tmp_path / "outside")
        return contextlib.nullcontext(iter(found))

    monkeypatch.setattr(working_tree.os, "scandir", swapped)
    assert kinds(store) == {"a.md": FileKind.FILE, "notes": FileKind.UNREADABLE}


def test_a_file_that_became_a_pipe_is_not_waited_for(store):
    (file,) = listing(store)
    (store / "a.md").unlink()
    os.mkfifo(store / "a.md")

    assert reading(store, file).kind is FileKind.SPECIAL


def test_a_file_that_changes_while_it_is_read_is_read_again(store, monkeypatch):
    read, seen = os.fstat, []

    def fstat(descriptor):
        status = read(descriptor)
        if len(seen) == 0:
            (store / "a.md").write_bytes(b"longer than before")
        seen.append(status)
        return status

    with open_folders(store) as folders:
        monkeypatch.setattr(working_tree.os, "fstat", fstat)
        content = read_listed(folders, ListedFile("a.md", FileKind.FILE, False)).content
    assert content == b"longer than before"
    assert len(seen) == 4


def test_a_file_that_does_not_come_to_rest_is_a_failure(store, monkeypatch):
    read = os.fstat

    def fstat(descriptor):
        status = read(descriptor)
        with (store / "a.md").open("ab") as file:
            file.write(b"x")
        return status

    monkeypatch.setattr(working_tree.os, "fstat", fstat)
    with pytest.raises(FilesError, match="being written to"):
        reading(store, ListedFile("a.md", FileKind.FILE, False))

"""What git would take for a repository, told from names: compared with git itself, on folders made from seeds.

TEST_GIT_SHAPES says how many folders are compared.
"""

import os
from pathlib import Path

import pytest

from pi_sandbox.git_access.discovery import (
    FolderEntries,
    entries_of,
    entries_of_paths,
    is_git_directory,
    may_hold_a_repository,
    repositories_in,
)
from tests.unit.git_access.git_shapes import build, git_takes, surroundings

SHAPES = int(os.environ.get("TEST_GIT_SHAPES", "300"))
MANY = 20
"""One in so many is compared with an environment in which objects lie elsewhere."""


def found(folder: Path) -> tuple[str, ...]:
    with os.scandir(folder) as listed:
        return repositories_in(entries_of(listed))


def three_names(folder: Path) -> bool:
    """The rule that looks right and is not enough."""
    names = set(os.listdir(folder))
    return ".git" in names or names >= {"HEAD", "objects", "refs"}


@pytest.fixture(scope="module")
def taken_by_git(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The folders that git takes for a repository, or takes one in them."""
    base = tmp_path_factory.mktemp("shapes").resolve()
    surroundings(base)
    objects = {"GIT_OBJECT_DIRECTORY": str(base / "lib/common/objects")}
    places = [build(seed, base) for seed in range(SHAPES)]
    return [place for seed, place in enumerate(places) if git_takes(place, **(objects if seed % MANY == 0 else {}))]


def test_whatever_git_takes_for_a_repository_is_found(taken_by_git: list[Path]) -> None:
    assert len(taken_by_git) > SHAPES / 8, "git takes enough of them for the comparison to mean something"
    assert [place.name for place in taken_by_git if not found(place)] == []


def test_the_control_three_names_in_one_folder_are_not_enough(taken_by_git: list[Path]) -> None:
    missed = [place for place in taken_by_git if not three_names(place)]
    assert len(missed) > SHAPES / 100


def entries(*others: str, folders: tuple[str, ...] = ()) -> FolderEntries:
    return FolderEntries(frozenset(folders), frozenset(others))


@pytest.mark.parametrize(
    ("listed", "names"),
    [
        pytest.param(entries("HEAD", "commondir", "config.worktree"), ("",), id="all else lies elsewhere"),
        pytest.param(entries("HEAD", folders=("objects", "refs")), ("",), id="bare"),
        pytest.param(entries("HEAD", folders=("refs",)), ("",), id="GIT_OBJECT_DIRECTORY says where objects lie"),
        pytest.param(entries("HEAD", "objects", "refs"), ("",), id="links, or files that may be executed"),
        pytest.param(entries("head", "CommonDir"), ("",), id="a disk that ignores case"),
        pytest.param(entries("HEAD\u200d", "re\u00adfs"), ("",), id="a disk that ignores characters"),
        pytest.param(entries("head", "REFſ"), ("",), id="a disk that folds letters"),
        pytest.param(entries("x", folders=(".git",)), (".git",), id="a git folder, whatever is in it"),
        pytest.param(entries(".git"), (".git",), id="a git file or link"),
        pytest.param(
            entries(".Git", folders=("git~1", ".g\u200cit")), (".Git", ".g\u200cit", "git~1"), id="other spellings"
        ),
        pytest.param(entries(".git. ", ".git::$INDEX_ALLOCATION"), (".git. ", ".git::$INDEX_ALLOCATION"), id="NTFS"),
        pytest.param(entries("HEAD", ".git", folders=("refs",)), ("", ".git"), id="both"),
    ],
)
def test_what_some_git_on_some_disk_takes_is_found(listed: FolderEntries, names: tuple[str, ...]) -> None:
    assert repositories_in(listed) == names
    assert may_hold_a_repository(listed.folders | listed.others)


def test_of_ordinary_names_it_is_told_at_once_that_they_are_none() -> None:
    assert not may_hold_a_repository(["README.md", "src", "a b", "Makefile"])
    assert may_hold_a_repository(["README.md", "größe"])


@pytest.mark.parametrize(
    "listed",
    [
        entries("HEAD"),
        entries("HEAD", "config", "ORIG_HEAD", folders=("objects", "hooks")),
        entries("commondir", folders=("refs", "objects")),
        entries("commondir", "refs", folders=("HEAD",)),
        entries("HEAD.md", "refs", "commondir"),
        entries(".gitignore", ".gitattributes", ".gitmodules", "git", "x.git", folders=(".github", "x.git", "git~2")),
        entries(),
    ],
)
def test_an_ordinary_folder_is_none(listed: FolderEntries) -> None:
    assert repositories_in(listed) == ()


def test_a_pipe_in_place_of_head_counts_and_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "HEAD")
    (tmp_path / "commondir").touch()
    assert found(tmp_path) == ("",)


def test_paths_alone_give_the_entries_of_every_folder() -> None:
    folders = entries_of_paths(["a.md", "notes/x/HEAD", "notes/x/refs/heads/main", "notes/b.md"])
    assert folders[""] == entries("a.md", folders=("notes",))
    assert folders["notes"] == entries("b.md", folders=("x",))
    assert [folder for folder, listed in folders.items() if is_git_directory(listed)] == ["notes/x"]

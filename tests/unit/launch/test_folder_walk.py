"""That a walk sees every folder once, follows nothing, ends at its bounds, and tells what it left out."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_sandbox.launch.folder_walk import MOST_UNSEEN, Bounds, FolderWalk
from tests.fakes.hostile_folders import (
    as_another_user,
    hostile_folder,
    names_to,
    nest,
    odd_entries,
    run_as_another_user,
)
from tests.needs import Host

needs_root = pytest.mark.needs(Host.ROOT)


@pytest.fixture
def root() -> Iterator[Path]:
    with hostile_folder() as folder:
        yield folder


def walked(walk: FolderWalk) -> list[str]:
    return [str(folder.path.relative_to(walk.root)) for folder in walk.folders(lambda folder: folder.folder_names)]


def test_every_folder_is_given_the_nearest_first_by_name(root: Path) -> None:
    for name in ("b/x/y", "a/z", "c"):
        (root / name).mkdir(parents=True)
    walk = FolderWalk(root)
    assert walked(walk) == [".", "a", "b", "c", "a/z", "b/x", "b/x/y"]
    assert walk.unseen == []


def test_what_is_no_folder_is_no_obstacle_and_no_link_is_followed(root: Path) -> None:
    odd_entries(root)
    walk = FolderWalk(root)
    assert sorted(walked(walk)) == sorted([".", "\udcff\udcfe", "line\nbreak", " -rf $(x) '\"\\"])
    assert walk.unseen == []


@pytest.mark.parametrize("depth", [1_200, 3_900])
def test_no_tree_is_too_deep(root: Path, depth: int) -> None:
    nest(root, ["x"] * depth)
    walk = FolderWalk(root)
    assert sum(1 for _ in walk.folders(lambda folder: folder.folder_names)) == depth + 1
    assert walk.unseen == []


@pytest.mark.parametrize("length", range(4_088, 4_101))
def test_no_path_is_too_long(root: Path, length: int) -> None:
    names = names_to(root, length)
    nest(root, [*names, "inner"])
    walk = FolderWalk(root)
    *_, last = walk.folders(lambda folder: folder.folder_names)
    assert last.path == root.joinpath(*names, "inner")
    assert walk.unseen == []


def test_few_folders_are_open_at_a_time_and_none_after_it(root: Path) -> None:
    for number in range(200):
        nest(root, [f"{number:03}", "a" * 200, "b" * 200, "c"])
    before = len(os.listdir("/dev/fd"))
    walk = FolderWalk(root)
    numbers = [len(os.listdir("/dev/fd")) for _ in walk.folders(lambda folder: folder.folder_names)]
    assert len(numbers) == 801
    assert max(numbers) <= before + 70
    assert len(os.listdir("/dev/fd")) == before
    assert walk.unseen == []


@pytest.mark.parametrize("mode", [0o000, 0o300, 0o400, 0o600])
def test_a_closed_folder_is_told_with_what_opens_it_and_costs_no_other_its_turn(root: Path, mode: int) -> None:
    for name in ("a/inner", "b/inner"):
        (root / name).mkdir(parents=True)
    (root / "a").chmod(mode)
    walk = FolderWalk(root)
    assert walked(walk) == [".", "b", "b/inner"]
    (unseen,) = walk.unseen
    assert (unseen.path, unseen.reason) == (root / "a", "may not be read")


@needs_root
@pytest.mark.parametrize("name", ["plain", "a b'$(x)\n\udcff", "-rf"])
def test_the_command_that_is_named_opens_it_for_an_ordinary_user(root: Path, name: str) -> None:
    nest(root, [name, "inner", "innermost"])
    with as_another_user(root):
        (root / name / "inner").chmod(0)
        (root / name).chmod(0)
        walk = FolderWalk(root)
        assert walked(walk) == ["."]
    (unseen,) = walk.unseen
    run_as_another_user(unseen.remedy)
    with as_another_user():
        again = FolderWalk(root)
        assert len(walked(again)) == 4
        assert again.unseen == []


@needs_root
def test_the_command_works_for_a_path_that_is_too_long_for_one(root: Path) -> None:
    names = names_to(root, 4_200)
    nest(root, [*names, "closed", "inner"])
    with as_another_user(root):
        descriptor = os.open(root, os.O_RDONLY)
        for name in names:
            descriptor = os.open(name, os.O_RDONLY, dir_fd=descriptor)
        os.chmod("closed", 0, dir_fd=descriptor)
        walk = FolderWalk(root)
        assert walked(walk)[-1].endswith(names[-1])
    (unseen,) = walk.unseen
    assert unseen.path.name == "closed"
    assert len(unseen.remedy) < 1_100
    run_as_another_user(unseen.remedy)
    assert walked(FolderWalk(root))[-1].endswith("closed/inner")


def test_a_folder_that_disappears_meanwhile_is_not_told(root: Path) -> None:
    for name in ("a", "b/inner"):
        (root / name).mkdir(parents=True)
    walk = FolderWalk(root)
    seen = []
    for folder in walk.folders(lambda folder: folder.folder_names):
        seen.append(folder.path.name)
        if folder.path == root:
            (root / "a").rmdir()
    assert seen == [root.name, "b", "inner"]
    assert walk.unseen == []


def test_a_folder_that_is_swapped_for_a_link_meanwhile_is_not_entered(root: Path) -> None:
    (root / "outside/inner").mkdir(parents=True)
    (root / "in/a/inner").mkdir(parents=True)
    for number in range(200):
        (root / f"in/b{number:03}/inner").mkdir(parents=True)
    walk = FolderWalk(root / "in")
    identities = set()
    for folder in walk.folders(lambda folder: folder.folder_names):
        identities.add(os.fstat(folder.descriptor).st_ino)
        if folder.path.name == "b199":
            (root / "in/a").rename(root / "moved")
            (root / "in/a").symlink_to(root / "outside")
    assert (root / "outside/inner").stat().st_ino not in identities
    assert (root / "in/b000/inner").stat().st_ino in identities
    assert (root / "in/a/inner").stat().st_ino == (root / "outside/inner").stat().st_ino, "the way leads there now"


def test_a_first_folder_that_is_gone_or_became_something_else_is_told(root: Path) -> None:
    (root / "file").touch()
    (root / "link").symlink_to(root)
    for name in ("nothing", "file", "link"):
        walk = FolderWalk(root / name)
        assert walked(walk) == []
        assert [(part.path, part.reason) for part in walk.unseen] == [(root / name, "is no folder any more")]


@pytest.mark.parametrize(
    ("bounds", "seen", "reason"),
    [
        (Bounds(folders=3), [".", "a", "b"], "has more than 3 folders"),
        (Bounds(seconds=0.0), [], "takes longer than 0 seconds to look through"),
        (Bounds(path_bytes=4), [".", "a", "b", "a/c"], "lies deeper than 4 bytes of names"),
    ],
)
def test_what_lies_beyond_a_bound_is_told(root: Path, bounds: Bounds, seen: list[str], reason: str) -> None:
    nest(root, ["a", "c", "deep"])
    nest(root, ["b"])
    walk = FolderWalk(root, bounds)
    assert walked(walk) == seen
    assert [part.reason for part in walk.unseen] == [reason]


def test_very_many_things_that_cannot_be_looked_at_are_some_and_one_that_says_so(root: Path) -> None:
    for number in range(MOST_UNSEEN + 5):
        (root / str(number)).mkdir(mode=0)
    walk = FolderWalk(root)
    assert walked(walk) == ["."]
    assert len(walk.unseen) == MOST_UNSEEN + 1
    assert walk.unseen[-1].path == root


def test_the_first_names_of_a_crowded_folder_are_looked_at_and_the_next_folder_too(root: Path) -> None:
    for number in range(30):
        nest(root, ["crowded", str(number)])
    nest(root, ["other", "inner"])
    walk = FolderWalk(root, Bounds(names=20))
    seen = walked(walk)
    assert "other/inner" in seen
    assert len(seen) == 1 + 2 + 21 + 1
    assert [(part.path, part.reason) for part in walk.unseen] == [(root / "crowded", "has more than 20 names")]


def test_a_hundred_thousand_names_in_one_folder_are_looked_at(root: Path) -> None:
    subprocess.run(["bash", "-c", "seq 100000 | xargs touch"], cwd=root, check=True)
    (root / "folder").mkdir()
    walk = FolderWalk(root)
    assert walked(walk) == [".", "folder"]
    assert walk.unseen == []

"""What git would take for a repository, and that looking for it is bounded and follows nothing."""

import itertools
import os
import time
from pathlib import Path

import pytest

from pi_sandbox.launch.folder_walk import Bounds
from pi_sandbox.launch.git_places import MOST_PLACES, find_git, join_looks
from pi_sandbox.session.disk_look import GitPlace, PlaceKind
from tests.fakes.hostile_folders import hostile_folder, names_to, nest
from tests.unit.git_access.git_shapes import build, git_takes, surroundings


def repository(folder: Path) -> Path:
    (folder / "hooks").mkdir(parents=True)
    (folder / "objects").mkdir()
    (folder / "refs").mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "config").write_text("[core]\n")
    return folder


def found(root: Path) -> dict[str, PlaceKind]:
    return {str(place.path.relative_to(root)): place.kind for place in find_git(root).places}


def the_only_place(root: Path) -> GitPlace:
    (place,) = find_git(root).places
    return place


def test_every_kind_is_found_anywhere_below(tmp_path: Path) -> None:
    repository(tmp_path / ".git")
    repository(tmp_path / "vendor/a/b/c/d/e/f/g/h/i/.git")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/.git").write_text("gitdir: ../.git/modules/sub\n")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/.git").symlink_to("/nowhere")
    repository(tmp_path / "fixtures/remote")
    assert found(tmp_path) == {
        ".git": PlaceKind.FOLDER,
        "vendor/a/b/c/d/e/f/g/h/i/.git": PlaceKind.FOLDER,
        "sub/.git": PlaceKind.FILE,
        "linked/.git": PlaceKind.LINK,
        "fixtures/remote": PlaceKind.BARE,
    }


def test_a_name_that_some_file_systems_take_for_the_same_is_found_too(tmp_path: Path) -> None:
    (tmp_path / ".GIT").mkdir()
    assert found(tmp_path) == {".GIT": PlaceKind.FOLDER}


def test_a_folder_that_leads_git_elsewhere_for_all_but_its_head_is_found(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/HEAD").write_text("ref: refs/heads/m\n")
    assert found(tmp_path) == {}
    (tmp_path / "src/commondir").write_text("../lib/x\n")
    assert found(tmp_path) == {"src": PlaceKind.BARE}


@pytest.mark.parametrize("missing", ["HEAD", "refs"])
def test_what_git_does_not_take_for_a_repository_is_none(tmp_path: Path, missing: str) -> None:
    bare = repository(tmp_path / "bare")
    (bare / missing).rename(bare / "other")
    (tmp_path / "git").mkdir()
    (tmp_path / ".gitignore").write_text("x")
    assert found(tmp_path) == {}


def test_a_repository_inside_a_bare_one_is_found(tmp_path: Path) -> None:
    repository(repository(tmp_path / "bare") / "objects/a/.git")
    assert found(tmp_path) == {"bare": PlaceKind.BARE, "bare/objects/a/.git": PlaceKind.FOLDER}


def test_in_whatever_folder_git_works_it_is_in_a_place_that_was_found_or_below_one(tmp_path: Path) -> None:
    surroundings(tmp_path)
    for seed in range(12):
        (build(seed, tmp_path) / "down/inner").mkdir(parents=True)
    places = find_git(tmp_path).places
    holders = {place.path if place.kind is PlaceKind.BARE else place.path.parent for place in places}
    worked = 0
    for name, folders, _ in os.walk(tmp_path):
        folders[:] = [inner for inner in folders if inner != ".git"]
        if git_takes(Path(name), up_to=tmp_path):
            worked += 1
            assert holders & {Path(name), *Path(name).parents}, name
    assert worked > 6


def test_links_are_not_followed_and_what_is_inside_a_repository_is_its_own(tmp_path: Path) -> None:
    repository(tmp_path / "outside/x/.git")
    project = tmp_path / "project"
    repository(project / ".git")
    repository(project / ".git/modules/sub")
    (project / "link").symlink_to(tmp_path / "outside")
    (project / "loop").symlink_to(project)
    assert found(project) == {".git": PlaceKind.FOLDER}


def test_what_is_closed_to_the_session_is_not_looked_into(tmp_path: Path) -> None:
    repository(tmp_path / "closed/.git")
    repository(tmp_path / "open/closed/.git")
    look = find_git(tmp_path, closed=frozenset({tmp_path / "closed"}))
    assert [place.path for place in look.places] == [tmp_path / "open/closed/.git"]
    assert look.unseen == ()


def test_the_bound_leaves_out_the_farthest_and_is_told(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"a{number}/b/c").mkdir(parents=True)
    repository(tmp_path / "a0/b/c/.git")
    repository(tmp_path / "z/.git")
    look = find_git(tmp_path, bounds=Bounds(folders=22))
    assert [place.path for place in look.places] == [tmp_path / "z/.git"]
    assert [part.reason for part in look.unseen] == ["has more than 22 folders"]
    assert find_git(tmp_path).unseen == ()


def test_a_repository_behind_more_folders_than_most_checkouts_have_is_found(tmp_path: Path) -> None:
    for number in range(25_000):
        (tmp_path / str(number)).mkdir()
    repository(tmp_path / "a/b/c/.git")
    look = find_git(tmp_path)
    assert [place.path for place in look.places] == [tmp_path / "a/b/c/.git"]
    assert look.unseen == ()
    assert find_git(tmp_path, bounds=Bounds(folders=20_000)).places == (), "the control"


def test_very_many_places_end_the_look_and_are_told(tmp_path: Path) -> None:
    for number in range(MOST_PLACES + 5):
        (tmp_path / f"{number}").mkdir()
        (tmp_path / f"{number}/.git").touch()
    look = find_git(tmp_path)
    assert len(look.places) == MOST_PLACES + 1
    assert [part.path for part in look.unseen] == [tmp_path]


def test_very_many_places_in_one_folder_end_the_look_and_are_told(tmp_path: Path) -> None:
    for number in range(MOST_PLACES + 500):
        (tmp_path / f".git:{number}").touch()
    look = find_git(tmp_path)
    assert len(look.places) == MOST_PLACES + 1
    assert [part.reason for part in look.unseen] == [
        f"has more than {MOST_PLACES} places that git takes for a repository"
    ]


def test_the_time_is_over_inside_a_folder_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(100):
        (tmp_path / f".git:{number}").touch()
    assert len(find_git(tmp_path).places) == 100
    clock = itertools.count()
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    look = find_git(tmp_path, bounds=Bounds(seconds=20))
    assert 1 < len(look.places) < 20
    assert [part.reason for part in look.unseen] == ["takes longer than 20 seconds to look through"]


@pytest.mark.parametrize("length", range(4_088, 4_098))
def test_one_whose_path_is_too_long_for_the_system_is_a_place_with_what_runs_programs_in_it(length: int) -> None:
    with hostile_folder() as root:
        names = names_to(root, length)
        nest(root, [*names, ".git", "hooks"])
        before = the_only_place(root)
        assert before.path == root.joinpath(*names, ".git")
        nest(root, [*names, ".git", "info"])
        assert the_only_place(root).code != before.code


@pytest.mark.parametrize("mode", [0o000, 0o400])
def test_a_git_folder_that_was_closed_is_one_all_the_same(tmp_path: Path, mode: int) -> None:
    repository(tmp_path / ".git").chmod(mode)
    assert found(tmp_path) == {".git": PlaceKind.FOLDER}


@pytest.mark.parametrize(
    "change",
    [
        lambda git: (git / "config").write_text("[core]\n\tfsmonitor = x\n"),
        lambda git: (git / "config.worktree").write_text("x"),
        lambda git: (git / "commondir").write_text("x"),
        lambda git: (git / "hooks/post-commit").write_text("x"),
        lambda git: (git / "info").mkdir(),
        lambda git: (git / "hooks").rename(git / "old") and (git / "hooks").symlink_to("old"),
    ],
)
@pytest.mark.parametrize("name", [".git", "bare"])
def test_a_change_to_what_makes_git_run_programs_is_seen(tmp_path: Path, change: object, name: str) -> None:
    git = repository(tmp_path / name)
    (git / "hooks/post-commit").write_text("y")
    before = the_only_place(tmp_path)
    assert callable(change)
    change(git)
    after = the_only_place(tmp_path)
    assert after.code != before.code


def test_a_hook_whose_time_was_set_back_is_seen(tmp_path: Path) -> None:
    hook = repository(tmp_path / ".git") / "hooks/post-commit"
    hook.write_text("one")
    before = the_only_place(tmp_path)
    then = hook.stat()
    hook.write_text("two")
    os.utime(hook, ns=(then.st_atime_ns, then.st_mtime_ns))
    assert the_only_place(tmp_path).code != before.code


def test_ordinary_work_in_a_repository_is_no_change(tmp_path: Path) -> None:
    git = repository(tmp_path / ".git")
    before = the_only_place(tmp_path)
    (git / "index").write_text("x")
    (git / "refs/heads").mkdir()
    (git / "HEAD").write_text("ref: refs/heads/other\n")
    assert the_only_place(tmp_path) == before


def test_a_replaced_repository_has_another_identity(tmp_path: Path) -> None:
    repository(tmp_path / ".git")
    before = the_only_place(tmp_path)
    (tmp_path / ".git").rename(tmp_path / "moved")
    repository(tmp_path / ".git")
    after = next(place for place in find_git(tmp_path).places if place.path.name == ".git")
    assert after.identity != before.identity


def test_a_git_file_or_link_that_leads_elsewhere_is_changed(tmp_path: Path) -> None:
    git = tmp_path / ".git"
    git.write_text("gitdir: a\n")
    before = the_only_place(tmp_path)
    git.write_text("gitdir: b\n")
    assert the_only_place(tmp_path).code != before.code


def test_several_looks_are_one(tmp_path: Path) -> None:
    one, two = repository(tmp_path / "one/.git"), repository(tmp_path / "two/.git")
    joined = join_looks([find_git(one.parent), find_git(two.parent)])
    assert [place.path for place in joined.places] == [one, two]

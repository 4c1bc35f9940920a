"""Where a repository leads git: inside the folder that was asked about, and never outside it."""

import itertools
import os
import time
from pathlib import Path

import pytest

from pi_sandbox.launch.folder_walk import Bounds
from pi_sandbox.launch.git_places import find_git
from pi_sandbox.session.disk_look import PlaceKind
from tests.unit.git_access.git_shapes import build, folder_of_settings, git_takes, surroundings


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a repository that borrows, and one that it may borrow from."""
    root = tmp_path / "project"
    for name in ("src", "lib/x/objects", "lib/x/refs", "lib/x/hooks"):
        (root / name).mkdir(parents=True)
    (root / "src/HEAD").write_text("ref: refs/heads/m\n")
    (tmp_path / "outside/objects").mkdir(parents=True)
    return root


def led_to(root: Path) -> list[str]:
    return [str(place.path.relative_to(root)) for place in find_git(root).places if place.kind is PlaceKind.LED_TO]


@pytest.mark.parametrize(
    "way",
    [
        *(
            "../lib/x",
            "../lib/x\n",
            "../lib/x\r\n\n",
            "../lib/x\0../y",
            "../lib/./x/",
            ".././src/..//lib/x",
            "../link",
            "./way",
        ),
        *("{root}/lib/x\n", "/{root}/lib/x", "{root}/link", "../absolute"),
    ],
)
def test_a_commondir_is_followed_as_git_does(root: Path, way: str) -> None:
    (root / "link").symlink_to("lib/x")
    (root / "absolute").symlink_to(root / "lib/x")
    (root / "src/way").symlink_to("../link")
    (root / "src/commondir").write_text(way.format(root=root))
    assert git_takes(root / "src")
    assert led_to(root) == ["lib/x"]
    assert find_git(root).unseen == ()


@pytest.mark.parametrize("way", ["../lib/x \n", "../nowhere", ".", "", "../lib/file"])
def test_what_leads_nowhere_leads_nowhere(root: Path, way: str) -> None:
    (root / "lib/file").touch()
    (root / "src/commondir").write_text(way)
    assert (led_to(root), find_git(root).unseen) == ([], ())


@pytest.mark.parametrize("way", ["../../outside", "{root}/../outside", "/", "../out", "../loop", "../" + "n" * 300])
def test_what_leads_out_of_the_folder_is_said_and_not_touched(
    root: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "out").symlink_to("../outside")
    (root / "loop").symlink_to("loop")
    (root / "src/commondir").write_text(way.format(root=root))
    lstat, outside = Path.lstat, []

    def watched(path: Path) -> os.stat_result:
        if not path.is_relative_to(root):
            outside.append(path)
        return lstat(path)

    monkeypatch.setattr(Path, "lstat", watched)
    look = find_git(root)
    assert [place.path.name for place in look.places] == ["src"]
    (part,) = look.unseen
    assert part.path == root / "src/commondir"
    assert outside == []


@pytest.mark.parametrize("content", [None, "x" * (1024 * 1024 + 1)], ids=["a folder", "too long"])
def test_a_commondir_that_cannot_be_read_is_said(root: Path, content: str | None) -> None:
    if content is None:
        (root / "src/commondir").mkdir()
        (root / "src/refs").mkdir()
    else:
        (root / "src/commondir").write_text(content)
    assert len(find_git(root).unseen) == 1


def _length(way: str, length: int) -> str:
    """Gives the way with as many `./` before it as make it so long, and a slash more where that is odd."""
    return "./" * ((length - len(way)) // 2) + "/".join(way.split("/", 1)).replace(
        "/", "/" * (1 + (length - len(way)) % 2), 1
    )


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Every entry that is asked about."""
    lstat, asked = Path.lstat, []

    def watched(path: Path) -> os.stat_result:
        asked.append(path)
        return lstat(path)

    monkeypatch.setattr(Path, "lstat", watched)
    return asked


def test_a_commondir_that_is_longer_than_a_path_is_said_and_not_followed(root: Path, steps: list[Path]) -> None:
    (root / "src/commondir").write_text(_length("../lib/x", 4_095) + "\n")
    assert (led_to(root), find_git(root).unseen) == (["lib/x"], ())
    (root / "src/commondir").write_text(_length("../lib/x", 4_096) + "\n")
    steps.clear()
    (part,) = find_git(root).unseen
    assert (part.path, part.reason) == (root / "src/commondir", "leads git out of reach")
    assert len(steps) < 10


def test_a_git_file_that_is_longer_than_a_path_is_none_to_git_either(root: Path, steps: list[Path]) -> None:
    (root / "lib/x/HEAD").write_text("ref: refs/heads/m\n")
    (root / "src/HEAD").unlink()
    for length, is_taken in ((3_000, True), (4_096, False)):
        (root / "src/.git").write_text("gitdir: " + _length("../lib/x", length) + "\n")
        assert git_takes(root / "src") is is_taken
    steps.clear()
    assert find_git(root).unseen == ()
    assert len(steps) < 10


def test_one_file_for_very_many_places_takes_a_bounded_number_of_steps_and_that_is_said(
    root: Path, steps: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pi_sandbox.launch.git_redirections.MOST_STEPS", 2_000)
    (root / "src/commondir").write_text("../lib/" * 300)
    for number in range(20):
        (root / f"d{number}").mkdir()
        (root / f"d{number}/HEAD").touch()
        (root / f"d{number}/commondir").hardlink_to(root / "src/commondir")
    reasons = [part.reason for part in find_git(root).unseen]
    assert reasons[-1] == "leads git on ways of more than 2000 names"
    assert len(steps) < 2_100


def test_the_time_of_the_walk_holds_for_what_is_followed_too(
    root: Path, steps: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "src/commondir").write_text("../lib/" * 300)
    clock = itertools.count()
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    reasons = [part.reason for part in find_git(root, bounds=Bounds(seconds=100)).unseen]
    assert "takes longer than 100 seconds to look through" in reasons
    assert len(steps) < 100


@pytest.mark.parametrize(
    "said", ["gitdir: ../lib/g\n", "gitdir: {root}/lib/g", "link to the folder", "link to the file"]
)
def test_a_git_file_and_a_link_are_followed_to_the_folder_and_to_what_that_borrows(root: Path, said: str) -> None:
    (root / "lib/g").mkdir()
    (root / "lib/g/commondir").write_text("../x\n")
    (root / "src/HEAD").unlink()
    match said:
        case "link to the folder":
            (root / "src/.git").symlink_to("../lib/g")
        case "link to the file":
            (root / "said").write_text("gitdir: ../lib/g\n")
            (root / "src/.git").symlink_to("../said")
        case _:
            (root / "src/.git").write_text(said.format(root=root))
    assert led_to(root) == ["lib/g", "lib/x"]
    (root / "lib/g/HEAD").write_text("ref: refs/heads/m\n")
    assert led_to(root) == ["lib/x"], "the other one is a place of its own"
    assert git_takes(root / "src")


@pytest.mark.parametrize("said", ["gitdir: ../../outside\n", "gitdir:../lib/x", "", "x"])
def test_a_git_file_that_leads_out_is_an_ordinary_worktree_and_another_one_is_none(root: Path, said: str) -> None:
    (root / "src/.git").write_text(said)
    assert (led_to(root), find_git(root).unseen) == ([], ())


def test_a_change_to_what_is_borrowed_is_seen(root: Path) -> None:
    def codes() -> dict[str, str]:
        return {place.path.name: place.code for place in find_git(root).places}

    (root / "src/commondir").write_text("../lib/x\n")
    before = codes()
    (root / "lib/x/config").write_text("[core]\n\tfsmonitor = x\n")
    configured = codes()
    (root / "lib/x/hooks/post-checkout").write_text("x")
    hooked = codes()
    (root / "src/config.worktree").write_text("[core]\n")
    assert before["x"] != configured["x"] != hooked["x"]
    assert before["src"] == hooked["src"] != codes()["src"]


def test_wherever_git_finds_its_settings_is_a_place_or_below_one(tmp_path: Path) -> None:
    surroundings(tmp_path)
    settings = [folder_of_settings(build(seed, tmp_path)) for seed in range(80)]
    places = {place.path for place in find_git(tmp_path).places}
    asked = [folder for folder in settings if folder is not None]
    assert len(asked) > 8
    assert [folder for folder in asked if places.isdisjoint((folder, *folder.parents))] == []

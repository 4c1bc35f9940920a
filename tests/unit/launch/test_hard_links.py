"""Which files of a project are told to have names outside it."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from pi_sandbox.launch.folder_walk import Bounds
from pi_sandbox.launch.git_places import find_git
from pi_sandbox.launch.hard_links import LinkCount
from pi_sandbox.session.disk_look import NO_LINKED_FILES, LinkedFiles
from pi_sandbox.session.plan import session_scope
from pi_sandbox.session.plan_warnings import plan_warnings
from tests.fakes.hostile_folders import OTHER_USER, as_another_user, hostile_folder
from tests.needs import Host
from tests.unit.session import plan_parts as parts


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project/src").mkdir(parents=True)
    (tmp_path / "store").mkdir()
    return tmp_path / "project"


def linked(project: Path, *, most_files: int = 100, bounds: Bounds | None = None) -> LinkedFiles:
    links = LinkCount(most_files)
    look = find_git(project, bounds=bounds, links=links)
    return links.found(all_folders=not look.unseen)


def make(file: Path, *names: Path) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("x")
    for name in names:
        name.parent.mkdir(parents=True, exist_ok=True)
        name.hardlink_to(file)
    return file


def test_a_file_that_lies_in_a_store_too_is_told(project: Path) -> None:
    file = make(project / "node_modules/a/index.js", project.parent / "store/1")
    make(project / "src/own.js")
    assert linked(project) == LinkedFiles((file,), 1, True)


def test_a_file_all_of_whose_names_lie_in_the_project_is_not(project: Path) -> None:
    make(project / "a", project / "src/b", project / "deep/down/c")
    assert linked(project) == NO_LINKED_FILES


def test_one_name_more_outside_makes_it_one_file(project: Path) -> None:
    make(project / "a", project / "src/b", project.parent / "store/c")
    assert linked(project) == LinkedFiles((project / "a",), 1, True)


@pytest.mark.parametrize("place", ["__pycache__/x", "src/.cache/deep/x", ".git/objects/ab/x"])
def test_what_lies_in_a_cache_or_in_git_is_not_told(project: Path, place: str) -> None:
    make(project / place, project.parent / "store/1")
    assert linked(project) == NO_LINKED_FILES


def test_a_name_in_a_cache_of_the_project_is_a_name_in_the_project(project: Path) -> None:
    make(project / ".ccache/1/object", project / "build/object.o")
    assert linked(project) == NO_LINKED_FILES


def test_of_many_some_are_named_and_all_counted(project: Path) -> None:
    for number in range(20):
        make(project / f"src/{number:02}", project.parent / f"store/{number}")
    found = linked(project)
    assert (found.some, found.number) == (tuple(project / f"src/0{number}" for number in range(3)), 20)


def test_beyond_the_bound_of_files_nothing_is_looked_at_and_that_is_told(project: Path) -> None:
    make(project / "a", project / "src/b")
    make(project / "src/c", project.parent / "store/c")
    assert linked(project, most_files=1) == LinkedFiles((project / "a",), 1, False)
    assert linked(project, most_files=3).is_whole


def test_where_folders_were_left_out_that_is_told(project: Path) -> None:
    make(project / "a", project / "src/b")
    assert linked(project, bounds=Bounds(folders=1)) == LinkedFiles((project / "a",), 1, False)


def test_what_is_no_file_is_not_counted(project: Path) -> None:
    os.mkfifo(project / "pipe")
    (project.parent / "store/pipe").hardlink_to(project / "pipe")
    (project / "link").symlink_to("pipe")
    (project.parent / "store/link").hardlink_to(project / "link")
    assert linked(project, most_files=0) == NO_LINKED_FILES


@pytest.mark.needs(Host.ROOT)
@pytest.mark.parametrize(("mode", "number"), [(0o644, 0), (0o664, 1), (0o646, 1)])
def test_a_file_of_somebody_else_that_the_session_cannot_write_is_not_told(mode: int, number: int) -> None:
    with hostile_folder() as folder:
        file = make(folder / "project/file", folder / "outside")
        assert linked(folder / "project").number == 1
        file.chmod(mode)
        with as_another_user():
            assert os.geteuid() == OTHER_USER
            assert linked(folder / "project").number == number


def test_the_command_that_the_warning_names_gives_a_file_a_copy_of_its_own(project: Path) -> None:
    file = make(project / "a", project.parent / "store/a")
    (warning,) = plan_warnings(
        session_scope(parts.request(), parts.workspace(), parts.look()),
        replace(parts.look(), linked=linked(project)),
        2.0,
        2.0,
    )
    command = warning.partition("any file: ")[2].rstrip(")").replace("FILE", str(file))
    subprocess.run(["sh", "-c", command], check=True)
    assert linked(project) == NO_LINKED_FILES
    assert (project.parent / "store/a").read_text() == file.read_text() == "x"

"""What a repository names to git: real git runs it, and a change of it is told at the end of a session."""

import itertools
import os
import subprocess
import time
from pathlib import Path

import pytest

from pi_sandbox.launch import git_named_files
from pi_sandbox.launch.git_named_files import named_files
from pi_sandbox.launch.git_places import find_git
from pi_sandbox.session.disk_look import GitLook, NamedLook
from pi_sandbox.session.left_behind import Scene, left_behind

TRIP = "touch tripped; false"


def git(project: Path, *arguments: str) -> None:
    environment = {**os.environ, "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(project.parent)}
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
    subprocess.run(command, cwd=project, env=environment, check=False, capture_output=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "a.txt").write_text("a\n")
    (folder / ".gitattributes").write_text("*.txt filter=f diff=d\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def look_for_names(project: Path, *, seconds: float = 1_000) -> NamedLook:
    return named_files(project, find_git(project).places, seconds=seconds)


def reasons(project: Path, *, seconds: float = 1_000) -> list[str]:
    return [part.reason for part in look_for_names(project, seconds=seconds).unseen]


def scene(project: Path) -> Scene:
    look = find_git(project)
    named = named_files(project, look.places)
    assert named.unseen == ()
    return Scene(look, frozenset(), named.files)


def program(path: Path) -> None:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(f"#!/bin/sh\n{TRIP}\n")
    path.chmod(0o755)


def include(project: Path) -> None:
    (project / ".gitconfig").write_text(f"[core]\n\tfsmonitor = {TRIP}\n")


CASES = {
    "an included file": (("include.path", "../.gitconfig"), ".gitconfig", include),
    "a file that is included when git works here": (
        ("includeIf.gitdir:**.path", "../.gitconfig"),
        ".gitconfig",
        include,
    ),
    "a program": (("core.fsmonitor", "./tools/fm"), "tools/fm", lambda project: program(project / "tools/fm")),
    "the argument of a program": (
        ("core.fsmonitor", "sh 'tools/fm' ignored"),
        "tools/fm",
        lambda project: program(project / "tools/fm"),
    ),
    "a filter": (("filter.f.clean", "tools/clean %f"), "tools/clean", lambda project: program(project / "tools/clean")),
    "a converter": (("diff.d.textconv", "tools/conv"), "tools/conv", lambda project: program(project / "tools/conv")),
    "a folder of hooks": (
        ("core.hooksPath", ".githooks"),
        ".githooks",
        lambda project: program(project / ".githooks/post-index-change"),
    ),
}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_the_settings_name_is_told_when_it_appears_or_changes_and_git_would_run_it(
    project: Path, case: str
) -> None:
    (key, value), name, plant = CASES[case]
    git(project, "config", key, value)
    empty = scene(project)
    plant(project)
    planted = scene(project)
    (line,) = left_behind(empty, planted, frozenset({project / ".git"}))
    assert f'"{project / name}"' in line
    assert "appeared" in line
    assert left_behind(planted, scene(project), frozenset({project / ".git"})) == ()
    plant(project)
    (line,) = left_behind(planted, scene(project), frozenset({project / ".git"}))
    assert "was changed" in line
    (project / "a.txt").write_text("b\n")
    git(project, "status")
    git(project, "diff")
    git(project, "add", "a.txt")
    assert (project / "tripped").exists(), "the control: git runs it without a further word"


@pytest.mark.parametrize("name", ["config", "hooks"])
def test_a_part_of_a_repository_that_is_a_link_into_the_project_is_told(project: Path, name: str) -> None:
    (project / ".git" / name).rename(project / "elsewhere")
    (project / ".git" / name).symlink_to("../elsewhere")
    before = scene(project)
    if name == "config":
        (project / "elsewhere").write_text(f"[core]\n\tfsmonitor = {TRIP}\n")
    else:
        program(project / "elsewhere/post-index-change")
    (line,) = left_behind(before, scene(project), frozenset({project / ".git"}))
    assert f'"{project / "elsewhere"}"' in line


def test_a_file_that_an_included_file_names_is_told_too(project: Path) -> None:
    git(project, "config", "include.path", "../.gitconfig")
    (project / ".gitconfig").write_text("[core]\n\thooksPath = .githooks\n")
    before = scene(project)
    program(project / ".githooks/pre-commit")
    assert len(left_behind(before, scene(project), frozenset())) == 1


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("remote.origin.url", "./a.txt"),
        ("branch.main.merge", "a.txt"),
        ("core.worktree", ".."),
        ("alias.x", "status --short"),
        ("core.hooksPath", "/usr/share/hooks"),
        ("include.path", "../../outside"),
        ("include.path", "~/.gitconfig-work"),
    ],
)
def test_what_is_data_to_git_or_lies_elsewhere_is_not_named(project: Path, key: str, value: str) -> None:
    git(project, "config", key, value)
    assert scene(project).named == ()


def test_settings_that_cannot_be_read_or_go_in_circles_name_nothing_and_end(project: Path) -> None:
    git(project, "config", "include.path", "../one")
    (project / "one").write_text("[include]\n\tpath = two\n")
    (project / "two").write_text("[include]\n\tpath = one\n")
    assert {each.path.name for each in scene(project).named} == {"one", "two"}
    (project / ".git/config").write_bytes(b"[core\n\0")
    assert scene(project).named == ()
    os.unlink(project / ".git/config")
    os.mkfifo(project / ".git/config")
    assert scene(project).named == ()


def test_words_that_lead_nowhere_count_too_and_more_than_the_bound_are_told(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(project, "config", "include.path", "../.gitconfig")
    program(project / "tools/fm")
    (project / ".gitconfig").write_text(f"[a]\n\tb = {'x/y ' * 50}\n[core]\n\tfsmonitor = tools/fm\n")
    assert {each.path.name for each in scene(project).named} == {".gitconfig", "fm"}
    monkeypatch.setattr(git_named_files, "_MOST_WORDS", 40)
    assert {each.path.name for each in look_for_names(project).files} == {".gitconfig"}
    assert reasons(project) == ["has settings for git of more than 40 words"]


def test_more_files_of_settings_than_the_bound_are_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        git(project, "config", "--add", "include.path", f"../{number}")
        (project / f"{number}").write_text("")
    assert len(scene(project).named) == 5
    monkeypatch.setattr(git_named_files, "_MOST_FILES", 3)
    assert reasons(project) == ["has more than 3 files of settings for git"]


def test_a_file_of_settings_that_is_too_long_is_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(project, "config", "core.hooksPath", ".githooks")
    program(project / ".githooks/pre-commit")
    assert len(scene(project).named) == 1
    monkeypatch.setattr(git_named_files, "_FILE_BYTES", 20)
    assert look_for_names(project).files == ()
    assert reasons(project) == ["has more than 20 bytes of settings for git"]


def test_ways_of_very_many_names_are_not_followed_and_that_is_told(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(project, "config", "a.b", "d/../" * 400 + "a.txt")
    (project / "d").mkdir()
    assert reasons(project) == []
    monkeypatch.setattr("pi_sandbox.launch.git_redirections.MOST_STEPS", 500)
    assert reasons(project) == ["leads git on ways of more than 500 names"]


def test_what_takes_too_long_is_ended_and_told_once(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(project, "config", "a.b", "d/../" * 400 + "a.txt")
    (project / "d").mkdir()
    assert len(look_for_names(project).files) == 1
    clock = itertools.count()
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    assert look_for_names(project, seconds=100).files == ()
    assert reasons(project, seconds=100) == ["takes longer than 100 seconds to look through"]


def test_the_time_holds_for_the_states_of_what_was_found_too(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        git(project, "config", "--add", "include.path", f"../{number}")
        (project / f"{number}").write_text("")
    look = find_git(project)
    clock = itertools.count()
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    assert len(named_files(project, look.places, seconds=1_000).files) == 20
    asked = next(clock)
    found = named_files(project, look.places, seconds=asked - 12)
    assert 0 < len(found.files) < 20
    assert len(found.unseen) == 1


def test_what_was_not_looked_at_before_is_not_said_to_have_appeared(project: Path) -> None:
    git(project, "config", "core.hooksPath", ".githooks")
    program(project / ".githooks/pre-commit")
    found, late = look_for_names(project), look_for_names(project, seconds=0)
    places = find_git(project).places
    before = Scene(GitLook(places, late.unseen), frozenset(), late.files)
    (line,) = left_behind(before, Scene(GitLook(places, ()), frozenset(), found.files), frozenset())
    assert "perhaps appeared" in line

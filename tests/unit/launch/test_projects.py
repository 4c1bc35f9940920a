"""Who stands in the wrong place is told which projects there are, in a moment however large the workspace is."""

from pathlib import Path

import pytest

from pi_sandbox.cli.main import run
from pi_sandbox.launch import projects
from pi_sandbox.launch.projects import find_projects
from pi_sandbox.settings.domains import DomainName
from pi_sandbox.settings.folders import Folders

DOMAINS = (DomainName("private"), DomainName("work"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for level in ("private/git.example.org/garden", "private/a/b/c", "work/shop"):
        (tmp_path / "ws" / level / ".git").mkdir(parents=True)
    (tmp_path / "ws/private/a/b/c/vendor/.git").mkdir(parents=True)
    (tmp_path / "ws/private/empty").mkdir()
    return tmp_path


def test_checkouts_are_found_by_name_and_not_what_lies_in_them(home: Path) -> None:
    found, more = find_projects(Folders(home), DOMAINS, 9)
    assert [str(path.relative_to(home / "ws")) for path in found] == [
        "private/a/b/c",
        "private/git.example.org/garden",
        "work/shop",
    ]
    assert not more


@pytest.mark.parametrize(("most", "more"), [(1, True), (2, True), (3, False)])
def test_it_is_said_that_there_are_more(home: Path, most: int, more: bool) -> None:
    found, there_are_more = find_projects(Folders(home), DOMAINS, most)
    assert (len(found), there_are_more) == (most, more)


def test_the_look_ends_after_so_many_folders(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projects, "_MOST_FOLDERS", 3)
    found, more = find_projects(Folders(home), DOMAINS, 9)
    assert ([path.name for path in found], more) == (["c"], True)


def test_links_are_not_followed(home: Path) -> None:
    (home / "ws/work/loop").symlink_to(home)
    found, _ = find_projects(Folders(home), DOMAINS, 99)
    assert len(found) == 3


@pytest.mark.parametrize("place", [".", "ws", "ws/private", "/nowhere/at/all"])
def test_a_wrong_place_is_answered_with_the_projects_that_exist(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes], place: str
) -> None:
    monkeypatch.setenv("PI_SANDBOX_HOME", str(home))
    monkeypatch.chdir(home)
    assert run(["context", f"{place}/"]) == 2
    assert f'projects: "{home}/ws/private/a/b/c"' in capsysbinary.readouterr().err.decode()


def test_a_link_that_leads_out_is_named_with_where_it_leads(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    (home / "elsewhere").mkdir()
    (home / "ws/private/link").symlink_to(home / "elsewhere")
    monkeypatch.setenv("PI_SANDBOX_HOME", str(home))
    assert run(["context", str(home / "ws/private/link")]) == 2
    said = capsysbinary.readouterr().err.decode()
    assert f'"{home}/ws/private/link" leads to "{home}/elsewhere", which is not inside "{home}/ws"/<domain>/' in said
